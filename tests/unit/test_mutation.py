"""The mutation run (`make mutants`): which mistakes it makes, and that it sees what tests see."""

import json
import os
import subprocess
import sys

import pytest

from tests.helpers.server import ROOT
from tests.mutation.__main__ import ROOMS, all_mutants, equivalents, related_tests, source_files
from tests.mutation.mutants import find_mutants

SOURCE = b'''"""A docstring with 1 + 1."""
LIMIT: int = 3

def clip(x: int | None, low=0, *, wide=False):
    """Never above 3."""
    if x is None or not wide and low <= -x:
        raise ValueError(f"{x + 1} is too " + "small")
    note(x)
    total = max(x, low) // 2
    total += 1
    dict(zip(x, x, strict=True))
    return total if wide else (x < 5) * "y"  # 7
'''
CLIPPED = "def clip(n):\n    return min(n, 3)\n"
TESTS = "from clipping import clip\n\ndef test_clip():\n    assert clip(5) == 3\n"


def test_each_mutant_is_one_mistake_in_what_runs():
    found = [mutant.lines(SOURCE) for mutant in find_mutants("x.py", SOURCE)]
    changes = {(before, after) for before, after in found}
    assert len(changes) == len(found)
    made = {after for _, after in found}
    assert made == {
        "LIMIT: int = 4",
        "def clip(x: int | None, low=1, *, wide=False):",
        "def clip(x: int | None, low=0, *, wide=True):",
        "if x is not None or not wide and low <= -x:",
        "if x is None and not wide and low <= -x:",
        "if x is None or  wide and low <= -x:",
        "if x is None or not wide or low <= -x:",
        "if x is None or not wide and low < -x:",
        "if x is None or not wide and low <= x:",
        "pass",
        "total = min(x, low) // 2",
        "total = max(x, low) / 2",
        "total = max(x, low) // 3",
        "total -= 1",
        "total += 2",
        'return total if not (wide) else (x < 5) * "y"  # 7',
        'return total if wide else (x <= 5) * "y"  # 7',
        'return total if wide else (x < 6) * "y"  # 7',
        'return total if wide else (x < 5) / "y"  # 7',
    }


def test_mutants_of_our_code_can_be_compiled():
    for mutant in all_mutants()[::25]:
        compile(mutant.apply((ROOT / mutant.path).read_bytes()), mutant.path, "exec")


def test_those_that_are_left_out_exist_and_have_a_reason():
    there = {
        (mutant.path, *mutant.lines(source))
        for path in source_files(ROOT)
        for source in [path.read_bytes()]
        for mutant in find_mutants(str(path.relative_to(ROOT)), source)
    }
    for each in equivalents():
        assert (each["path"], each["line"], each["becomes"]) in there, "take it out of the list"
        assert each["why"]


def test_every_module_has_tests_that_are_its_own():
    for room in ROOMS:
        assert any((ROOT / room).rglob("*.py")), room
    for path in source_files(ROOT):
        assert related_tests(str(path.relative_to(ROOT))), path
    assert related_tests("isogloss/measures/ranks.py")[0] == "tests/unit/measures/test_ranks.py"
    assert "tests/unit/store/test_store_crashes.py" in related_tests("isogloss/store/locks.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process for each mutant")
def test_mistakes_are_told_to_be_seen_or_not(tmp_path):
    (tmp_path / "clipping.py").write_text(CLIPPED)
    (tmp_path / "test_clipping.py").write_text(TESTS)
    unseen, seen = CLIPPED.replace("n, 3", "3, n"), CLIPPED.replace("min", "max")
    endless = CLIPPED.replace("return", "while True: pass\n    return")
    asked = [
        {"path": path, "content": content, "tests": ["test_clipping.py"], "seconds": seconds}
        for path, content, seconds in (
            (None, "", None), ("clipping.py", unseen, None), ("clipping.py", seen, None),
            ("clipping.py", endless, 2),
        )
    ]  # fmt: skip
    finished = subprocess.run(
        [sys.executable, "-m", "tests.mutation.worker", "pytest"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        input="\n".join(map(json.dumps, asked)),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line)[0] for line in finished.stdout.splitlines()]
    assert answers == ["passed", "passed", "failed", "hung"]
    assert (tmp_path / "clipping.py").read_text() == CLIPPED
