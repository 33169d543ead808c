"""Time of the quality flags over 10,000 documents, and how well languages are told on parallel paragraphs.

    python benchmarks/quality.py [--documents 10000] [--xquad FOLDER]

FOLDER holds ``xquad-en/corpus.jsonl`` and ``xquad-de/corpus.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from pathlib import Path

from strata_rag.corpus import corpus_quality
from strata_rag.corpus.language import detect_language

WORDS = [
    "the",
    "pump",
    "in",
    "of",
    "hall",
    "was",
    "replaced",
    "by",
    "and",
    "its",
    "bearings",
    "had",
    "worn",
    "out",
]


def made(count: int) -> dict[str, str]:
    """Return documents of about 120 words, a tenth of them copies of another with a few words more."""
    draw = random.Random(0)
    names = [f"word{number}" for number in range(20_000)]
    texts = {
        f"{number:06}": " ".join(draw.choices(WORDS, k=60) + draw.choices(names, k=60))
        for number in range(count * 9 // 10)
    }
    copies = {f"copy {key}": f"{texts[key]} and more" for key in list(texts)[: count - len(texts)]}
    return texts | copies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--xquad", type=Path)
    arguments = parser.parse_args()
    texts = made(arguments.documents)
    begin = time.process_time()
    found = corpus_quality(texts, language="english")
    seconds = time.process_time() - begin
    print(f"{len(texts)} documents: {seconds:.1f} s of one core, {found.flag_counts()}")
    for language in ("en", "de") if arguments.xquad else ():
        lines = (arguments.xquad / f"xquad-{language}/corpus.jsonl").read_text(encoding="utf-8").splitlines()
        told = Counter(detect_language(json.loads(line)["text"]) for line in lines)
        print(f"xquad-{language}: {dict(told)}")


if __name__ == "__main__":
    main()
