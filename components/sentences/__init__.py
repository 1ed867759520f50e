"""The sentences page."""
