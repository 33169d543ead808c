"""The contract, inherited: `pytest plugins` runs it. Files that begin with `test_` are no plugins."""

import json
from pathlib import Path

from strata_rag.testing import AdapterContract

TICKET = {
    "number": 17,
    "subject": "Crane 7 stops",
    "opened": "2026-03-04",
    "messages": [
        {"from": "quay", "text": "It stops at half load."},
        {"from": "shop", "text": "Fuse F3 was loose."},
    ],
}


class TestTickets(AdapterContract):
    plugins_dir = Path(__file__).parent
    folder = "tickets"
    files = {
        "2026/17.json": json.dumps(TICKET),
        "2026/18.json": json.dumps({**TICKET, "number": 18, "spam": True}),
        "notes.txt": "not a ticket",
    }
    doc_ids = ("tickets/2026/17.json",)
