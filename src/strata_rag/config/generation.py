"""The keys of `generation`, and what every section that names a language model shares."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from strata_rag.config.section import Section, YesNo

_Text = Annotated[str, Field(min_length=1)]


class Price(Section):
    """What a model costs, in US dollars per million tokens."""

    input: float = Field(ge=0, description="US dollars per million tokens that the model reads.")
    output: float = Field(ge=0, description="US dollars per million tokens that the model writes.")


class LanguageModel(Section):
    """Which language model is asked, and how."""

    provider: Literal["none", "anthropic", "openai", "ollama", "replay"] = Field(
        "none",
        description="`anthropic`: Anthropic's Messages API. `openai`: OpenAI's Chat Completions, or any server that "
        "speaks it (`base_url`). `ollama`: Ollama's own API. `replay`: replies read from a file. `none`: no model.",
    )
    model: _Text | None = Field(
        None, description="The provider's name of the model; null with `replay` takes any model's replies."
    )
    base_url: _Text | None = Field(
        None,
        description="The server; null means the provider's own, with `ollama` `http://localhost:11434`. For `openai` "
        "with its `/v1`. No variable of the environment redirects it.",
    )
    api_key_env: _Text | None = Field(
        None,
        description="Variable that holds the API key; null means `ANTHROPIC_API_KEY` or `OPENAI_API_KEY` at the "
        "provider's own server, and no key at another `base_url`.",
    )
    allow_remote: YesNo = Field(
        False, description="Whether questions and passages may leave this machine, to a server elsewhere."
    )
    temperature: float = Field(
        0.0,
        ge=0,
        le=2,
        description="How freely the model chooses its words. Not sent where the provider takes none (`anthropic`) or "
        "the model refuses it, which the record says.",
    )
    max_tokens: int = Field(
        1024,
        ge=1,
        description="Most tokens of a reply; a longer one counts as truncated. Models that think first spend them on "
        "that as well.",
    )
    context: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="With `ollama`: the context window that is asked for (`num_ctx`); null: as large as prompt and "
        "reply need.",
    )
    timeout: float = Field(120.0, gt=0, description="Seconds until one request is given up.")
    retry_for: float = Field(
        300.0,
        ge=0,
        description="Seconds that one call may take with its retries; the last wait must end before.",
    )
    run_for: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="Seconds that all calls of a command may take, from the first one on; what was answered is kept. "
        "null: any.",
    )
    concurrency: int = Field(
        8, ge=1, le=1000, description="Most calls at once; fewer while the provider says it is too much."
    )
    price: Price | None = Field(
        None, description="What the model costs, to count and to limit what is spent; null: unknown."
    )
    replay: Path | None = Field(None, description="With `replay`: the file of recorded replies.")
    record: Path | None = Field(
        None, description="File that every reply of the model is added to, for `replay`; null: none."
    )


class Generation(LanguageModel):
    """How questions are answered."""

    provider: Literal["none", "extractive", "anthropic", "openai", "ollama", "replay"] = Field(  # type: ignore[assignment]
        "none",
        description="`extractive`: the best sentences of the passages, without a model. `anthropic`: Anthropic's "
        "Messages API. `openai`: OpenAI's Chat Completions, or any server that speaks it (`base_url`). `ollama`: "
        "Ollama's own API. `replay`: replies read from a file. `none`: no answers.",
    )
