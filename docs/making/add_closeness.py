"""Add to a run of Transfer how close its languages lie to the one trained on, if it has not that.

    python -m docs.making.add_closeness RUN --data DIR --train FILE

Runs in five languages or more measure it themselves before they train
(`isogloss.lab.transfer.closeness`). For one that began with an earlier version, that ships or not,
this does the same with the same model on the same dev sets: both are held to what the run has noted
of them.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import cast

from isogloss.errors import RunError
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.closeness import CLOSENESS, measure_closeness, parallel_premises
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.models.loading import load_model
from isogloss.store import Store
from isogloss.text.nli import NliData


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, prog="python -m docs.making.add_closeness"
    )
    parser.add_argument("run", metavar="RUN", help="its id, or the name it ships under")
    parser.add_argument("--data", metavar="DIR", required=True, help="where the data is here")
    parser.add_argument("--train", metavar="FILE", required=True, help="its training pairs")
    arguments = parser.parse_args()
    store = Store()
    run = Runs(store).get(arguments.run)
    add_closeness(run, arguments.data, arguments.train, store)
    print(f"{run.path} has it now.")


def add_closeness(run: Run, data: str, train: str | None, store: Store) -> None:
    """Measure what `run` lacks and keep it with the run."""
    plan = replace(cast(TransferPlan, run.plan), data=data, train=train)
    sets = plan.read_all()
    _check_data(run, plan.cut(sets))
    premises = parallel_premises(sets.dev)
    if premises is None:
        raise RunError(f"The dev sets of {data} are no translations of one another.")
    model = load_model(plan.model, store, device=plan.device, precision="float32")
    if model.files.fingerprint != run.facts["model"]["fingerprint"]:
        raise RunError(f"{plan.model} is not the model that run {run.id} began with.")
    found = measure_closeness(
        model, premises, store, report=lambda share, message: print(f"{share:.0%} {message}")
    )
    RunContext(store, run.path, len(run.units), 0).keep(CLOSENESS, found.as_arrays())


def _check_data(run: Run, data: NliData) -> None:
    for code, noted in run.facts["data"]["dev"].items():
        if data.dev[code].content_hash != noted["sha256"]:
            raise RunError(f"{data.dev[code].name} is not what run {run.id} read in {code}.")


if __name__ == "__main__":
    main()
