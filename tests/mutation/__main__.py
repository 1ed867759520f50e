"""Do the tests see mistakes? `python -m tests.mutation [--count 200] [--seed 0] [--processes 2]`.

Draws so many mutants of measures, store and runs, has the tests of each one's room look at it, the
nearest by their imports first, and prints those that lived. At most a twentieth may. Mutants that
change nothing anybody could see are listed with the reason in `equivalent.toml` and not drawn.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import json
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from py_compile import PycInvalidationMode

from tests.mutation.mutants import Mutant, find_mutants

ROOT = Path(__file__).parents[2]
ROOMS = {
    "isogloss/measures": ("tests/unit/measures", "tests/property/test_similarity_properties.py",
                          "tests/property/test_projection_properties.py"),
    "isogloss/links": ("tests/unit/links", "tests/unit/studies/test_own_links.py"),
    "isogloss/store": ("tests/unit/store", "tests/property/test_keys.py"),
    "isogloss/lab/runs": ("tests/unit/lab/runs",),
}  # fmt: skip
"""Of each room that is mutated, the tests that are its own."""
EQUIVALENT = Path(__file__).parent / "equivalent.toml"
MOST_ALIVE = 0.05
SECONDS = 300.0
"""How long tests may take with a mutant; more where they took longer without one."""
LIBRARIES = (
    "pytest", "hypothesis", "numpy", "scipy.linalg", "scipy.optimize", "scipy.sparse",
    "scipy.spatial", "scipy.stats", "sklearn.linear_model", "sklearn.manifold", "torch",
    "transformers", "pandas", "pyarrow.parquet", "safetensors.numpy", "filelock",
)  # fmt: skip
"""What tests import again and again, once for all of a worker's mutants."""
LEFT_OUT = (".git", ".venv", "__pycache__", "pictures", "node_modules", ".*_cache")


def all_mutants(root: Path = ROOT) -> list[Mutant]:
    """Every mutant that may be drawn."""
    left_out = {(each["path"], each["line"], each["becomes"]) for each in equivalents()}
    found = []
    for path in source_files(root):
        source = path.read_bytes()
        for mutant in find_mutants(str(path.relative_to(root)), source):
            if (mutant.path, *mutant.lines(source)) not in left_out:
                found.append(mutant)
    return found


