"""Write the part of docs/chunking.md that shows one page cut in six ways.

python benchmarks/chunking_page.py     (loads all-MiniLM-L6-v2)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from strata_rag.cache import Cache
from strata_rag.chunking import (
    HEADING_PATH,
    Chunker,
    MarkdownChunker,
    SemanticChunker,
    SentenceChunker,
    SentenceWindowChunker,
    TokenChunker,
    WindowChunker,
)
from strata_rag.documents import Chunk, SourceDocument
from strata_rag.embedding import ModelResolver, ModelTokenCounter, SentenceTransformersEmbedder, read_spec

PAGE = Path(__file__).parents[1] / "docs" / "chunking.md"
BEGIN, END = "<!-- cut: written by benchmarks/chunking_page.py -->\n", "<!-- end -->"
SIZE, OVERLAP = 160, 40


def example(page: str) -> str:
    """Return the text that the page shows first, in a fence of four."""
    found = re.search(r"^````markdown\n(.*?)^````$", page, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SystemExit("docs/chunking.md: expected a fence of four backticks")
    return found[1]


def chunkers() -> Iterator[tuple[str, Chunker]]:
    """Yield the strategies that need no model, then `token` and `semantic`."""
    limits = {"size": SIZE, "overlap": OVERLAP}
    yield "window", WindowChunker(**limits)
    yield "sentence", SentenceChunker(**limits)
    yield "sentence-window", SentenceWindowChunker(**limits, window=1)
    yield "markdown", MarkdownChunker(**limits)
    cache = Cache(Path(os.environ.get("STRATA_HOME") or ".strata") / "cache.sqlite")
    spec = read_spec(ModelResolver(models_dir=None, offline=True).resolve("all-MiniLM-L6-v2"), cache)
    yield "token", TokenChunker(tokenizer=ModelTokenCounter(spec), size=40, overlap=8, limit=spec.max_tokens)
    yield "semantic", SemanticChunker(embedder=SentenceTransformersEmbedder(spec), **limits, percentile=80)


def section(name: str, chunks: list[Chunk]) -> str:
    """Return one strategy's part of the page."""
    return f"### `{name}`\n\n```text\n" + "\n".join(map(line, chunks)) + "\n```\n"


def line(chunk: Chunk) -> str:
    wider = (chunk.text_start, chunk.text_end) != (chunk.start, chunk.end)
    shows = f", shows {chunk.text_start}-{chunk.text_end}" if wider else ""
    path = f" [{chunk.metadata[HEADING_PATH]}]" if HEADING_PATH in chunk.metadata else ""
    unit = chunk.text[chunk.start - chunk.text_start : chunk.end - chunk.text_start]
    return f"{chunk.start}-{chunk.end}{shows}{path}: {unit.replace(chr(10), '⏎')}"


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    document = SourceDocument("page", example(page))
    parts = [section(name, chunker.chunk(document)) for name, chunker in chunkers()]
    head, _, rest = page.partition(BEGIN)
    PAGE.write_text(
        f"{head}{BEGIN}\n" + "\n".join(parts) + f"\n{END}{rest.partition(END)[2]}", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
