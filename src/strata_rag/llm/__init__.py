"""Language models: one seam, one result, one error."""

from strata_rag.llm.client import LLMClient, Reply, Schema, ScriptedClient
from strata_rag.llm.completion import Completion, CompletionStatus, LLMInfo, Message, Role, Usage

__all__ = [
    "Completion",
    "CompletionStatus",
    "LLMClient",
    "LLMInfo",
    "Message",
    "Reply",
    "Role",
    "Schema",
    "ScriptedClient",
    "Usage",
]
