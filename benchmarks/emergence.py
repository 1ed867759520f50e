"""A step of learning two languages, against its matrix products alone and against Trainer.

Both peers see the same batches: as many sentences of each language, of the same lengths, in a BERT
of the same shape and vocabulary. The products are those of the linear layers, forward and twice
backward, with the output at the hidden words only. transformers' Trainer trains BertForMaskedLM as
it is usually done: batches padded to their longest, its own collator that hides words, the output
everywhere. Seconds of processor time on one thread; the sentences are drawn at random, which takes
as long as real ones. Last, what a picture for the live map costs, of the steps between two looks.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.arguments import read_arguments
from isogloss.lab.emergence.batches import HIDDEN, SPECIALS
from isogloss.lab.emergence.conditions import AS_IT_IS, read_condition
from isogloss.lab.emergence.network import Shape
from isogloss.lab.emergence.pictures import Picture, add_picture
from isogloss.lab.emergence.plan import LOOKS, EmergencePlan
from isogloss.lab.emergence.scores import HeldOut
from isogloss.lab.emergence.sources import SourceText
from isogloss.lab.emergence.text import Amounts, TwoLanguages, deal_out
from isogloss.lab.emergence.training import Recipe, Training
from isogloss.store.results import read_arrays, write_arrays

PICTURED, PICTURES = EmergencePlan().pictured, 5
OWN = (AS_IT_IS, "positions", "last-1", "blocks")


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.emergence")
    parser.add_argument("--steps", type=int, default=40, help="updates that are timed")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--vocabulary", type=int, default=500)
    parser.add_argument("--sentences", type=int, default=128, help="of each language, in an update")
    asked = read_arguments(parser, words, steps=2, width=16, blocks=1, vocabulary=40, sentences=8)
    import torch

    torch.set_num_threads(1)
    shape = Shape(asked.blocks, asked.width, 4)
    text = _text(asked.vocabulary)
    lengths = np.concatenate([text.first.train_lengths, text.second.train_lengths]) + 2
    tokens = round(2 * asked.sentences * float(lengths.mean()))
    print(f"BERT of {shape.n_layers} × {shape.width}, {tokens:,} tokens an update, one thread")
    products = _products(shape, tokens, SPECIALS + 2 * asked.vocabulary)
    rows = {"matrix products alone": [_seconds(products) for _ in range(asked.steps)]}
    for name in OWN:
        rows[f"ours, {name}"] = _ours(text, shape, name, asked.sentences, asked.steps)
    rows["transformers' Trainer"] = _trainer(text, shape, asked.sentences, asked.steps)
    limit = float(np.median(rows["matrix products alone"]))
    for name, seconds in rows.items():
        middle = float(np.median(seconds))
        print(f"{name:<28}{1000 * middle:>9.1f} ms{middle / limit:>8.2f} × the products")
    between = EmergencePlan().steps / LOOKS * float(np.median(rows[f"ours, {AS_IT_IS}"]))
    for name, seconds in _pictures(text, shape).items():
        print(f"{name:<28}{1000 * seconds:>9.1f} ms{seconds / between:>8.1%} of the steps between")


def _pictures(text: TwoLanguages, shape: Shape) -> dict[str, float]:
    """What the live map takes at a look: of the training, and of who looks, each (seconds)."""
    training = Training(text, read_condition(AS_IT_IS), shape, Recipe(1, 8, 2e-3, 1, 1), 0)
    held_out = HeldOut(text, training.numbering)
    look = next(iter(training.go(lambda share, message: None)))
    shown = held_out.shown_words(PICTURED)
    states = held_out.picture(training.model, PICTURED)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "picture.safetensors"

        def keep() -> None:
            picture = Picture(held_out.picture(training.model, PICTURED), asdict(look))
            write_arrays(path, picture.as_arrays())

        def draw() -> None:
            read_arrays(path)
            add_picture(None, shown, 0, states)

        return {
            name: float(np.median([_seconds(act) for _ in range(PICTURES)]))
            for name, act in (("a picture, kept", keep), ("a picture, drawn", draw))
        }


def _text(words: int) -> TwoLanguages:
    """Sentences of 3 to 12 words whose frequencies fall as in a language."""
    rng = np.random.default_rng(0)
    shares = 1 / np.arange(1, words + 1)
    drawn = [
        (
            tuple(
                f"w{word}"
                for word in rng.choice(words, rng.integers(3, 13), p=shares / shares.sum())
            ),
        )
        for _ in range(6_000)
    ]
    source = SourceText(("en",), {"drawn": drawn}, {})
    return deal_out(source, Amounts(words, 3, 12, 0, 100), read_condition(AS_IT_IS), 0)


def _seconds(act: Callable[[], object]) -> float:
    began = time.thread_time()
    act()
    return time.thread_time() - began


def _products(shape: Shape, tokens: int, vocabulary: int) -> Callable[[], None]:
    """The products of an update: of each linear layer the output and both gradients."""
    import torch

    width, asked = shape.width, round(HIDDEN * tokens)
    layers = [(tokens, width, wide) for wide in (3 * width, width, 4 * width)] * shape.n_layers
    layers += [(tokens, 4 * width, width)] * shape.n_layers
    layers += [(asked, width, width), (asked, width, vocabulary)]
    parts = [
        (torch.randn(rows, inner), torch.randn(inner, outer), torch.randn(rows, outer))
        for rows, inner, outer in layers
    ]

    def multiply() -> None:
        for states, weights, gradient in parts:
            torch.mm(states, weights)
            torch.mm(gradient, weights.T)
            torch.mm(states.T, gradient)

    multiply()
    return multiply


def _ours(text: TwoLanguages, shape: Shape, name: str, sentences: int, steps: int) -> list[float]:
    recipe = Recipe(steps + 3, sentences, 2e-3, 1, 1)
    training = Training(text, read_condition(name), shape, recipe, 0)
    seconds: list[float] = []
    began = time.thread_time()

    def report(share: float, message: str) -> None:
        nonlocal began
        seconds.append(time.thread_time() - began)
        began = time.thread_time()

    looks = training.go(report)
    next(looks)  # what it scores before the first update is left out
    began = time.thread_time()
    with suppress(StopIteration):
        next(looks)
    return seconds[3:]


def _trainer(text: TwoLanguages, shape: Shape, sentences: int, steps: int) -> list[float]:
    import torch
    from transformers import (
        BertConfig,
        BertForMaskedLM,
        Trainer,
        TrainerCallback,
        TrainingArguments,
    )

    first = len(text.first.words)
    vocabulary = SPECIALS + 2 * first
    rows = []
    for offset, side in ((0, text.first), (first, text.second)):
        count = (steps + 3) * sentences
        for row, n in zip(
            np.resize(side.train, (count, side.train.shape[1])),
            np.resize(side.train_lengths, count),
            strict=True,
        ):
            rows.append([0, *(row[:n] + SPECIALS + offset).tolist(), 1])
    model = BertForMaskedLM(
        BertConfig(
            vocab_size=vocabulary,
            hidden_size=shape.width,
            num_hidden_layers=shape.n_layers,
            num_attention_heads=shape.heads,
            intermediate_size=4 * shape.width,
            max_position_embeddings=64,
            pad_token_id=3,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )
    generator = torch.Generator().manual_seed(0)

    def collate(batch: list[list[int]]) -> dict[str, Any]:
        longest = max(map(len, batch))
        ids = torch.full((len(batch), longest), 3)
        for place, row in zip(ids, batch, strict=True):
            place[: len(row)] = torch.tensor(row)
        asked = (torch.rand(ids.shape, generator=generator) < HIDDEN) & (ids >= SPECIALS)
        labels = torch.where(asked, ids, -100)
        mask = (ids != 3).long()
        return {"input_ids": torch.where(asked, 2, ids), "attention_mask": mask, "labels": labels}

    seconds: list[float] = []

    class Watch(TrainerCallback):  # type: ignore[misc]
        began = 0.0

        def on_step_end(self, *_: Any, **__: Any) -> None:
            seconds.append(time.thread_time() - self.began)
            self.began = time.thread_time()

    with tempfile.TemporaryDirectory() as directory:
        options = TrainingArguments(
            output_dir=directory,
            per_device_train_batch_size=2 * sentences,
            max_steps=steps + 3,
            learning_rate=2e-3,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
            use_cpu=True,
            remove_unused_columns=False,
        )
        trainer = Trainer(
            model=model,
            args=options,
            train_dataset=rows,
            data_collator=collate,
            callbacks=[Watch()],
        )
        trainer.train()
    return seconds[3:]


if __name__ == "__main__":
    main()
