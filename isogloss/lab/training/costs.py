"""How long a fine-tuning will take, told before it starts: multiplications over measured speed.

A token's forward pass through a block of p parameters takes 2p operations and its backward pass
twice as many (Kaplan et al. 2020, https://arxiv.org/abs/2001.08361). Attention among the few tokens
of a pair is left out. An estimate is meant to be right within a factor of about 1.5.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.lab.training.nli_plan import NliPlan, Part
from isogloss.models.preview import ModelSize, local_directory
from isogloss.text.nli import NliData, NliSet

SAMPLE = 200
SPECIAL_TOKENS = 2
REACHED = 0.55
"""The share of a bare product's speed that a whole pass with all its small steps reaches."""
START_SECONDS = 10.0
TRIES = 9
GAIN_OF_THREADS = 0.8
"""Threads share memory and wait for each other: k of them are k to this power as fast as one."""
TESTS_OF_A_TARGET = 1.5
"""The oracle's model is tested, too, unless it is the same one."""
ROWS_BY_TEXT = 25.0
"""Distinct tokens of a text are about this times the root of its length, after Heaps' law.

Measured with multilingual-e5-small on 36,000 pairs in four languages: 30,742 in 1.7 million.
"""
CHARACTERS_A_TOKEN = 3.5


@dataclass(frozen=True)
class Speed:
    """What this machine does in a second: operations of a product, parameters optimised."""

    operations: float
    parameters: float

    def seconds(self, operations: float, optimised: float = 0.0) -> float:
        """What so many operations and optimised parameters take, starting up included."""
        working = operations / (REACHED * self.operations) + optimised / self.parameters
        return START_SECONDS + working


@dataclass(frozen=True)
class TokenCounts:
    """Tokens of the training pairs, and of all dev and all test pairs together."""

    train: float
    dev: float
    test: float
    train_pairs: int

    @property
    def all(self) -> float:
        return self.train + self.dev + self.test


def count_tokens(model: str, data: NliData, max_tokens: int) -> TokenCounts:
    """Tokens of all sets, from a sample of each; by characters where there is no tokenizer yet."""
    measure = length_measure(local_directory(model))

    def total(pairs: NliSet) -> float:
        some = pairs.sample(SAMPLE)
        lengths = [
            min(measure(premise) + measure(hypothesis) + 3, max_tokens)
            for premise, hypothesis in zip(some.premises, some.hypotheses, strict=True)
        ]
        return sum(lengths) * len(pairs) / max(len(lengths), 1)

    return TokenCounts(
        train=total(data.train),
        dev=sum(total(each) for each in data.dev.values()),
        test=sum(total(each) for each in data.test.values()),
        train_pairs=len(data.train),
    )


def token_counter(model: str, longest: int) -> Callable[[Sequence[str]], float]:
    """What counts the tokens of texts, each cut to the `longest`, from a sample of them."""
    measure = length_measure(local_directory(model))

    def count(texts: Sequence[str]) -> float:
        some = texts[:: max(len(texts) // SAMPLE, 1)]
        lengths = [min(measure(each) + SPECIAL_TOKENS, longest) for each in some]
        return sum(lengths) * len(texts) / max(len(lengths), 1)

    return count


def length_measure(directory: Path | None) -> Callable[[str], int]:
    """What counts the tokens of a text, by a model's tokenizer where it is on this machine."""
    if directory is None:
        # A Chinese character is about a token and takes three bytes, as many as a short word part.
        return lambda text: round(len(text.encode()) / CHARACTERS_A_TOKEN)
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def measure_speed(width: int, device: str = "cpu") -> Speed:
    """Time a product of a block's shape, and the optimiser, for a moment on a device.

    A CPU is timed on one thread by what that thread itself spends, which stays true while the
    machine is busy with other things; its other threads are counted in.
    """
    import torch

    tokens, inner = 640, 4 * width
    with torch.random.fork_rng(devices=[]):
        states = torch.randn(tokens, width, device=device)
        weights = torch.randn(width, inner, device=device)
    parameter = torch.zeros(4_000_000, device=device, requires_grad=True)
    parameter.grad = torch.ones_like(parameter)
    optimiser = torch.optim.AdamW([parameter])

    def finish() -> None:
        if device.startswith("cuda"):
            torch.cuda.synchronize()

    def multiply() -> None:
        with torch.no_grad():
            torch.mm(states, weights)
        finish()

    def optimise() -> None:
        optimiser.step()
        finish()

    threads = torch.get_num_threads() if device == "cpu" else 1
    clock = time.thread_time if device == "cpu" else time.perf_counter
    if device == "cpu":
        torch.set_num_threads(1)
    try:
        product, step = _usual_seconds(multiply, clock), _usual_seconds(optimise, clock)
    finally:
        if device == "cpu":
            torch.set_num_threads(threads)
    together = threads**GAIN_OF_THREADS
    return Speed(
        operations=together * 2.0 * tokens * width * inner / product,
        parameters=together * parameter.numel() / step,
    )


def _usual_seconds(act: Callable[[], None], clock: Callable[[], float]) -> float:
    """The median of some tries; the first, which is slower than any other, is left out."""
    act()
    taken = []
    for _ in range(TRIES):
        began = clock()
        act()
        taken.append(clock() - began)
    return sorted(taken)[TRIES // 2]


def estimate_seconds(
    plan: NliPlan, parts: Sequence[Part], size: ModelSize, tokens: TokenCounts, speed: Speed
) -> float:
    """The time that fine-tunings take with the settings of `plan`, starting up included."""
    operations = sum(part.runs * _operations(plan, part, size, tokens) for part in parts)
    shared = max((part.frozen for part in parts if part.shared), default=0)
    operations += 2 * size.block * shared * tokens.all  # each frozen block once, for all
    steps = -(-tokens.train_pairs // plan.batch_size) * plan.epochs
    optimised = sum(part.runs * steps * _learning(part, size, tokens) for part in parts)
    return speed.seconds(operations, optimised)


def _operations(plan: NliPlan, part: Part, size: ModelSize, tokens: TokenCounts) -> float:
    """Operations of one fine-tuning: training, checks, and the tests at the end."""
    above = size.n_layers - max(part.frozen, 0)
    trained = tokens.train * plan.epochs
    looked = tokens.dev * plan.checks + tokens.test * TESTS_OF_A_TARGET
    forward = (trained + looked) * (above if part.shared else size.n_layers)
    return 2 * size.block * (forward + 2 * trained * above)


def _learning(part: Part, size: ModelSize, tokens: TokenCounts) -> float:
    """Parameters that learn; of the embeddings only rows that occur (`embedding_rows`)."""
    blocks = size.block * (size.n_layers - max(part.frozen, 0))
    rows = ROWS_BY_TEXT * math.sqrt(tokens.all)
    return blocks + (min(size.embeddings, rows * size.width) if part.frozen < 0 else 0.0)
