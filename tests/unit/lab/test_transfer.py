"""Runs of Transfer: every N and seed once, shared work without a difference, killed and resumed."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.command_line import build_parser, main
from isogloss.command_line.arguments import full_model, plan_values
from isogloss.errors import NliError, RunError
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.worker import work
from isogloss.lab.training.nli_plan import NliPlan
from isogloss.lab.transfer.plan import TransferPlan, transfer_unit

ROOT = Path(__file__).parents[3]


@pytest.fixture
def plan(encoder_directory) -> TransferPlan:
    return TransferPlan(
        model=str(encoder_directory),
        n_layers=3,
        seeds=(0, 1),
        train_size=24,
        dev_size=9,
        test_size=12,
        epochs=1,
        max_tokens=32,
        checks=2,
    )


def carry_out(plan, store) -> dict:
    runs = Runs(store, shipped=None)
    run = runs.create(plan)
    runs.enqueue(run, start_worker=False)
    work(store)
    assert run.state == "finished", run.problem
    return run


def assert_same(results: dict, others: dict) -> None:
    """The same units with the same outcome, whatever they cost; losses but for rounding."""
    assert list(results) == list(others)
    for unit, other in others.items():
        result = results[unit]
        for name in ("frozen", "seed", "test"):
            assert result[name] == other[name], unit
        for one, two in zip(result["checks"], other["checks"], strict=True):
            assert one["loss"] == pytest.approx(two["loss"], abs=1e-4)
            assert (one["step"], one["dev"]) == (two["step"], two["dev"])


def test_every_n_and_seed_is_run_once_with_its_provenance(plan, store):
    run = carry_out(plan, store)
    results = run.results()
    assert list(results) == [transfer_unit(n, seed) for n in range(-1, 4) for seed in (0, 1)]
    for unit, result in results.items():
        assert unit == transfer_unit(result["frozen"], result["seed"])
        assert set(result["test"]) == {"en", "zh"}
        assert all(outcome["selected"][1] == 12 for outcome in result["test"].values())
        judged = run.kept(unit)
        for language, outcome in result["test"].items():
            for selection in ("selected", "oracle"):
                right = np.unpackbits(judged[f"{language} {selection}"], count=12)
                assert right.sum() == outcome[selection][0]
        assert 0 <= result["padding"] < 0.5
    facts = run.facts
    assert facts["data"]["train"]["pairs"] == 24
    assert len(facts["data"]["test"]["zh"]["sha256"]) == 64
    assert facts["model"]["fingerprint"]
    assert facts["versions"]["torch"]
    assert facts["threads"] >= 1
    assert not [entry for entry in store.entries() if entry.record["kind"] == "frozen states"]


def test_shared_frozen_work_changes_nothing_but_the_cost(plan, store):
    shared = carry_out(plan, store).results()
    plain = carry_out(replace(plan, share_frozen=False), store).results()
    assert_same(shared, plain)
    for n in range(-1, 4):
        passes = shared[transfer_unit(n, 0)]["passes"]
        assert plain[transfer_unit(n, 0)]["passes"]["made"] == passes["plain"]
        assert passes["made"] < passes["plain"] if n > 0 else passes["made"] == passes["plain"]


def test_an_n_may_have_a_learning_rate_of_its_own(plan, store):
    plan = replace(plan, seeds=(0,), frozen=(-1, 2), learning_rate=1e-3)
    mixed = carry_out(replace(plan, rates=("-1:1e-2",)), store).results()
    fast = carry_out(replace(plan, learning_rate=1e-2), store).results()
    slow = carry_out(plan, store).results()
    assert mixed["N=-1 seed=0"]["checks"] == fast["N=-1 seed=0"]["checks"]
    assert mixed["N=2 seed=0"]["checks"] == slow["N=2 seed=0"]["checks"]
    assert fast["N=-1 seed=0"]["checks"] != slow["N=-1 seed=0"]["checks"]


def test_states_beyond_the_budget_are_not_kept(plan, store):
    run = carry_out(replace(plan, budget_gb=1e-6, frozen=(2,), seeds=(0,)), store)
    assert "would take" in run.log()
    result = run.results()[transfer_unit(2, 0)]
    assert not result["shared_states"]
    assert result["passes"]["made"] == result["passes"]["plain"]


KILLING = """
import os, signal, sys
from pathlib import Path

import torch, transformers  # once for all workers, which are forked

from isogloss.store import Store
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.runs.worker import work

store = Store(Path(sys.argv[1]), demo=None)
runs = Runs(store, shipped=None)
run = runs.get(sys.argv[2])
append = Run.append

def append_and_die(self, unit, result):
    append(self, unit, result)
    os.kill(os.getpid(), signal.SIGKILL)

