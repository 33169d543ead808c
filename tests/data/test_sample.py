"""The sample corpus and its golden set hold what their description promises."""

import importlib.util
import re
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

DATA = Path(__file__).parents[2] / "data"
CORPUS = DATA / "sample"
KINDS = {"paraphrase", "code", "name", "general", "unanswerable"}
PLAIN = {".md", ".txt", ".html", ".php", ".csv", ".jsonl", ".json", ".eml", ".rtf", ".log"}
FORMATS = PLAIN | {".docx", ".odt", ".pdf", ".xlsx"}
LARGEST_FILE = 40_000
LARGEST_CORPUS = 600_000

STOP_TEXT = """
a about after again all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing down during each few for from further
get got had has have having he her here hers him his how i if in into is it its just may me
more most must my no nor not now of off on once only or other our out over own same shall she
should so some such than that the their them then there these they this those through to too
under until up us very was we were what when where which while who whom why will with would
you your
"""
STOP_WORDS = frozenset(STOP_TEXT.split())
SUFFIXES = ("ing", "ied", "ies", "ed", "es", "ly", "s", "e", "y")


def load_golden() -> list[dict[str, Any]]:
    questions = yaml.safe_load((DATA / "sample-golden.yaml").read_text(encoding="utf-8"))
    assert isinstance(questions, list)
    return questions


def corpus_files() -> list[Path]:
    return sorted(path for path in CORPUS.rglob("*") if path.is_file())


def content_stems(text: str) -> set[str]:
    """Return the stems of a text's words, accents folded and stop words left out."""
    folded = "".join(
        char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char)
    )
    return {stem(word) for word in re.findall(r"[^\W_]+", folded) if word not in STOP_WORDS}


def stem(word: str) -> str:
    """Cut one common English ending, so that `leaks` and `leaking` are one word."""
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


GOLDEN = load_golden()


def of_kind(*kinds: str) -> list[Any]:
    return [pytest.param(item, id=item["id"]) for item in GOLDEN if item["kind"] in kinds]


def test_every_question_has_the_four_keys() -> None:
    for item in GOLDEN:
        assert set(item) == {"id", "question", "relevant", "kind"}, item
        assert item["question"].strip()


def test_ids_are_unique_and_begin_with_their_kind() -> None:
    ids = [item["id"] for item in GOLDEN]
    assert len(ids) == len(set(ids))
    for item in GOLDEN:
        assert re.fullmatch(rf"{item['kind']}-\d\d", item["id"])


def test_questions_are_unique() -> None:
    questions = [item["question"].lower() for item in GOLDEN]
    assert len(questions) == len(set(questions))


def test_all_kinds_occur_and_no_other() -> None:
    assert {item["kind"] for item in GOLDEN} == KINDS
    assert 70 <= len(GOLDEN) <= 90


def test_relevant_documents_exist_and_are_named_once() -> None:
    doc_ids = {path.relative_to(CORPUS).as_posix() for path in corpus_files()}
    for item in GOLDEN:
        assert set(item["relevant"]) <= doc_ids, item["id"]
        assert len(item["relevant"]) == len(set(item["relevant"])), item["id"]


def test_only_unanswerable_questions_lack_documents() -> None:
    for item in GOLDEN:
        assert (item["relevant"] == []) == (item["kind"] == "unanswerable"), item["id"]


@pytest.mark.parametrize("item", of_kind("general"))
def test_general_question_has_several_documents(item: dict[str, Any]) -> None:
    assert 2 <= len(item["relevant"]) <= 4


@pytest.mark.parametrize("item", of_kind("paraphrase"))
def test_paraphrase_shares_no_content_word_with_its_documents(item: dict[str, Any]) -> None:
    asked = content_stems(item["question"])
    assert asked
    for doc_id in item["relevant"]:
        assert not asked & content_stems((CORPUS / doc_id).read_text(encoding="utf-8"))


@pytest.mark.parametrize("item", of_kind("code"))
def test_asked_code_stands_in_its_document(item: dict[str, Any]) -> None:
    """One question writes a code without its hyphen, as people do; hyphens don't count here."""
    codes = re.findall(r"\w*\d[\w/]*|C\+\+", item["question"].lower().replace("-", ""), re.I)
    assert codes
    for doc_id in item["relevant"]:
        text = (CORPUS / doc_id).read_text(encoding="utf-8").lower().replace("-", "")
        assert all(code in text for code in codes)


def test_two_sources_have_at_least_three_projects_each() -> None:
    projects: dict[str, set[str]] = {}
    for path in corpus_files():
        parts = path.relative_to(CORPUS).parts
        if len(parts) > 2:
            projects.setdefault(parts[0], set()).add(parts[1])
    assert set(projects) == {"atlas", "harbor"}
    assert all(len(names) >= 3 for names in projects.values())


def test_corpus_stays_small_and_holds_every_format() -> None:
    files = corpus_files()
    assert {path.suffix for path in files} == FORMATS
    assert max(path.stat().st_size for path in files) <= LARGEST_FILE
    assert sum(path.stat().st_size for path in files) < LARGEST_CORPUS


def test_corpus_has_the_odd_shapes() -> None:
    texts = {path: path.read_bytes() for path in corpus_files()}
    assert any(path.parent == CORPUS for path in texts), "no file in the root folder"
    assert any(b"\r\n" in text for text in texts.values()), "no file with CRLF"
    assert any("é".encode() in text for text in texts.values()), "no accented text"


def test_corpus_has_planted_noise_one_damaged_file_and_one_scan() -> None:
    names = {path.relative_to(CORPUS).as_posix() for path in corpus_files()}
    assert {"harbor/drafts/heat-draft.html", "harbor/policy/animals-old.html", "atlas/sdk/build.log"} <= names
    damaged = (CORPUS / "atlas/bulletins/sb-812.docx").read_bytes()
    assert damaged.startswith(b"PK")
    assert b"PK\x05\x06" not in damaged, "the archive has its directory"
    scan = (CORPUS / "atlas/turbines/nameplate-scan.pdf").read_bytes()
    assert b"/Image" in scan
    assert b"/Font" not in scan


def test_packed_files_are_what_their_script_writes() -> None:
    spec = importlib.util.spec_from_file_location("make_sample_binaries", DATA / "make_sample_binaries.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = {
        "atlas/turbines/gearbox-exchange.docx": module.word_parts(),
        "harbor/policy/visitor-parking.odt": module.open_document_parts(),
        "atlas/parts/price-list.xlsx": module.workbook_parts(),
    }
    for name, parts in written.items():
        with zipfile.ZipFile(CORPUS / name) as archive:
            assert {one: archive.read(one).decode() for one in archive.namelist()} == parts, name
    hot_section = (CORPUS / "atlas/turbines/hot-section.pdf").read_bytes()
    assert hot_section == module.text_pdf(module.HOT_SECTION)


@pytest.mark.parametrize("family", ["atlas", "harbor"])
def test_a_roster_names_documents_of_its_family_once(family: str) -> None:
    lines = (DATA / f"sample-rosters/{family}.tsv").read_text(encoding="utf-8").splitlines()
    width = len(lines[0].split("\t"))
    ids = [line.split("\t")[0] for line in lines[1:]]
    assert all(len(line.split("\t")) == width for line in lines)
    assert len(ids) == len(set(ids))
    assert all(doc_id.startswith(f"{family}/") for doc_id in ids)
    gone = [doc_id for doc_id in ids if not (CORPUS / doc_id).is_file()]
    assert gone == (["atlas/parts/atl-4147-a.md"] if family == "atlas" else [])
