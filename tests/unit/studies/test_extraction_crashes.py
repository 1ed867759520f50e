"""Extraction under kill -9 and under a crowd.

The experiments run in a process of their own, started by the test from this very file: it loads
the model once and forks children that can be killed and started again quickly.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

REPOSITORY = Path(__file__).parents[3]
KILLS = 10

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")


def test_extraction_survives_kills_and_a_crowd(encoder_directory, tmp_path):
    finished = subprocess.run(
        [sys.executable, __file__, str(encoder_directory), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "TOKENIZERS_PARALLELISM": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr


def kills(model, bitext, root: Path) -> None:
    """Kill extractions at random moments; what is listed is whole, and the end is always right."""
    from isogloss.store import Store
    from isogloss.studies import safe_states

    expected = stack_of(extract_in_steps(model, bitext, root / "calm", lambda *_: None))
    safe_states._SECONDS_AT_RISK = 0  # so that there is always something to kill in the middle of
    chance = random.Random(3)
    killed = completed = 0
    while killed < KILLS or not completed:
        place = root / f"stormy{completed}"
        reading, writing = os.pipe()

        def extract_and_tell(place=place, told=writing) -> None:
            extract_in_steps(model, bitext, place, lambda *_: os.write(told, b"."))

        child = fork(extract_and_tell)
        os.close(writing)
        steps = range(chance.randrange(6))
        if all(os.read(reading, 1) for _ in steps):  # else it has ended
            os.kill(child, signal.SIGKILL)
            killed += 1
        os.waitpid(child, 0)
        os.close(reading)
        store = Store(place, demo=None)
        for entry in store.entries():
            assert store.verify(entry) == (), store.verify(entry)
            np.testing.assert_array_equal(stack_of(entry), expected)
            completed += 1
        assert store.reports == store.aside() == ()


def crowd(model, bitext, root: Path) -> None:
    """Eight processes ask for one key at once: one extraction, the same entry for all."""
    from isogloss.models import forward

    notes = root / "launches"
    launch = forward.ForwardPasses.launch

    def noted(self, sentences):
        with notes.open("a") as stream:
            stream.write(f"{os.getpid()} {len(sentences)}\n")
        return launch(self, sentences)

    forward.ForwardPasses.launch = noted
    children = [
        fork(lambda: extract_in_steps(model, bitext, root / "store", lambda *_: time.sleep(0.005)))
        for _ in range(8)
    ]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    lines = [line.split() for line in notes.read_text().splitlines()]
    assert len({process for process, _ in lines}) == 1
    assert sum(int(sentences) for _, sentences in lines) == 2 * len(bitext)


def extract_in_steps(model, bitext, place: Path, on_progress):
    from isogloss.store import Store
    from isogloss.studies.extraction import ExtractionOptions, extract

    options = ExtractionOptions(token_budget=40, on_progress=on_progress)
    return extract(model, bitext, Store(place, demo=None), options)


def stack_of(entry) -> np.ndarray:
    return np.stack([entry.layer(layer) for layer in range(entry.n_states)])


def fork(action) -> int:
    """Run `action` in a child process; returns its process id."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        finally:
            os._exit(status)
    return child


def main() -> None:
    import torch

    from isogloss.models.loading import load_model
    from isogloss.store import Store
    from isogloss.text.reading import load_bundled

    directory, root = sys.argv[1], Path(sys.argv[2])
    torch.set_num_threads(1)  # threads do not survive a fork
    model = load_model(directory, Store(root / "none", demo=None), device="cpu")
    bitext = load_bundled("everyday.en-zh").select(range(30))
    kills(model, bitext, root)
    crowd(model, bitext, root)


if __name__ == "__main__":
    main()
