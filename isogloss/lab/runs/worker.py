"""The process that carries runs out one by one: `python -m isogloss.lab.runs.worker ROOT`.

It is started by the page or the command line and outlives both. One worker a store is enough: a
second one ends at once, since the first takes up whatever waits.
"""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from pathlib import Path

from isogloss.errors import USER_ERRORS, Stopped
from isogloss.lab.runs.queue import WORKER_LOCK, Runs
from isogloss.lab.runs.run import Run
from isogloss.store import Store
from isogloss.store.files import say_if_full
from isogloss.store.locks import exclusive

_LOG = logging.getLogger(__name__)


def work(store: Store) -> None:
    """Carry out every run that waits; returns when none does, or another worker sees to them."""
    runs = Runs(store)
    # A run may be queued just as a worker finds nothing and lets go, so it looks once more.
    while runs.queue():
        with exclusive(runs.root / WORKER_LOCK, wait=False) as alone:
            if not alone:
                return
            while waiting := runs.queue():
                with suppress(FileNotFoundError):  # it was removed before its turn
                    _carry_out(waiting[0], store)


def _carry_out(run: Run, store: Store) -> None:
    with run.lock(wait=True):
        try:
            run.carry_out(store)
        except Stopped as error:
            _LOG.warning("%s: %s", run.id, error)
        except USER_ERRORS as error:
            run.fail(str(error))
        except Exception as error:  # a full disk, or a defect of ours, ends the run, not the queue
            _LOG.exception("run %s failed", run.id)
            ours = f"This failed in a way it should not: {type(error).__name__}: {error}"
            run.fail(say_if_full(error, store.root) or ours)


def main() -> None:
    logging.basicConfig(format="%(asctime)s %(message)s")
    work(Store(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
