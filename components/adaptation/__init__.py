"""The adaptation page."""
