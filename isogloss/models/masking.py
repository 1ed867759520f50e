r"""What a language model is asked, and how well it answers: masked tokens, next tokens, perplexity.

Perplexity is $\exp\big(-\frac1m \sum_i \log p(x_i \mid \text{what may be seen})\big)$ over the m
tokens asked for. An encoder is asked for masked tokens: 15 % of each sentence and at least one, of
which 80 % are hidden behind the mask, 10 % behind a random token and 10 % left in place, as in
Devlin et al. (2019). A decoder is asked for every token but the first. With *fixed* masks, drawn
from a seed and the sentence's number alone, two moments of training answer the same questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.errors import ModelError
from isogloss.models.loading import LoadedModel
from isogloss.models.pair_examples import token_batches
from isogloss.models.tokens import tokenise

MASKED_SHARE = 0.15
HIDDEN, REPLACED = 0.8, 0.1
TOKENS_AT_ONCE = 512
"""Padded tokens in a batch that is only measured on."""


@dataclass(frozen=True)
class Sentence:
    """Token ids (t,) as a model takes them, and which of them are ordinary text (t,)."""

    ids: np.ndarray
    ordinary: np.ndarray


@dataclass(frozen=True)
class Cloze:
    """One sentence as the model sees it: answer (m,) belongs to what it says at positions (m,)."""

    ids: np.ndarray
    positions: np.ndarray
    answers: np.ndarray


@dataclass(frozen=True)
class Vocabulary:
    """What asking takes: `mask` is None for a decoder, `choices` are ids that may stand in."""

    mask: int | None
    padding: int
    choices: np.ndarray

    @classmethod
    def of(cls, model: LoadedModel) -> Vocabulary:
        """The vocabulary of a model; raises ModelError for an encoder that has no mask."""
        tokenizer = model.tokenizer
        mask = None if model.is_decoder else tokenizer.mask_token_id
        if mask is None and not model.is_decoder:
            raise ModelError(
                f"The tokenizer of {model.name} has no mask token, so nothing can be hidden from "
                "it: choose an encoder that was trained on masked text."
            )
        choices = np.setdiff1d(np.arange(len(tokenizer)), tokenizer.all_special_ids)
        return cls(mask, tokenizer.pad_token_id or 0, choices)


def read_sentences(model: LoadedModel, texts: Sequence[str], longest: int) -> tuple[Sentence, ...]:
    """The tokens of each text, cut after `longest`."""
    return tuple(
        Sentence(
            np.array(sentence.ids[:longest], np.int64),
            ~np.array(sentence.special[:longest], bool),
        )
        for sentence in tokenise(model, texts)
    )


def ask(sentence: Sentence, vocabulary: Vocabulary, rng: np.random.Generator) -> Cloze:
    """Hide some of a sentence's tokens, or ask for each next one where there is no mask."""
    if vocabulary.mask is None:
        return Cloze(sentence.ids, np.arange(len(sentence.ids) - 1), sentence.ids[1:])
    candidates = np.flatnonzero(sentence.ordinary)
    count = min(len(candidates), max(1, round(MASKED_SHARE * len(candidates))))
    positions = np.sort(rng.choice(candidates, count, replace=False))
    fate = rng.random(count)
    seen = sentence.ids.copy()
    hidden = fate < HIDDEN
    replaced = (fate >= HIDDEN) & (fate < HIDDEN + REPLACED)
    seen[positions[hidden]] = vocabulary.mask
    seen[positions[replaced]] = rng.choice(vocabulary.choices, int(replaced.sum()))
    return Cloze(seen, positions, sentence.ids[positions])


def fixed_questions(
    sentences: Sequence[Sentence], vocabulary: Vocabulary, seed: int
) -> tuple[Cloze, ...]:
    """The same questions each time they are asked for."""
    return tuple(
        ask(sentence, vocabulary, np.random.default_rng((seed, number)))
        for number, sentence in enumerate(sentences)
    )


@dataclass(frozen=True)
class Batch:
    """Questions padded to one length: ids and real (b, t); rows, columns and answers (m,)."""

    ids: np.ndarray
    real: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    answers: np.ndarray

    def inputs(self, device: str) -> dict[str, Any]:
        """What the network takes; without padding no mask, so that attention is quick."""
        import torch

        inputs = {"input_ids": torch.from_numpy(self.ids).to(device)}
        if not self.real.all():
            inputs["attention_mask"] = torch.from_numpy(self.real.astype(np.int64)).to(device)
        return inputs


def make_batch(questions: Sequence[Cloze], padding: int) -> Batch:
    """Some questions side by side."""
    lengths = [len(question.ids) for question in questions]
    ids = np.full((len(questions), max(lengths)), padding, np.int64)
    for row, question in enumerate(questions):
        ids[row, : lengths[row]] = question.ids
    return Batch(
        ids=ids,
        real=np.arange(max(lengths)) < np.array(lengths)[:, None],
        rows=np.repeat(np.arange(len(questions)), [len(q.positions) for q in questions]),
        columns=np.concatenate([question.positions for question in questions]),
        answers=np.concatenate([question.answers for question in questions]),
    )


def measuring_batches(questions: Sequence[Cloze], padding: int) -> tuple[Batch, ...]:
    """All questions in batches of like length."""
    lengths = np.array([len(question.ids) for question in questions])
    return tuple(
        make_batch([questions[row] for row in rows], padding)
        for rows in token_batches(lengths, TOKENS_AT_ONCE)
    )


def losses(network: Any, batch: Batch) -> Any:
    """Minus the log-probability of each answer, a tensor (m,)."""
    import torch
    from torch.nn.functional import cross_entropy

    device = network.device
    rows, columns = torch.from_numpy(batch.rows), torch.from_numpy(batch.columns)
    with only_asked(network, rows.to(device), columns.to(device)):
        logits = network(**batch.inputs(device)).logits[0]
    return cross_entropy(
        logits.float(), torch.from_numpy(batch.answers).to(device), reduction="none"
    )


@contextmanager
def only_asked(network: Any, rows: Any, columns: Any) -> Iterator[None]:
    """Within, the head reads the states of asked tokens alone, which saves most of its work."""

    def keep(module: Any, args: Any, output: Any) -> Any:
        output.last_hidden_state = output.last_hidden_state[rows, columns].unsqueeze(0)
        return output

    hook = network.base_model.register_forward_hook(keep)
    try:
        yield
    finally:
        hook.remove()


@contextmanager
def measuring(network: Any) -> Iterator[None]:
    """Within, dropout is off and nothing is learned; afterwards all is as it was."""
    import torch

    training = [module for module in network.modules() if module.training]
    network.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for module in training:
            module.training = True


def perplexity(network: Any, batches: Sequence[Batch]) -> float:
    """The network's perplexity over all questions of the batches."""
    with measuring(network):
        total = sum(float(losses(network, batch).double().sum()) for batch in batches)
    return math.exp(total / sum(len(batch.answers) for batch in batches))
