"""The keys of ``chunking``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from strata_rag.config.section import Expected, Section, YesNo

CHUNK_RULE = "size >= 1, overlap >= 0 and overlap < size"
BY_TYPE = "chunking.by_type"
POLICY_FAULT = "chunk_policy"
TYPE_RULE = "a document type such as md, pdf or html, in small letters without a stop"

Strategy = Literal["window", "document", "token", "sentence", "sentence-window", "markdown", "semantic"]
DocumentType = Annotated[str, Field(pattern=r"^[a-z0-9]{1,10}$")]


class TypePolicy(Section):
    """How documents of one type are cut; what is not stated is as in ``chunking``."""

    strategy: Strategy | None = None
    size: int | None = Field(None, ge=1)
    overlap: int | None = Field(None, ge=0)
    overlap_sentences: int | None = Field(None, ge=0)
    window: int | None = Field(None, ge=0)
    prepend_headings: YesNo | None = None
    percentile: float | None = Field(None, ge=0, le=100)


class Chunking(Section):
    """How documents are cut."""

    strategy: Strategy = Field(
        "window",
        description="`window`: overlapping spans of `size` characters. `document`: each document is one chunk. "
        "`token`: overlapping spans of `size` of the embedding model's tokens. `sentence`: whole sentences up to "
        "`size`. `sentence-window`: a sentence is matched and shown with its neighbours. `markdown`: sections, "
        "with fences, tables and lists whole where they fit. `semantic`: cuts where neighbouring sentences' "
        "embeddings part.",
    )
    size: int = Field(
        800,
        ge=1,
        description="Longest chunk in characters; with `token` in tokens, title and special ones included, and "
        "no more than the model reads. `document` has no limit.",
    )
    overlap: int = Field(
        150,
        ge=0,
        validate_default=True,
        description="Characters (`token`: tokens) that a chunk shares with the one before it; less than `size`. "
        "In `sentence-window`, `markdown` and `semantic` only where a unit longer than `size` is cut.",
    )
    overlap_sentences: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="`sentence`: whole sentences that neighbours share in place of `overlap` characters; null "
        "means characters.",
    )
    window: int = Field(
        2, ge=0, description="`sentence-window`: sentences shown on each side of the matched one."
    )
    prepend_headings: YesNo = Field(
        False, description="`markdown`: whether the titles above a chunk are matched with it."
    )
    percentile: float = Field(
        90.0,
        ge=0,
        le=100,
        description="`semantic`: share of a document's distances between neighbouring sentences, in percent, "
        "that lie below a boundary's: higher cuts less often.",
    )
    by_type: Annotated[
        dict[DocumentType, TypePolicy], Expected("a map from document type to keys of chunking")
    ] = Field(
        {},
        description="Other values for documents of a type, the ending of their name: "
        "`{md: {strategy: markdown}, txt: {size: 400}}`. What is not stated is as above.",
    )

    @field_validator("overlap")
    @classmethod
    def _less_than_size(cls, overlap: int, info: ValidationInfo) -> int:
        # A size that is itself refused is not in the data, and has its own fault.
        if overlap >= info.data.get("size", overlap + 1):
            raise ValueError(CHUNK_RULE)
        return overlap

    @field_validator("by_type")
    @classmethod
    def _each_moves(cls, by_type: dict[str, TypePolicy], info: ValidationInfo) -> dict[str, TypePolicy]:
        for name, policy in by_type.items():
            size = info.data.get("size") if policy.size is None else policy.size
            overlap = info.data.get("overlap") if policy.overlap is None else policy.overlap
            if size is not None and overlap is not None and overlap >= size:
                found = f"found size {size} and overlap {overlap}"
                problem = f"{BY_TYPE}.{name}: expected {CHUNK_RULE}, {found}"
                raise PydanticCustomError(POLICY_FAULT, "{problem}", {"problem": problem})
        return by_type

    def policies(self) -> dict[str, Chunking]:
        """Return the full policy of each type in `by_type`."""
        own = self.model_dump(exclude={"by_type"})
        return {
            name: Chunking.model_validate({**own, **policy.model_dump(exclude_none=True)})
            for name, policy in self.by_type.items()
        }

    def __hash__(self) -> int:
        own = (value for name, value in self if name != "by_type")
        return hash((*own, *sorted(self.by_type.items(), key=lambda item: item[0])))
