"""Names that people give to what is kept."""

import pytest

from isogloss.store import Store, StoreError
from isogloss.store.names import LONGEST, given_name, rename

KEY = "0123456789abcdef0123456789abcdef"


def test_a_name_is_kept_until_it_is_taken_away(tmp_path):
    store = Store(tmp_path, demo=None)
    assert given_name(store, KEY) == ""
    rename(store, KEY, "  the   talk in May ")
    assert given_name(store, KEY) == "the talk in May"
    rename(store, KEY, "")
    assert given_name(store, KEY) == ""


@pytest.mark.parametrize(("key", "name"), [(KEY, "x" * (LONGEST + 1)), ("../outside", "x")])
def test_what_is_too_long_or_no_key_is_refused(tmp_path, key, name):
    store = Store(tmp_path, demo=None)
    with pytest.raises(StoreError):
        rename(store, key, name)
    assert list(tmp_path.rglob("*")) == [] or not (store.root / "names").exists()
