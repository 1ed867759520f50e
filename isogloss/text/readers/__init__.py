"""Readers of parallel text: bytes in, rows out, one small module per format."""