for _ in range(10):
    runs.enqueue(run, start_worker=False)
    worker = os.fork()
    if worker == 0:
        Run.append = append_and_die
        work(store)
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(worker, 0)[1]), "the worker ended by itself"
    assert run.state == "interrupted", run.state
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
def test_a_run_killed_ten_times_ends_like_one_that_was_not(plan, store):
    plan = replace(plan, seeds=(0, 1, 2))
    whole = carry_out(plan, store).results()
    run = Runs(store, shipped=None).create(plan)
    subprocess.run(
        [sys.executable, "-c", KILLING, str(store.root), run.id],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
        check=True,
    )
    Runs(store, shipped=None).enqueue(run, start_worker=False)
    work(store)
    lines = (run.path / "results.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["unit"] for line in lines) == sorted(run.units)
    assert_same(run.results(), whole)


def test_a_decoder_is_swept_by_its_last_token(decoder_directory, plan, store):
    plan = replace(plan, model=str(decoder_directory), n_layers=4, frozen=(-1, 2, 4), seeds=(0,))
    results = carry_out(plan, store).results()
    assert [result["frozen"] for result in results.values()] == [-1, 2, 4]


def test_plans_refuse_what_cannot_be():
    with pytest.raises(RunError, match="N goes from -1 to 6; 7 is outside"):
        TransferPlan(n_layers=6, frozen=(0, 7))
    with pytest.raises(RunError, match="epochs must be at least 1"):
        TransferPlan(epochs=0)
    with pytest.raises(RunError, match="each only once"):
        TransferPlan(seeds=(1, 1))
    with pytest.raises(RunError, match="learning rate"):
        TransferPlan(learning_rate=0)
    for wrong in ({"batch_size": 1}, {"max_tokens": 2}, {"seeds": (-1,)}):
        with pytest.raises(RunError):
            TransferPlan(**wrong)


@pytest.mark.parametrize("wrong", ["1e-4", "2:", "x:1e-4", "-2:1e-4", "2:0", "2:7", "2:nan"])
def test_rates_that_mean_nothing_are_refused(wrong):
    with pytest.raises(RunError, match="no learning rate of an N"):
        TransferPlan(rates=(wrong,))
    with pytest.raises(RunError, match="two learning rates"):
        TransferPlan(rates=("2:1e-4", "2:1e-5"))


def test_languages_go_by_their_codes():
    plan = TransferPlan(languages=("English", "zh-CN", "zh"), source_language="EN")
    assert (plan.languages, plan.source_language) == (("en", "zh"), "en")


def test_paths_are_whole_since_a_worker_is_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "model", "mini-en-zh"):
        (tmp_path / name).mkdir()
    (tmp_path / "pairs.tsv").touch()
    words = ["transfer", "model", "--data=mine", "--train=pairs.tsv"]
    values = plan_values(TransferPlan, build_parser().parse_args(words))
    assert values["model"] == str(tmp_path / "model")
    assert values["data"] == str(tmp_path / "mine")
    assert values["train"] == str(tmp_path / "pairs.tsv")
    assert full_model("random:model") == f"random:{tmp_path / 'model'}"
    for known in ("mini-en-zh", "someone/some-model"):
        assert full_model(known) == known
    values = plan_values(TransferPlan, build_parser().parse_args(["transfer", "mini-en-zh"]))
    assert (values["data"], values["train"]) == ("bundled", None)


def test_a_run_on_other_pairs_is_another_run(plan, store, tmp_path):
    lines = [f"A cat sleeps, {i}.\tIt rests.\t{label}" for i in range(30)
             for label in ("entailment", "neutral", "contradiction")]  # fmt: skip
    path = tmp_path / "train-en.tsv"
    path.write_text("premise\thypo\tlabel\n" + "\n".join(lines))
    runs = Runs(store, shipped=None)
    run = runs.create(replace(plan, train=str(path), frozen=(2, 3), seeds=(0,)))
    run.append(transfer_unit(2, 0), {})
    task = RunContext(store, run.path, len(run.units), 1)
    task.note(data={"train": "another"})
    runs.enqueue(run, start_worker=False)
    work(store)
    assert run.state == "failed"
    assert run.problem.startswith("The data of this run has changed")


def test_samples_of_parallel_sets_stay_parallel():
    data = NliPlan.read_data(TransferPlan(train_size=50, dev_size=20, test_size=30))
    assert len(data.train) == 50
    assert data.test["en"].labels == data.test["zh"].labels
    assert len(data.dev["zh"]) == 20
    assert data.small


def test_the_command_asks_for_the_same_run(tmp_path):
    plan = TransferPlan(
        seeds=(3, 4),
        frozen=(-1, 2),
        rates=("-1:5e-05",),
        share_frozen=False,
        head="pair",
        dev_size=None,
    )
    options = build_parser().parse_args(plan.command())
    assert TransferPlan(**plan_values(TransferPlan, options)) == plan


def test_the_command_line_runs_lists_and_removes(encoder_directory, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    sizes = ["--train-size=8", "--dev-size=6", "--test-size=6", "--epochs=1", "--seeds=0"]
    words = ["transfer", str(encoder_directory), *sizes, "--frozen=0,3", "--max-tokens=32"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "is finished: 2 of 2 units are done" in said
    run_id = said.split()[1].rstrip(":")
    assert main(["runs", "ls"]) == 0
    assert run_id in capsys.readouterr().out
    assert main(["runs", "show", run_id]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["state"] == "finished"
    assert len(shown["results"]) == 2
    assert main(["runs", "log", run_id]) == 0
    assert "finished the run" in capsys.readouterr().out
    assert main(["runs", "resume", run_id]) == 1
    assert "nothing to resume" in capsys.readouterr().err
    assert main(["runs", "rm", run_id]) == 0
    assert main(["runs", "show", run_id]) == 1


def test_bad_data_is_said_before_anything_starts(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    assert main(["transfer", "mini-en-zh", "--data", str(tmp_path / "nowhere")]) == 1
    assert "no directory of NLI files" in capsys.readouterr().err
    with pytest.raises(NliError):
        TransferPlan(languages=("en", "xx")).read_data()
