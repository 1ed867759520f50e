"""The page of two models and the map between them."""
