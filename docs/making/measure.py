"""The model card's figures, measured: `python -m docs.making.measure --text DIR`.

`--text` holds the parallel files named in the model card. Prints the figures, and with `--write`
keeps them beside the weights as `figures.json`.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from docs.making.recipe.measurements import layer_retrieval, masked_losses
from docs.making.recipe.training_text import read_held_out
from isogloss.bundled import BUNDLED_MODEL


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m docs.making.measure")
    parser.add_argument("--text", type=Path, required=True, help="directory of the parallel files")
    parser.add_argument("--model", type=Path, default=BUNDLED_MODEL)
    parser.add_argument("--write", action="store_true", help="keep the figures beside the weights")
    arguments = parser.parse_args()
    figures = measure(arguments.model, arguments.text)
    print(json.dumps(figures, indent=2))
    if arguments.write:
        (arguments.model / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")


def measure(directory: Path, text: Path) -> dict[str, Any]:
    """Per-layer retrieval on 1,000 Tatoeba pairs, and masked losses on held-out text."""
    import torch
    from transformers import AutoTokenizer, BertForMaskedLM

    model = BertForMaskedLM.from_pretrained(directory, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(directory)
    tatoeba, held_out = read_held_out(text, seed=0)
    losses = masked_losses(model, tokenizer, held_out)
    return {
        "retrieval": [round(score, 4) for score in layer_retrieval(model.bert, tokenizer, tatoeba)],
        "masked_loss": {way: round(loss, 3) for way, loss in losses.items()},
        "perplexity": {way: round(math.exp(loss), 1) for way, loss in losses.items()},
    }


if __name__ == "__main__":
    main()
