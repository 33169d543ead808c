"""Language models: one seam, one result, one error."""

from strata_rag.llm.anthropic_client import ANTHROPIC_URL, AnthropicClient
from strata_rag.llm.budget import Budget, BudgetedClient, Spent
from strata_rag.llm.cached import CachedClient, Estimate, Request, estimate, request_key
from strata_rag.llm.calls import Calls, Outcome, map_calls
from strata_rag.llm.client import LLMClient, Reply, Schema, ScriptedClient
from strata_rag.llm.clock import Clock, SteppedClock, SystemClock
from strata_rag.llm.completion import Completion, CompletionStatus, LLMInfo, Message, Role, Usage
from strata_rag.llm.fence import fence_marker
from strata_rag.llm.limiter import AdaptiveLimiter, LimitedClient, Limiters
from strata_rag.llm.listing import list_models, offers
from strata_rag.llm.ollama_client import OLLAMA_URL, OllamaClient
from strata_rag.llm.openai_client import OPENAI_URL, OpenAIClient
from strata_rag.llm.price import TokenPrice
from strata_rag.llm.replay import RecordingClient, ReplayClient
from strata_rag.llm.retries import RetryingClient, RetryPolicy
from strata_rag.llm.settings import ModelSettings
from strata_rag.llm.tokens import estimate_prompt, estimate_tokens
from strata_rag.llm.watchdog import Watchdog, WatchedClient

__all__ = [
    "ANTHROPIC_URL",
    "OLLAMA_URL",
    "OPENAI_URL",
    "AdaptiveLimiter",
    "AnthropicClient",
    "Budget",
    "BudgetedClient",
    "CachedClient",
    "Calls",
    "Clock",
    "Completion",
    "CompletionStatus",
    "Estimate",
    "LLMClient",
    "LLMInfo",
    "LimitedClient",
    "Limiters",
    "Message",
    "ModelSettings",
    "OllamaClient",
    "OpenAIClient",
    "Outcome",
    "RecordingClient",
    "ReplayClient",
    "Reply",
    "Request",
    "RetryPolicy",
    "RetryingClient",
    "Role",
    "Schema",
    "ScriptedClient",
    "Spent",
    "SteppedClock",
    "SystemClock",
    "TokenPrice",
    "Usage",
    "Watchdog",
    "WatchedClient",
    "estimate",
    "estimate_prompt",
    "estimate_tokens",
    "fence_marker",
    "list_models",
    "map_calls",
    "offers",
    "request_key",
]
