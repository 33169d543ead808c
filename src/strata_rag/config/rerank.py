"""The keys of `retrieval.rerank`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from strata_rag.config.generation import LanguageModel
from strata_rag.config.section import Expected, FolderOrName, Section

ModelName = Annotated[str, Field(min_length=1), FolderOrName(), Expected("a model's name or folder")]


class Rerank(Section):
    """The second stage, which scores question and text together."""

    scorer: Literal["cross-encoder", "late-interaction", "llm", "none"] = Field(
        "cross-encoder",
        description="`cross-encoder`: a model reads question and text together. `late-interaction`: "
        "the embedding model's token vectors are compared. `llm`: a language model puts all candidates in order in "
        "one call. `none`: no second stage.",
    )
    model: ModelName = Field(
        "cross-encoder/ms-marco-MiniLM-L-6-v2",
        description="The cross-encoder's name, or its folder if it starts with `./`, `../`, `/` or `~`.",
    )
    llm: LanguageModel | None = Field(
        None,
        description="With `llm`: the language model, by keys as under `generation`; null: that of `generation`.",
    )
    passage_tokens: int = Field(
        400,
        ge=1,
        description="With `llm`: most tokens of a candidate, roughly; what is beyond is not shown to it.",
    )
    label: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="Which output of a cross-encoder with several means relevant, counted from 0.",
    )
    text: Literal["text", "embed_text"] = Field(
        "text",
        description="What the scorer reads: `text`, what a hit shows, under the document's title, or "
        "`embed_text`, the matched unit.",
    )
    combine: Literal["replace", "rrf"] = Field(
        "replace",
        description="`replace`: the scorer's order. `rrf`: its order fused with the first stage's.",
    )
    floor: float | None = Field(
        None,
        description="Hits that the scorer puts below this are dropped; null keeps all. A score of `llm` is a place, "
        "from 1 down.",
    )
