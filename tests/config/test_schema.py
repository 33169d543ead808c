from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import Stemmer
from pydantic import ValidationError

from strata_rag.config import Chunking, ExperimentConfig, FusionWeights
from strata_rag.config.keys import all_keys
from strata_rag.config.schema import LANGUAGES

from .conftest import Load, Refuse

DEFAULTS: dict[str, Any] = {
    "corpus.format": "auto",
    "corpus.rules": None,
    "corpus.intent": "",
    "corpus.plugins_dir": None,
    "corpus.rosters_dir": None,
    "corpus.follow_symlinks": False,
    "corpus.limit": None,
    "corpus.tables.id_column": None,
    "corpus.tables.text_column": None,
    "corpus.tables.title_column": None,
    "corpus.tables.hidden_sheets": False,
    "corpus.comments": False,
    "corpus.zip": False,
    "corpus.limits.max_bytes": 100_000_000,
    "corpus.limits.max_unpacked": 1_000_000_000,
    "corpus.limits.max_ratio": 200,
    "corpus.limits.max_pages": 5_000,
    "corpus.limits.max_members": 10_000,
    "corpus.limits.seconds": 60.0,
    "corpus.limits.memory_mb": 2048,
    "privacy.detector": "regex",
    "privacy.spacy_model": "en_core_web_sm",
    "privacy.policy": "default",
    "privacy.secrets": True,
    "privacy.threshold": 0.4,
    "privacy.regex.email": True,
    "privacy.regex.phone": True,
    "privacy.regex.iban": True,
    "privacy.regex.card": True,
    "privacy.regex.ip": True,
    "privacy.regex.url_credentials": True,
    "privacy.regex.phone_regions": ("US",),
    "privacy.presidio.entities": (
        "PERSON",
        "EMAIL_ADDRESS",
        "PHONE_NUMBER",
        "IBAN_CODE",
        "CREDIT_CARD",
        "IP_ADDRESS",
        "LOCATION",
        "US_SSN",
    ),
    "privacy.presidio.languages": ("en",),
    "chunking.strategy": "window",
    "chunking.size": 800,
    "chunking.overlap": 150,
    "chunking.overlap_sentences": None,
    "chunking.window": 2,
    "chunking.prepend_headings": False,
    "chunking.percentile": 90.0,
    "chunking.by_type": {},
    "embedding.provider": "auto",
    "embedding.model": "all-mpnet-base-v2",
    "embedding.revision": None,
    "embedding.batch_size": 32,
    "embedding.base_url": None,
    "embedding.api_key_env": "OPENAI_API_KEY",
    "embedding.allow_remote": False,
    "embedding.request_tokens": 300000,
    "embedding.price": None,
    "embedding.device": "auto",
    "index.engine": "embedded",
    "index.url": None,
    "index.api_key_env": "QDRANT_API_KEY",
    "index.grpc": False,
    "index.timeout": 30,
    "index.shard_number": 1,
    "index.replication_factor": 1,
    "index.write_consistency_factor": 1,
    "index.on_disk": False,
    "index.quantization": None,
    "index.oversampling": 2.0,
    "index.hnsw.m": 16,
    "index.hnsw.ef_construct": 100,
    "index.lock_timeout": 10.0,
    "retrieval.mode": "hybrid",
    "retrieval.top_k": 5,
    "retrieval.candidate_k": 20,
    "retrieval.ef_search": 64,
    "retrieval.lexical.backend": "sparse",
    "retrieval.lexical.k1": 1.2,
    "retrieval.lexical.b": 0.75,
    "retrieval.lexical.language": "english",
    "retrieval.lexical.tokenizer": "word",
    "retrieval.lexical.text": "embed_text",
    "retrieval.fusion.method": "rrf",
    "retrieval.fusion.normalise": "minmax",
    "retrieval.fusion.k": 60,
    "retrieval.fusion.weights": None,
    "retrieval.fusion.weights.dense": 1.0,
    "retrieval.fusion.weights.lexical": 1.0,
    "retrieval.rerank.scorer": "cross-encoder",
    "retrieval.rerank.model": "cross-encoder/ms-marco-MiniLM-L-6-v2",
    "retrieval.rerank.llm": None,
    "retrieval.rerank.llm.provider": "none",
    "retrieval.rerank.llm.model": None,
    "retrieval.rerank.llm.base_url": None,
    "retrieval.rerank.llm.api_key_env": None,
    "retrieval.rerank.llm.allow_remote": False,
    "retrieval.rerank.llm.temperature": 0.0,
    "retrieval.rerank.llm.max_tokens": 1024,
    "retrieval.rerank.llm.context": None,
    "retrieval.rerank.llm.timeout": 120.0,
    "retrieval.rerank.llm.retry_for": 300.0,
    "retrieval.rerank.llm.run_for": None,
    "retrieval.rerank.llm.concurrency": 8,
    "retrieval.rerank.llm.price": None,
    "retrieval.rerank.llm.replay": None,
    "retrieval.rerank.llm.record": None,
    "retrieval.rerank.passage_tokens": 400,
    "retrieval.rerank.label": None,
    "retrieval.rerank.text": "text",
    "retrieval.rerank.combine": "replace",
    "retrieval.rerank.floor": None,
    "generation.provider": "none",
    "generation.model": None,
    "generation.base_url": None,
    "generation.api_key_env": None,
    "generation.allow_remote": False,
    "generation.temperature": 0.0,
    "generation.max_tokens": 1024,
    "generation.context": None,
    "generation.timeout": 120.0,
    "generation.retry_for": 300.0,
    "generation.run_for": None,
    "generation.concurrency": 8,
    "generation.price": None,
    "generation.replay": None,
    "generation.record": None,
    "evaluation.golden": None,
    "evaluation.split": "test",
    "evaluation.level": "document",
    "evaluation.measures": ("nDCG@10", "Recall@5", "Precision@5", "Hit@5", "MRR@10"),
    "evaluation.seed": 0,
    "gate.rules": (),
    "gate.min_n": 10,
    "gate.significance": None,
}

