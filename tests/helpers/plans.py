"""A plan that needs no model, for tests of the engine: it counts, and waits if asked to."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from isogloss.errors import RunError
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.files import RUN, as_json, parse_sealed, sealed
from isogloss.lab.runs.plan import PLANS, Plan
from isogloss.lab.runs.run import Run


@dataclass(frozen=True)
class CountingPlan(Plan):
    """`count` units; unit i gives i² and fails if it is `fails_at`.

    Those from `waits_from` on, else the last one, wait until there is a file `waits_for`, so that a
    test finds the run at work; `{}` in its name stands for the unit's number.
    """

    count: int = 5
    waits_for: str = ""
    waits_from: int | None = None
    fails_at: int | None = None
    names: tuple[str, ...] = ()

    KIND: ClassVar[str] = "counting"

    @property
    def title(self) -> str:
        return f"counting to {self.count}"

    def parts(self) -> Mapping[str, tuple[Any, ...]]:
        return {f"unit {i}": (i,) for i in range(self.count)}

    def carry_out(
        self, todo: Sequence[str], context: RunContext
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        context.note(made_by="the tests")
        for unit in todo:
            (number,) = self.parts()[unit]
            for step in range(10):
                context.report(step / 10, f"{unit}, step {step}")
            while self._waits(number):
                context.report(0.9, f"{unit} waits")
                time.sleep(0.02)
            if number == self.fails_at:
                raise RunError("Unit seven is out of reach: take a ladder.")
            context.keep(f"array {number}", {"square": np.array([number**2])})
            yield unit, {"square": number**2}

    def _waits(self, number: int) -> bool:
        first = self.count - 1 if self.waits_from is None else self.waits_from
        awaited = self.waits_for and number >= first
        return bool(awaited) and not Path(self.waits_for.format(number)).exists()


def as_if_of_another_version(run: Run) -> None:
    """Rename a field of the plan in `run.json`, as another version would have called it."""
    path = run.path / RUN
    description = parse_sealed(path.read_bytes())
    description["plan"]["steps"] = description["plan"].pop("count")
    path.write_bytes(as_json(sealed(description)))


PLANS["counting"] = "tests.helpers.plans:CountingPlan"
