"""The transfer page."""
