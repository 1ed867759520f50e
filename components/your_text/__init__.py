"""The page for your own text."""
