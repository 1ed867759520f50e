"""Text that comes in: parallel texts, words, dictionaries, NLI, STS, text of one language."""
