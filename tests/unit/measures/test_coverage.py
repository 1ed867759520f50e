"""Every interval that a page shows holds the truth about as often as it says; and few do not."""

import re

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.coverage import Case, cover

TRIALS = 240
CASES = list(coverage.cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.interval}, {case.setting}")
def test_an_interval_holds_the_truth(case: Case) -> None:
    """Not below what it must reach by more than so few draws may fall short of."""
    found = cover(case, TRIALS, plain=False)
    slack = 2.5 * np.sqrt(case.least * (1 - case.least) / found.trials)
    assert found.now >= case.least - slack


def test_the_plain_formula_is_seen_to_fall_short() -> None:
    """What stood there before would not pass: the simulation can tell."""
    (case,) = [c for c in CASES if c.interval == "mean over seeds" and c.setting == "3 seeds"]
    found = cover(case, TRIALS)
    assert found.before is not None
    assert found.before < 0.9 < found.now


def test_the_command_prints_and_writes_the_whole_table(tmp_path, monkeypatch, capsys) -> None:
    page = tmp_path / "coverage.md"
    monkeypatch.setattr(coverage, "PAGE", page)
    coverage.main(["--trials", "2", "--write"])
    rows = re.findall(r"^\| .+ \| \.95 \| (?:[\d.]+|) \| [\d.]+ \| \d+ \|$", page.read_text(), re.M)
    assert len(rows) == len(CASES)
    printed = capsys.readouterr().out
    assert all(row in printed for row in rows)


def test_the_page_has_a_row_for_every_interval() -> None:
    written = coverage.PAGE.read_text(encoding="utf-8")
    for case in CASES:
        assert f"| {case.interval} | {case.setting} | .95 |" in written
