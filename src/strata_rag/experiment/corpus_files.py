"""From the corpus keys to the adapter that reads the files."""

from __future__ import annotations

from strata_rag.config import Corpus
from strata_rag.corpus import Limits, Options, SourceAdapter, open_corpus


def open_files(corpus: Corpus) -> SourceAdapter:
    """Return the adapter that the config asks for; what it gives is as the files say, nothing redacted.

    Raises:
        CorpusError: The root is no folder.
    """
    return open_corpus(
        corpus.root,
        layout=corpus.format,
        follow_symlinks=corpus.follow_symlinks,
        options=Options(**corpus.tables.model_dump(), comments=corpus.comments, zip=corpus.zip),
        limits=Limits(**corpus.limits.model_dump()),
    )
