"""The keys of ``corpus``: which documents, and how far a file is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from strata_rag.config.section import Section, YesNo

_Column = Annotated[str, Field(min_length=1)] | None


class Tables(Section):
    """How the rows of spreadsheets and CSV files become documents."""

    id_column: _Column = Field(
        None,
        description="Column that holds a row's document id; then each row is a document. null: the file is one.",
    )
    text_column: _Column = Field(
        None,
        description="With `id_column`: the column that is a row's text; null takes all columns, each with its header.",
    )
    title_column: _Column = Field(None, description="With `id_column`: the column that is a row's title.")
    hidden_sheets: YesNo = Field(
        False, description="Whether hidden sheets are read; otherwise a warning names them."
    )


class Limits(Section):
    """What one file may cost; a file beyond a limit fails, with the limit as the reason."""

    max_bytes: int = Field(100_000_000, ge=1, description="Largest file.")
    max_unpacked: int = Field(1_000_000_000, ge=1, description="Most bytes that a packed file may unpack to.")
    max_ratio: int = Field(
        200, ge=1, description="Most bytes that one packed byte may unpack to, for parts beyond a megabyte."
    )
    max_pages: int = Field(5_000, ge=1, description="Most pages of a PDF, or sheets of a workbook.")
    max_members: int = Field(10_000, ge=1, description="Most files in one archive.")
    seconds: float = Field(60.0, gt=0, description="Longest time that reading one file may take.")
    memory_mb: int = Field(
        2048, ge=256, description="Most memory of a process that reads files, where the system can bound it."
    )


class Corpus(Section):
    """Which documents."""

    root: Path = Field(description="Folder that holds the documents. The one key without a default.")
    format: Literal["auto", "files", "beir"] = Field(
        "auto",
        description="`files`: every file is a document. `beir`: a BEIR folder (`corpus.jsonl`, "
        "`queries.jsonl`, `qrels/`). `auto`: `beir` where the folder holds a `corpus.jsonl`, otherwise "
        "`files`.",
    )
    rules: Path | None = Field(
        None,
        description="Relevance rules, a YAML file that says which files are left out; null: only the built-in ones. "
        "See docs/sources.md.",
    )
    intent: str = Field(
        "",
        description="What counts as signal in this corpus, in plain words; `strata rules advise` reads it.",
    )
    plugins_dir: Path | None = Field(
        None,
        description="Folder of plugins: modules that bring source adapters and families. The variables "
        "`STRATA_PLUGINS_DIR` and, older, `RAGEVAL_PLUGINS_DIR` set it too. See docs/plugins.md.",
    )
    rosters_dir: Path | None = Field(
        None, description="Folder of the families' rosters (`.tsv`); null means `corpus.root`."
    )
    follow_symlinks: YesNo = Field(
        False,
        description="Whether symbolic links in the folder are followed; one that leads out of it never is.",
    )
    limit: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Only the first documents, for a quick look; null takes all. `--limit` sets it."
    )
    tables: Tables = Field(
        Tables(), description="How the rows of spreadsheets and CSV files become documents."
    )
    comments: YesNo = Field(False, description="Whether reviewers' comments in `.docx` files are read.")
    zip: YesNo = Field(False, description="Whether the files inside `.zip` archives are read.")
    limits: Limits = Field(Limits(), description="What one file may cost.")
