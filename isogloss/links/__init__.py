"""Who translates whom: by hand, by an aligner, by a model."""
