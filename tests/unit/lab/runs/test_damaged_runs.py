"""A damaged run is one damaged run: a sentence says what is wrong with it, and the others go on."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import save_file

from isogloss.command_line import main
from isogloss.errors import RunError
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.files import as_json, digest_of, parse_sealed, sealed
from isogloss.lab.runs.plan import read_plan
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.runs.worker import work
from isogloss.store import Store
from isogloss.store.results import read_result, write_result
from isogloss.studies.word_alignment import AlignmentCurve
from tests.helpers.damage import damaged_copies, read_runs, unseal, write_all_kinds
from tests.helpers.plans import CountingPlan
from tests.helpers.sentence_run import written_run


@pytest.fixture
def runs(store: Store) -> Runs:
    return Runs(store, shipped=None)


def carried_out(runs: Runs, store: Store, count: int = 3) -> Run:
    run = runs.create(CountingPlan(count))
    runs.enqueue(run, start_worker=False)
    work(store)
    return runs.get(run.id)


def cut(run: Run, name: str) -> None:
    path = run.path / name
    path.write_bytes(path.read_bytes()[:-9])


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:40]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\xff" * 9),
        lambda path: path.write_bytes(b"[" * 200_000),
        lambda path: path.write_text("[1, 2]"),
        lambda path: path.write_text('{"kind": 3, "plan": {}, "created": "", "command": ""}'),
        lambda path: path.write_bytes(path.read_bytes().replace(b'"count": 3', b'"count": 4')),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.mkdir()),
    ],
)
def test_a_run_that_cannot_be_told_what_it_is_hides_no_other(
    runs, store, damage, monkeypatch, capsys
):
    good, bad = carried_out(runs, store), carried_out(runs, store)
    damage(bad.path / "run.json")
    assert runs.all() == (good,)
    assert runs.damaged() == (bad,)
    with pytest.raises(RunError, match=rf"Run {bad.id} is damaged: run.json .*runs rm {bad.id}"):
        runs.get(bad.id).check()
    assert runs.queue() == ()
    monkeypatch.setenv("ISOGLOSS_CACHE", str(store.root))
    assert main(["runs", "ls"]) == 0
    said = capsys.readouterr().out
    assert good.id in said
    assert f"Run {bad.id} is damaged" in said
    assert main(["runs", "show", bad.id]) == 1
    assert main(["runs", "rm", bad.id]) == 0
    assert runs.damaged() == ()
    assert not bad.path.exists()


@pytest.mark.parametrize(
    "line", [b"{", b'"text"', b"[]", b"\xff", b'{"unit": "unit 1"}', b'{"unit": [], "result": {}}',
             b'{"unit": "unit 1", "result": 3}'],
)  # fmt: skip
def test_a_bad_line_of_results_is_said_with_its_number(runs, store, line):
    good, bad = carried_out(runs, store), carried_out(runs, store)
    path = bad.path / "results.jsonl"
    first, _, last = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join((first, line, last, b"")))
    where = "results.jsonl cannot be read" if line == b"\xff" else "line 2 of results.jsonl"
    for read in (bad.results, bad.check, lambda: bad.state, lambda: bad.progress):
        with pytest.raises(RunError, match=f"Run {bad.id} is damaged: {where}"):
            read()
    assert runs.all() == (bad, good) or runs.all() == (good, bad)
    assert good.state == "finished"


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("run.json", ["plan"], []),
        ("run.json", ["plan", "corpus"], []),
        ("run.json", ["plan", "corpus"], 7),
        ("run.json", ["plan", "corpus"], None),
        ("run.json", ["plan", "model"], "\ud800"),
        ("run.json", ["plan", "epochs"], 1.5),
        ("run.json", ["plan", "epochs"], True),
        ("run.json", ["plan", "seeds"], [0, "1"]),
        ("run.json", ["plan", "seeds"], [10**400]),
        ("run.json", ["plan", "learning_rate"], {}),
        ("run.json", ["engine"], {"name": []}),
        ("run.json", ["engine"], {"name": "moon"}),
        ("run.json", ["engine"], "ray"),
        ("run.json", ["engine"], {"name": "local", "address": 3}),
        ("facts.json", ["model"], "a name"),
        ("facts.json", ["data"], []),
        ("facts.json", ["n_layers"], "\ud800"),
        ("results.jsonl", ["result", "rows"], "\udfff"),
    ],
)
def test_what_no_seal_vouches_for_is_checked_when_it_is_read(runs, store, name, place, value):
    run = written_run(runs, store, {"before": 0.2})
    unseal(runs.root)
    path = run.path / name
    body = holder = json.loads(path.read_text())
    for part in place[:-1]:
        holder = holder[part]
    holder[place[-1]] = value
    path.write_text(json.dumps(body) + "\n")
    with pytest.raises(RunError):
        runs.get(run.id).check()
    assert not runs.get(run.id).is_sealed


def test_whole_runs_of_earlier_versions_are_read(runs, store):
    write_all_kinds(store)
    unseal(runs.root)
    for run in runs.all():
        run.check()
        assert run.state in ("finished", "interrupted")
        assert not run.is_sealed


def test_a_damaged_run_that_waits_for_its_turn_fails_in_a_sentence(runs, store):
    bad, good = runs.create(CountingPlan(2)), runs.create(CountingPlan(1))
    for run in (bad, good):
        runs.enqueue(run, start_worker=False)
    (bad.path / "results.jsonl").write_bytes(b"nonsense\n")
    work(store)
    assert "line 1 of results.jsonl" in str(bad.problem)
    assert good.state == "finished"


def test_a_changed_byte_is_found(runs, store):
    run = carried_out(runs, store)
    for name, old, new in (
        ("results.jsonl", b'"square": 4', b'"square": 5'),
        ("results.jsonl", b"unit 2", b"unit 0"),
        ("facts.json", b"the tests", b"the pests"),
        ("run.json", b'"count": 3', b'"count": 2'),
    ):
        before = (run.path / name).read_bytes()
        assert old in before
        (run.path / name).write_bytes(before.replace(old, new, 1))
        with pytest.raises(RunError, match=f"Run {run.id} is damaged: .*{name}"):
            Run(run.path).check()
        (run.path / name).write_bytes(before)
    Run(run.path).check()


@pytest.mark.parametrize("place", [-1, 20])
def test_a_changed_byte_of_kept_arrays_is_found(runs, store, place):
    run = carried_out(runs, store)
    path = run.path / "kept" / "array 2.safetensors"
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(RunError, match=r"kept/array 2.safetensors is cut or altered"):
        run.kept("array 2")
    assert run.kept("array 1")["square"].tolist() == [1]


@pytest.mark.parametrize("name", ["results.jsonl", "run.json", "facts.json"])
def test_what_earlier_versions_wrote_without_seals_is_read(runs, store, name):
    run = carried_out(runs, store)
    path, before = run.path / name, (run.description, run.facts, run.results())
    bodies = [parse_sealed(line) for line in (
        path.read_bytes().splitlines() if name == "results.jsonl" else [path.read_bytes()]
    )]  # fmt: skip
    path.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    again = Run(run.path)
    again.check()
    assert (again.description, again.facts, again.results()) == before


def test_a_seal_holds_whatever_json_makes_of_a_value():
    values = {"a": (1, 2.5), "é": [None, {"z": 1e-300, "b": "层"}], "n": float("nan"), "i": {1: 2}}
    text = as_json(sealed(values))
    assert parse_sealed(text) == json.loads(json.dumps(values)) or "NaN" in text.decode()
    assert digest_of(values) == digest_of(sealed(values))
    with pytest.raises(ValueError, match="not what was written"):
        parse_sealed(text.replace(b"2.5", b"2.6"))


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"share": "x"}', b"[" * 200_000,
     b'{"share": null, "seconds_left": "y", "message": 3}'],
)  # fmt: skip
def test_how_far_a_run_is_does_not_depend_on_one_file(runs, content):
    run = runs.create(CountingPlan(4))
    run.append("unit 0", {"square": 0})
    for name in ("progress.json", "log.txt", "note.md"):
        (run.path / name).write_bytes(content)
    assert run.progress.share == 0.25
    assert run.progress.seconds_left is None
    assert run.state == "interrupted"
    _ = run.log(), run.note


@pytest.mark.parametrize("content", [b"", b"x", b"\xff", b"12.5"])
def test_a_damaged_mark_of_the_queue_still_waits_and_comes_first(runs, store, content):
    later, marked = runs.create(CountingPlan(1)), runs.create(CountingPlan(2))
    for run in (later, marked):
        runs.enqueue(run, start_worker=False)
    (marked.path / "queued").write_bytes(content)
    assert [run.id for run in runs.queue()] == [marked.id, later.id]
    work(store)
    assert marked.state == later.state == "finished"


def test_facts_that_are_damaged_are_not_written_over(runs, store):
    run = carried_out(runs, store)
    cut(run, "facts.json")
    with pytest.raises(RunError, match=r"facts.json is cut or altered"):
        RunContext(store, run.path, 3, 3).note(device="cpu")


def test_arrays_are_kept_with_a_seal_that_tells_types_and_shapes(runs, store):
    run = runs.create(CountingPlan(1))
    context = RunContext(store, run.path, 1, 0)
    context.keep("a", {"x": np.zeros((2, 3), np.float32)})
    assert run.kept("a")["x"].shape == (2, 3)
    (run.path / "kept" / "a.safetensors").write_bytes(b"short")
    with pytest.raises(RunError, match=f"Run {run.id} is damaged: kept/a.safetensors"):
        run.kept("a")
    with pytest.raises(RunError, match=rf"Run {run.id} is damaged: a.safetensors cannot be read\."):
        context.kept("a")


def test_nothing_goes_on_from_a_checkpoint_that_was_altered(runs, store):
    run = runs.create(CountingPlan(1))
    context = RunContext(store, run.path, 1, 0)
    context.keep("a", {"x": np.zeros(3, np.uint8)})
    path = run.path / "kept" / "a.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\1")
    with pytest.raises(RunError, match="is not what was kept"):
        context.kept("a")


def test_answers_and_runs_keep_arrays_in_one_form(runs, store, tmp_path):
    run = runs.create(CountingPlan(1))
    arrays = {name: np.arange(3, dtype=np.float32) for name in ("error_rate", "low", "high")}
    arrays |= {"precision": np.ones(3), "recall": np.zeros(3)}
    RunContext(store, run.path, 1, 0).keep("a", arrays)
    write_result(AlignmentCurve(**arrays, level=0.95, sentences=2), tmp_path)
    kept, answer = run.path / "kept" / "a.safetensors", tmp_path / "arrays.safetensors"
    assert kept.read_bytes() == answer.read_bytes()
    # Before 0.4 neither had a seal, and both are read as they are.
    for path in (kept, answer):
        save_file(arrays, path)
    assert run.kept("a").keys() == arrays.keys()
    assert read_result(AlignmentCurve, tmp_path).sentences == 2


def test_a_plan_with_a_word_that_is_not_known_is_an_unreadable_run():
    with pytest.raises(RunError, match="There is no objective"):
        read_plan("sentences", {"objectives": ["cuntrastive"]})


def test_damaged_runs_of_every_kind_are_read_without_a_traceback(tmp_path):
    """`python -m tests.helpers.damage runs --count 1200` is the same, longer."""
    whole = Store(tmp_path / "whole", demo=None)
    write_all_kinds(whole)
    assert read_runs(whole) == 5
    shutil.rmtree(whole.root / "locks", ignore_errors=True)
    found = [read_runs(Store(copy, demo=None)) for copy, _ in damaged_copies(whole.root, 40)]
    assert set(found) <= {4, 5}
    assert found.count(4) > 20, "what is damaged is found"
