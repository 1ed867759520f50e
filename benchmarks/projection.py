"""Does one layer flow into the next, and what does that cost the picture?

    OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 python -m benchmarks.projection
    python -m benchmarks.projection --source states.npz --methods tsne --clock cpu
    python -m benchmarks.projection --source generated --layers 13 --large 6000 60000
    python -m benchmarks.projection --toy

For each method, three layouts of the same points: every layer fitted *alone*, the same *turned*
onto its neighbour, and *flowing* as `project_layers` lays it out. Movement is the mean distance a
point goes from one layer to the next, in units of the picture's root mean square radius; kept is
the share of each point's 10 nearest neighbours in the full space that the picture keeps, and worst
the largest loss at one layer against the layer fitted alone.

With `--large`, maps of so many words are laid out by the way for many points: seconds to the first
layer and to all, processor seconds, and neighbours kept at all layers. Then, of a sample of the
words at the middle layer, the neighbours that it keeps as part of the map, laid out alone by the
way for many, and laid out alone by the exact way.

The source is the newest study in the store (the demo, in a fresh copy), the key of another, an
.npz file with `states` (layers, points, features), or `generated`: words of two languages through a
random residual network.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.arguments import read_arguments
from isogloss.measures.coordinates import Coordinates
from isogloss.measures.projection.layout import FittedLayers, ProjectionOptions, project_layers
from isogloss.measures.projection.methods import DEFAULT_PROJECTION, PROJECTIONS
from isogloss.measures.projection.neighbourhoods import neighbourhood_preservation
from isogloss.measures.projection.turning import lay_together, mean_movement
from isogloss.measures.stacks import Array, Stack, read_layer

# Processor time counts processes that have ended, too, in which large maps and UMAP are fitted.
CLOCKS = {"wall": time.perf_counter, "cpu": lambda: sum(os.times()[:4])}
SAMPLE = 3_000
ALLOWED_LOSS = 0.03


@dataclass(frozen=True)
class Result:
    """A layout's movement (in radii), preservation by layer, and seconds."""

    movement: float
    preservation: Array
    seconds: float


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", default="newest", help="newest, KEY, FILE.npz or generated")
    parser.add_argument("--points", type=int, default=1_000)
    parser.add_argument("--layers", type=int, default=7, help="of generated states")
    parser.add_argument("--methods", nargs="+", choices=PROJECTIONS, default=list(PROJECTIONS))
    parser.add_argument("--large", type=int, nargs="+", help="words of large maps")
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    options = read_arguments(
        parser, words, source="generated", points=40, layers=2, methods=["pca", "tsne"]
    )
    if options.large:
        method = DEFAULT_PROJECTION if DEFAULT_PROJECTION in options.methods else options.methods[0]
        large_maps(options.source, options.large, options.layers, method)
        return
    stack, name = read_source(options.source, options.points, options.layers)
    print(f"{name}: {len(read_layer(stack[0]))} points at {len(stack)} layers\n")
    print("| method | layout | movement | kept | worst | seconds |\n|---|---|--:|--:|--:|--:|")
    for method in options.methods:
        compare(method, stack, CLOCKS[options.clock])


def compare(method: str, stack: Stack, clock: Callable[[], float]) -> None:
    """Print a row for each layout of one method."""
    settings = ProjectionOptions(method)
    # The first fit compiles what UMAP needs.
    project_layers([np.random.default_rng(0).normal(size=(20, 5))] * 2, settings)
    start = clock()
    separate = [project_layers([layer], settings) for layer in stack]
    seconds = clock() - start
    kept = np.concatenate([layout.preservation for layout in separate])
    layouts = [layout.positions[0] for layout in separate]
    start = clock()
    flowing = project_layers(stack, settings)
    results = {
        "alone": Result(movement_in_radii(lay_together(layouts, turn=False)), kept, seconds),
        "alone, turned": Result(movement_in_radii(lay_together(layouts)), kept, seconds),
        "flowing": Result(
            movement_in_radii(flowing.positions), flowing.preservation, clock() - start
        ),
    }
    for layout, result in results.items():
        loss = (kept - result.preservation).max()
        print(
            f"| {PROJECTIONS[method].title} | {layout} | {result.movement:.3f} "
            f"| {result.preservation.mean():.3f} | {loss:.3f} | {result.seconds:.1f} |",
            flush=True,
        )
    if kept.mean() - results["flowing"].preservation.mean() > ALLOWED_LOSS:
        print(f"\n{method} loses more than {ALLOWED_LOSS} of the neighbours by flowing.\n")


