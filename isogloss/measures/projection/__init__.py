"""Layers laid out in the plane, one flowing into the next."""
