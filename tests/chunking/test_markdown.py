from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.chunking import HEADING_PATH, MarkdownChunker
from strata_rag.chunking.markdown_blocks import read_blocks
from strata_rag.documents import Chunk, SourceDocument

PAGE = """\
Before any heading.

# Guide

## Install ##

Run this:

```sh
# not a heading
pip install it
```

| os | works |
|---|---|
| Linux | yes |

Usage
=====

- one
- two

  still two

1) three
"""


def cut(
    text: str, size: int = 800, overlap: int = 0, *, prepend: bool = False, title: str = ""
) -> list[Chunk]:
    chunker = MarkdownChunker(size=size, overlap=overlap, prepend_headings=prepend)
    return chunker.chunk(SourceDocument("d", text, title=title))


def shown(text: str, size: int, overlap: int = 0) -> list[str]:
    return [chunk.text for chunk in cut(text, size, overlap)]


def test_blocks_of_every_kind_are_read() -> None:
    assert [(block.kind, block.level, block.title) for block in read_blocks(PAGE)] == [
        ("paragraph", 0, ""),
        ("heading", 1, "Guide"),
        ("heading", 2, "Install"),
        ("paragraph", 0, ""),
        ("fence", 0, ""),
        ("table", 0, ""),
        ("heading", 1, "Usage"),
        ("list", 0, ""),
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("---\ntitle: a\n---\ntext", ["fence", "paragraph"]),
        ("~~~\n```\n~~~\na", ["fence", "paragraph"]),
        ("```\nnever closed\n# a", ["fence"]),
        ("````\n```\n````\n# a", ["fence", "heading"]),
        ("```one line```\n# a", ["paragraph", "heading"]),
        ("#no heading\n\n####### nor this", ["paragraph", "paragraph"]),
        ("two lines\nof title\n---\ntext", ["heading", "paragraph"]),
        ("a | b\ntext", ["paragraph"]),
        ("- a\n  ```\n  # code\n\n  ```\n- b\n# h", ["list", "heading"]),
        ("- a\r\n- b\r\n\r\n# h\r\ntext\r\n", ["list", "heading", "paragraph"]),
        ("# h ##\n## [a](b) `c` **d**", ["heading", "heading"]),
    ],
)
def test_a_block_is_what_its_lines_say(text: str, kinds: list[str]) -> None:
    assert [block.kind for block in read_blocks(text)] == kinds


def test_a_title_is_plain_text() -> None:
    assert [block.title for block in read_blocks("# h ##\n## [a](b) `c` **d**\n### C#")] == [
        "h",
        "a c d",
        "C#",
    ]


def test_each_section_is_a_chunk_with_the_titles_above_it() -> None:
    chunks = cut(PAGE)
    assert [chunk.metadata.get(HEADING_PATH) for chunk in chunks] == [None, "Guide > Install", "Usage"]
    assert chunks[1].text.startswith("# Guide\n\n## Install")
    assert all(chunk.embed_text == chunk.text for chunk in chunks)


def test_the_titles_are_matched_with_the_chunk_on_request() -> None:
    first, second, _ = cut(PAGE, prepend=True, title="Manual")
    assert first.embed_text == "Manual\nBefore any heading."
    assert second.embed_text.startswith("Manual\nGuide > Install\n# Guide")
    assert second.text.startswith("# Guide")


def test_fences_tables_and_lists_that_fit_stay_whole() -> None:
    chunks = shown(PAGE, 75)
    assert any("```sh\n# not a heading\npip install it\n```" in chunk for chunk in chunks)
    assert any("| os | works |\n|---|---|\n| Linux | yes |" in chunk for chunk in chunks)
    assert any("- one\n- two\n\n  still two\n\n1) three" in chunk for chunk in chunks)


def test_a_table_that_does_not_fit_is_cut_between_rows() -> None:
    table = "|a|b|\n|-|-|\n" + "\n".join(f"|{n}|row|" for n in range(10))
    chunks = shown(table, 30)
    assert "\n".join(chunks) == table
    assert len(chunks) > 2


def test_a_heading_stays_with_the_text_below_it() -> None:
    assert shown("# Title\n\n" + "word " * 20, 40)[0].startswith("# Title\n\nword word")


def test_the_overlap_goes_on_within_a_section_and_never_tears_a_block() -> None:
    text = "One sentence. Another one.\n\n```\ncode\n```\n\nThe last sentence here."
    assert shown(text, 40, 15) == [
        "One sentence. Another one.\n\n```\ncode\n```",
        "```\ncode\n```\n\nThe last sentence here.",
    ]
    assert shown(text, 40, 10) == ["One sentence. Another one.\n\n```\ncode\n```", "The last sentence here."]


@given(
    st.lists(
        st.sampled_from(["text here", "```\nco de\n```", "- it em\n- em it", "# H", "|a|\n|-|\n|b c|"]),
        max_size=12,
    ),
    st.integers(20, 60),
    st.integers(0, 15),
)
def test_no_block_that_fits_is_ever_torn(parts: list[str], size: int, overlap: int) -> None:
    text = "\n\n".join(parts)
    chunks = cut(text, size, overlap)
    for block in read_blocks(text):
        if block.kind in ("fence", "table", "list") and block.end - block.start <= size:
            touching = [c for c in chunks if c.start < block.end and block.start < c.end]
            assert touching
            assert all(c.start <= block.start and block.end <= c.end for c in touching)
