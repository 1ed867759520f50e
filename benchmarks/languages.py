"""All pairs of many languages at every layer, beside the matrix products that none can do without.

`python -m benchmarks.languages`: 15 languages × 1,000 rows × 13 layers of 384 features, random
numbers. The products alone are those of all rows of two languages, once a pair and layer; what is
measured searches both ways, in the coordinates of each pair.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from benchmarks.arguments import read_arguments
from isogloss.measures.languages.pairs import found_shares
from isogloss.measures.languages.sides import all_there
from isogloss.measures.stacks import Array

TARGETS = {"cosine": 1.5, "csls": 3.0}


def products_alone(vectors: Array) -> None:
    for one, other in combinations(range(len(vectors)), 2):
        vectors[one] @ vectors[other].T


def seconds_of(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.languages")
    parser.add_argument("--languages", type=int, default=15)
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--layers", type=int, default=13)
    arguments = read_arguments(parser, words, languages=3, rows=20, width=8, layers=2)
    shape = (arguments.languages, arguments.rows, arguments.width)
    generator = np.random.default_rng(0)
    times: dict[str, list[float]] = {"products": [], "cosine": [], "csls": []}
    for layer in range(arguments.layers + 1):
        vectors = generator.standard_normal(shape, np.float32)
        sides = all_there(vectors)
        found = {
            "products": seconds_of(lambda vectors=vectors: products_alone(vectors)),
            "cosine": seconds_of(lambda sides=sides: found_shares(sides, "cosine")),
            "csls": seconds_of(lambda sides=sides: found_shares(sides, "csls")),
        }
        for name, seconds in found.items() if layer else ():  # the first warms up
            times[name].append(seconds)
    least = {name: float(np.median(seconds)) for name, seconds in times.items()}
    print(
        f"{shape[0]} languages × {shape[1]:,} rows × {shape[2]}, {arguments.layers} layers, median"
    )
    print(f"matrix products alone: {1000 * least['products']:.0f} ms a layer")
    for name, target in TARGETS.items():
        ratio = least[name] / least["products"]
        print(f"{name}: {1000 * least[name]:.0f} ms a layer, {ratio:.2f} × (target {target} ×)")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
