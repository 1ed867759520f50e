"""Damages what a store or a run keeps, as disks and hands do, by a seeded draw.

python -m tests.helpers.damage runs --count 1200       every page with a damaged run
python -m tests.helpers.damage entries --count 2000    everything read from a damaged entry
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from isogloss.lab.runs.files import SEAL
from isogloss.store import Store

if TYPE_CHECKING:
    from isogloss.map.maps import MapOptions

ODD_VALUES = (None, True, -1, 0, 1e308, "", "\ud800", "\x00", [], {}, [[]], {"a": None}, 10**400)


def damage(root: Path, random: Random) -> str:
    """Damage one file below `root`; returns which and how."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix != ".lock"]
    path = random.choice(files)
    how = random.choice(WAYS)
    how(path, random)
    return f"{how.__name__} {path.relative_to(root)}"


def cut(path: Path, random: Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: random.randrange(len(content) + 1)])


def change_a_byte(path: Path, random: Random) -> None:
    content = bytearray(path.read_bytes() or b"?")
    content[random.randrange(len(content))] ^= random.randrange(1, 256)
    path.write_bytes(content)


def change_a_digit(path: Path, random: Random) -> None:
    content = bytearray(path.read_bytes() or b"?")
    digits = [place for place, byte in enumerate(content) if byte in b"0123456789"]
    if digits:
        content[random.choice(digits)] = random.choice(b"0123456789-.e")
    path.write_bytes(content)


def drop_a_part(path: Path, random: Random) -> None:
    content = path.read_bytes()
    first, last = sorted(random.randrange(len(content) + 1) for _ in range(2))
    path.write_bytes(content[:first] + content[last:])


def double_a_part(path: Path, random: Random) -> None:
    content = path.read_bytes()
    first, last = sorted(random.randrange(len(content) + 1) for _ in range(2))
    path.write_bytes(content[:last] + content[first:])


def fill_with_zeros(path: Path, random: Random) -> None:
    """What a power cut leaves on some file systems."""
    path.write_bytes(bytes(path.stat().st_size))


def add_noise(path: Path, random: Random) -> None:
    path.write_bytes(path.read_bytes() + random.randbytes(40) + b"\n")


def remove(path: Path, random: Random) -> None:
    path.unlink()


def make_a_directory(path: Path, random: Random) -> None:
    path.unlink()
    path.mkdir()


def nest_deeply(path: Path, random: Random) -> None:
    path.write_bytes(b"[" * 200_000 + b"\n")


