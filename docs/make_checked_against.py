"""Our values beside those of independent packages: `python -m docs.make_checked_against`.

    pip install -r requirements-dev.txt
    pip install --no-deps -r requirements-comparison.txt

install all of them; those that are missing are said to be, and the page is not written.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from docs.comparisons import COMPARISONS, Comparison, Inputs
from isogloss.store import Store
from isogloss.studies.pooling import sentence_vectors
from isogloss.studies.study import list_studies
from isogloss.studies.word_alignment import align_sentence

TARGET = Path(__file__).with_name("checked_against.md")
MODEL, TEXT, WORD_LAYER = "multilingual-e5-small", "everyday-48", 8
INTRODUCTION = """# Checked against

Our values beside those of packages that others wrote, on the same inputs: the vectors of
{inputs} at every layer,
and the words of these sentences at layer {layer}. [measures.md](measures.md) has the definitions.
Made by `python -m docs.make_checked_against`, which says what it needs; nothing here is typed in.
`make test` compares the same at small size for the packages of `requirements-dev.txt`.

| measure | theirs | package | values | largest difference |
|---|---|---|--:|--:|
"""
REST = """
What is called "as collected" is a file of nacloos/similarity-repository, which gathers
implementations of many authors; its package cannot be imported as a whole. CKNNA, the margin, CSLS
and IsoScore are compared with the papers' formulas in the tests, and with no package.
"""


def shipped_inputs() -> Inputs:
    """Sentences and words of a study that ships, aligned by hand."""
    found = [
        study
        for study in list_studies(Store())
        if study.model == MODEL and study.bitext.name == TEXT
    ]
    if not found:
        raise SystemExit(f"The study of {TEXT} by {MODEL}, which ships, is not in the store.")
    study = found[0]
    stacks = [
        [sentence_vectors(study, layer, side) for layer in range(study.n_states)] for side in (0, 1)
    ]
    words = [align_sentence(study, i, WORD_LAYER) for i in range(len(study.bitext))]
    return Inputs(
        name=f"the {len(study.bitext)} pairs of `{TEXT}`, read by `{MODEL}`,",
        a=stacks[0],
        b=stacks[1],
        words=[each.similarities for each in words],
        gold=[each.gold for each in words if each.gold is not None],
    )


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def missing() -> list[str]:
    """The packages that are compared with and not installed."""
    wanted = {package for each in COMPARISONS for package in each.packages}
    return sorted(package for package in wanted if installed(package) is None)


def describe(inputs: Inputs) -> str:
    """Return the whole document."""
    rows = "".join(f"| {' | '.join(row(each, inputs))} |\n" for each in COMPARISONS)
    return INTRODUCTION.format(inputs=inputs.name, layer=WORD_LAYER) + rows + REST


def row(comparison: Comparison, inputs: Inputs) -> list[str]:
    apart, count = comparison.largest_difference(inputs)
    packages = ", ".join(f"{package} {installed(package)}" for package in comparison.packages)
    said = "0" if apart == 0 else f"{apart:.0e}"
    return [comparison.measure, comparison.what, packages, f"{count:,}", said]


def main() -> None:
    if absent := missing():
        sys.exit(f"Not installed: {', '.join(absent)}.\n{__doc__}")
    TARGET.write_text(describe(shipped_inputs()), encoding="utf-8")


if __name__ == "__main__":
    main()
