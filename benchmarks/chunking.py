"""Time the chunking strategies on 10 MB of text, beside the splitters of LangChain and chonkie, in the same run.

python benchmarks/chunking.py [PEERS]

PEERS is a folder that holds `langchain-text-splitters` and `chonkie`, where they are not installed:
`pip install --target PEERS langchain-text-splitters chonkie`. Times are CPU seconds, so that other work on the machine
counts for less; the best of two runs. The text is the sample corpus and these docs, repeated, as documents of 20 kB.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from strata_rag.cache import Cache
from strata_rag.chunking import (
    Chunker,
    MarkdownChunker,
    SentenceChunker,
    SentenceWindowChunker,
    TokenChunker,
    WindowChunker,
)
from strata_rag.documents import SourceDocument
from strata_rag.embedding import ModelResolver, ModelTokenCounter, read_spec

ROOT = Path(__file__).parents[1]
CHARACTERS = 10_000_000
DOCUMENT = 20_000
SIZE, OVERLAP = 800, 150
TOKENS, SHARED = 256, 32
Cut = Callable[[str], object]


def texts() -> list[str]:
    pages = [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "data" / "sample").rglob("*.md"))]
    text = "\n\n".join(page.read_text(encoding="utf-8") for page in pages)
    text *= CHARACTERS // len(text) + 1
    return [text[at : at + DOCUMENT] for at in range(0, CHARACTERS, DOCUMENT)]


def ours(tokenizer: ModelTokenCounter) -> Iterator[tuple[str, Cut]]:
    def cut(chunker: Chunker) -> Cut:
        return lambda text: chunker.chunk(SourceDocument("d", text))

    limits = {"size": SIZE, "overlap": OVERLAP}
    yield "strata window", cut(WindowChunker(**limits))
    yield "strata sentence", cut(SentenceChunker(**limits))
    yield "strata sentence-window", cut(SentenceWindowChunker(**limits, window=2))
    yield "strata markdown", cut(MarkdownChunker(**limits))
    yield (
        "strata token",
        cut(TokenChunker(tokenizer=tokenizer, size=TOKENS, overlap=SHARED, limit=tokenizer.max_tokens)),
    )


def langchain() -> Iterator[tuple[str, Cut]]:
    from langchain_text_splitters import CharacterTextSplitter, MarkdownHeaderTextSplitter
    from langchain_text_splitters import RecursiveCharacterTextSplitter as Recursive

    limits = {"chunk_size": SIZE, "chunk_overlap": OVERLAP}
    yield "langchain CharacterTextSplitter", CharacterTextSplitter(separator=" ", **limits).split_text
    yield "langchain RecursiveCharacterTextSplitter", Recursive(**limits).split_text
    headings = [("#" * level, str(level)) for level in range(1, 7)]
    yield "langchain MarkdownHeaderTextSplitter", MarkdownHeaderTextSplitter(headings).split_text


def chonkie(tokenizer_file: str) -> Iterator[tuple[str, Cut]]:
    import chonkie
    from tokenizers import Tokenizer

    limits = {"chunk_size": SIZE, "chunk_overlap": OVERLAP}
    yield "chonkie SentenceChunker", chonkie.SentenceChunker("character", **limits).chunk
    yield "chonkie RecursiveChunker", chonkie.RecursiveChunker("character", chunk_size=SIZE).chunk
    tokenizer = Tokenizer.from_file(tokenizer_file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    yield (
        "chonkie TokenChunker",
        chonkie.TokenChunker(tokenizer, chunk_size=TOKENS, chunk_overlap=SHARED).chunk,
    )


def seconds(cut: Cut, documents: list[str]) -> float:
    best = float("inf")
    for _ in range(2):
        began = time.process_time()
        for text in documents:
            cut(text)
        best = min(best, time.process_time() - began)
    return best


def main() -> None:
    sys.path += sys.argv[1:2]
    documents = texts()
    cache = Cache(Path(os.environ.get("STRATA_HOME") or ".strata") / "cache.sqlite")
    spec = read_spec(ModelResolver(models_dir=None, offline=True).resolve("all-MiniLM-L6-v2"), cache)
    tokenizer = ModelTokenCounter(spec)
    rows: list[tuple[str, Cut]] = [("the model's tokenizer alone", tokenizer.offsets), *ours(tokenizer)]
    rows += langchain() if find_spec("langchain_text_splitters") else []
    rows += chonkie(str(spec.files.folder / "tokenizer.json")) if find_spec("chonkie") else []
    print(f"{CHARACTERS:,} characters, Python {platform.python_version()}, {os.cpu_count()} cores\n")
    print("| splitter | CPU seconds |\n|---|---|")
    for name, cut in rows:
        print(f"| {name} | {seconds(cut, documents):.2f} |", flush=True)


if __name__ == "__main__":
    main()
