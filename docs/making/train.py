"""Rebuild `mini-en-zh`: `python -m docs.making.train --text DIR --base DIR --work DIR`.

`--text` holds the parallel files and `--base` the English encoder named in the model card. The work
directory keeps everything that a resumed run needs: run the same command again after a stop.
Export the finished model with `python -m docs.making.export`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from docs.making.recipe.batches import MaskedBatch, masked_batches
from docs.making.recipe.embedding_transfer import (
    averaging_matrix,
    fit_to_translations,
    translation_table,
    weighted_mean_embeddings,
)
from docs.making.recipe.measurements import layer_retrieval, special_tokens
from docs.making.recipe.training_text import TrainingText, read_training_text
from isogloss.bundled import CONTRAST_LAYER

MINIMUM_COUNT = 5  # occurrences that earn a character its own vocabulary entry
TRANSLATION_TABLE_PAIRS = 150_000
REGRESSION_PAIRS = 200_000
REGRESSION_STRENGTH = 1e-6
PEAK_RATE = 3e-4
CONTRAST_WEIGHT = 0.3
CONTRAST_TEMPERATURE = 0.05
WARM_UP_STEPS = 200
DECAY_SHARE = 0.3  # the rate is constant, then falls linearly to zero over this last share
MOMENTS = (0, 30_000, 80_000, 200_000, 450_000, 900_000, 1_600_000, 2_500_000, 3_500_000, 5_000_000)
CHECKPOINT_SECONDS = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m docs.making.train")
    parser.add_argument("--text", type=Path, required=True, help="directory of the parallel files")
    parser.add_argument("--base", type=Path, required=True, help="directory of all-MiniLM-L6-v2")
    parser.add_argument("--work", type=Path, required=True, help="checkpoints and measurements")
    parser.add_argument("--tokens", type=int, default=5_000_000, help="tokens to learn from")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    text = read_training_text(arguments.text, arguments.seed)
    start = arguments.work / "start"
    if not (start / "config.json").exists():
        build_start(text, arguments.base, start, arguments.seed)
    train(text, start, arguments.work, arguments.tokens, arguments.seed)


def build_start(text: TrainingText, base: Path, place: Path, seed: int) -> None:
    """The untrained model: English encoder, bilingual vocabulary, carried-over embeddings."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertModel

    torch.manual_seed(seed)
    vocabulary = extended_vocabulary((base / "vocab.txt").read_text(encoding="utf-8"), text)
    tokenizer = make_tokenizer(vocabulary)
    english, chinese = encode(tokenizer, text)
    encoder = BertModel.from_pretrained(base, dtype=torch.float32)
    config = BertConfig.from_pretrained(base, vocab_size=len(vocabulary))
    model = BertForMaskedLM(config)
    weights = encoder.state_dict()
    embeddings = weights.pop("embeddings.word_embeddings.weight").numpy()
    model.bert.load_state_dict(weights, strict=False)
    with torch.no_grad():
        model.bert.embeddings.word_embeddings.weight.copy_(
            torch.from_numpy(carry_over(vocabulary, embeddings, english, chinese))
        )
        # The base has no masked-language head: start from one that passes its input on.
        model.cls.predictions.transform.dense.weight.copy_(torch.eye(config.hidden_size))
        model.cls.predictions.transform.dense.bias.zero_()
    model.tie_weights()
    temporary = place.with_suffix(".tmp")
    model.save_pretrained(temporary)
    tokenizer.save_pretrained(temporary)
    temporary.rename(place)


def extended_vocabulary(base_vocabulary: str, text: TrainingText) -> tuple[str, ...]:
    """The base's word pieces, then each further character of the Chinese text seen often enough."""
    pieces = base_vocabulary.split("\n")
    pieces = pieces[:-1] if not pieces[-1] else pieces
    known = set(pieces)
    seen = Counter(character for _, chinese in text.train for character in chinese.lower())
    added = [
        character
        for character, count in seen.most_common()
        if count >= MINIMUM_COUNT and character not in known and is_chinese(character)
    ]
    return (*pieces, *added)


def is_chinese(piece: str) -> bool:
    """A single character beyond the alphabets: Han, Chinese punctuation, full-width forms."""
    return len(piece) == 1 and ord(piece) >= 0x2000 and not piece.isspace()


def make_tokenizer(vocabulary: tuple[str, ...]) -> Any:
    from transformers import BertTokenizer

    return BertTokenizer(vocab={piece: i for i, piece in enumerate(vocabulary)})


def encode(tokenizer: Any, text: TrainingText) -> tuple[list[list[int]], list[list[int]]]:
    """Token ids of both sides of the training pairs, without special tokens."""
    sides = zip(*text.train, strict=True)
    english, chinese = (
        tokenizer(list(side), add_special_tokens=False, return_attention_mask=False)["input_ids"]
        for side in sides
    )
    return english, chinese


def carry_over(
    vocabulary: tuple[str, ...],
    base_embeddings: np.ndarray,
    english: list[list[int]],
    chinese: list[list[int]],
) -> np.ndarray:
    """Embeddings (vocabulary, d): the base's for English, closed-form ones for Chinese."""
    own = np.array([is_chinese(piece) for piece in vocabulary])
    embeddings = np.zeros((len(vocabulary), base_embeddings.shape[1]))
    embeddings[: len(base_embeddings)] = base_embeddings
    table = translation_table(english[:TRANSLATION_TABLE_PAIRS], chinese[:TRANSLATION_TABLE_PAIRS])
    carried = weighted_mean_embeddings(table, base_embeddings)
    seen = np.zeros(len(vocabulary), bool)
    seen[: len(carried)] = np.abs(carried).sum(axis=1) > 0
    embeddings[own] = base_embeddings.mean(axis=0)
    embeddings[own & seen] = carried[(own & seen)[: len(carried)]]
    characters = averaging_matrix(chinese[:REGRESSION_PAIRS], len(vocabulary))
    goal = averaging_matrix(english[:REGRESSION_PAIRS], len(vocabulary)) @ embeddings
    shared = characters @ np.where(own[:, None], 0.0, embeddings)  # digits, Latin words
    embeddings[own] = fit_to_translations(
        embeddings[own],
        characters[:, np.flatnonzero(own)].tocsr(),
        goal - shared,
        strength=REGRESSION_STRENGTH,
    )
    return embeddings.astype(np.float32)


