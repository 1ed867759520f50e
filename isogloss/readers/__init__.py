"""Readers and writers of parallel text: bytes in, rows out, one small module a format."""
