"""A checked golden set as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PAIRS = 10


def print_golden(document: Mapping[str, Any]) -> None:
    """Print what ``strata golden check`` found in a set without faults."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in document["kinds"].items())
    print(f"{document['golden']}: no faults\nquestions   {document['questions']} ({kinds})")
    anchored = f", {document['evidence']} pieces of evidence" if document["evidence"] else ""
    print(f"judgements  {document['judgements']}{anchored}, {document['level']} level")
    if document["unlabelled"]:
        print(f"unlabelled  {document['unlabelled']} questions, left out of every mean")
    if document["unreviewed"]:
        print(f"unreviewed  {document['unreviewed']} drafted questions that nobody has looked at")
    if document["unjudged"]:
        print(f"unjudged    {document['unjudged']} queries without a line in the qrels, left out")
    if document["documents"] is not None:
        print(f"corpus      {document['documents']} documents; every id and quote is in it")
    for one, other in document["same_text"][:_PAIRS]:
        print(f"note        {one} and {other} ask the same")
    print(f"digest      {document['digest'][:16]}")
