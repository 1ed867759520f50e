"""The models Isogloss offers by name: the table presets.toml, for widgets, commands and docs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_TABLE = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A model one can choose by name. `n_layers` counts blocks; `megabytes` is the download.

    `languages` counts them as its makers do; `codes` are their codes, none where there is no list;
    the table may name one. `bits` is what each weight was rounded to, None where weights are as
    trained. `language_head` says whether the part that guesses tokens is in the files, `tuned_on`
    what the model learnt from after its pre-training, `head` which of the classifier's heads suits
    it, `gigabytes_in_memory` what it takes in float32 where that is much.
    """

    name: str
    title: str
    kind: Literal["encoder", "decoder"]
    n_layers: int
    width: int
    languages: str
    codes: str = ""
    licence: str
    megabytes: int
    where: Literal["bundled", "hub", "package"]
    source: str
    bits: int | None = None
    language_head: bool = True
    tuned_on: str = ""
    head: Literal["auto", "pair"] = "auto"
    gigabytes_in_memory: float = 0.0


def _read() -> Iterator[Preset]:
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    for model in table["model"]:
        codes = (table["trained_on"].get(each, each) for each in model.get("codes", "").split())
        yield Preset(**model | {"codes": " ".join(codes)})


PRESETS = tuple(_read())
DEFAULT_MODEL = PRESETS[0].name
DEFAULT_LAYERS = PRESETS[0].n_layers
RANDOM_PREFIX = "random:"
"""What a model's name begins with where its weights are random."""


def find_preset(name: str) -> Preset | None:
    """The preset called `name`, or whose source is `name`."""
    return next((preset for preset in PRESETS if name in (preset.name, preset.source)), None)


def base_of(name: str) -> str:
    """The model that a random one has its shape of: NAME of random:NAME#3; any other itself."""
    return name.removeprefix(RANDOM_PREFIX).partition("#")[0]


def display_name(name: str) -> str:
    """A model as people call it: its preset, or the last part of a path or hub id.

    Where its weights were rounded or are random, that is said, too.
    """
    base = name.removeprefix(RANDOM_PREFIX)
    preset = find_preset(base)
    short = preset.name if preset else base.rstrip("/").rpartition("/")[2]
    if base != name:
        return f"{short}, random"
    return f"{short} ({preset.bits}-bit)" if preset and preset.bits else short


def unknown_languages(name: str, languages: Iterable[str]) -> tuple[str, ...]:
    """Which of some languages a model was not trained on, as far as that is known."""
    preset = find_preset(name)
    known = preset.codes.split() if preset is not None else []
    return tuple(code for code in languages if known and code.partition("-")[0] not in known)


def is_monolingual(name: str, language: str) -> bool:
    """Whether a model is known to have been trained on one language alone, which is this one."""
    preset = find_preset(name)
    return preset is not None and preset.codes.split() == [language.partition("-")[0]]
