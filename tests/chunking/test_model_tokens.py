from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from strata_rag.chunking import TokenChunker
from strata_rag.documents import SourceDocument
from strata_rag.embedding import ModelFiles, ModelSpec, ModelTokenCounter

LIMIT = 16


def counter(folder: Path, *, byte_level: bool = False, prompt: str = "") -> ModelTokenCounter:
    """A counter over a tokenizer of word pieces as BERT's, or of bytes as GPT's."""
    if byte_level:
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        vocabulary = {letter: at for at, letter in enumerate([*alphabet, "Ġa", "Ġb", "ab"])}
        tokenizer = Tokenizer(models.BPE(vocabulary, [("Ġ", "a"), ("Ġ", "b"), ("a", "b")]))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    else:
        pieces = ["[UNK]", "[CLS]", "[SEP]", "a", "b", "##a", "##b", ".", "word"]
        vocabulary = {piece: at for at, piece in enumerate(pieces)}
        tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.save(str(folder / "tokenizer.json"))
    files = ModelFiles("test/model", None, folder, "folder")
    return ModelTokenCounter(ModelSpec(files, "f", 8, LIMIT, prompt, 1.0))


@pytest.fixture(scope="module", params=["word pieces", "bytes", "word pieces with a prompt"])
def tokens(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModelTokenCounter:
    prompt = "word: " if "prompt" in request.param else ""
    return counter(tmp_path_factory.mktemp("model"), byte_level=request.param == "bytes", prompt=prompt)


@given(
    text=st.text(st.sampled_from("ab. \n\t\u2028\x1c\x85\0é漢\u0301\U0001f600"), max_size=80),
    title=st.sampled_from(["", "a b a"]),
)
def test_no_chunk_is_longer_than_the_model_reads(tokens: ModelTokenCounter, text: str, title: str) -> None:
    chunks = TokenChunker(tokenizer=tokens, size=800, overlap=3, limit=LIMIT).chunk(
        SourceDocument("d", text, title)
    )
    assert max(tokens.count([chunk.embed_text for chunk in chunks]), default=0) <= LIMIT
    assert bool(chunks) == bool(text.strip())


def test_offsets_of_a_long_text_are_those_of_the_whole(tmp_path: Path) -> None:
    tokens = counter(tmp_path)
    text = "word ab. " * 6000
    assert tokens.offsets(text).tolist()[-4:] == [
        [n + len(text) for n in span] for span in [(-9, -5), (-4, -3), (-3, -2), (-2, -1)]
    ]
    assert [text[start:end] for start, end in tokens.offsets(text)[:5]] == ["word", "a", "b", ".", "word"]
    assert len(tokens.offsets(text)) == 4 * 6000


def test_only_word_pieces_count_the_same_in_parts(tmp_path: Path) -> None:
    assert counter(tmp_path).additive
    assert not counter(tmp_path, byte_level=True).additive