def large_maps(source: str, sizes: list[int], layers: int, method: str) -> None:
    """Print a row for each size: how long the first layer and all take, and what they keep."""
    print(
        "| words | layers | first layer, s | all, s | processor, s | kept "
        "| sample: in the map / alone / exact |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for size in sizes:
        stack, _ = read_source(source, size, layers)
        times: list[float] = []
        start, spent = time.perf_counter(), CLOCKS["cpu"]()

        def on_layers(fitted: FittedLayers) -> None:
            times.append(time.perf_counter() - start)  # noqa: B023
            shown = len(fitted.positions)
            print(f"{shown} layers after {times[-1]:.0f} s", file=sys.stderr)  # noqa: B023

        layout = project_layers(
            stack,
            ProjectionOptions(method),
            on_layers=on_layers,
            most_exact=0,
        )
        total, spent = time.perf_counter() - start, CLOCKS["cpu"]() - spent
        middle = read_layer(stack[len(stack) // 2])
        step = max(1, len(middle) // SAMPLE)
        sample = middle[::step].astype(np.float64)
        sample /= np.linalg.norm(sample, axis=1, keepdims=True)
        inside = neighbourhood_preservation(sample, layout.positions[len(stack) // 2, ::step])
        alone, exact = (
            project_layers([sample], ProjectionOptions(method), most_exact=most).preservation[0]
            for most in (0, len(middle))
        )
        print(
            f"| {len(middle):,} | {len(stack)} | {times[0]:.0f} | {total:.0f} | {spent:.0f} "
            f"| {layout.preservation.mean():.3f} | {inside:.3f} / {alone:.3f} / {exact:.3f} |",
            flush=True,
        )


def movement_in_radii(positions: Array) -> float:
    """Return the mean movement between neighbouring layers, over the root mean square radius."""
    radius = np.sqrt((positions.astype(float) ** 2).sum(axis=2).mean())
    return float(mean_movement(positions).mean() / radius)


def read_source(source: str, points: int, layers: int) -> tuple[Stack, str]:
    """Return a stack of so many points, and what it is."""
    if source == "generated":
        return generate(points, layers), "generated words"
    if source.endswith(".npz"):
        return np.load(source)["states"][:, :points], Path(source).name
    from isogloss.store import Store
    from isogloss.studies.pooling import point_table, point_vectors
    from isogloss.studies.study import list_studies, open_study

    store = Store()
    studies = list_studies(store)
    if source == "newest" and not studies:
        return generate(points, layers), "generated words (the store holds no study)"
    study = studies[0] if source == "newest" else open_study(store, source)
    every = point_table(study, "word", np.arange(len(study.bitext)), punctuation=False)
    sentences = np.arange(min(len(study.bitext), -(-points * len(study.bitext) // len(every))))
    table = point_table(study, "word", sentences, punctuation=False)
    positions: Coordinates = "standardised"
    stack = [
        partial(point_vectors, study, layer, table, positions) for layer in range(study.n_states)
    ]
    return stack, study.title


def generate(points: int, layers: int, width: int = 384) -> list[Array]:
    """Return float16 states of `points` words, half of each language, through random layers.

    Translations share a meaning out of a hundred topics; each block adds a random nonlinear update
    of half the state's size, so that neighbourhoods change a little at every layer.
    """
    random = np.random.default_rng(0)
    meanings = 1.5 * random.normal(size=(100, width))[random.integers(100, size=points // 2)]
    meanings += random.normal(size=meanings.shape)
    sides = np.repeat([0, 1], len(meanings))
    states = np.concatenate([meanings, meanings]) + 0.6 * random.normal(size=(len(sides), width))
    states += 3 * random.normal(size=(2, width))[sides]
    stack = []
    for _ in range(layers):
        stack.append(states.astype(np.float16))
        update = np.tanh(states @ random.normal(size=(width, width)) / width**0.5)
        update = update @ random.normal(size=(width, width)) / width**0.5
        states = states + 0.5 * update * np.linalg.norm(states) / np.linalg.norm(update)
    return stack


if __name__ == "__main__":
    main()
