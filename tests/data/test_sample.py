"""The sample corpus and its golden set hold what their description promises."""

import importlib.util
import re
import unicodedata
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from strata_rag.config import load_config
from strata_rag.documents import SourceDocument
from strata_rag.experiment import Experiment, Workspace

DATA = Path(__file__).parents[2] / "data"
CORPUS = DATA / "sample"
KINDS = {"paraphrase", "code", "name", "general", "unanswerable"}
FORMATS_PAGE = DATA.parent / "docs/formats.md"
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


@cache
def documents() -> Mapping[str, SourceDocument]:
    """Read the sample as ``strata ingest configs/sample.yaml`` does."""
    config = load_config(DATA.parent / "configs/sample.yaml", environ={}).config
    source = Experiment(config, Workspace(home=Path("unused"), offline=True)).raw_source()
    return {document.doc_id: document for document in source.discover()}


def text_of(doc_id: str) -> str:
    return documents()[doc_id].text


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


def test_every_question_has_the_four_keys_and_some_an_answer() -> None:
    needed = {"id", "question", "relevant", "kind"}
    for item in GOLDEN:
        assert needed <= set(item) <= needed | {"reference_answer", "expected"}, item
        assert item["question"].strip()
    assert sum("reference_answer" in item for item in GOLDEN) >= 20


def test_expected_words_stand_in_the_reference_answer_and_in_a_document() -> None:
    for item in GOLDEN:
        for fact in item.get("expected", []):
            assert fact.lower() in item["reference_answer"].lower(), item["id"]
            assert any(fact in text_of(doc_id) for doc_id in item["relevant"]), item["id"]


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
    assert 100 <= len(GOLDEN) <= 140


def test_relevant_documents_exist_and_are_named_once() -> None:
    for item in GOLDEN:
        assert set(item["relevant"]) <= set(documents()), item["id"]
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
        assert not asked & content_stems(text_of(doc_id))


@pytest.mark.parametrize("item", of_kind("code"))
def test_asked_code_stands_in_its_document(item: dict[str, Any]) -> None:
    """One question writes a code without its hyphen, as people do; hyphens don't count here."""
    codes = re.findall(r"\w*\d[\w/]*|C\+\+", item["question"].lower().replace("-", ""), re.I)
    assert codes
    for doc_id in item["relevant"]:
        text = text_of(doc_id).lower().replace("-", "")
        assert all(code in text for code in codes)


def test_two_sources_have_at_least_three_projects_each() -> None:
    projects: dict[str, set[str]] = {}
    for path in corpus_files():
        parts = path.relative_to(CORPUS).parts
        if len(parts) > 2:
            projects.setdefault(parts[0], set()).add(parts[1])
    assert set(projects) == {"atlas", "harbor"}
    assert all(len(names) >= 3 for names in projects.values())


def documented_endings() -> list[set[str]]:
    """Return the endings of each row of the table in docs/formats.md."""
    page = FORMATS_PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|`]+ \| (`\.[^|]*) \|", page, re.MULTILINE)
    return [set(re.findall(r"\.\w+", row)) for row in rows]


@pytest.mark.parametrize("endings", documented_endings(), ids=lambda endings: min(endings))
def test_every_documented_format_is_in_the_sample_and_read(endings: set[str]) -> None:
    files = {path.relative_to(CORPUS).as_posix() for path in corpus_files() if path.suffix in endings}
    read = {name for name in files if any(f"{doc_id}/".startswith(f"{name}/") for doc_id in documents())}
    assert read, f"no file of {sorted(endings)} is read"
    asked = {doc_id for item in GOLDEN for doc_id in item["relevant"]}
    assert any(f"{doc_id}/".startswith(f"{name}/") for name in read for doc_id in asked), "no question"


def test_the_table_of_formats_is_found() -> None:
    assert len(documented_endings()) >= 13


def test_corpus_stays_small() -> None:
    files = corpus_files()
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
        "harbor/permits/berth-dues.ods": module.open_sheet_parts(),
        "harbor/minutes/before-2015.zip": module.OLD_MINUTES,
        "atlas/parts/price-list.xlsx": module.workbook_parts(),
    }
    for name, parts in written.items():
        with zipfile.ZipFile(CORPUS / name) as archive:
            assert {one: archive.read(one).decode() for one in archive.namelist()} == parts, name
    hot_section = (CORPUS / "atlas/turbines/hot-section.pdf").read_bytes()
    assert hot_section == module.text_pdf(module.HOT_SECTION)


@pytest.mark.parametrize(
    ("family", "key", "gone"),
    [("atlas", "doc_id", ["atlas/parts/atl-4147-a.md"]), ("harbor", "reference", [])],
)
def test_a_roster_names_documents_of_its_family_once(family: str, key: str, gone: list[str]) -> None:
    lines = (DATA / f"sample-rosters/{family}.tsv").read_text(encoding="utf-8").splitlines()
    header, *rows = [line.split("\t") for line in lines]
    assert header[0] == key
    assert all(len(row) == len(header) for row in rows)
    keys = [row[0] for row in rows]
    assert len(keys) == len(set(keys))
    known = {doc_id for doc_id in documents() if doc_id.startswith(f"{family}/")}
    if key == "reference":
        known = {doc_id.rpartition("/")[2].partition(".")[0].upper() for doc_id in known}
    assert [one for one in keys if one not in known] == gone
