"""Which Isogloss this is; every stored result says it."""

__version__ = "0.3.0"
