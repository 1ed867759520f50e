"""The river as curves with intervals over words, and the one sentence that it comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from isogloss.formatting import percent
from isogloss.inner_language.random_weights import RandomRiverAnswer
from isogloss.inner_language.river import ENGLISH, OTHERS, RiverAnswer
from isogloss.inner_language.word_tokens import SCRIPTS
from isogloss.measures.uncertainty import LEVEL, percentile_interval, resample_counts
from isogloss.options import Choice
from isogloss.text.language_names import language_name

Reading = Literal["share", "curves", "log-odds", "script", "entropy"]
READINGS: dict[Reading, Choice] = {
    "share": Choice(
        "Bands", "the probability of the first tokens of each language's word, one upon the other"
    ),
    "curves": Choice("Curves", "the same, each with its 95 % interval over words"),
    "log-odds": Choice(
        "Log-odds", "the median word's log of p over 1 − p, which few words hardly move"
    ),
    "script": Choice("Script", "of all tokens written in it, whatever they mean"),
    "entropy": Choice("Entropy", "how undecided the layer is, in bits"),
}
READABLE = 0.05
"""Where all listed words together have less, no language is said to lead."""
_TINY = 1e-6

Array = np.ndarray


@dataclass(frozen=True)
class Band:
    """One curve over the L + 1 layers: its mean or median, and the interval over words."""

    name: str
    values: Array
    low: Array
    high: Array


def bands(answer: RiverAnswer, reading: Reading = "share") -> list[Band]:
    """The curves of a reading, source, target, English, others."""
    if reading == "entropy":
        return [interval_band("Entropy", answer.entropy.astype(np.float64), "mean")]
    if reading == "script":
        scripts = answer.scripts.astype(np.float64)
        shown = [i for i in range(len(SCRIPTS)) if scripts[:, :, i].mean(1).max() >= 0.01]
        return [interval_band(SCRIPTS[i], scripts[:, :, i], "mean") for i in shown]
    found = []
    for place, language in enumerate(answer.languages):
        mass = answer.mass[:, :, place].astype(np.float64)
        if reading == "log-odds":
            mass = np.clip(mass, _TINY, 1 - _TINY)
            mass = np.log(mass / (1 - mass))
        found.append(
            interval_band(title(language), mass, "median" if reading == "log-odds" else "mean")
        )
    return found


def order_of_bands(languages: tuple[str, ...]) -> list[int]:
    """The places of languages from the bottom up: what is given, English, what is asked for."""
    first, last = 0, languages.index(OTHERS)
    middle = [place for place in range(1, last) if languages[place] == ENGLISH]
    rest = [place for place in range(1, last) if languages[place] != ENGLISH]
    return [first, *middle, *rest, last]


def title(language: str) -> str:
    """What a band is called."""
    return "Other languages" if language == OTHERS else language_name(language)


def interval_band(name: str, values: Array, middle: Literal["mean", "median"] = "mean") -> Band:
    """Values (layers, words): their middle, and how far it moves with other words."""
    n = values.shape[1]
    if middle == "mean":
        weights = resample_counts(n) / n
        low, high = percentile_interval(weights @ values.T)
        return Band(name, values.mean(1), low, high)
    drawn = np.random.default_rng(0).integers(0, n, (400, n))
    low, high = percentile_interval(np.median(values[:, drawn], 2).T)
    return Band(name, np.median(values, 1), low, high)


@dataclass(frozen=True)
class Lead:
    """Where a language leads all others, its interval clear of theirs; `best` is its best there."""

    language: str
    layers: tuple[int, ...]
    best: int
    share: float
    low: float
    high: float


def leads(answer: RiverAnswer) -> list[Lead]:
    """For each language but the others the layers at which it leads."""
    mass = answer.mass.astype(np.float64)
    n = mass.shape[1]
    drawn = np.einsum("sw,lwk->slk", resample_counts(n) / n, mass)
    total = mass.sum(2).mean(1)
    found = []
    for place, language in enumerate(answer.languages[:-1]):
        ahead = drawn[:, :, place] - np.delete(drawn, place, axis=2).max(2)
        low, _ = percentile_interval(ahead)
        layers = np.flatnonzero((low > 0) & (total >= READABLE))
        if not len(layers):
            continue
        best = int(layers[mass[layers, :, place].mean(1).argmax()])
        ends = percentile_interval(drawn[:, best, place])
        share = float(mass[best, :, place].mean())
        found.append(Lead(language, tuple(map(int, layers)), best, share, *map(float, ends)))
    return sorted(found, key=lambda each: each.layers[0])


def opening_layer(answer: RiverAnswer) -> int:
    """The layer to look at first: where English has most, or the top if it is asked for."""
    place = answer.languages.index(ENGLISH)
    if place < 2 and len(answer.languages) < 4:
        return answer.n_layers
    return int(answer.mass[:, :, place].astype(np.float64).mean(1).argmax())


def finding(answer: RiverAnswer, random: RandomRiverAnswer | None = None) -> str:
    """What the river comes to, in one sentence, and what is read where nothing was learnt."""
    n = len(answer.words)
    found = leads(answer)
    if not found:
        return (
            f"No language leads at any layer: the words asked for have too little of what this "
            f"model would say ({n} words)."
        )
    parts = [
        f"{title(each.language)} leads {_layers(each.layers)} "
        f"({_share(each.share)} at {each.best}, {_share(each.low)} to {_share(each.high)})"
        for each in found
    ]
    said = "; ".join(parts)
    if ENGLISH in answer.languages and all(each.language != ENGLISH for each in found):
        place = answer.languages.index(ENGLISH)
        curve = answer.mass[:, :, place].astype(np.float64).mean(1)
        said += (
            f"; English nowhere (at most {_share(float(curve.max()))}, at {int(curve.argmax())})"
        )
    return f"{said}. {n} words, {percent(LEVEL, 0)} intervals; {_without_learning(answer, random)}."


def _without_learning(answer: RiverAnswer, random: RandomRiverAnswer | None) -> str:
    """The most that any language has at any layer where there is nothing to be seen."""
    shuffled = f"with shuffled words at most {_share(float(answer.null.max()))}"
    if random is None:
        return shuffled
    return f"{shuffled}, in a random model {_share(float(random.mass.max()))}"


def _layers(layers: tuple[int, ...]) -> str:
    """Layers as people list them: "at layer 5", "at layers 3, 7 to 9"."""
    runs: list[list[int]] = []
    for layer in layers:
        if runs and layer == runs[-1][-1] + 1:
            runs[-1].append(layer)
        else:
            runs.append([layer])
    said = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return f"at layer{'s' if len(layers) > 1 else ''} {', '.join(said)}"


def _share(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def caveat(answer: RiverAnswer) -> str:
    """What these numbers rest on."""
    left_out = f"{len(answer.dropped)} had none and are" if answer.dropped else "none was"
    return (
        f"{len(answer.words)} words have tokens of their own in every language compared; "
        f"{left_out} left out."
    )
