"""Measure the privacy package: labelled texts, throughput, false alarms, planted secrets.

python benchmarks/privacy.py LABELS.jsonl PROSE_FOLDER [--presidio]

LABELS holds `text` and `spans` a line; PROSE_FOLDER is read for .md and .txt files and BEIR's corpus.jsonl. With
--presidio the same labels go through Presidio in batches and document by document.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.privacy.planted import planted

from strata_rag.privacy import (
    Detector,
    LabelledText,
    PresidioDetector,
    RegexDetector,
    SecretScanner,
    detect_all,
    merge_spans,
    read_labels,
    score,
)

ENTITIES = ("EMAIL_ADDRESS", "IBAN_CODE", "CREDIT_CARD", "PHONE_NUMBER", "PERSON", "LOCATION", "US_SSN")
THRESHOLD = 0.4


def prose(folder: Path) -> list[str]:
    texts = [
        path.read_text("utf-8", "replace")
        for pattern in ("*.md", "*.txt")
        for path in sorted(folder.rglob(pattern))
    ]
    for path in sorted(folder.rglob("corpus.jsonl")):
        with path.open(encoding="utf-8", newline="\n") as lines:
            texts += [row.get("title", "") + "\n" + row["text"] for row in map(json.loads, lines)]
    return texts


def print_scores(name: str, detector: Detector, labelled: Sequence[LabelledText]) -> None:
    begin = time.process_time()
    spans = detect_all(detector, [one.text for one in labelled])
    seconds = time.process_time() - begin
    found = [[span for span in one if span.score >= THRESHOLD] for one in spans]
    print(f"{name}: {len(labelled)} texts in {seconds:.2f} CPU s")
    for entity in ENTITIES:
        exact, overlap = (score(found, labelled, entity, exact=exact, seed=0) for exact in (True, False))
        interval = f"{overlap.low:.3f}-{overlap.high:.3f}"
        print(f"  {entity:14s} exact F1 {exact.f1:.3f}  overlap F1 {overlap.f1:.3f} ({interval})")


def print_throughput(name: str, detector: Detector, texts: Sequence[str]) -> None:
    size = sum(len(text.encode("utf-8", "replace")) for text in texts) / 1e6
    begin = time.process_time()
    found = Counter(span.entity for text in texts for span in detector.detect(text))
    seconds = time.process_time() - begin
    rates = (
        ", ".join(f"{entity} {count / size:.2f}/MB" for entity, count in sorted(found.items()))
        or "no finding"
    )
    print(f"{name}: {size:.1f} MB of prose at {size / seconds:.2f} MB per CPU second; {rates}")


def print_planted() -> None:
    scanner, texts = SecretScanner(), planted()
    hits = 0
    for one in texts:
        covered = {at for span in merge_spans(scanner.detect(one.text)) for at in range(span.start, span.end)}
        hits += all(at in covered or one.text[at].isspace() for at in range(one.start, one.end))
    print(f"planted secrets: {hits} of {len(texts)} in {len({one.shape for one in texts})} shapes")


def print_presidio(labelled: Sequence[LabelledText]) -> None:
    detector = PresidioDetector(spacy_model="en_core_web_sm", entities=(*ENTITIES, "IP_ADDRESS"))
    detector.detect("warm up")
    print_scores("presidio", detector, labelled)
    begin = time.process_time()
    for one in labelled:
        detector.detect(one.text)
    print(f"  one by one: {time.process_time() - begin:.2f} CPU s")


def main(labels: Path, folder: Path, with_presidio: bool) -> None:
    print(f"Python {platform.python_version()}, {platform.machine()}")
    labelled, texts = read_labels(labels), prose(folder)
    print_scores("regex", RegexDetector(), labelled)
    print_throughput("regex", RegexDetector(), texts)
    print_throughput("secrets", SecretScanner(), texts)
    print_planted()
    if with_presidio:
        print_presidio(labelled)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]), "--presidio" in sys.argv)