# Just outside every bound, and of every wrong type.
REFUSED = [
    *(
        (key, value)
        for key in (
            "retrieval.top_k",
            "retrieval.candidate_k",
            "retrieval.ef_search",
            "retrieval.fusion.k",
            "retrieval.rerank.passage_tokens",
            "embedding.batch_size",
            "embedding.request_tokens",
            "index.hnsw.m",
            "index.hnsw.ef_construct",
            "index.timeout",
            "index.shard_number",
            "index.replication_factor",
            "index.write_consistency_factor",
        )
        for value in ("0", "-1", "true", "5.0", "'5'", "null", "[5]", "{a: 5}", "1:30", "many")
    ),
    *(("chunking.window", value) for value in ("-1", "1.5", "null", "true")),
    *(("chunking.overlap_sentences", value) for value in ("-1", "0.5", "two")),
    *(("chunking.percentile", value) for value in ("-0.1", "100.1", ".nan", "null")),
    *(("chunking.prepend_headings", value) for value in ("1", "null", "maybe")),
    *(("chunking.by_type", value) for value in ("5", "null", "[a]", "text")),
    *(("index.lock_timeout", value) for value in ("-0.1", ".inf", ".nan", "true", "'1'", "1e999")),
    *(("index.oversampling", value) for value in ("0.9", ".inf", "null")),
    *((key, value) for key in ("index.grpc", "index.on_disk") for value in ("1", "null", "maybe")),
    *(("embedding.price", value) for value in ("-1", ".inf")),
    *(("embedding.allow_remote", value) for value in ("1", "null", "maybe")),
    *((key, value) for key in ("embedding.base_url", "embedding.api_key_env") for value in ("''", "5")),
    *(("index.url", value) for value in ("''", "5")),
    *(("index.api_key_env", value) for value in ("''", "null")),
    *(("retrieval.lexical.k1", value) for value in ("-0.1", ".inf", "false", "null")),
    *(("retrieval.lexical.b", value) for value in ("-0.1", "1.1", ".nan")),
    *(("retrieval.fusion.weights.dense", value) for value in ("0", "-1", "null", ".inf")),
    *(("retrieval.fusion.weights.lexical", value) for value in ("0", "-1", "null")),
    *(("privacy.threshold", value) for value in ("-0.1", "1.1", ".nan", "high")),
    *(("privacy.detector", value) for value in ("spacy", "null", "true")),
    *(("privacy.policy", value) for value in ("null", "5", "''", "[default]")),
    *(("privacy.secrets", value) for value in ("1", "maybe", "null")),
    *(("privacy.regex.email", value) for value in ("1", "null")),
    *(("privacy.regex.phone_regions", value) for value in ("US", "[XX]", "[us]", "null")),
    *(("privacy.presidio.entities", value) for value in ("[]", "PERSON", "[5]", "['']")),
    *(("privacy.presidio.languages", value) for value in ("[]", "en", "null")),
    *(("retrieval.rerank.label", value) for value in ("-1", "1.5", "yes")),
    *(("retrieval.rerank.floor", value) for value in (".nan", "-.inf", "low")),
    *(("evaluation.seed", value) for value in ("-1", "1.0")),
    *(
        ("evaluation.measures", value)
        for value in (
            "[]",
            "null",
            "nDCG@10",
            "{a: 1}",
            "[5]",
            "[nDCG@0]",
            "[nDCG@01]",
            "[nDCG]",
            "[nDCG@]",
            "['nDCG@10 ']",
            "[nDCG@१]",
            "[F1@5]",
            "[[x]]",
        )
    ),
    *(
        ("gate.rules", value)
        for value in (
            "null",
            "nDCG@10 >= 0.4",
            "[5]",
            "['nDCG@10 > 0.4']",
            "['nDCG@10 >= 1.1']",
            "['nDCG >= 0.4']",
            "['F1@5 >= 0.4']",
            "['nDCG@10 drop >= 0.4']",
            "['nDCG@10 >= 0.4 for colour = red']",
            "['nDCG@10 >= 0.4 for kind =']",
        )
    ),
    *(("generation.temperature", value) for value in ("-0.1", "2.1", "null", "cold")),
    *(
        (f"generation.{key}", value)
        for key in ("max_tokens", "context", "concurrency")
        for value in ("0", "1.5", "true")
    ),
    *(("generation.timeout", value) for value in ("0", "-1", ".inf", "null")),
    *(("generation.run_for", value) for value in ("0", "-1", "soon")),
    *(("generation.retry_for", value) for value in ("-1", ".nan", "null")),
    *(("generation.price", value) for value in ("3", "[3, 15]", "free")),
    *((f"generation.{key}", value) for key in ("model", "base_url", "api_key_env") for value in ("''", "5")),
    *((f"generation.{key}", value) for key in ("replay", "record") for value in ("5", "''")),
    *(("generation.allow_remote", value) for value in ("1", "null", "maybe")),
    *(("gate.min_n", value) for value in ("0", "1.5", "null")),
    *(("gate.significance", value) for value in ("0", "1", "-0.1", "5 %")),
    *(("corpus.root", value) for value in ("null", "5", "''", "true", "[a]")),
    *(("evaluation.golden", value) for value in ("5", "''")),
    *(
        (key, value)
        for key in ("embedding.model", "retrieval.rerank.model", "embedding.device", "evaluation.split")
        for value in ("''", "5", "null", "true", "[a]")
    ),
    *(("embedding.revision", value) for value in ("''", "010")),
    *(("corpus.follow_symlinks", value) for value in ("1", "null", "maybe", "y")),
    *(("retrieval.rerank.llm", value) for value in ("gpt", "[a]")),
    *((key, "other") for key in DEFAULTS if all_keys()[key].choices),
    *(("name", value) for value in ("''", ".hidden", "-x", "a/b", "a b", "é", "a" * 81, '"a\\n"', "5")),
    *(
        (key, value)
        for key in ("retrieval", "index", "retrieval.fusion.weights")
        for value in ("5", "[a]", "text")
    ),
]


