"""The runs that come with Isogloss: whole, readable, and without places of any machine."""

import json
import re

import pytest

from isogloss.bundled.ship_run import ship
from isogloss.errors import RunError
from isogloss.jobs import SHIPPED, Run, Runs
from isogloss.worker import work
from tests.plans import CountingPlan

NAMES = sorted(path.parent.name for path in SHIPPED.glob("*/run.json"))


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_run_is_whole_and_says_how_it_was_made(name):
    run = Run(SHIPPED / name, shipped=True)
    assert tuple(run.results()) == run.units
    assert run.command.startswith("python -m isogloss ")
    assert len(run.note.split()) > 20
    facts = run.facts
    assert len(facts["model"]["fingerprint"]) == 64
    assert facts["versions"]["torch"]
    assert len(re.findall(r"\b[0-9a-f]{64}\b", json.dumps(facts))) >= 3  # the model and its data


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_run_names_no_place_of_a_machine(name):
    for file in (SHIPPED / name).glob("*.*"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"[\"= ](/|~|\.\./|[A-Z]:\\)\w", text), file.name


def test_shipping_keeps_results_and_cuts_paths(store, tmp_path):
    runs = Runs(store, shipped=None)
    plan = CountingPlan(count=2, names=(str(tmp_path), "owner/name"))
    run = runs.create(plan, ["python", "-m", "isogloss", "count", f"--data={tmp_path}"])
    with pytest.raises(RunError, match="only finished runs"):
        ship(run, "counted", "", tmp_path / "shipped")
    runs.enqueue(run, start_worker=False)
    work(store)
    shipped = Run(ship(run, "counted", "By dice.\n", tmp_path / "shipped"), shipped=True)
    assert shipped.results() == run.results()
    assert shipped.facts == run.facts
    assert (run.note, shipped.note) == ("", "By dice.")
    assert shipped.kept("array 1")["square"].tolist() == [1]
    assert shipped.plan.names == (tmp_path.name, "owner/name")
    assert shipped.command == f"python -m isogloss count --data={tmp_path.name}"
