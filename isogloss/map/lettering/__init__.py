"""Fonts for the texts of a map, and what it takes to write them in films and sheets."""
