"""The page Best layer: four scores over the layers, and folded below them what they are made of."""
