"""The runs that come with Isogloss: whole, readable, and without places of any machine."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from docs.making.ship_run import ship
from isogloss.errors import RunError
from isogloss.lab.emergence.plan import EmergencePlan
from isogloss.lab.emergence.watching import finished_map
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import SHIPPED, Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.runs.worker import work
from isogloss.lab.transfer.plan import TransferPlan, transfer_unit
from tests.helpers.emergence_run import begin, finish, show_look
from tests.helpers.plans import CountingPlan
from tests.helpers.transfer_run import FIFTEEN_PLAN, write_fifteen

NAMES = sorted(path.parent.name for path in SHIPPED.glob("*/run.json"))


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_run_is_whole_and_says_how_it_was_made(name):
    run = Run(SHIPPED / name, shipped=True)
    if isinstance(run.plan, TransferPlan):  # an N may have fewer seeds than another
        tried = {result["frozen"] for result in run.results().values()}
        assert tuple(sorted(tried)) == run.plan.layers
    elif isinstance(run.plan, EmergencePlan):  # it ships as far as it has come
        assert {result["condition"] for result in run.results().values()} == set(
            run.plan.conditions
        )
        for condition in run.plan.conditions:
            words = finished_map(run, condition)
            assert words is not None
            assert words.steps == run.plan.look_steps()
    else:
        assert tuple(run.results()) == run.units
    assert all(line.startswith("python -m isogloss ") for line in run.command.splitlines())
    assert len(run.note.split()) > 20
    facts = run.facts
    assert facts["versions"]["torch"]
    if isinstance(run.plan, EmergencePlan):  # from nothing: the text is all there is to name
        assert all(len(result["text"]["sha256"]) == 64 for result in run.results().values())
        return
    assert len(facts["model"]["fingerprint"]) == 64
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
    with pytest.raises(RunError, match="Together the runs lack"):
        ship([run], "counted", "", tmp_path / "shipped")
    runs.enqueue(run, start_worker=False)
    with pytest.raises(RunError, match="is queued: stop it"):
        ship([run], "counted", "", tmp_path / "shipped")
    work(store)
    shipped = Run(ship([run], "counted", "By dice.\n", tmp_path / "shipped"), shipped=True)
    assert shipped.results() == run.results()
    assert shipped.facts == run.facts
    assert (run.note, shipped.note) == ("", "By dice.")
    assert shipped.kept("array 1")["square"].tolist() == [1]
    assert shipped.plan.names == (tmp_path.name, "owner/name")
    assert shipped.command == f"python -m isogloss count --data={tmp_path.name}"


def test_a_run_of_emergence_ships_as_far_as_it_has_come(store, tmp_path):
    run = begin(Runs(store, shipped=None), conditions=("as-it-is", "positions", "order"))
    with pytest.raises(RunError, match="finished nothing yet"):
        ship([run], "from-nothing", "", tmp_path)
    finish(run, store, {"as-it-is": (0.8, 0.7), "order": (0.3,)})
    with run.lock():  # a worker is at it
        show_look(run, store, "positions", 0)
        shipped = Run(ship([run], "from-nothing", "", tmp_path), shipped=True)
    assert shipped.plan.conditions == ("as-it-is", "order")
    assert shipped.plan.seeds == (0, 1)
    assert list(shipped.results()) == ["as-it-is, seed 0", "order, seed 0", "as-it-is, seed 1"]
    assert sorted(path.name for path in (shipped.path / "kept").iterdir()) == [
        "as-it-is, seed 0, map.safetensors", "order, seed 0, map.safetensors"
    ]  # fmt: skip


def test_a_run_of_transfer_ships_as_far_as_it_has_come(store, tmp_path):
    runs = Runs(store, shipped=None)
    plan = replace(FIFTEEN_PLAN, seeds=(0, 1))
    unfinished = [(n, 1) for n in plan.layers] + [(2, 0)]
    run = write_fifteen(runs, plan, but=unfinished)
    (run.path / "kept" / "N=2 seed=0.tmp").write_bytes(b"half")
    with run.lock():
        shipped = Run(ship([run], "so far", "", tmp_path / "shipped"), shipped=True)
    assert (shipped.plan.frozen, shipped.plan.seeds) == ((-1,), (0,))
    assert list(shipped.results()) == list(run.results()) == ["N=-1 seed=0"]
    assert sorted(path.name for path in (shipped.path / "kept").iterdir()) == [
        "N=-1 seed=0.safetensors",
        "closeness.safetensors",
    ]
    with pytest.raises(RunError, match="has finished nothing yet"):
        ship([runs.create(plan)], "nothing", "", tmp_path / "shipped")


def test_runs_of_emergence_are_put_together_by_conditions_and_seeds(store, tmp_path):
    runs = Runs(store, shipped=None)
    first = begin(runs, conditions=("as-it-is", "order"), seeds=(0,))
    finish(first, store, {"as-it-is": (0.8,), "order": (0.3,)})
    shipped = Run(ship([first], "from-nothing", "", tmp_path), shipped=True)
    more = begin(runs, conditions=("as-it-is",), seeds=(1, 2))
    finish(more, store, {"as-it-is": (0.7, 0.6)})
    other = begin(runs, conditions=("domains",), seeds=(0,))
    finish(other, store, {"domains": (0.5,)})
    grown = Run(ship([shipped, more, other], "from-nothing", "", tmp_path), shipped=True)
    assert (grown.plan.conditions, grown.plan.seeds) == (
        ("as-it-is", "order", "domains"),
        (0, 1, 2),
    )
    assert sorted(grown.results()) == [
        "as-it-is, seed 0", "as-it-is, seed 1", "as-it-is, seed 2", "domains, seed 0",
        "order, seed 0",
    ]  # fmt: skip
    assert sorted(path.name for path in (grown.path / "kept").iterdir()) == [
        "as-it-is, seed 0, map.safetensors", "domains, seed 0, map.safetensors",
        "order, seed 0, map.safetensors",
    ]  # fmt: skip


def finished_transfer(store, lacking=(), **fields):
    """A run that has something in the place of every result, but for those `lacking`."""
    run = Runs(store, shipped=None).create(TransferPlan(**fields))
    context = RunContext(store, run.path, len(run.units), 0)
    context.note(model={"fingerprint": "f"}, data={"train": {"sha256": "s"}})
    for n in run.plan.layers:
        for seed in run.plan.seeds:
            unit = transfer_unit(n, seed)
            if unit not in lacking:
                run.append(unit, {"of": run.id, "frozen": n})
                context.keep(unit, {"right": np.zeros(2, np.uint8)})
    return run


def test_runs_of_one_plan_are_put_together_by_seeds_and_n(store, tmp_path):
    parts = [
        finished_transfer(store, seeds=seeds, frozen=frozen)
        for seeds in ((0,), (2, 1))
        for frozen in ((-1, 3), (0,))
    ]
    whole = Run(ship(parts, "whole", "", tmp_path), shipped=True)
    assert (whole.plan.seeds, whole.plan.frozen) == ((0, 1, 2), (-1, 0, 3))
    assert tuple(whole.results()) == whole.units
    assert {result["of"] for result in whole.results().values()} == {run.id for run in parts}
    assert whole.command.splitlines() == [run.command for run in parts]
    assert all(whole.kept(unit) is not None for unit in whole.units)
    with pytest.raises(RunError, match="repeats N=-1 seed=0"):
        ship([parts[0], parts[0]], "whole", "", tmp_path)


def test_what_ships_grows_by_seeds_and_by_n_with_a_rate_of_its_own(store, tmp_path):
    first = finished_transfer(store, seeds=(0,), frozen=(4, 6), learning_rate=2e-4)
    shipped = Run(ship([first], "grown", "", tmp_path), shipped=True)
    low = finished_transfer(
        store, ["N=2 seed=0"], seeds=(0,), frozen=(-1, 0, 2), learning_rate=1e-4
    )
    more = finished_transfer(store, seeds=(1,), frozen=(6,), learning_rate=2e-4)
    grown = Run(ship([shipped, low, more], "grown", "", tmp_path), shipped=True)
    plan = grown.plan
    # N = 2 was asked for and never finished, so it is no part of what ships.
    assert (plan.layers, plan.seeds) == ((-1, 0, 4, 6), (0, 1))
    assert plan.rates == ("-1:0.0001", "0:0.0001")
    assert [plan.learning_rate_at(n) for n in plan.layers] == [1e-4, 1e-4, 2e-4, 2e-4]
    assert list(grown.results()) == [
        "N=-1 seed=0", "N=0 seed=0", "N=4 seed=0", "N=6 seed=0", "N=6 seed=1"
    ]  # fmt: skip
    assert grown.command.splitlines() == [each.command for each in (first, low, more)]
    assert grown.kept("N=4 seed=0") is not None
    other = finished_transfer(store, seeds=(1,), frozen=(4,), learning_rate=1e-4)
    with pytest.raises(RunError, match="N = 4 was tried with two learning rates"):
        ship([grown, other], "grown", "", tmp_path)
    assert len(grown.results()) == 5


@pytest.mark.parametrize(
    ("fields", "facts", "named"),
    [
        ({"train_size": 10}, {}, "train_size"),
        ({}, {"data": {"train": {"sha256": "t"}}}, "data"),
        ({}, {"model": {"fingerprint": "g"}}, "model"),
    ],
)
def test_runs_that_differ_otherwise_are_not_put_together(store, tmp_path, fields, facts, named):
    first = finished_transfer(store, seeds=(0,))
    other = finished_transfer(store, seeds=(1,), **fields)
    RunContext(store, other.path, 1, 0).note(**facts)
    with pytest.raises(RunError, match=f"differ in {named}"):
        ship([first, other], "both", "", tmp_path)
    assert not (tmp_path / "both").exists()
