"""Independent packages give the same values as ours, at small size; the page is of these."""

import os

import numpy as np
import pytest

from docs.comparisons import COMPARISONS, Comparison, Inputs
from docs.make_checked_against import TARGET, installed
from isogloss.text.parallel import GoldAlignment
from tests.helpers.server import ROOT

ROWS, WIDTH, LAYERS = 30, 7, 3
OPTIONAL = {"mteb", "similarity-repository"}


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    """Two sides that agree somewhat, sentences of a few words, and links by hand."""
    chance = np.random.default_rng(0)
    a = [chance.normal(size=(ROWS, WIDTH)) + 0.5 for _ in range(LAYERS)]
    b = [layer + scale * chance.normal(size=layer.shape) for scale, layer in enumerate(a, start=1)]
    words = [chance.uniform(0.2, 1, size=size) for size in ((6, 4), (5, 5), (3, 7), (2, 3))]
    sure = frozenset({(0, 0), (1, 2)})
    gold = [GoldAlignment(sure, sure | {(1, 1)}) for _ in words]
    singles = ([layer.astype(np.float32) for layer in side] for side in (a, b))
    return Inputs("made-up rows", *singles, words, gold)


def names(comparison: Comparison) -> str:
    return f"{comparison.measure}, {' and '.join(comparison.packages)}"


def require(comparison: Comparison) -> None:
    """Skip what is not installed, unless everything ought to be."""
    absent = {each for each in comparison.packages if installed(each) is None}
    if "CI" in os.environ and absent - OPTIONAL:
        pytest.fail(f"{', '.join(absent)} is in requirements-dev.txt and not installed.")
    if absent:
        pytest.skip(f"not installed: {', '.join(absent)}")


@pytest.mark.parametrize("comparison", COMPARISONS, ids=names)
def test_an_independent_package_gives_the_same(comparison, inputs):
    require(comparison)
    apart, count = comparison.largest_difference(inputs)
    assert count > 0
    assert apart < comparison.within


def test_a_difference_is_seen(inputs):
    two = Comparison("x", "y", ("numpy",), lambda _: np.zeros(3), lambda _: np.array([0, 0.5, 0]))
    assert two.largest_difference(inputs) == (0.5, 3)
    broken = Comparison("x", "y", ("numpy",), lambda _: np.zeros(3), lambda _: np.array([np.nan]))
    with pytest.raises(ValueError, match="do not compare"):
        broken.largest_difference(inputs)


def test_the_page_has_every_comparison_with_the_versions_that_are_pinned():
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in TARGET.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ][2:]
    again = "write it anew: python -m docs.make_checked_against"
    assert [row[:2] for row in rows] == [[each.measure, each.what] for each in COMPARISONS], again
    pinned = dict(
        line.split("==")
        for name in ("requirements", "requirements-dev", "requirements-comparison")
        for line in (ROOT / f"{name}.txt").read_text(encoding="utf-8").split()
        if line.count("==") == 1
    )
    for row, comparison in zip(rows, COMPARISONS, strict=True):
        stated = dict(each.split(" ") for each in row[2].split(", "))
        assert stated == {name: pinned[name] for name in comparison.packages}, again
        assert float(row[4]) < comparison.within
