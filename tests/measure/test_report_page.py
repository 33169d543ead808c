import re
from html.parser import HTMLParser

import numpy as np
import pytest

from strata_rag.evaluation import GoldenSet, Question
from strata_rag.experiment import Workspace, report_content
from strata_rag.report import Snippet, render_page
from strata_rag.report.page_html import Html, el, join

from .browser import Browser, find_browser
from .conftest import at_ranks

NASTY = "<script>alert(1)</script> \"'&\x00\ud800\u202e 漢字 <img src=x onerror=alert(1)>"


@pytest.fixture
def workspace(tmp_path):
    return Workspace(home=tmp_path / ".strata")


@pytest.fixture
def four_runs(make_run):
    rng = np.random.Generator(np.random.PCG64(0))
    base = rng.integers(1, 9, 40)
    for place in range(4):
        ranks = [int(rank) if rng.random() > 0.3 else int(rng.integers(0, 9)) for rank in base]
        make_run(ranks, milliseconds=5.0 * 4**place)
    return ["run1", "run2", "run3", "run4"]


@pytest.fixture
def page(four_runs, workspace, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(render_page(report_content(workspace, four_runs)), encoding="utf-8")
    return path


class Tags(HTMLParser):
    """Collects every element's name and attributes, and checks that what opens also closes."""

    VOID = frozenset({"meta", "link", "input", "br", "line", "rect", "circle", "path"})

    def __init__(self, source):
        super().__init__()
        self.found, self.open = [], []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_markup_is_escaped_unless_it_is_markup():
    made = el("p", "<b>", el("i", 'x & "y"'), cls="a", data_value='"<', title=None)
    assert made == '<p class="a" data-value="&quot;&lt;">&lt;b&gt;<i>x &amp; &quot;y&quot;</i></p>'
    assert join("<", Html("<br>"), "\x00\ud800") == "&lt;<br>\ufffd\ufffd"


def test_the_page_is_whole_and_holds_no_address_and_no_foreign_script(page):
    source = page.read_text(encoding="utf-8")
    tags = Tags(source)
    assert tags.open == []
    assert [tag for tag, _ in tags.found].count("script") == 1
    assert not re.search(r"https?://|\bsrc=|url\(|@import", source.replace("http-equiv", ""))
    policy = next(attributes["content"] for tag, attributes in tags.found if attributes.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not any(name.startswith("on") or name == "style" for _, found in tags.found for name in found)


def test_whatever_a_question_label_or_id_holds_stays_text(make_run, workspace):
    golden = GoldenSet(
        tuple(Question(f"{NASTY}{i}", f"{NASTY}?", {f"d{i}": 1.0}, kind=NASTY) for i in range(3)),
        origin=NASTY,
    )
    for ranks in ([1, 2, 3], [0, 1, 2]):
        rankings = dict(zip((q.id for q in golden.questions), at_ranks(ranks).values(), strict=True))
        rankings = {
            query: [f"{item}{NASTY}" if item[0] == "x" else item for item in ids]
            for query, ids in rankings.items()
        }
        make_run(
            rankings=rankings,
            golden=golden,
            label=f"{NASTY}{ranks[0]}",
            name=NASTY,
            config={NASTY: NASTY, "n": ranks},
            warnings=(NASTY,),
            libraries={NASTY: NASTY},
        )
    source = render_page(report_content(workspace, ["run1", "run2"]))
    tags = Tags(source)
    assert [tag for tag, _ in tags.found].count("script") == 1
    assert not any(tag == "img" for tag, _ in tags.found)
    source.encode("utf-8")


def test_the_same_runs_give_the_same_page(four_runs, workspace):
    assert render_page(report_content(workspace, four_runs)) == render_page(
        report_content(workspace, four_runs)
    )


def test_a_single_run_has_no_differences(make_run, workspace):
    make_run([1, 2, 0])
    source = render_page(report_content(workspace, ["run1"]))
    assert 'id="leaderboard"' in source
    assert 'id="differences"' not in source
    assert "Quality against time" not in source


def test_a_run_without_a_single_value_is_shown_with_dashes_and_never_0(make_run, workspace):
    make_run(rankings={}, golden=GoldenSet((Question("q", "?", kind="unanswerable"),)))
    source = render_page(report_content(workspace, ["run1"]))
    assert '<td class="num" data-value="">-</td>' in source
    assert "The best run answered every question fully." in source


def test_times_that_the_cache_made_short_are_named(make_run, workspace):
    make_run([1, 2], counts={"computed_embeddings": 2}), make_run([1, 2], counts={"computed_embeddings": 0})
    make_run([1, 2], counts={"computed_embeddings": 0}, mode="lexical")
    source = render_page(report_content(workspace, ["run1", "run2", "run3"]))
    assert "Embeddings or scores of system 2 came from the cache" in source


def test_failures_are_the_worst_questions_of_the_best_run_with_the_rank_in_every_run(make_run, workspace):
    make_run([3, 0, 1, 2]), make_run([1, 0, 2, 4])
    content = report_content(workspace, ["run1", "run2"], failures=2)
    assert content.best == 0
    assert [failure.question.id for failure in content.failures] == ["q1", "q0"]
    assert [failure.ranks for failure in content.failures] == [{"d1": (None, None)}, {"d0": (3, 1)}]
    assert content.failed == 3
    assert "texts are left out" in content.notes[0]


def test_the_config_differences_are_exact(make_run, workspace):
    make_run([1, 2], config={"a": {"b": 1, "same": [1]}, "only": None})
    make_run([2, 1], config={"a": {"b": "1", "same": [1]}})
    source = render_page(report_content(workspace, ["run1", "run2"]))
    table = source[source.index('id="config"') :].split("</table>")[0]
    assert re.findall(r"<code>(.*?)</code>", table) == ["a.b", "1", "1", "only", "null", "not a key"]


def test_snippets_mark_the_words_of_the_question_where_most_of_them_stand():
    from strata_rag.experiment.snippets import make_snippet
    from strata_rag.index import Analyser

    analyser = Analyser(language="english")
    filler = "nothing of note here " * 40
    text = f"valves {filler}The warranty for valves lasts two years. {filler}"
    found = make_snippet(text, frozenset(analyser.terms("How long do warranties of a valve last?")), analyser)
    assert isinstance(found, Snippet)
    assert [part for part, marked in found.parts if marked] == ["warranty", "valves", "lasts"]
    assert found.cut_before
    assert found.cut_after
    whole = "".join(part for part, _ in found.parts)
    assert whole in " ".join(text.split())
    assert len(whole) <= 280
    assert make_snippet("", frozenset({"x"}), analyser).parts == ()


def test_the_command_writes_the_page_whole_or_not_at_all(four_runs, strata, tmp_path):
    ended = strata("report", *four_runs, "-o", "out/page.html")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "report out/page.html\n"
    assert (tmp_path / "out" / "page.html").read_text(encoding="utf-8").endswith("</html>\n")
    (tmp_path / "file").write_text("")
    failed = strata("report", "run1", "-o", "file/page.html")
    assert failed.returncode == 3
    assert len(failed.stderr.splitlines()) == 2
    assert strata("report", "run1").returncode == 2


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    executable = find_browser()
    if executable is None:
        pytest.skip("no Chromium on this machine: the page's script is not tested")
    browser = Browser(executable, tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


def column(browser, table, place):
    script = f"Array.from(document.querySelectorAll('#{table} tbody tr')).map(r => r.children[{place}].dataset.value)"
    return browser.run(script)


def test_in_a_browser_the_page_renders_asks_for_nothing_and_raises_no_error(chromium, page):
    chromium.open(page)
    assert chromium.run("document.querySelectorAll('svg circle').length") > 8
    assert chromium.run("getComputedStyle(document.querySelector('.badge')).color") == "rgb(255, 255, 255)"
    assert {address.split(":")[0] for address in chromium.requests} <= {"file", "data"}
    assert len([address for address in chromium.requests if address.startswith("file")]) == 1
    assert chromium.complaints == []


def test_in_a_browser_columns_sort_both_ways(chromium, page):
    chromium.open(page)
    press = "document.querySelectorAll('#questions thead button')[2].click()"
    chromium.run(press)
    falling = [float(value) for value in column(chromium, "questions", 2)]
    assert falling == sorted(falling, reverse=True)
    chromium.run(press)
    assert [float(value) for value in column(chromium, "questions", 2)] == sorted(falling)
    chromium.run("document.querySelectorAll('#questions thead button')[0].click()")
    names = column(chromium, "questions", 0)
    assert names == [f"what is {number}?" for number in range(40)]
    assert chromium.run("document.querySelectorAll('#questions [aria-sort=ascending]').length") == 1
    assert chromium.complaints == []


def test_in_a_browser_questions_and_failures_filter(chromium, page):
    chromium.open(page)

    def shown(target):
        selector = f"#{target} tbody tr" if target == "questions" else f"#{target} > details"
        return chromium.run(
            f"Array.from(document.querySelectorAll('{selector}')).filter(e => !e.hidden).length"
        )

    def set_to(selector, value):
        field = "checked" if isinstance(value, bool) else "value"
        written = str(value).lower() if isinstance(value, bool) else repr(value)
        change = f"(e => {{ e.{field} = {written}; e.dispatchEvent(new Event('input')); }})"
        chromium.run(f"{change}(document.querySelector('{selector}'))")

    assert shown("questions") == 40
    set_to("[data-find=questions]", "what 17")
    assert shown("questions") == 1
    assert chromium.run("document.querySelector('[data-count=questions]').textContent") == "1 of 40 shown"
    set_to("[data-find=questions]", "")
    set_to("[data-pick=questions]", "code")
    assert shown("questions") == 20
    set_to("[data-failed-only=questions]", True)
    assert 0 < shown("questions") <= 20
    before = shown("failures")
    set_to("[data-find=failures]", "no such words")
    assert before > 0
    assert shown("failures") == 0
    assert chromium.complaints == []


@pytest.mark.parametrize("dark", [False, True])
def test_in_a_browser_a_phone_scrolls_tables_and_never_the_page(chromium, page, dark):
    chromium.open(page, width=390, height=800, dark=dark)
    assert chromium.run("document.documentElement.scrollWidth") <= 390
    paper = chromium.run("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)")
    assert chromium.complaints == []
