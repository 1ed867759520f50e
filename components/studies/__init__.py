"""The studies page."""
