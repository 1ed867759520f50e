"""Fits in a process of their own, `python -m isogloss.measures.projection.fitting_process FOLDER`.

UMAP compiles itself for a minute whenever it is used, and the search for neighbours of many points
takes seconds without a pause; a thread at that can't be stopped. A process can, at any moment.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from types import TracebackType

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.projection.fits import FitOptions, fit_layer
from isogloss.measures.projection.methods import PROJECTIONS
from isogloss.measures.stacks import Array
from isogloss.tasks import OnShare

_POINTS, _START, _SHARE, _LAYOUT = "points.npy", "start.npy", "share.txt", "layout.npy"
_SECONDS_BETWEEN = 0.2


class FittingProcess:
    """A process that fits one layer after another, and ends with the `with` block it belongs to."""

    def __init__(self, options: FitOptions) -> None:
        self._options = options
        self._directory = tempfile.TemporaryDirectory()
        self._place = Path(self._directory.name)

    def __enter__(self) -> FittingProcess:
        with (self._place / "log.txt").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(self._place)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                # Threads that wait must not keep a processor busy that others could use.
                env=os.environ
                | {
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    "OMP_WAIT_POLICY": "passive",
                },
                text=True,
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._directory.cleanup()

    def fit(self, X: Array, start: Array | None, tell: OnShare) -> Array:
        """As `fit_layer`; `tell` hears the share done five times a second."""
        layout = self._place / _LAYOUT
        for name in (_START, _SHARE, _LAYOUT):
            (self._place / name).unlink(missing_ok=True)
        np.save(self._place / _POINTS, X)
        if start is not None:
            np.save(self._place / _START, start)
        self._ask()
        while self._process.poll() is None and not layout.exists():
            tell(self._share())
            time.sleep(_SECONDS_BETWEEN)
        if not layout.exists():
            said = (self._place / "log.txt").read_text(errors="replace")
            last = said.strip().rpartition("\n")[2]
            raise IsoglossError(
                f"{PROJECTIONS[self._options.method].title} ended without a layout "
                f"({last or 'it was killed'}): choose fewer points or another projection."
            )
        found: Array = np.load(layout)
        return found

    def _ask(self) -> None:
        stream = self._process.stdin
        assert stream is not None
        try:
            stream.write(json.dumps(asdict(self._options)) + "\n")
            stream.flush()
        except BrokenPipeError:
            self._process.wait()  # it has ended, which `fit` notices

    def _share(self) -> float:
        path = self._place / _SHARE
        return float(path.read_text()) if path.exists() else 0.0


def main() -> None:
    """Fit the points in the directory once for each line of options that is read."""
    place, parent = Path(sys.argv[1]), os.getppid()
    told = 0.0

    def tell(share: float) -> None:
        nonlocal told
        if os.getppid() != parent:
            sys.exit("whoever asked is gone")
        if time.monotonic() - told > _SECONDS_BETWEEN:
            told = time.monotonic()
            _replace(place / _SHARE, str(share).encode())

    for line in sys.stdin:
        start = np.load(place / _START) if (place / _START).exists() else None
        layout = fit_layer(np.load(place / _POINTS), start, FitOptions(**json.loads(line)), tell)
        np.save(place / "unfinished.npy", layout)
        os.replace(place / "unfinished.npy", place / _LAYOUT)


def _replace(path: Path, content: bytes) -> None:
    """Write a file so that nobody reads half of it."""
    half = path.with_suffix(".half")
    half.write_bytes(content)
    os.replace(half, path)


if __name__ == "__main__":
    main()
