"""Isogloss: how languages come to share one space inside a multilingual transformer.

In scripts and notebooks, `import isogloss as ig`; see `isogloss.interface` for what there is.
"""

# ruff: noqa: F403, F405 -- what is listed here is the interface's

from typing import TYPE_CHECKING, Any

from isogloss.version import __version__

if TYPE_CHECKING:
    from isogloss.interface import *

__all__ = [
    "__version__",
    "alignment",
    "best_layer",
    "extract",
    "geometry",
    "import_vectors",
    "languages",
    "lens",
    "list_studies",
    "mapping",
    "methods",
    "open_study",
    "read_text",
    "retrieval",
    "rogue",
    "save_figure",
    "similarity",
    "steer",
    "swap",
    "token_map",
]


def __getattr__(name: str) -> Any:
    """The interface, loaded when it is first used: `import isogloss` itself stays quick."""
    if name not in __all__:
        raise AttributeError(f"module 'isogloss' has no attribute {name!r}")
    from isogloss import interface

    return getattr(interface, name)
