"""Isogloss: how languages come to share one space inside a multilingual transformer."""

__version__ = "0.2.0"
