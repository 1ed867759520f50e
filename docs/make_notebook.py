"""Execute docs/example.ipynb from top to bottom and keep what it shows: `make notebook`.

It runs in a cache of its own, so that only what comes with Isogloss is on show, and keeps figures
as data alone: a Jupyter draws them, and the file stays small.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "example.ipynb"
SECONDS_A_CELL = 240


def execute(cache: Path) -> Any:
    """Return the notebook with what a fresh kernel, offline, says to each of its cells."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    environment = os.environ | {
        "HF_HUB_OFFLINE": "1",
        "ISOGLOSS_CACHE": str(cache),
        "PLOTLY_RENDERER": "plotly_mimetype",
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",  # such as tqdm's, that its bars would be nicer with widgets
    }
    client = NotebookClient(
        notebook,
        timeout=SECONDS_A_CELL,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(ROOT / "docs")}},
    )
    client.execute(env=environment)
    return notebook


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        notebook = execute(Path(cache))
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    main()
