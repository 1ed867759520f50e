"""Texts by name: data sets of the Hugging Face hub, read as any file is."""
