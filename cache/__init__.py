"""The activation store of Isogloss: results addressed by content, computed once, kept, shared.

>>> import tempfile
>>> from pathlib import Path
>>> store = Store(Path(tempfile.mkdtemp()), demo=None)
>>> def build(workspace: Path) -> None:
...     states = create_states_file(
...         workspace / STATES, n_states=2, rows=3, width=4, dtype="float32"
...     )
...     states[:, 0, :] = 1.0
>>> entry = store.get_or_create({"model": "example", "corpus": "three words"}, build)
>>> entry.n_states, entry.layer(1).shape, float(entry.layer(1).sum())
(2, (3, 4), 4.0)
"""

from cache.archive import ImportReport, export_entries, import_entries
from cache.entry import STATES, Entry
from cache.errors import CorruptEntryWarning, StoreError
from cache.eviction import parse_size
from cache.keys import FORMAT_VERSION, cache_key
from cache.states import StatesWriter, create_states_file, open_states_file
from cache.store import DEMO_ROOT, Store, default_root

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
    "default_root",
    "export_entries",
    "import_entries",
    "open_states_file",
    "parse_size",
]
