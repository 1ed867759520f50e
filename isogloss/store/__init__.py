"""The activation store of Isogloss: results addressed by content, computed once, kept, shared.

>>> import tempfile
>>> from pathlib import Path
>>> store = Store(Path(tempfile.mkdtemp()), demo=None)
>>> def build(workspace: Path) -> None:
...     states = create_states_file(
...         workspace / STATES, n_states=2, rows=3, width=4, dtype="float32"
...     )
...     states[:, 0, :] = 1.0
>>> entry = store.get_or_create({"model": "example", "text": "three words"}, build)
>>> entry.n_states, entry.layer(1).shape, float(entry.layer(1).sum())
(2, (3, 4), 4.0)
"""

from isogloss.store.archive import ImportReport, export_entries, import_entries
from isogloss.store.entry import STATES, Entry
from isogloss.store.errors import CorruptEntryWarning, StoreError
from isogloss.store.keys import FORMAT_VERSION, cache_key
from isogloss.store.states import StatesWriter, create_states_file, open_states_file
from isogloss.store.store import DEMO_ROOT, Store

__all__ = [
    "DEMO_ROOT",
    "FORMAT_VERSION",
    "STATES",
    "CorruptEntryWarning",
    "Entry",
    "ImportReport",
    "StatesWriter",
    "Store",
    "StoreError",
    "cache_key",
    "create_states_file",
    "export_entries",
    "import_entries",
    "open_states_file",
]
