"""What a reader should know about a corpus before trusting what is measured on it."""

from __future__ import annotations

import re

from strata_rag.corpus import Manifest
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.chunkers import IN_CHARACTERS
from strata_rag.experiment.chunks import ChunkedCorpus, size_that_fits

_UNSPACED_LETTER = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
)
_UNSPACED_SHARE = 0.05


def corpus_warnings(
    experiment: Experiment, corpus: ChunkedCorpus, manifest: Manifest, tokens: dict[str, int]
) -> list[str]:
    """Return warnings: the general ones, then those about a file, and behind them those about a chunk.

    Args:
        experiment: The components.
        corpus: What was read.
        manifest: Its manifest.
        tokens: Tokens by chunk id; empty where no tokenizer was at hand.
    """
    warnings = []
    limit = experiment.model_spec.max_tokens if tokens else None
    if limit is not None and (too_long := sum(count > limit for count in tokens.values())):
        advice = ""
        if experiment.config.chunking.strategy in IN_CHARACTERS:
            advice = f"; chunking.size {size_that_fits(corpus.all_chunks(), tokens, limit)} would fit"
        warnings.append(
            f"{too_long} of {len(tokens)} chunks are longer than the {limit} tokens {experiment.model_id} reads; "
            f"what is beyond is not embedded{advice}"
        )
    if (documents := experiment.config.corpus.limit) is not None:
        warnings.append(
            f"only the first {documents} documents are read, into a collection of their own; query and eval reach it "
            f"with --set corpus.limit={documents}"
        )
    if experiment.config.retrieval.lexical.tokenizer == "word" and _unspaced_share(corpus) > _UNSPACED_SHARE:
        warnings.append(
            "the corpus holds a script written without spaces, which lexical search can't cut into words; "
            "set retrieval.lexical.tokenizer to multilingual"
        )
    failed = [f"{row.path}: {row.reason}" for row in manifest.rows if row.status == "failed"]
    about_files = [f"{one.path}: {warning}" for one in corpus.outcomes for warning in one.warnings]
    told = set(about_files)
    about_chunks = [warning for warning in manifest.warnings if warning not in told]
    return [*warnings, *corpus.notes, *failed, *sorted(about_files), *about_chunks]


def _unspaced_share(corpus: ChunkedCorpus) -> float:
    """Return the share of characters in scripts written without spaces, by a look at each document's beginning."""
    looked_at = [document.text[:1000] for document in corpus.documents]
    characters = sum(map(len, looked_at))
    return sum(len(_UNSPACED_LETTER.findall(text)) for text in looked_at) / max(characters, 1)
