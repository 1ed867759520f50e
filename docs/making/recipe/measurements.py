"""What the model card reports: per-layer retrieval and the masked-language loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from docs.making.recipe.batches import (
    SHARE_IN_ONE_SEQUENCE,
    SpecialTokens,
    evaluation_batches,
)
from isogloss.measures.sentence_retrieval import score_pairs

EVALUATION_MASKED_SHARE = 0.15


def sentence_vectors(model: Any, tokenizer: Any, sentences: Sequence[str]) -> np.ndarray:
    """Mean over the tokens (special ones left out) at each layer: (layers + 1, n, d)."""
    import torch

    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    vectors: np.ndarray | None = None
    model.eval()
    with torch.inference_mode():
        for start in range(0, len(order), 64):
            rows = order[start : start + 64]
            batch = tokenizer(
                [sentences[i] for i in rows],
                padding=True,
                truncation=True,
                max_length=128,
                return_special_tokens_mask=True,
                return_tensors="pt",
            )
            keep = (1 - batch.pop("special_tokens_mask")).unsqueeze(-1).float()
            states = torch.stack(model(**batch, output_hidden_states=True).hidden_states)
            means = (states * keep).sum(2) / keep.sum(1).clamp(min=1)
            if vectors is None:
                vectors = np.empty((len(means), len(sentences), means.shape[-1]), np.float32)
            vectors[:, rows] = means.numpy()
    assert vectors is not None
    return vectors


def layer_retrieval(
    model: Any, tokenizer: Any, pairs: Sequence[tuple[str, str]]
) -> tuple[float, ...]:
    """Share of sentences whose nearest neighbour is their translation, at each layer.

    Mean-pooled, each language centred, cosine, mean of both directions; range 0 to 1.
    """
    english = sentence_vectors(model, tokenizer, [pair[0] for pair in pairs])
    chinese = sentence_vectors(model, tokenizer, [pair[1] for pair in pairs])
    scores = []
    for X, Y in zip(english, chinese, strict=True):
        both = score_pairs(X, Y, "cosine", centre=True)
        scores.append(float(np.mean([ranks.within(1).mean() for ranks in both])))
    return tuple(scores)


def masked_losses(
    model: Any, tokenizer: Any, pairs: Sequence[tuple[str, str]], seed: int = 0
) -> dict[str, float]:
    """Mean cross-entropy in nats over masked tokens, for each way of reading and for the mix.

    Masks are fixed by the seed. The perplexity is the exponential of it.
    """
    import torch
    from torch.nn.functional import cross_entropy

    english, chinese = (
        tokenizer(list(side), add_special_tokens=False)["input_ids"]
        for side in zip(*pairs, strict=True)
    )
    batches = evaluation_batches(
        english,
        chinese,
        special_tokens(tokenizer),
        len(tokenizer),
        seed,
        EVALUATION_MASKED_SHARE,
    )
    losses = {}
    model.eval()
    with torch.inference_mode():
        for way, group in batches.items():
            total, count = 0.0, 0
            for batch in group:
                labels = torch.from_numpy(batch.labels)
                asked = labels != -100
                states = model.bert(**batch.inputs()).last_hidden_state[asked]
                total += float(cross_entropy(model.cls(states), labels[asked], reduction="sum"))
                count += int(asked.sum())
            losses[way] = total / count
    apart = (losses["english alone"] + losses["chinese alone"]) / 2
    share = SHARE_IN_ONE_SEQUENCE
    losses["training mix"] = share * losses["translation pairs"] + (1 - share) * apart
    return losses


def special_tokens(tokenizer: Any) -> SpecialTokens:
    return SpecialTokens(
        tokenizer.pad_token_id,
        tokenizer.cls_token_id,
        tokenizer.sep_token_id,
        tokenizer.mask_token_id,
    )