def train(text: TrainingText, start: Path, work: Path, total: int, seed: int) -> None:
    """Masked-language training to `total` tokens, from the newest checkpoint if there is one."""
    import torch
    from transformers import AutoTokenizer, BertForMaskedLM

    tokenizer = AutoTokenizer.from_pretrained(start)
    model = BertForMaskedLM.from_pretrained(
        start, dtype=torch.float32, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
    )
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=PEAK_RATE, betas=(0.9, 0.98), weight_decay=0.01, fused=True
    )
    step = seen = 0
    checkpoint = work / "checkpoint.pt"
    if checkpoint.exists():
        kept = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        step, seen = kept["step"], kept["seen"]
    english, chinese = encode(tokenizer, text)
    batches = masked_batches(english, chinese, special_tokens(tokenizer), len(tokenizer), seed)
    for _ in range(step):
        next(batches)

    smoothed: float | None = None
    began, began_at, saved = time.monotonic(), seen, time.monotonic()
    while seen < total:
        for moment in MOMENTS:
            place = work / "moments" / f"{moment:08d}"
            if moment <= seen and not place.exists():
                keep_moment(model, tokenizer, text, place, seen, smoothed)
        rate = PEAK_RATE * rate_factor(step, seen / total)
        for group in optimizer.param_groups:
            group["lr"] = rate
        batch = next(batches)
        loss, masked = batch_loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step, seen = step + 1, seen + batch.tokens
        smoothed = 0.98 * (smoothed or masked.item()) + 0.02 * masked.item()
        if step % 50 == 0:
            speed = (seen - began_at) / (time.monotonic() - began)
            left = (total - seen) / speed / 60
            print(
                f"step {step}  {seen / 1e6:.2f} M tokens  loss {smoothed:.3f}  rate {rate:.1e}  "
                f"{speed:.0f} tokens/s  {left:.0f} min left",
                flush=True,
            )
        if time.monotonic() - saved > CHECKPOINT_SECONDS:
            save_checkpoint(checkpoint, model, optimizer, step, seen)
            saved = time.monotonic()
    save_checkpoint(checkpoint, model, optimizer, step, seen)
    keep_moment(model, tokenizer, text, work / "final", seen, smoothed)


def rate_factor(step: int, progress: float) -> float:
    """Warm-up, plateau, linear decay; a plateau lets a finished run be trained on."""
    return min(1.0, (step + 1) / WARM_UP_STEPS, max(0.0, (1.0 - progress) / DECAY_SHARE))


def batch_loss(model: Any, batch: MaskedBatch) -> tuple[Any, Any]:
    """(what is minimised, its masked-language part): cross-entropy over the asked tokens.

    Where translations stand apart, sentences are also contrasted with their translations.
    """
    import torch
    from torch.nn.functional import cross_entropy

    inputs = batch.inputs()
    labels = torch.from_numpy(batch.labels)
    asked = labels != -100
    output = model.bert(**inputs, output_hidden_states=batch.apart)
    masked = cross_entropy(model.cls(output.last_hidden_state[asked]), labels[asked])
    if not batch.apart:
        return masked, masked
    states = output.hidden_states[CONTRAST_LAYER]
    return masked + CONTRAST_WEIGHT * contrast(states, inputs["attention_mask"]), masked


def contrast(states: Any, attention_mask: Any) -> Any:
    """InfoNCE between the halves of a batch, as InfoXLM does it (Chi et al. 2021), mean-pooled.

    Each language is centred first: sentences have to find their translation, but nothing asks
    the model to forget which language it reads.
    """
    import torch
    from torch.nn.functional import cross_entropy, normalize

    weights = attention_mask.unsqueeze(-1).float()
    means = (states * weights).sum(1) / weights.sum(1)
    english, chinese = (normalize(half - half.mean(0), dim=1) for half in means.chunk(2))
    scores = english @ chinese.T / CONTRAST_TEMPERATURE
    truth = torch.arange(len(scores))
    return (cross_entropy(scores, truth) + cross_entropy(scores.T, truth)) / 2


def keep_moment(
    model: Any, tokenizer: Any, text: TrainingText, place: Path, seen: int, loss: float | None
) -> None:
    """Half-precision weights and the per-layer retrieval of this moment of training."""
    import torch

    scores = layer_retrieval(model.bert, tokenizer, text.tatoeba)
    model.train()
    temporary = place.with_suffix(".tmp")
    temporary.mkdir(parents=True, exist_ok=True)
    torch.save({k: v.half() for k, v in model.state_dict().items()}, temporary / "weights.pt")
    facts = {"tokens": seen, "loss": loss, "retrieval": scores}
    (temporary / "facts.json").write_text(json.dumps(facts))
    temporary.rename(place)
    print(f"{seen / 1e6:.2f} M  retrieval {' '.join(f'{s:.3f}' for s in scores)}", flush=True)


def save_checkpoint(path: Path, model: Any, optimizer: Any, step: int, seen: int) -> None:
    import torch

    temporary = path.with_suffix(".tmp")
    torch.save(
        {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "step": step,
            "seen": seen,
        },
        temporary,
    )
    os.replace(temporary, path)


if __name__ == "__main__":
    main()
