"""The keys of `generation.guards`: what is done about instructions in documents."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from strata_rag.config.section import Section, YesNo


class Guards(Section):
    """Layers that keep what stands in documents from being obeyed; each can be switched off alone."""

    scan: YesNo = Field(
        True,
        description="Whether documents at ingest and passages before an answer are scanned for hidden text and for "
        "instructions to a model.",
    )
    strip: YesNo = Field(
        True, description="Whether characters that nobody sees are taken out of what an answer is made from."
    )
    quarantine: Literal["never", "high", "medium", "low"] = Field(
        "medium",
        description="Passages with a finding of this severity or above are held back and listed. `high`: hidden or "
        "disguised. `medium`: reads like an order to a model. `low`: odd.",
    )
    spotlight: YesNo = Field(
        True, description="Whether passages stand between fences with a marker made for the request."
    )
    order: YesNo = Field(
        True,
        description="Whether rules stand in the system's message, and are repeated behind passages and question.",
    )
    output: YesNo = Field(
        True,
        description="Whether a reply is checked for addresses that no passage has, for its own instructions and for "
        "numbers that no passage has.",
    )
