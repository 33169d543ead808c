"""Reads a folder `tickets/` that holds one JSON file per ticket: each ticket is a document, each message a section."""

import json

from strata_rag.plugins import FolderAdapter, Section, Skip, Unreadable, register_adapter

__version__ = "1.0"


class TicketAdapter(FolderAdapter):
    suffixes = (".json",)  # other files get a row that says so, and are never opened

    def documents(self, file):
        """Return the documents of one file; here it is one."""
        try:
            ticket = json.loads(self.read_text(file))  # read_text raises Unreadable for what is no text
            messages = [(message["from"], message["text"]) for message in ticket["messages"]]
            number, subject = int(ticket["number"]), str(ticket["subject"])
        except (ValueError, KeyError, TypeError) as error:
            found = f"{type(error).__name__}: {error}"
            raise Unreadable(f"expected a ticket, found {found}") from error  # fails; the run goes on
        if ticket.get("spam"):
            raise Skip("marked as spam")  # the file is excluded, with this reason
        text, sections = "", []
        for sender, message in messages:
            sections.append(Section(len(text), f"message from {sender}"))  # offsets, no marks in the text
            text += f"{message}\n\n"
        metadata = {"number": number}  # for filters: strata query ... --filter number=17
        if "opened" in ticket:
            metadata["opened"] = str(ticket["opened"])
        return [self.document(file, text, title=subject, metadata=metadata, sections=sections)]


register_adapter("tickets", TicketAdapter)
