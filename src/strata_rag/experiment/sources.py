"""What a corpus points at beside its files: rules, plugins and rosters, as digests for the collection's record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from strata_rag.config import Corpus
from strata_rag.corpus import Registry, Rules, is_beir, open_families


def source_digests(corpus: Corpus, rules: Rules, registry: Registry) -> Mapping[str, Any]:
    """Return digests of the rules, of each plugin and of each roster that concern the corpus; without any, empty.

    Raises:
        CorpusError: A roster can't be read.
    """
    digests: dict[str, Any] = {"rules": rules.digest} if rules.rules else {}
    if is_beir(corpus.root, corpus.format):
        return digests
    plugins, _ = registry.in_use(corpus.root)
    rosters = open_families(corpus.root, registry, corpus.rosters_dir).digests()
    by_name: dict[str, str] = {}
    for plugin in plugins:
        by_name[plugin.name] = by_name.get(plugin.name, "") + plugin.digest[:16]
    return digests | ({"plugins": by_name} if by_name else {}) | ({"rosters": rosters} if rosters else {})
