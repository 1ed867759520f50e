"""Adapt a multilingual model to one language and see what it forgets."""
