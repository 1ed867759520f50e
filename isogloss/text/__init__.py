"""Text that comes in: parallel corpora, words, dictionaries, NLI, STS, text of one language."""
