"""Make a trained checkpoint the bundled model.

    python -m docs.making.export --work DIR

Writes half-precision safetensors and a tokenizer that reads traditional characters too: each
traditional form that the training text never showed (it was simplified) takes its simplified
form's embedding, and is never predicted.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from docs.making.train import make_tokenizer
from isogloss.bundled import BUNDLED_MODEL

NEVER = -30.0  # a logit this much lower takes no share of the probability worth naming
FINE_TUNING_DROPOUT = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m docs.making.export")
    parser.add_argument("--work", type=Path, required=True, help="the training's work directory")
    parser.add_argument("--to", type=Path, default=BUNDLED_MODEL)
    arguments = parser.parse_args()
    export(arguments.work / "start", arguments.work / "final" / "weights.pt", arguments.to)


def export(start: Path, weights: Path, destination: Path) -> None:
    """Put the trained `weights` into the shape of `start`, widen the vocabulary, and save."""
    import torch
    from transformers import AutoTokenizer, BertForMaskedLM

    model = BertForMaskedLM.from_pretrained(start, dtype=torch.float32)
    model.load_state_dict(torch.load(weights, weights_only=True))
    pieces = AutoTokenizer.from_pretrained(start).get_vocab()
    vocabulary = tuple(sorted(pieces, key=lambda piece: pieces[piece]))
    vocabulary, twins = with_traditional(vocabulary)
    copy_rows(model, len(vocabulary), twins)
    model.config.hidden_dropout_prob = FINE_TUNING_DROPOUT
    model.config.attention_probs_dropout_prob = FINE_TUNING_DROPOUT
    model.half().save_pretrained(destination)
    make_tokenizer(vocabulary).save_pretrained(destination)


def with_traditional(vocabulary: tuple[str, ...]) -> tuple[tuple[str, ...], dict[int, int]]:
    """The vocabulary with traditional forms added; and which entry each of them copies."""
    from opencc import OpenCC

    simplify = OpenCC("t2s").convert
    index = {piece: i for i, piece in enumerate(vocabulary)}
    twins: dict[int, int] = {}
    added: list[str] = []
    for character in map(chr, range(0x4E00, 0xA000)):
        simple = simplify(character)
        if simple == character or simple not in index:
            continue
        if character not in index:
            index[character] = len(vocabulary) + len(added)
            added.append(character)
        twins[index[character]] = index[simple]
    return (*vocabulary, *added), twins


def copy_rows(model: Any, size: int, twins: dict[int, int]) -> None:
    """Resize the tied embeddings to `size` and let each twin's row copy its original's."""
    import torch

    model.resize_token_embeddings(size, mean_resizing=False)
    with torch.no_grad():
        rows = model.get_input_embeddings().weight
        bias = model.cls.predictions.bias
        for twin, original in twins.items():
            rows[twin] = rows[original]
            bias[twin] = bias[original] + NEVER
    model.tie_weights()


if __name__ == "__main__":
    main()
