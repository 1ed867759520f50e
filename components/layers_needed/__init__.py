"""The page of re-initialised layers."""
