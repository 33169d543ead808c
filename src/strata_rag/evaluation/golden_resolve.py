"""Hold a golden set against the ids of a corpus."""

from __future__ import annotations

import difflib
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace

from strata_rag.errors import Fault, GoldenError
from strata_rag.evaluation.golden import GoldenSet, Question

_MAX_SUGGESTIONS = 100  # misses that get the slow, fuzzy search; the rest get the fast one only
_HINTS = 5  # that stand in the one line for them
_MAX_CANDIDATES = 500  # ids compared letter by letter for one miss


def resolve(golden: GoldenSet, known_ids: Collection[str], *, level: str | None = None) -> GoldenSet:
    r"""Rewrite item ids to the corpus's own spelling.

    An id that is not in the corpus as written is looked up by its path form: ``\`` as ``/``, without a
    leading ``./`` or ``/``, Unicode composed (NFC).

    Args:
        golden: The set to hold against the corpus.
        known_ids: Every item id there is.
        level: Only look at questions judged at this level; by default at all of them.

    Raises:
        GoldenError: Some ids are not in the corpus; each is named, with the nearest id.
    """
    resolved, faults = _resolve(golden, known_ids, level)
    if faults:
        nearest = dict.fromkeys(f"{fault.where}: {fault.hint}" for fault in faults if fault.hint)
        hint = (
            "; ".join([*nearest][:_HINTS])
            or f"give the ids of {golden.unit} as the corpus manifest lists them"
        )
        raise GoldenError(faults, hint=hint)
    return resolved


def check_against(golden: GoldenSet, known_ids: Collection[str], *, level: str | None = None) -> list[Fault]:
    """List every item id that is not in the corpus; see `resolve`."""
    return _resolve(golden, known_ids, level)[1]


def match_ids(
    items: Collection[str], known_ids: Collection[str]
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Find ids by their path form.

    Returns:
        Item -> the known ids it may mean (itself alone if it is one), and for those without any a hint that
        names the nearest id.
    """
    forms: dict[str, list[str]] = defaultdict(list)
    for known in known_ids:
        forms[_path_form(known)].append(known)
    exact = known_ids if isinstance(known_ids, set | frozenset | dict) else frozenset(known_ids)
    found = {
        item: [item] if item in exact else sorted(forms.get(_path_form(item), ())) for item in sorted(items)
    }
    finder = _NearestId(exact)
    return found, {item: finder.hint(item) for item, matches in found.items() if not matches}


def _resolve(
    golden: GoldenSet, known_ids: Collection[str], level: str | None
) -> tuple[GoldenSet, list[Fault]]:
    exact = known_ids if isinstance(known_ids, set | frozenset | dict) else frozenset(known_ids)
    asked = {q.id for q in golden.questions if level is None or golden.level_of(q) == level}
    missing = {item for q in golden.questions if q.id in asked for item in q.judged if item not in exact}
    if not missing:
        return golden, []
    respelled, hints = match_ids(missing, exact)
    faults: list[Fault] = []
    questions = [
        _rewrite(question, respelled, hints, faults) if question.id in asked else question
        for question in golden.questions
    ]
    return replace(golden, questions=tuple(questions)), faults


def _rewrite(
    question: Question, respelled: dict[str, list[str]], hints: dict[str, str], faults: list[Fault]
) -> Question:
    judged: dict[str, float] = {}
    for item, grade in question.judged.items():
        found = respelled.get(item, [item])
        what = f"question {question.id!r}"
        if not found:
            problem = f"{what}: an id of the corpus was expected, found {item!r}"
            faults.append(Fault(question.where, problem, hints[item]))
        elif len(found) > 1:
            problem = f"{what}: one id was expected, found {item!r}, which may be {' or '.join(found)}"
            faults.append(Fault(question.where, problem))
        elif judged.setdefault(found[0], grade) != grade:
            problem = (
                f"{what}: one grade for {found[0]!r} was expected, found {judged[found[0]]:g} and {grade:g}"
            )
            faults.append(Fault(question.where, problem))
    return replace(question, judged=judged)


def _path_form(item: str) -> str:
    parts = unicodedata.normalize("NFC", item).replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in ("", "."))


class _NearestId:
    """Finds the id someone may have meant, without comparing each miss to every id."""

    def __init__(self, known: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        self._by_edge: dict[str, list[str]] = defaultdict(list)
        self._fuzzy_left = _MAX_SUGGESTIONS
        for item in sorted(known):
            name, stem = _name(item)
            self._by_name[name].append(item)
            self._by_stem[stem].append(item)
            # A slip of the pen seldom hits both ends of a name.
            self._by_edge["<" + stem[:3]].append(item)
            self._by_edge[">" + stem[-3:]].append(item)

    def hint(self, item: str) -> str:
        name, stem = _name(item)
        pool = self._by_name.get(name) or self._by_stem.get(stem)
        cutoff = 0.0
        if not pool and self._fuzzy_left:
            self._fuzzy_left -= 1
            half = _MAX_CANDIDATES // 2
            pool = (
                self._by_edge.get("<" + stem[:3], [])[:half] + self._by_edge.get(">" + stem[-3:], [])[:half]
            )
            cutoff = 0.6
        close = difflib.get_close_matches(item, (pool or [])[:_MAX_CANDIDATES], n=1, cutoff=cutoff)
        return f"did you mean {close[0]}?" if close else ""


def _name(item: str) -> tuple[str, str]:
    name = _path_form(item).rsplit("/", 1)[-1].casefold()
    return name, name.rsplit(".", 1)[0]
