"""Golden sets of TREC collections: a folder with a topics file and a qrels file."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from strata_rag.errors import Fault, GoldenError
from strata_rag.evaluation.golden import GoldenSet, Question
from strata_rag.evaluation.golden_nodes import HINT, Source, read_source
from strata_rag.evaluation.golden_yaml import parse_grade
from strata_rag.evaluation.trec import decode_id

_TOP = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"<(num|title)>\s*(?:number|topic)?\s*:?\s*([^<]*)", re.IGNORECASE)

# query id -> item id -> (grade, offset of its line)
_Judged = dict[str, dict[str, tuple[float, int]]]


def is_trec_folder(folder: Path) -> bool:
    """Tell whether a folder holds topics."""
    return any(folder.glob("topics*"))


def load_trec(folder: Path, *, split: str, level: str) -> GoldenSet:
    """Read ``topics*`` and ``qrels.<split>*``, or the only ``qrels*`` there is.

    Topics are ``<top>`` blocks with ``<num>`` and ``<title>``, or lines of id, tab and question. Qrels lines
    are ``qid 0 docid grade``. Topics without judgements are left out and counted in `GoldenSet.unjudged`.

    Raises:
        GoldenError: With every fault of both files.
    """
    topics = read_source(_only(folder, ["topics*"], "topics"))
    qrels = read_source(_only(folder, [f"qrels.{split}*", f"{split}.qrels", "qrels*"], "qrels"))
    judged = _read_qrels(qrels)
    questions, unjudged, seen = [], 0, set()
    for query_id, text, at in _read_topics(topics):
        if query_id in seen:
            topics.fault(at, f"topic: a unique id was expected, found {query_id!r} again")
        elif not text:
            topics.fault(at, f"topic {query_id!r}: a question was expected, found nothing")
        elif query_id in judged:
            grades = {item: grade for item, (grade, _) in judged[query_id].items()}
            questions.append(Question(query_id, text, grades, where=topics.where(at)))
        else:
            unjudged += 1
        seen.add(query_id)
    for query_id, items in judged.items():
        if query_id not in seen:
            at = min(place for _, place in items.values())
            qrels.fault(at, f"a topic of {topics.name} was expected, found the id {query_id!r}")
    if not questions and not topics.faults and not qrels.faults:
        qrels.fault(0, "judgements of at least one topic were expected, found none")
    faults = [
        fault for source in (topics, qrels) for _, fault in sorted(source.faults, key=lambda pair: pair[0])
    ]
    if faults:
        raise GoldenError(faults, hint=HINT)
    return GoldenSet(tuple(questions), level=level, origin=str(folder), unjudged=unjudged)


def _only(folder: Path, patterns: list[str], what: str) -> Path:
    """Return the file that the first matching pattern names."""
    for pattern in patterns:
        found = sorted(path for path in folder.glob(pattern) if path.is_file())
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(path.name for path in found)
            problem = f"one {what} file was expected, found {names}"
            raise GoldenError(
                [Fault(str(folder), problem)], hint="keep one, or name the qrels by evaluation.split"
            )
    raise GoldenError([Fault(str(folder), f"a {what} file was expected, found none")], hint=HINT)


def _read_topics(source: Source) -> Iterator[tuple[str, str, int]]:
    """Yield (id, question, offset)."""
    if "<top>" in source.text.lower():
        for block in _TOP.finditer(source.text):
            fields = {match[1].lower(): match[2] for match in _FIELD.finditer(block[1])}
            query_id = fields.get("num", "").strip()
            if not query_id:
                source.fault(block.start(), "topic: <num> with an id was expected, found none")
                continue
            yield query_id, " ".join(html.unescape(fields.get("title", "")).split()), block.start()
        return
    for line, at in _lines(source):
        query_id, tab, text = line.partition("\t")
        if not tab:
            source.fault(at, "topic: an id, a tab and a question were expected, found no tab")
            continue
        yield query_id.strip(), text.strip(), at


def _read_qrels(source: Source) -> _Judged:
    judged: _Judged = {}
    for line, at in _lines(source):
        columns = line.split()
        if len(columns) != 4:
            source.fault(at, f"4 columns (query, 0, item, grade) were expected, found {len(columns)}")
            continue
        query_id, item, grade = decode_id(columns[0]), decode_id(columns[2]), parse_grade(columns[3])
        if grade is None:
            source.fault(at, f"a grade was expected, found {columns[3]!r}")
        elif judged.setdefault(query_id, {}).setdefault(item, (grade, at))[0] != grade:
            found = f"{judged[query_id][item][0]:g} and {grade:g}"
            source.fault(
                at, f"one grade for query {query_id!r} and item {item!r} was expected, found {found}"
            )
    return judged


def _lines(source: Source) -> Iterator[tuple[str, int]]:
    at = 0
    for line in source.text.split("\n"):
        if line.strip():
            yield line.rstrip("\r"), at
        at += len(line) + 1
