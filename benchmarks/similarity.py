"""Similarity and retrieval side by side with peers, on the same arrays, in one run.

    python -m benchmarks.similarity [--clock processor] [--toy]

Peers are used when installed: `pip install --no-deps torch_cka sentence-transformers matplotlib`
(torch_cka imports matplotlib; both use the torch that is there). Absolute times mean little on a
busy machine; read the ratios, and there those of the processor. Every measure stands beside its
limit, the operations that it cannot do without (benchmarks/limits.py), each timed in turn with the
other. Values are compared too: a fast wrong answer is no answer.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import resource
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from benchmarks.arguments import read_arguments
from benchmarks.limits import LIMITS
from isogloss.measures.sentence_retrieval import score_pairs
from isogloss.measures.similarity.comparison import compare_layers, contributions
from isogloss.measures.stacks import Array


@dataclass(frozen=True)
class Timing:
    """What a run gave and what it cost, in seconds of the clock and of the processor."""

    result: Any
    clock: float
    processor: float


def measure(run: Callable[[], Any], repeats: int = 1) -> Timing:
    """Run something and keep its fastest time."""
    timings = []
    for _ in range(repeats):
        clock, processor = time.perf_counter(), time.process_time()
        result = run()
        timings.append(Timing(result, time.perf_counter() - clock, time.process_time() - processor))
    return min(timings, key=lambda timing: timing.clock)


def report(name: str, timing: Timing, ours: Timing, note: str = "") -> None:
    """Print one line: how many times our time a run took."""
    print(
        f"{name:<44}{timing.clock:>9.2f} s {timing.processor:>9.2f} s"
        f"{timing.clock / ours.clock:>9.2f} x{timing.processor / ours.processor:>9.2f} x  {note}",
        flush=True,
    )


def heading(title: str) -> None:
    """Print the head of a table."""
    print(f"\n{title}\n{'':<44}{'clock':>11} {'processor':>11}{'clock':>11}{'processor':>11}")


def plain_debiased_gram(X: Array) -> Array:
    """Return the U-centred Gram matrix, in double precision, as the papers write it."""
    gram = X.astype(np.float64) @ X.T.astype(np.float64)
    n = len(gram)
    np.fill_diagonal(gram, 0)
    means = gram.sum(0) / (n - 2)
    means -= means.sum() / (2 * (n - 1))
    gram -= means[:, None]
    gram -= means
    np.fill_diagonal(gram, 0)
    return gram


def plain_cka(K: Array, L: Array) -> float:
    """Return the cosine of two centred Gram matrices."""
    return float(K.ravel() @ L.ravel() / np.linalg.norm(K) / np.linalg.norm(L))


def plain_pair_by_pair(stack_a: Array, stack_b: Array) -> Array:
    """Compare all pairs by calling a function of two arrays, as most code does."""
    return np.array(
        [
            [plain_cka(plain_debiased_gram(X), plain_debiased_gram(Y)) for Y in stack_b]
            for X in stack_a
        ]
    )


def plain_grams_kept(stack_a: Array, stack_b: Array) -> Array:
    """Compare all pairs with every Gram matrix computed once and kept: much memory, less time."""
    grams_a = [plain_debiased_gram(X) for X in stack_a]
    grams_b = [plain_debiased_gram(Y) for Y in stack_b]
    return np.array([[plain_cka(K, L) for L in grams_b] for K in grams_a])


def torch_cka_values(stack_a: Array, stack_b: Array) -> Array:
    """Have torch_cka see the layers as those of two models fed one batch."""
    import torch
    from torch_cka import CKA

    class Replay(torch.nn.Module):
        def __init__(self, layers: int) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Identity() for _ in range(layers))

        def forward(self, batch: torch.Tensor) -> torch.Tensor:
            for index, layer in enumerate(self.layers):
                layer(batch[:, index])
            return batch

    def batches(stack: Array) -> Any:
        rows = torch.from_numpy(np.ascontiguousarray(stack.transpose(1, 0, 2)))
        dataset = torch.utils.data.TensorDataset(rows)
        return torch.utils.data.DataLoader(dataset, batch_size=len(rows))

    names = [[f"layers.{index}" for index in range(len(stack))] for stack in (stack_a, stack_b)]
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        cka = CKA(
            Replay(len(stack_a)),
            Replay(len(stack_b)),
            "first",
            "second",
            model1_layers=names[0],
            model2_layers=names[1],
        )
        cka.compare(batches(stack_a), batches(stack_b))
    return np.asarray(cka.export()["CKA"])


def make_stacks(layers: int, rows: int, width: int) -> tuple[Array, Array]:
    """Return two stacks whose layers agree more towards the middle."""
    generator = np.random.default_rng(0)
    shared = generator.normal(size=(rows, 64)).astype(np.float32)
    stacks = []
    for _ in range(2):
        noise = generator.normal(size=(layers, rows, width)).astype(np.float32)
        directions = generator.normal(size=(layers, 64, width)).astype(np.float32)
        strength = np.sin(np.linspace(0.2, 2.6, layers, dtype=np.float32))[:, None, None]
        stacks.append(noise + strength * (shared @ directions) / 4)
    return stacks[0], stacks[1]


def compare_similarity(layers: int, rows: int, width: int) -> None:
    """Time all pairs of layers, debiased linear CKA, and what the intervals add."""
    stack_a, stack_b = make_stacks(layers, rows, width)
    heading(f"Debiased CKA of {layers} x {layers} layers, n = {rows}, d = {width}")
    ours = measure(lambda: compare_layers(stack_a, stack_b), repeats=3)
    report("isogloss, with 1,000 resamples and baseline", ours, ours)
    limit = LIMITS["debiased_cka"]
    report(f"limit: {limit.what}", measure(lambda: limit.run(stack_a, stack_b), repeats=3), ours)

    shares = measure(lambda: contributions(stack_a, stack_b), repeats=3)
    report("isogloss, values alone", shares, ours)
    intervals = measure(shares.result.intervals, repeats=3)
    share = intervals.processor / shares.processor
    report("isogloss, 1,000 resamples alone", intervals, ours, f"{share:.2f} of one evaluation")

    peers: dict[str, Callable[[Array, Array], Array]] = {
        "plain Gram matrices, each kept": plain_grams_kept,
        "plain Gram matrices, pair by pair": plain_pair_by_pair,
    }
    if importlib.util.find_spec("torch_cka"):
        importlib.import_module("torch_cka")  # not part of its time
        peers["torch_cka"] = torch_cka_values
    else:
        print("torch_cka is not installed: left out.")
    for name, peer in peers.items():
        timing = measure(lambda peer=peer: peer(stack_a, stack_b))
        apart = np.abs(timing.result - ours.result.values).max()
        report(name, timing, ours, f"differs by at most {apart:.0e}")


def compare_with_limits(layers: int, rows: int, width: int, clock: str, repeats: int) -> None:
    """Print how many times its limit every measure costs, intervals and baseline included."""
    stack_a, stack_b = make_stacks(layers, rows, width)
    print(
        f"\nEvery measure and its limit: {layers} x {layers} layers, n = {rows}, d = {width}; "
        f"median of {repeats} turns, {clock} time"
    )
    for name, limit in LIMITS.items():
        turns = []
        for _ in range(repeats):
            ours = measure(lambda name=name: compare_layers(stack_a, stack_b, name))
            least = measure(lambda limit=limit: limit.run(stack_a, stack_b))
            turns.append((getattr(ours, clock), getattr(least, clock)))
        seconds = median(own for own, _ in turns)
        times = median(own / least for own, least in turns)
        print(f"{name:<20}{seconds:>9.3f} s{times:>9.2f} x the limit: {limit.what}", flush=True)


def peak_megabytes() -> float:
    """Return the most memory this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class _Encoded:
    """What TranslationEvaluator needs of a model: vectors that are already there."""

    def __init__(self, vectors: dict[str, Any]) -> None:
        self.vectors = vectors
        self.model_card_data = self

    def encode(self, sentences: list[str], **_: Any) -> list[Any]:
        return [self.vectors[sentence] for sentence in sentences]

    def set_evaluation_metrics(self, *_: Any) -> None:
        """The evaluator files its result in the model's card; there is none."""


