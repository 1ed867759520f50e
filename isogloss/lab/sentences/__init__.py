"""Sentence embeddings from English alone, before and after."""
