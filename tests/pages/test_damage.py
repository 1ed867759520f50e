"""What is damaged is said where it is; every other page shows what it has."""

import json

import pytest

from isogloss.lab.runs.queue import Runs
from isogloss.store import CorruptEntryWarning
from tests.helpers import damage
from tests.helpers.layers_needed_run import written_run
from tests.helpers.server import ROOT
from tests.helpers.transfer_run import write_transfer

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
WITH_RUNS = ["adaptation", "emergence", "layers_needed", "sentences", "transfer", "two_models"]


def said(app) -> str:
    return " ".join(str(each.value) for each in (*app.warning, *app.error, *app.info))


@pytest.fixture
def damaged(runs: Runs, app_store):
    """A whole run of each of two kinds, and a damaged one of the first."""
    write_transfer(runs)
    good, bad = written_run(runs), written_run(runs)
    return good, bad


@pytest.mark.parametrize("name", ["run.json", "results.jsonl"])
@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_beside_a_damaged_run(open_app, study, damaged, page, name):
    good, bad = damaged
    path = bad.path / name
    path.write_bytes(path.read_bytes()[:40] + b"\n")
    app = open_app(page)  # nothing raised
    told = f"Run {bad.id} is damaged" in said(app)
    assert told == (page in WITH_RUNS if name == "run.json" else page == "layers_needed")
    if page == "layers_needed":
        assert [box.value for box in app.selectbox if box.label == "Run"] == [good.id]
        app.button(key=f"remove-{bad.id}").click().run()
        assert not app.exception
        assert not bad.path.exists()
        assert "damaged" not in said(app)


def test_kept_arrays_that_are_damaged_are_said_in_their_panel(open_app, runs, app_store):
    run = write_transfer(runs)
    for path in (run.path / "kept").iterdir():
        path.write_bytes(path.read_bytes()[:-3])
    assert f"Run {run.id} is damaged: kept/" in said(open_app("transfer"))


@pytest.mark.parametrize("name", ["corpus.json", "tokens.parquet"])
@pytest.mark.parametrize("page", ["token_map", "best_layer"])
def test_a_study_with_a_changed_byte_is_said_and_set_aside(open_app, study, page, name):
    path = study.entry.file(name)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.warns(CorruptEntryWarning, match=name):
        app = open_app(page)
    assert f"{name} does not match its checksum" in said(app)
    assert not path.is_file()
    assert not app.run().exception


@pytest.mark.parametrize(
    ("kind", "name", "place", "value"),
    [
        ("sentences", "run.json", ["plan", "corpus"], []),
        ("adaptation", "facts.json", ["sentences", "train"], "\ud800"),
        ("transfer", "facts.json", ["model"], "a name"),
    ],
)
def test_damage_to_a_run_that_nothing_seals_is_said(
    open_app, runs, app_store, kind, name, place, value
):
    damage.write_all_kinds(app_store)
    (run,) = runs.all(kind)
    damage.unseal(run.path)
    path = run.path / name
    body = holder = json.loads(path.read_text())
    for part in place[:-1]:
        holder = holder[part]
    holder[place[-1]] = value
    path.write_text(json.dumps(body))
    assert "is damaged" in said(open_app(kind))


@pytest.mark.parametrize("sealed", [True, False])
def test_pages_of_damaged_runs_raise_nothing(app_store, runs, monkeypatch, sealed):
    damage.write_all_kinds(app_store)
    if not sealed:
        damage.unseal(runs.root)
    kinds = {run.id: run.kind for run in runs.all()}
    for copy, what in damage.damaged_copies(app_store.root, 5, seed=4):
        monkeypatch.setenv("ISOGLOSS_CACHE", str(copy))
        (damaged,) = (run for run in kinds if run in what)
        damage.open_pages(copy, [damage.PAGES[kinds[damaged]]])