def equivalents() -> list[dict[str, str]]:
    """Mutants that nobody could tell from the code, each with the reason."""
    return list(tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", []))


def source_files(root: Path) -> list[Path]:
    """Modules with code in them: a room's own file may have nothing but its sentence."""
    found = [path for room in ROOMS for path in (root / room).rglob("*.py")]
    return sorted(path for path in found if "\n" in path.read_text(encoding="utf-8").strip())


def related_tests(path: str) -> list[str]:
    """Test files of a module's room from which it is fewest imports away, and one more.

    The one that is named as it comes first and properties last: what a plain example sees is seen
    sooner.
    """
    own = f"/test_{Path(path).stem}.py"
    room = next(room for room in ROOMS if path.startswith(f"{room}/"))
    tests = [
        str(file.relative_to(ROOT))
        for place in map(ROOT.joinpath, ROOMS[room])
        for file in (sorted(place.rglob("test_*.py")) if place.is_dir() else [place])
    ]
    steps = _steps_to(_module(path))
    away = {test: steps[_module(test)] for test in tests if _module(test) in steps}
    near = [test for test in away if away[test] <= min(away.values()) + 1]
    return sorted(
        near, key=lambda test: ("property" in test, not test.endswith(own), away[test], test)
    )


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def _steps_to(module: str) -> dict[str, int]:
    """From how many imports away every module and test reaches `module`."""
    steps, edge = {module: 0}, [module]
    while edge:
        users = [user for user, used in _imports().items() if used & set(edge)]
        edge = [user for user in users if user not in steps]
        steps |= dict.fromkeys(edge, max(steps.values()) + 1)
    return steps


@cache
def _imports() -> dict[str, set[str]]:
    """What the modules of the rooms and all tests import, by name."""
    files = [*source_files(ROOT), *(ROOT / "tests").rglob("*.py")]
    return {_module(str(file.relative_to(ROOT))): set(_imported(file)) for file in files}


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


class Worker:
    """A process with a copy of the code in which mutants are tried one after the other."""

    def __init__(self, place: Path, *, check: bool) -> None:
        self._check, self._seconds = check, dict[str, float]()
        shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*LEFT_OUT))
        # Stamps of time are too coarse to tell a file that is changed many times a second.
        for part in ("isogloss", "tests"):
            mode = PycInvalidationMode.CHECKED_HASH
            compileall.compile_dir(place / part, quiet=1, invalidation_mode=mode)
        single = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutation.worker", *LIBRARIES],
            cwd=place,
            env=os.environ
            | single
            | {"PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1", "CI": "mutation"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def try_mutant(self, mutant: Mutant) -> str:
        """How the tests end with it: passed, failed or hung."""
        tests = related_tests(mutant.path)
        seconds = max(SECONDS, 3 * self._seconds_without(tests))
        content = mutant.apply((ROOT / mutant.path).read_bytes()).decode()
        return self._ask(mutant.path, content, tests, seconds)[0]

    def _seconds_without(self, tests: list[str]) -> float:
        """What tests take without a mutant; they must pass, or they would kill every one."""
        for test in tests:
            if self._check and test not in self._seconds:
                outcome, self._seconds[test], said = self._ask(None, "", [test], None)
                if outcome != "passed":
                    raise SystemExit(f"{test} fails without a mutant:\n{said}")
        return sum(self._seconds.get(test, 0.0) for test in tests)

    def _ask(
        self, path: str | None, content: str, tests: list[str], seconds: float | None
    ) -> tuple[str, float, str]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        asked = {"path": path, "content": content, "tests": tests, "seconds": seconds}
        print(json.dumps(asked), file=stdin, flush=True)
        outcome, taken, said = json.loads(stdout.readline())
        return outcome, taken, said


@contextmanager
def workers(count: int, *, check: bool) -> Iterator[list[Worker]]:
    with tempfile.TemporaryDirectory(prefix="isogloss-mutants-") as place:
        found = [Worker(Path(place) / str(number), check=check) for number in range(count)]
        try:
            yield found
        finally:
            for worker in found:
                worker.close()


def try_all(drawn: list[Mutant], processes: int, *, check: bool) -> list[Mutant]:
    """Try mutants, a line for each that lives as it is found; returns those."""
    waiting: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
    for mutant in drawn:
        waiting.put(mutant)
    alive: list[Mutant] = []
    done: list[str] = []

    def work(worker: Worker) -> None:
        while not waiting.empty():
            mutant = waiting.get()
            outcome = worker.try_mutant(mutant)
            done.append(outcome)
            if outcome == "passed":
                alive.append(mutant)
                print(described(mutant), flush=True)
            if sys.stderr.isatty() or len(done) % 10 == 0:
                print(f"{len(done)} of {len(drawn)}, {len(alive)} alive", file=sys.stderr)

    with workers(processes, check=check) as hired:
        threads = [threading.Thread(target=work, args=[worker]) for worker in hired]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return alive


def described(mutant: Mutant) -> str:
    before, after = mutant.lines((ROOT / mutant.path).read_bytes())
    return f"{mutant.path}:{mutant.line}\n  - {before}\n  + {after}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", help="of files whose path begins so")
    parser.add_argument("--unchecked", action="store_true", help="trust tests to pass without one")
    options = parser.parse_args()
    found = [mutant for mutant in all_mutants() if mutant.path.startswith(options.only)]
    drawn = random.Random(options.seed).sample(found, min(options.count, len(found)))
    print(f"{len(drawn)} of {len(found):,} mutants, seed {options.seed}; those that live:\n")
    alive = try_all(drawn, options.processes, check=not options.unchecked)
    print(f"\n{len(alive)} of {len(drawn)} lived ({len(alive) / max(1, len(drawn)):.1%})")
    sys.exit(len(alive) > MOST_ALIVE * len(drawn))


if __name__ == "__main__":
    main()
