"""Where things lie: in a checkout, and as if a wheel had brought them."""

from pathlib import Path

import pytest

from isogloss import places
from isogloss.figures import template
from isogloss.store import Store
from isogloss.store.entry_directory import EntryDirectory

ROOT = Path(__file__).parents[2]


@pytest.fixture
def installed(tmp_path, monkeypatch) -> Path:
    """The folder inside a package that came as a wheel."""
    inside = tmp_path / "isogloss" / "_app"
    inside.mkdir(parents=True)
    monkeypatch.setattr(places, "_INSIDE", inside)
    monkeypatch.delenv("ISOGLOSS_CACHE", raising=False)
    return inside


def test_a_checkout_has_everything_beside_the_package(monkeypatch):
    monkeypatch.delenv("ISOGLOSS_CACHE", raising=False)
    assert places.app_folder() == ROOT
    assert places.demo_roots() == (ROOT / "cache" / "demo",)
    assert places.data_root() == ROOT / "cache" / "data"
    assert template._CONFIG == ROOT / ".streamlit" / "config.toml"


def test_a_package_has_everything_inside_and_keeps_what_is_computed_elsewhere(
    installed, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert places.app_folder() == installed
    assert places.demo_roots() == (installed / "cache" / "demo",)
    assert places.data_root().name == "cache"
    assert places.data_root().parent.name == "isogloss"
    assert not places.data_root().is_relative_to(installed.parent)
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "mine"))
    assert places.data_root() == tmp_path / "mine"


def test_the_rest_of_the_demo_is_found_when_it_is_installed(installed, tmp_path, monkeypatch):
    more = tmp_path / "site" / "isogloss_demo"
    more.mkdir(parents=True)
    (more / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert places.demo_roots() == (installed / "cache" / "demo", more)


def test_a_store_reads_what_ships_from_several_places(tmp_path):
    keys = []
    for name in ("first", "second"):
        made = Store(tmp_path / name, demo=None)
        entry = made.get_or_create({"of": name}, lambda place: (place / "a").write_text("a") and {})
        keys.append(entry.key)
    store = Store(tmp_path / "own", demo=(tmp_path / "first", tmp_path / "second"))
    assert [(entry.key, entry.demo) for entry in store.entries()] == [(key, True) for key in keys]
    assert all(store.get(key) for key in keys)
    assert isinstance(store._places[-1], EntryDirectory)
