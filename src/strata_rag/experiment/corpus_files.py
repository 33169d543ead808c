"""From the corpus keys to the adapter that reads the files."""

from __future__ import annotations

from strata_rag.config import Corpus
from strata_rag.corpus import Limits, Options, Registry, Rules, SourceAdapter, open_corpus


def open_files(corpus: Corpus, *, rules: Rules, registry: Registry) -> SourceAdapter:
    """Return the adapter that the config asks for; what it gives is as the files say, nothing redacted.

    Args:
        corpus: The config's section.
        rules: Which files are left out.
        registry: The plugins' adapters and families.

    Raises:
        CorpusError: The root is no folder, or a roster can't be read.
    """
    return open_corpus(
        corpus.root,
        layout=corpus.format,
        follow_symlinks=corpus.follow_symlinks,
        options=Options(**corpus.tables.model_dump(), comments=corpus.comments, zip=corpus.zip),
        limits=Limits(**corpus.limits.model_dump()),
        rules=rules,
        registry=registry,
        rosters_dir=corpus.rosters_dir,
    )
