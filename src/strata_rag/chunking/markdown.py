"""Markdown by its structure: a chunk never crosses a heading, and blocks stay whole where they fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from strata_rag.chunking.chunker import slice_chunk, with_title
from strata_rag.chunking.cutting import CharacterRuler, Level, Span, cut_spans
from strata_rag.chunking.markdown_blocks import Block, read_blocks
from strata_rag.chunking.sentences import sentence_spans
from strata_rag.documents import Chunk, SourceDocument

HEADING_PATH = "heading_path"
"""The payload field: the titles above a chunk, outermost first."""

SEPARATOR = " > "
_WHOLE = ("fence", "table", "list")


@dataclass(frozen=True, slots=True)
class _Section:
    """Blocks under one heading, or under several that follow each other without text between them."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def span(self) -> Span:
        return self.blocks[0].start, self.blocks[-1].end


class MarkdownChunker:
    """Packs the blocks of each section up to `size` characters.

    Fences, tables and lists are kept whole where they fit, and no overlap begins inside one that does. A block
    longer than `size` is cut between lines (fences, tables, lists), sentences, words, and characters at last,
    with the overlap. Headings stay with what follows them. The titles above a chunk go to its metadata.

    Args:
        size: Most code points in a chunk, at least 1.
        overlap: Most code points that chunks of one section share, at least 0 and below `size`.
        prepend_headings: Whether `embed_text` begins with the titles above the chunk, under the document's.

    Raises:
        ValueError: `size` or `overlap` is out of range.
    """

    def __init__(self, *, size: int, overlap: int, prepend_headings: bool = False) -> None:
        self._ruler = CharacterRuler(size, overlap)
        self._prepend = prepend_headings

    def chunk(self, document: SourceDocument) -> list[Chunk]:
        """Return the document's chunks in order; none where it holds only white space."""
        blocks = read_blocks(document.text)
        headings = {block.end for block in blocks if block.kind == "heading"}  # no chunk may end there
        sentences = Level.of([span for span in sentence_spans(document.text) if span[1] not in headings])
        return [
            self._chunk(document, section, span)
            for section in _sections(blocks)
            for span in self._cut(document.text, section, sentences)
        ]

    def _cut(self, text: str, section: _Section, sentences: Level) -> Iterator[Span]:
        size = self._ruler.size
        start, end = section.span
        if end - start <= size:
            yield start, end
            return
        kept = [block for block in section.blocks if block.kind in _WHOLE]
        torn = [block for block in kept if block.end - block.start > size]
        lines = [line for block in torn for line in _lines(text, block)]
        whole = [(block.start, block.end) for block in kept if block.end - block.start <= size]
        levels = [Level.of(_units(section.blocks, size)), Level.of(lines), sentences]
        yield from cut_spans(text, section.span, self._ruler, levels, whole=Level.of(whole))

    def _chunk(self, document: SourceDocument, section: _Section, span: Span) -> Chunk:
        chunk = slice_chunk(document, *span)
        path = SEPARATOR.join(section.path)
        if not path:
            return chunk
        embed_text = chunk.embed_text
        if self._prepend:
            embed_text = with_title(document.title, with_title(path, chunk.text))
        return replace(chunk, embed_text=embed_text, metadata={HEADING_PATH: path})


def _sections(blocks: Sequence[Block]) -> Iterator[_Section]:
    """Yield the blocks grouped under their headings; each heading with text below it opens a section."""
    titles: list[tuple[int, str]] = []
    current: list[Block] = []
    path: tuple[str, ...] = ()
    has_text = False
    for block in blocks:
        if block.kind == "heading":
            if has_text:
                yield _Section(path, tuple(current))
                current, has_text = [], False
            titles = [(level, title) for level, title in titles if level < block.level]
            titles.append((block.level, block.title))
            path = tuple(title for _, title in titles if title)
        else:
            has_text = True
        current.append(block)
    if current:
        yield _Section(path, tuple(current))


def _units(blocks: Sequence[Block], size: int) -> list[Span]:
    """Return the spans that are kept whole where they fit: blocks, each with the headings right above it.

    Headings let go of a fence, table or list that fits alone and not with them.
    """
    units: list[Span] = []
    open_at: int | None = None  # where the headings begin that wait for what follows them
    above_end = 0
    for block in blocks:
        start = block.start if open_at is None else open_at
        if block.kind == "heading":
            open_at = start
        else:
            if block.kind in _WHOLE and block.end - block.start <= size < block.end - start:
                units.append((start, above_end))
                start = block.start
            units.append((start, block.end))
            open_at = None
        above_end = block.end
    return units if open_at is None else [*units, (open_at, above_end)]


def _lines(text: str, block: Block) -> Iterator[Span]:
    """Yield the lines of a block without the white space around them."""
    start = block.start
    for line in text[block.start : block.end].split("\n"):
        stripped = line.strip()
        if stripped:
            first = start + len(line) - len(line.lstrip())
            yield first, first + len(stripped)
        start += len(line) + 1
