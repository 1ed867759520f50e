"""The similarity page."""
