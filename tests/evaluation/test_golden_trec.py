import pytest

from strata_rag.errors import GoldenError
from strata_rag.evaluation import load_golden

TOPICS = """
<top>
<num> Number: 301
<title> International Organized &amp; Crime

<desc> Description:
Identify organizations.
</top>
<top><num>302</num><title>Poliomyelitis</title></top>
<top><num> Number: 303 <title> Not judged </top>
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "topics.txt").write_text(TOPICS)
    (tmp_path / "qrels.test.txt").write_text("301 0 FBIS3-1 1\n301 0 a%20b 0\n302 0 FT-2 2\n")
    return tmp_path


def test_topics_and_qrels_make_a_golden_set(folder):
    golden = load_golden(folder)
    assert [(q.id, q.text, dict(q.judged)) for q in golden.questions] == [
        ("301", "International Organized & Crime", {"FBIS3-1": 1.0, "a b": 0.0}),
        ("302", "Poliomyelitis", {"FT-2": 2.0}),
    ]
    assert golden.unjudged == 1


def test_topics_may_be_lines_and_the_only_qrels_need_no_split(tmp_path):
    (tmp_path / "topics.tsv").write_text("1\twho?\r\n2\twhat?\n")
    (tmp_path / "qrels.txt").write_text("1 0 d 1\n2 0 e 1\n")
    assert [question.text for question in load_golden(tmp_path).questions] == ["who?", "what?"]


def test_a_split_chooses_its_qrels(folder):
    (folder / "qrels.dev.txt").write_text("303 0 d 1\n")
    assert [question.id for question in load_golden(folder, split="dev").questions] == ["303"]
    with pytest.raises(GoldenError, match="one qrels file was expected"):
        load_golden(folder, split="train")


def test_every_fault_of_both_files_is_named_with_its_line(folder):
    (folder / "topics.txt").write_text("1\tone\nno tab\n1\tagain\n2\t \n")
    (folder / "qrels.test.txt").write_text("1 0 d 1\n1 0 d 2\n1 0 e\n1 0 f x\n9 0 d 1\n")
    with pytest.raises(GoldenError) as caught:
        load_golden(folder)
    lines = [line.replace(f"{folder}/", "") for line in caught.value.lines]
    assert [line.split(": ")[0] for line in lines] == [
        "topics.txt:2:1",
        "topics.txt:3:1",
        "topics.txt:4:1",
        "qrels.test.txt:2:1",
        "qrels.test.txt:3:1",
        "qrels.test.txt:4:1",
        "qrels.test.txt:5:1",
    ]


def test_a_folder_without_qrels_is_refused(folder):
    (folder / "qrels.test.txt").unlink()
    with pytest.raises(GoldenError, match="a qrels file was expected"):
        load_golden(folder)
