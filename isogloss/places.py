"""Where things lie, in a checkout and installed; every path out of the package is made here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from isogloss.settings import CACHE, OPEN

_INSIDE = Path(__file__).parent / "_app"
_CHECKOUT = Path(__file__).parents[1]


def is_installed() -> bool:
    """Whether this came as a wheel, and not from a checkout, be it installed as editable."""
    return _INSIDE.is_dir()


def app_folder() -> Path:
    """Where app.py, its pages, its theme and what ships in `cache/demo` are.

    A wheel carries them inside the package; in a checkout they lie beside it.
    """
    return _INSIDE if is_installed() else _CHECKOUT


def demo_roots() -> tuple[Path, ...]:
    """Where studies and runs that ship are kept: what comes with this, and `isogloss-demo`."""
    own = app_folder() / "cache" / "demo"
    more = find_spec("isogloss_demo") if is_installed() else None
    return (own, *map(Path, more.submodule_search_locations or ())) if more else (own,)


def data_root() -> Path:
    """Where what is computed is kept: ISOGLOSS_CACHE, else `cache/data` of a checkout.

    Installed, it is the folder that the system has for a user's data.
    """
    chosen = CACHE.read()
    if chosen is not None:
        return chosen
    if not is_installed():
        return _CHECKOUT / "cache" / "data"
    from platformdirs import user_data_path

    return user_data_path("isogloss", appauthor=False) / "cache"


def open_with(files: Sequence[Path]) -> None:
    """Have the app that is started next begin with the text in these files."""
    OPEN.write(os.pathsep.join(str(path.absolute()) for path in files))


def opened_with() -> tuple[str, ...]:
    """The files of the text that the app was opened with; none if it was opened alone."""
    return OPEN.read()
