"""The map of a study: which text it shows, its links, its layout, and its numbers as a table."""
