"""The token map page."""
