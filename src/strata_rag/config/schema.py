"""The keys of an experiment: type, bounds, default and description of each.

``docs/config.md`` is generated from here. Paths are absolute and variables put in by the time a
model is made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)

CHUNK_RULE = "size >= 1, overlap >= 0 and overlap < size"
MEASURES = ("nDCG", "Recall", "Precision", "Hit", "MRR", "MAP")
_MEASURE = re.compile(rf"(?:{'|'.join(MEASURES)})@[1-9][0-9]*")
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

# What PyStemmer can stem.
Language = Literal[
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "dutch_porter", "english",
    "esperanto", "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian",
    "irish", "italian", "lithuanian", "nepali", "norwegian", "persian", "polish", "porter", "portuguese",
    "romanian", "russian", "serbian", "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
]  # fmt: skip
LANGUAGES: tuple[str, ...] = get_args(Language)


@dataclass(frozen=True, slots=True)
class Expected:
    """How a message names what a key takes, where type and bounds do not say it."""

    text: str


@dataclass(frozen=True, slots=True)
class FolderOrName:
    """Marks a model: a path if it starts like one, otherwise a name."""


def read_boolean(value: object) -> object:
    """Return the boolean that a text stands for, or the value itself."""
    return _BOOLEANS.get(value.casefold(), value) if isinstance(value, str) else value


def _check_measure(text: str) -> str:
    if not _MEASURE.fullmatch(text):
        raise ValueError(text)
    return text


Name = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80),
    Expected("at most 80 letters (a-z), digits, `.`, `_` or `-`, the first a letter or digit"),
]
Text = Annotated[str, Field(min_length=1)]
ModelName = Annotated[str, Field(min_length=1), FolderOrName(), Expected("a model's name or folder")]
YesNo = Annotated[bool, BeforeValidator(read_boolean)]
PolicyName = Annotated[
    str, Field(min_length=1), FolderOrName(), Expected("`default` or the path of a policy file")
]
Measure = Annotated[
    str,
    AfterValidator(_check_measure),
    Expected(f"a measure and its cutoff, such as nDCG@10 (one of {', '.join(MEASURES)})"),
]


class _Section(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        protected_namespaces=(),
    )


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


class Regex(_Section):
    """What the `regex` detector looks for."""

    email: YesNo = Field(True, description="E-mail addresses.")
    phone: YesNo = Field(True, description="Phone numbers with a country code or behind a label.")
    iban: YesNo = Field(True, description="IBANs with right check digits.")
    card: YesNo = Field(True, description="Payment cards with a right check digit.")
    ip: YesNo = Field(True, description="IP addresses.")
    url_credentials: YesNo = Field(True, description="User names and passwords in URLs.")
    phone_regions: tuple[Literal["US", "CA", "GB", "DE", "FR"], ...] = Field(
        ("US",), description="Countries whose own phone numbers count without a label or country code."
    )


class Presidio(_Section):
    """What the `presidio` detector looks for."""

    entities: Annotated[tuple[Text, ...], Field(min_length=1)] = Field(
        (
            "PERSON",
            "EMAIL_ADDRESS",
            "PHONE_NUMBER",
            "IBAN_CODE",
            "CREDIT_CARD",
            "IP_ADDRESS",
            "LOCATION",
            "US_SSN",
        ),
        description="Presidio's names of what it looks for.",
    )
    languages: Annotated[tuple[Text, ...], Field(min_length=1)] = Field(
        ("en",), description="Languages that its recognizers are run in, all with `privacy.spacy_model`."
    )


class Privacy(_Section):
    """What is taken out of documents before anything of them is stored."""

    detector: Literal["regex", "presidio"] = Field(
        "regex",
        description="`regex`: patterns and check digits, no model. `presidio`: Presidio with a spaCy model; finds "
        "names too (extra `pii`).",
    )
    spacy_model: Text = Field("en_core_web_sm", description="The installed spaCy model that Presidio uses.")
    policy: PolicyName = Field(
        "default",
        description="What becomes of findings: `default`, or a policy file whose path starts with `./`, `../`, `/` "
        "or `~`. See docs/privacy.md.",
    )
    secrets: YesNo = Field(True, description="Whether secrets such as keys and passwords are taken out.")
    threshold: float = Field(
        0.4, ge=0, le=1, description="Findings that their detector is less sure of stay, and are counted."
    )
    regex: Regex = Field(Regex(), description="What the `regex` detector looks for.")
    presidio: Presidio = Field(Presidio(), description="What the `presidio` detector looks for.")


class Chunking(_Section):
    """How documents are cut."""

    strategy: Literal["window", "document"] = Field(
        "window",
        description="`window`: overlapping spans of `size` characters. `document`: each document is one "
        "chunk; `size` and `overlap` are unused.",
    )
    size: int = Field(800, ge=1, description="Length of a chunk in characters.")
    overlap: int = Field(
        150,
        ge=0,
        validate_default=True,
        description="Characters that a chunk shares with the one before it; less than `size`.",
    )

    @field_validator("overlap")
    @classmethod
    def _less_than_size(cls, overlap: int, info: ValidationInfo) -> int:
        # A size that is itself refused is not in the data, and has its own fault.
        if overlap >= info.data.get("size", overlap + 1):
            raise ValueError(CHUNK_RULE)
        return overlap


class Embedding(_Section):
    """Which model turns texts into vectors."""

    provider: Literal["auto", "sentence-transformers"] = Field(
        "auto",
        description="What runs the model. `auto`: `sentence-transformers`.",
    )
    model: ModelName = Field(
        "all-mpnet-base-v2",
        description="Model's name, or its folder if it starts with `./`, `../`, `/` or `~`. A bare name "
        "means `sentence-transformers/<name>`.",
    )
    revision: Text | None = Field(None, description="Commit or tag of the model; null takes what is there.")
    batch_size: int = Field(32, ge=1, description="Texts per forward pass.")
    device: Text = Field("auto", description="Where the model runs, such as `cpu`, `cuda` or `mps`.")


class Hnsw(_Section):
    """The graph that dense search walks."""

    m: int = Field(16, ge=1, description="Links per node: more finds more, and takes more memory.")
    ef_construct: int = Field(100, ge=1, description="Candidates weighed per node while the graph is built.")


class Index(_Section):
    """Where vectors are stored."""

    engine: Literal["embedded"] = Field("embedded", description="`embedded`: Qdrant Edge, in this process.")
    hnsw: Hnsw = Field(Hnsw(), description="The graph that dense search walks.")
    lock_timeout: float = Field(
        10.0,
        ge=0,
        description="Seconds that a reader waits for a collection that another process holds.",
    )


class Lexical(_Section):
    """Search by words (BM25)."""

    backend: Literal["sparse"] = Field("sparse", description="`sparse`: sparse vectors in the same index.")
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


class FusionWeights(_Section):
    """What each list counts."""

    dense: float = Field(1.0, gt=0, description="Weight of the dense list.")
    lexical: float = Field(1.0, gt=0, description="Weight of the lexical list.")


class Fusion(_Section):
    """How the dense and the lexical list become one."""

    method: Literal["rrf"] = Field(
        "rrf", description="`rrf`: reciprocal rank fusion, the sum of 1 / (k + rank)."
    )
    k: int = Field(60, ge=1, description="The k of that sum: larger flattens the difference between ranks.")
    weights: FusionWeights | None = Field(None, description="What each list counts; null means equally.")


class Rerank(_Section):
    """The second stage, which scores question and text together."""

    scorer: Literal["cross-encoder", "late-interaction", "none"] = Field(
        "cross-encoder",
        description="`cross-encoder`: a model reads question and text together. `late-interaction`: "
        "the embedding model's token vectors are compared. `none`: no second stage.",
    )
    model: ModelName = Field(
        "cross-encoder/ms-marco-MiniLM-L-6-v2",
        description="The cross-encoder's name, or its folder if it starts with `./`, `../`, `/` or `~`.",
    )
    label: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="Which output of a cross-encoder with several means relevant, counted from 0.",
    )
    combine: Literal["replace", "rrf"] = Field(
        "replace",
        description="`replace`: the scorer's order. `rrf`: its order fused with the first stage's.",
    )
    floor: float | None = Field(
        None, description="Hits that the scorer puts below this are dropped; null keeps all."
    )


class Retrieval(_Section):
    """How a question finds chunks."""

    mode: Literal["hybrid", "dense", "lexical"] = Field(
        "hybrid",
        description="First stage: by meaning (`dense`), by words (`lexical`) or both (`hybrid`).",
    )
    top_k: int = Field(5, ge=1, description="Hits that a query shows.")
    candidate_k: int = Field(20, ge=1, description="Hits that the first stage hands to the second.")
    ef_search: int = Field(
        64, ge=1, description="Candidates weighed per dense search: more finds more, slower."
    )
    lexical: Lexical = Field(Lexical(), description="Search by words (BM25).")
    fusion: Fusion = Field(Fusion(), description="How the dense and the lexical list become one.")
    rerank: Rerank = Field(Rerank(), description="The second stage, which scores question and text together.")


class Evaluation(_Section):
    """How the experiment is measured."""

    golden: Path | None = Field(None, description="Golden set: a YAML file, or a BEIR folder.")
    split: Text = Field(
        "test", description="Which questions of a BEIR folder: the name of a file in `qrels/`."
    )
    level: Literal["document", "chunk"] = Field("document", description="What a judgement is about.")
    measures: Annotated[tuple[Measure, ...], Field(min_length=1)] = Field(
        ("nDCG@10", "Recall@5", "Precision@5", "Hit@5", "MRR@10"),
        description=f"Measures with their cutoffs: {', '.join(f'`{name}@k`' for name in MEASURES)}.",
    )
    seed: int = Field(0, ge=0, description="Seed of every random draw, such as bootstrap intervals.")


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
    evaluation: Evaluation = Field(Evaluation(), description="How the experiment is measured.")
