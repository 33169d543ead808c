"""The keys of an experiment: type, bounds, default and description of each.

``docs/config.md`` is generated from here. Paths are absolute and variables put in by the time a
model is made.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field

from strata_rag.config.chunking import Chunking
from strata_rag.config.generation import Generation
from strata_rag.config.judge import Judge
from strata_rag.config.privacy import Privacy
from strata_rag.config.rerank import ModelName, Rerank
from strata_rag.config.section import Expected, YesNo
from strata_rag.config.section import Section as _Section
from strata_rag.config.texts import MEASURES, GateRule, Measure

# What PyStemmer can stem.
Language = Literal[
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "dutch_porter", "english",
    "esperanto", "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian",
    "irish", "italian", "lithuanian", "nepali", "norwegian", "persian", "polish", "porter", "portuguese",
    "romanian", "russian", "serbian", "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
]  # fmt: skip
LANGUAGES: tuple[str, ...] = get_args(Language)


Name = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80),
    Expected("at most 80 letters (a-z), digits, `.`, `_` or `-`, the first a letter or digit"),
]
Text = Annotated[str, Field(min_length=1)]

_MOST = 1_000_000
"""Bound of depths: beyond it lies a slip of the keyboard."""


class Corpus(_Section):
    """Which documents."""

    root: Path = Field(description="Folder that holds the documents. The one key without a default.")
    format: Literal["auto", "files", "beir"] = Field(
        "auto",
        description="`files`: every file is a document. `beir`: a BEIR folder (`corpus.jsonl`, "
        "`queries.jsonl`, `qrels/`). `auto`: `beir` where the folder holds a `corpus.jsonl`, otherwise "
        "`files`.",
    )
    follow_symlinks: YesNo = Field(False, description="Whether symbolic links in the folder are followed.")
    limit: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Only the first documents, for a quick look; null takes all. `--limit` sets it."
    )


class Embedding(_Section):
    """Which model turns texts into vectors."""

    provider: Literal["auto", "sentence-transformers", "openai"] = Field(
        "auto",
        description="What runs the model. `auto`: `sentence-transformers`. `openai`: a server that speaks OpenAI's "
        "protocol; every chunk and question is sent to it.",
    )
    model: ModelName = Field(
        "all-mpnet-base-v2",
        description="Model's name, or its folder if it starts with `./`, `../`, `/` or `~`. A bare name "
        "means `sentence-transformers/<name>`.",
    )
    revision: Text | None = Field(None, description="Commit or tag of the model; null takes what is there.")
    batch_size: int = Field(32, ge=1, description="Texts per forward pass, or per request to a server.")
    base_url: Text | None = Field(
        None, description="With `openai`: the server, with its `/v1`; null means OpenAI's own."
    )
    api_key_env: Text = Field("OPENAI_API_KEY", description="With `openai`: variable that holds the API key.")
    allow_remote: YesNo = Field(
        False,
        description="Whether texts may leave this machine; `openai` with a server elsewhere asks for it.",
    )
    request_tokens: int = Field(
        300000, ge=1, description="With `openai`: most tokens of one request, counted as bytes of UTF-8."
    )
    price: float | None = Field(
        None,
        ge=0,
        description="With `openai`: what a million tokens cost, to report an ingest's cost; null: unknown.",
    )
    device: Text = Field("auto", description="Where the model runs, such as `cpu`, `cuda` or `mps`.")


class Hnsw(_Section):
    """The graph that dense search walks."""

    m: int = Field(16, ge=1, description="Links per node: more finds more, and takes more memory.")
    ef_construct: int = Field(100, ge=1, description="Candidates weighed per node while the graph is built.")


class Index(_Section):
    """Where vectors are stored."""

    engine: Literal["embedded", "server"] = Field(
        "embedded",
        description="`embedded`: Qdrant Edge, in this process. `server`: a Qdrant server.",
    )
    url: Text | None = Field(
        None,
        description="The server: `https://host:6333` for TLS; null means `http://localhost:6333`, which "
        "`docker compose up -d --wait` starts.",
    )
    api_key_env: Text = Field(
        "QDRANT_API_KEY", description="Variable that holds the server's API key; unset means no key."
    )
    grpc: YesNo = Field(False, description="Whether the server is asked over gRPC (port 6334).")
    timeout: int = Field(30, ge=1, description="Seconds until a request to the server is given up.")
    shard_number: int = Field(
        1,
        ge=1,
        description="Parts of a collection on a server. IDF is per part: more than 1 changes lexical scores.",
    )
    replication_factor: int = Field(1, ge=1, description="Copies of each part on a server's cluster.")
    write_consistency_factor: int = Field(
        1, ge=1, description="Copies that must acknowledge a write before it counts."
    )
    on_disk: YesNo = Field(
        False, description="Whether a server keeps vectors, graph and payload on disk instead of in memory."
    )
    quantization: Literal["scalar", "binary"] | None = Field(
        None,
        description="How a server compresses vectors for search (`scalar`: 8 bits, `binary`: 1 bit a dimension); "
        "candidates are scored anew with the originals. null: not at all.",
    )
    oversampling: float = Field(
        2.0, ge=1, description="With `quantization`: how many times more candidates are scored anew."
    )
    hnsw: Hnsw = Field(Hnsw(), description="The graph that dense search walks.")
    lock_timeout: float = Field(
        10.0,
        ge=0,
        description="Seconds that a reader waits for a collection that another process holds.",
    )


class Lexical(_Section):
    """Search by words (BM25)."""

    backend: Literal["sparse", "bm25s", "rank-bm25"] = Field(
        "sparse",
        description="`sparse`: sparse vectors in the same index. `bm25s`, `rank-bm25`: those libraries, over all texts "
        "in memory, built at the first question. All give the same ranking.",
    )
    k1: float = Field(1.2, ge=0, description="How slowly repeated words stop adding to the score.")
    b: float = Field(
        0.75, ge=0, le=1, description="How much long documents are held back: 0 not at all, 1 fully."
    )
    language: Language | None = Field(
        "english",
        description="Language whose word endings are removed; null leaves words as they are.",
    )
    tokenizer: Literal["word", "multilingual"] = Field(
        "word",
        description="`word`: splits at what is no letter or digit. `multilingual`: also cuts scripts that "
        "write no spaces.",
    )
    text: Literal["embed_text", "text"] = Field(
        "embed_text",
        description="What is searched: `embed_text`, the matched unit, or `text`, what a hit shows; both under "
        "the document's title. They differ where a strategy shows more than it matches.",
    )


class FusionWeights(_Section):
    """What each list counts."""

    dense: float = Field(1.0, gt=0, description="Weight of the dense list.")
    lexical: float = Field(1.0, gt=0, description="Weight of the lexical list.")


class Fusion(_Section):
    """How the dense and the lexical list become one."""

    method: Literal["rrf", "weighted"] = Field(
        "rrf",
        description="`rrf`: reciprocal rank fusion, the sum of 1 / (k + rank). `weighted`: the weighted sum of "
        "normalised scores; its weights have to be fitted, and seldom carry over to other questions.",
    )
    normalise: Literal["minmax", "zscore"] = Field(
        "minmax",
        description="With `weighted`, how each list's scores become comparable: `minmax` maps them to 0 to 1, "
        "`zscore` to mean 0 and deviation 1.",
    )
    k: int = Field(
        60, ge=1, le=_MOST, description="The k of that sum: larger flattens the difference between ranks."
    )
    weights: FusionWeights | None = Field(None, description="What each list counts; null means equally.")


class Retrieval(_Section):
    """How a question finds chunks."""

    mode: Literal["hybrid", "dense", "lexical"] = Field(
        "hybrid",
        description="First stage: by meaning (`dense`), by words (`lexical`) or both (`hybrid`).",
    )
    top_k: int = Field(5, ge=1, le=_MOST, description="Hits that a query shows.")
    candidate_k: int = Field(20, ge=1, le=_MOST, description="Hits that the first stage hands to the second.")
    ef_search: int = Field(
        64, ge=1, le=_MOST, description="Candidates weighed per dense search: more finds more, slower."
    )
    lexical: Lexical = Field(Lexical(), description="Search by words (BM25).")
    fusion: Fusion = Field(Fusion(), description="How the dense and the lexical list become one.")
    rerank: Rerank = Field(Rerank(), description="The second stage, which scores question and text together.")


class Evaluation(_Section):
    """How the experiment is measured."""

    golden: Path | None = Field(
        None, description="Golden set: a YAML file, JSON lines, or a BEIR or TREC folder."
    )
    split: Text = Field(
        "test", description="Which questions of a folder: BEIR's `qrels/<split>.tsv`, TREC's `qrels.<split>`."
    )
    level: Literal["document", "chunk"] = Field("document", description="What a judgement is about.")
    measures: Annotated[tuple[Measure, ...], Field(min_length=1)] = Field(
        ("nDCG@10", "Recall@5", "Precision@5", "Hit@5", "MRR@10"),
        description=f"Measures with their cutoffs: {', '.join(f'`{name}@k`' for name in MEASURES)}.",
    )
    judge: Judge = Field(Judge(), description="What judges answers, and when they pass.")
    seed: int = Field(0, ge=0, description="Seed of every random draw, such as bootstrap intervals.")


class Gate(_Section):
    """When `strata gate` refuses a change."""

    rules: tuple[GateRule, ...] = Field(
        (),
        description="`nDCG@10 >= 0.40`: the mean is at least that. `nDCG@10 drop <= 0.02`: it fell by at most "
        "that against the baseline. `for kind = code` (or `lang`, `tag`) behind a rule takes those questions "
        "only. Each measure must be among `evaluation.measures`, or be one of answers, such as "
        "`Faithfulness >= 0.8`: the questions are then answered, and judged where the rule asks for it.",
    )
    min_n: int = Field(
        10, ge=1, description="A rule that fewer questions would decide is not measurable, which ends with 4."
    )
    significance: Annotated[float, Field(gt=0, lt=1)] | None = Field(
        None,
        description="A drop over its limit counts only if its randomisation test, corrected for all drop "
        "rules, is below this; null goes by the drop alone.",
    )


class ExperimentConfig(_Section):
    """One experiment."""

    name: Name = Field(
        description="Names the experiment, its collection and its folder. By default the file's name without "
        "its ending. It is not inherited through `extends`: each file names itself, so that two experiments "
        "never write into one collection.",
    )
    corpus: Corpus = Field(description="Which documents.")
    privacy: Privacy = Field(
        Privacy(), description="What is taken out of documents before anything of them is stored."
    )
    chunking: Chunking = Field(Chunking(), description="How documents are cut.")
    embedding: Embedding = Field(Embedding(), description="Which model turns texts into vectors.")
    index: Index = Field(Index(), description="Where vectors are stored.")
    retrieval: Retrieval = Field(Retrieval(), description="How a question finds chunks.")
    generation: Generation = Field(Generation(), description="How questions are answered.")
    evaluation: Evaluation = Field(Evaluation(), description="How the experiment is measured.")
    gate: Gate = Field(Gate(), description="When `strata gate` refuses a change.")
