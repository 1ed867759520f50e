"""The page of what is kept."""
