"""The prompt that drafts golden questions."""
