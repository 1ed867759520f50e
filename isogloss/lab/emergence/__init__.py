"""Emergence: a small BERT learns two languages from nothing, with one thing taken away."""
