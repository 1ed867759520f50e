"""What the first page needs, read while the server starts and not while somebody waits for it.

Imports are within the functions: only once a server runs do Streamlit's caches know where they are.
"""

from __future__ import annotations

import inspect


def read_modules() -> None:
    """Import what the frame and the map's page import, Streamlit's part included."""
    from PIL import Image

    from components import layer_scrubber  # noqa: F401
    from components.shared import frame  # noqa: F401
    from components.shared.studies import rogue_note  # noqa: F401
    from components.token_map import (  # noqa: F401
        beside,
        chips,
        downloads,
        finding,
        so_far,
        tour_editor,
    )

    Image.preinit()  # the kinds of pictures that an icon could be
    # The first element on a page makes Streamlit ask for the call stack, and Python then looks
    # for the files of all modules, which it does only once.
    inspect.stack()


def read_showpiece() -> None:
    """Read the study that a newcomer sees, and its map."""
    from components.shared import loading
    from components.shared.studies import study_picker
    from components.token_map import finding
    from isogloss.map.data import scrubber_data
    from isogloss.map.maps import MapOptions

    known = {study.key: study for study in loading.studies()}
    if not known:
        return
    study = loading.study(study_picker.showpiece(known).key)
    token_map = loading.stored_map(study.key, MapOptions())
    if token_map is not None:
        scrubber_data(study, token_map, finding.kept_random(study, MapOptions()))