def replace_a_value(path: Path, random: Random) -> None:
    """Put another kind of value into JSON, or into a line of it; other files are cut."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n") if path.suffix == ".jsonl" else []
        number = random.randrange(max(len(lines) - 1, 1))
        body = json.loads(lines[number] if lines else path.read_bytes())
    except ValueError:
        cut(path, random)
        return
    text = json.dumps(_with_an_odd_value(body, random))
    if lines:
        lines[number] = text
    path.write_text("\n".join(lines) or text)


def _with_an_odd_value(body: object, random: Random) -> object:
    """The same, with one value somewhere in it replaced or left out."""
    places = list(_places(body))
    if not places:
        return random.choice(ODD_VALUES)
    holder, name = random.choice(places)
    if random.random() < 0.2:
        del holder[name]
    else:
        holder[name] = random.choice(ODD_VALUES)
    return body


def _places(body: object) -> Iterator[tuple]:
    items = enumerate(body) if isinstance(body, list) else ()
    for name, value in body.items() if isinstance(body, dict) else items:
        yield body, name
        yield from _places(value)


WAYS: tuple[Callable[[Path, Random], None], ...] = (
    cut, change_a_byte, change_a_digit, drop_a_part, double_a_part, fill_with_zeros, add_noise,
    remove, make_a_directory, nest_deeply, replace_a_value,
)  # fmt: skip


def damaged_copies(whole: Path, count: int, seed: int = 0) -> Iterator[tuple[Path, str]]:
    """Copies of the directory `whole`, each with one damage, and what that is."""
    random = Random(seed)
    for _ in range(count):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy"
            shutil.copytree(whole, copy)
            yield copy, damage(copy, random)


def read_runs(store: Store) -> int:
    """Read all that pages and commands read of the runs in `store`; returns how many are whole."""
    from isogloss.command_line.run_commands import _time_left
    from isogloss.errors import RunError
    from isogloss.lab.runs.queue import Runs

    runs, whole = Runs(store, shipped=None), 0
    runs.named_files()
    runs.queue()
    for run in (*runs.all(), *runs.damaged()):
        _time_left(run)
        _ = run.log(), run.note, run.problem, run.stopping
        try:
            run.check()
            _ = run.state, run.progress, run.plan.title, run.command
            for path in (run.path / "kept").glob("*.safetensors"):
                run.kept(path.stem)
            whole += 1
        except RunError:  # a sentence, and the next one
            continue
    return whole


def read_entries(store: Store) -> int:
    """Read all that is kept of the studies in `store`; returns how much of it is whole."""
    from isogloss.errors import USER_ERRORS
    from isogloss.map.maps import find_map
    from isogloss.studies.study import list_studies, open_study

    whole = 0
    for listed in list_studies(store):
        _ = listed.title, listed.kind, listed.entry.size_bytes
        store.derived_entries(listed.entry)
        try:
            for study in (listed, open_study(store, listed.key)):
                _ = study.bitext, study.tokens
                _ = [study.entry.layer(index).sum() for index in range(study.entry.n_states)]
            whole += 1 + (find_map(study, _map_options()) is not None)
        except USER_ERRORS:
            continue
    store.prune(10**12)
    return whole


def write_study(store: Store) -> None:
    """A small study in the store, with its map laid out."""
    from isogloss.map.maps import make_map
    from isogloss.studies.named_extraction import extract_by_name
    from isogloss.studies.study import Study
    from isogloss.text.reading import ParallelText

    pairs = ("Green tea.", "She reads.", "A cat sleeps."), ("绿茶。", "她看书。", "猫睡觉。")
    bitext = ParallelText("three pairs", ("en", "zh"), *pairs)
    make_map(Study(extract_by_name("mini-en-zh", bitext, store).entry), store, _map_options())


def _map_options() -> MapOptions:
    from isogloss.map.maps import MapOptions
    from isogloss.measures.projection.layout import ProjectionOptions

    return MapOptions(projection=ProjectionOptions(method="pca"))


def write_all_kinds(store: Store) -> None:
    """A run of every kind, its results written by hand."""
    from isogloss.lab.runs.queue import Runs
    from tests.helpers import (
        adaptations,
        layers_needed_run,
        sentence_run,
        transfer_run,
        two_models_run,
    )

    runs = Runs(store, shipped=None)
    transfer_run.write_transfer(runs)
    layers_needed_run.written_run(runs)
    adaptations.made_up_run(store)
    sentence_run.written_run(runs, store, {"before": 0.2, "contrastive": 0.5})
    two_models_run.written_run(runs)


def unseal(root: Path) -> None:
    """Take the seals off all runs below `root`, as versions before 0.4 wrote them without any."""
    for path in root.rglob("*.json*"):
        whole = path.suffix == ".json"
        texts = [path.read_text()] if whole else path.read_text().splitlines(keepends=True)
        path.write_text("".join(map(_unsealed, texts)))


def _unsealed(text: str) -> str:
    body = json.loads(text)
    body.pop(SEAL, None)
    return json.dumps(body, ensure_ascii=False) + "\n"


PAGES = {
    "transfer": "transfer", "layers-needed": "layers_needed", "adaptation": "adaptation",
    "sentences": "sentences", "two-models": "two_models",
}  # fmt: skip


def open_pages(root: Path, pages: list[str]) -> None:
    """Open pages of the app on the store in `root`; raises what they could not say."""
    import streamlit as st
    from streamlit.testing.v1 import AppTest

    os.environ["ISOGLOSS_CACHE"] = str(root)
    st.cache_data.clear()
    st.cache_resource.clear()
    for page in pages:
        app = AppTest.from_file(str(Path(__file__).parents[2] / "app.py"), default_timeout=240)
        app.switch_page(f"pages/{page}.py")
        app.run()
        assert not app.exception, [*app.exception[0].stack_trace, app.exception[0].value]


def main() -> None:
    """Damage runs or entries many times and read what is left; a traceback ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("runs", "entries"))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    make, read = {"runs": (write_all_kinds, read_runs), "entries": (write_study, read_entries)}[
        chosen.what
    ]
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "cache", demo=None)
        make(store)
        whole = read(store)
        found = 0
        for copy, what in damaged_copies(store.root, chosen.count, chosen.seed):
            try:
                found += read(Store(copy, demo=None)) < whole
            except Exception as error:
                raise AssertionError(what) from error
    print(f"{chosen.count} damaged, none with a traceback; {found} were found to be damaged.")


if __name__ == "__main__":
    main()
