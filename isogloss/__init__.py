"""Isogloss: how languages come to share one space inside a multilingual transformer.

In scripts and notebooks, `import isogloss as ig`; see `isogloss.interface` for what there is.
"""

from typing import TYPE_CHECKING, Any

from isogloss.version import __version__

INTERFACE = (
    "alignment",
    "best_layer",
    "extract",
    "geometry",
    "import_vectors",
    "lens",
    "languages",
    "list_studies",
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
)

if TYPE_CHECKING:
    from isogloss.interface import (
        alignment,
        best_layer,
        extract,
        geometry,
        import_vectors,
        languages,
        lens,
        list_studies,
        methods,
        open_study,
        read_text,
        retrieval,
        rogue,
        save_figure,
        similarity,
        steer,
        swap,
        token_map,
    )

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
    if name not in INTERFACE:
        raise AttributeError(f"module 'isogloss' has no attribute {name!r}")
    from isogloss import interface

    return getattr(interface, name)
