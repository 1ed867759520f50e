"""Sentences in many languages at once: whose company they keep, every pair, a tree of languages."""