def translation_evaluator(X: Array, Y: Array) -> Callable[[], list[float]]:
    """Return sentence-transformers' evaluator on ready vectors: accuracy in both directions."""
    import torch
    from sentence_transformers.sentence_transformer.evaluation import TranslationEvaluator

    sources, targets = [f"s{i}" for i in range(len(X))], [f"t{i}" for i in range(len(Y))]
    vectors = dict(zip(sources, torch.from_numpy(X), strict=True))
    vectors |= dict(zip(targets, torch.from_numpy(Y), strict=True))
    evaluator = TranslationEvaluator(sources, targets, write_csv=False)
    model = _Encoded(vectors)

    def run() -> list[float]:
        found = evaluator(model)  # type: ignore[arg-type]
        return [found["src2trg_accuracy"], found["trg2src_accuracy"]]

    return run


def compare_retrieval(rows: int, width: int) -> None:
    """Time retrieval in both directions, and how much memory it takes."""
    generator = np.random.default_rng(1)
    X = generator.normal(size=(rows, width)).astype(np.float32)
    Y = X + 6 * generator.normal(size=X.shape).astype(np.float32)
    heading(f"Retrieval of {rows} among {rows}, d = {width}, both directions")
    before = peak_megabytes()
    ours = measure(lambda: score_pairs(X, Y, "cosine"), repeats=2)
    accuracy = [float(ranks.within(1).mean()) for ranks in ours.result]
    added = peak_megabytes()
    report("isogloss, cosine, ranks", ours, ours, f"+{added - before:.0f} MB")
    for score in ("csls", "margin"):
        timing = measure(lambda score=score: score_pairs(X, Y, score))
        report(f"isogloss, {score}, ranks", timing, ours, f"+{peak_megabytes() - before:.0f} MB")
    if not importlib.util.find_spec("sentence_transformers"):
        print("sentence-transformers is not installed: left out.")
        return
    evaluate = translation_evaluator(X, Y)
    before = peak_megabytes()
    timing = measure(evaluate)
    apart = max(abs(a - b) for a, b in zip(timing.result, accuracy, strict=True))
    note = f"+{peak_megabytes() - before:.0f} MB more, accuracy differs by {apart:.0e}"
    report("sentence-transformers TranslationEvaluator", timing, ours, note)


def main(words: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=13)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--search", type=int, default=10_000, help="rows to search among")
    parser.add_argument(
        "--clock",
        choices=("clock", "processor"),
        default="clock",
        help="what the ratios to the limits are of; on a busy machine, of the processor's time",
    )
    parser.add_argument("--turns", type=int, default=5, help="of each measure and its limit")
    parser.add_argument("--only-limits", action="store_true", help="leave the peers out")
    arguments = read_arguments(parser, words, layers=3, rows=40, width=12, search=60, turns=1)
    size = arguments.layers, arguments.rows, arguments.width
    if not arguments.only_limits:
        compare_retrieval(arguments.search, arguments.width)
        compare_similarity(*size)
    compare_with_limits(*size, arguments.clock, arguments.turns)


if __name__ == "__main__":
    main()
