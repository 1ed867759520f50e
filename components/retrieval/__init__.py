"""The retrieval page."""