def value_at(config: ExperimentConfig, key: str) -> Any:
    value: Any = config
    for name in key.split("."):
        value = getattr(value, name)
    return value


@pytest.mark.parametrize("key", [key.path for key in all_keys().values()])
def test_every_key_has_a_description_and_a_default(key: str) -> None:
    stated = all_keys()[key]
    assert stated.description.endswith(".")
    if not stated.section and not stated.required:
        assert stated.default == DEFAULTS[key]
        assert type(stated.default) is type(DEFAULTS[key])


def test_only_name_root_and_prices_have_no_default_in_the_schema() -> None:
    required = {key.path for key in all_keys().values() if key.required and ".price." not in key.path}
    assert required == {"name", "corpus", "corpus.root"}


def test_a_price_states_both_its_parts(refuse: Refuse) -> None:
    error = refuse(overrides=["generation.price={input: 3}"])
    assert error.lines == ["--set: generation.price.output: expected a number of at least 0, found nothing"]


def test_a_file_that_states_only_its_corpus_has_every_default(load: Load) -> None:
    config = load().config
    keys = [
        key for key in DEFAULTS if not key.startswith(("retrieval.fusion.weights.", "retrieval.rerank.llm."))
    ]
    assert {key: value_at(config, key) for key in keys} == {key: DEFAULTS[key] for key in keys}


