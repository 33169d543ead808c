"""The judge's prompts, one file each."""
