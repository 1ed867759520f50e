"""The page of many languages: constellations, the crossing, every pair, and the tree."""
