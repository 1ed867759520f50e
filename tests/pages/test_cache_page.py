"""The cache page: what is kept, and how to carry it."""

import pytest


def test_an_empty_cache_says_what_to_do(open_app):
    assert "Your text" in open_app("cache").info[0].value


def test_every_entry_is_listed(open_app, study):
    app = open_app("cache")
    table = app.dataframe[0].value
    assert list(table["What"]) == [study.entry.description]
    assert list(table["Key"]) == [study.key[:12]]
    assert "cache export" in app.code[0].value


@pytest.mark.filterwarnings("ignore::isogloss.store.CorruptEntryWarning")
def test_a_corrupt_entry_is_reported_and_not_shown(open_app, study):
    states = study.entry.path / "states.safetensors"
    states.write_bytes(states.read_bytes()[:-10])
    app = open_app("cache")
    assert not app.dataframe
    assert "corrupt" in app.warning[0].value
