"""One name for a thing, and what was called otherwise goes on working."""

import json
from pathlib import Path

import pytest

from isogloss.command_line import main
from isogloss.former_names import ADDRESSES, COMMANDS, KINDS_ON_DISK
from isogloss.lab.runs.plan import PLANS, plan_class
from isogloss.lab.runs.queue import SHIPPED, Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.store import Store

ROOT = Path(__file__).parents[2]
BEFORE_0_4 = {
    "sweep": "transfer",
    "reinitialise": "layers-needed",
    "sentences": "sentences",
    "adaptation": "adaptation",
    "contextual": "two-models",
}
"""What `run.json` says in versions up to 0.3, and the page that shows it."""


@pytest.mark.parametrize("kind", BEFORE_0_4.values())
def test_a_run_is_called_as_its_page_its_folders_and_its_command(kind, capsys):
    name = kind.replace("-", "_")
    assert (ROOT / "pages" / f"{name}.py").is_file()
    assert (ROOT / "components" / name / "panel.py").is_file()
    assert PLANS[kind].startswith(f"isogloss.lab.{name}.plan:")
    assert kind == plan_class(kind).KIND
    with pytest.raises(SystemExit, match="0"):
        main([kind, "--help"])
    assert f"isogloss {kind} " in capsys.readouterr().out


@pytest.mark.parametrize("stored", BEFORE_0_4)
def test_runs_of_all_versions_are_read(stored, tmp_path):
    shipped = sorted(SHIPPED.glob("*/run.json"))
    plans = (json.loads(path.read_text(encoding="utf-8")) for path in shipped)
    description = next(each for each in plans if each["kind"] == stored)
    place = tmp_path / "runs" / "a"
    place.mkdir(parents=True)
    (place / "run.json").write_text(json.dumps(description), encoding="utf-8")
    kind = BEFORE_0_4[stored]
    (run,) = Runs(Store(tmp_path, demo=None), shipped=None).all(kind)
    assert isinstance(run.plan, plan_class(kind))
    assert all(line.split()[3] == kind for line in run.command.splitlines())


def test_what_is_written_is_what_earlier_versions_read(tmp_path):
    runs = Runs(Store(tmp_path, demo=None), shipped=None)
    run = runs.create(TransferPlan(model="mini-en-zh", n_layers=6))
    assert json.loads((run.path / "run.json").read_text())["kind"] == "sweep"
    assert Run(run.path).kind == "transfer"
    assert run.command.startswith("python -m isogloss transfer mini-en-zh")


def test_words_on_disk_are_those_that_were():
    assert {KINDS_ON_DISK.get(kind, kind): kind for kind in BEFORE_0_4.values()} == BEFORE_0_4


@pytest.mark.parametrize("former", COMMANDS)
def test_a_command_that_was_is_the_one_that_is(former, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([former, "--help"])
    assert f"isogloss {COMMANDS[former]} " in capsys.readouterr().out


@pytest.mark.parametrize("former", ADDRESSES)
def test_an_address_that_was_leads_to_a_page(former):
    assert (ROOT / "pages" / f"{ADDRESSES[former]}.py").is_file()
    assert not (ROOT / "pages" / f"{former}.py").exists()