@pytest.mark.parametrize(("key", "value"), REFUSED)
def test_a_value_outside_its_type_or_bounds_is_refused_in_plain_words(
    refuse: Refuse, key: str, value: str
) -> None:
    error = refuse(overrides=[f"{key}={value}"])
    (fault,) = error.faults
    assert fault.where == "--set"
    assert fault.problem.startswith(f"{key}: expected ")
    assert ", found " in fault.problem
    assert error.hint
    for jargon in ("Input should", "pydantic", "http", "valid ", "type=", "Value error"):
        assert jargon not in fault.problem


@pytest.mark.parametrize(
    ("key", "value", "read"),
    [
        ("retrieval.top_k", "010", 10),
        ("retrieval.top_k", "1", 1),
        ("index.lock_timeout", "0", 0.0),
        ("retrieval.lexical.b", "1", 1.0),
        ("retrieval.lexical.k1", "1e-3", 0.001),
        ("retrieval.lexical.language", "null", None),
        ("retrieval.rerank.floor", "-3.5", -3.5),
        ("retrieval.rerank.label", "0", 0),
        ("retrieval.fusion.weights", "{dense: 2}", FusionWeights(dense=2.0, lexical=1.0)),
        ("evaluation.measures", "[MAP@100, Hit@1]", ("MAP@100", "Hit@1")),
        (
            "gate.rules",
            "['nDCG@10 >= 0.40', 'Recall@5 drop <= .02 for kind = table of parts']",
            ("nDCG@10 >= 0.40", "Recall@5 drop <= .02 for kind = table of parts"),
        ),
        ("gate.significance", "0.05", 0.05),
        ("embedding.revision", "'010'", "010"),
        ("embedding.device", "no", "no"),
        ("name", "a" * 80, "a" * 80),
        *(("corpus.follow_symlinks", text, True) for text in ("true", "yes", "on", "'Yes'")),
        *(("corpus.follow_symlinks", text, False) for text in ("false", "no", "off", "FALSE")),
    ],
)
def test_a_value_inside_its_bounds_is_read(load: Load, key: str, value: str, read: object) -> None:
    found = value_at(load(overrides=[f"{key}={value}"]).config, key)
    assert found == read
    assert type(found) is type(read)


@pytest.mark.parametrize(
    ("size", "overlap"),
    [(100, 100), (100, 150), (0, 0), (-5, 0), (100, -1), (64, 64)],
)
@pytest.mark.parametrize("strategy", ["window", "document"])
def test_a_window_that_would_not_move_names_both_numbers_and_the_rule(
    refuse: Refuse, strategy: str, size: int, overlap: int
) -> None:
    error = refuse(f"chunking: {{strategy: {strategy}, size: {size}, overlap: {overlap}}}")
    (fault,) = error.faults
    assert fault.where.startswith("experiment.yaml:1:")
    assert fault.problem.endswith(
        f"expected size >= 1, overlap >= 0 and overlap < size, found size {size} and overlap {overlap}"
    )


@pytest.mark.parametrize(("size", "overlap"), [(100, 99), (1, 0)])
def test_a_window_that_moves_by_one_is_accepted(load: Load, size: int, overlap: int) -> None:
    assert load(f"chunking: {{size: {size}, overlap: {overlap}}}").config.chunking == Chunking(
        size=size, overlap=overlap
    )


def test_an_unknown_window_key_and_strategy_are_refused(refuse: Refuse) -> None:
    lines = refuse("chunking: {strategy: sentence_window, window: -1}").lines
    assert len(lines) == 2


def test_a_size_below_the_default_overlap_says_to_set_the_overlap(refuse: Refuse) -> None:
    error = refuse("chunking:\n  size: 100\n")
    assert error.lines == [
        "experiment.yaml:2:9: chunking.overlap: expected size >= 1, overlap >= 0 and overlap < size, "
        "found size 100 and overlap 150"
    ]
    assert error.hint == "set chunking.overlap as well (its default is 150)"


def test_languages_are_those_of_the_stemmer() -> None:
    assert list(LANGUAGES) == sorted(Stemmer.algorithms())


def test_a_config_is_frozen_and_hashable(load: Load) -> None:
    config = load(overrides=["retrieval.fusion.weights={}", "retrieval.rerank.llm={}"]).config
    with pytest.raises(ValidationError):
        config.retrieval.top_k = 7  # type: ignore[misc]
    assert hash(config) == hash(config.model_copy())


def test_a_config_survives_its_json(load: Load) -> None:
    config = load("evaluation: {golden: g.yaml}").config
    assert ExperimentConfig.model_validate_json(config.model_dump_json()) == config
    assert isinstance(config.corpus.root, Path)
