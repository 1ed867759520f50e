"""A tagger trained on one language alone reads another model of another language by a map."""
