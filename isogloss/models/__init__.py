"""Models: which there are, where their files are, loading, tokens, blocks, forward passes."""
