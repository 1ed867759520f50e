"""What is said of many languages: sentences that are computed from answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isogloss.formatting import percent
from isogloss.measures.coordinates import Coordinates
from isogloss.measures.languages.company import Company
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import wilson_interval
from isogloss.models.states import LayerStates
from isogloss.studies.languages.questions import DISTANCES, Distance, Trees

SIGNIFICANT = 0.05
FEW_ROWS = 30


def say_company(company: Company, states: LayerStates, languages: int) -> str:
    """By meaning or by language: where the one takes over from the other."""
    about = f"among {company.sentences:,} sentences in {languages} languages"
    leads = company.translation > company.own
    if not leads.any():
        return (
            f"By language: at no layer is a sentence's nearest neighbour, {about}, more often a "
            f"translation than a sentence of its own language (at most "
            f"{percent(float(company.translation.max()), 0)})."
        )
    best = int(company.translation.argmax())
    share, low, high = (
        percent(float(each[best]), 0)
        for each in (company.translation, company.translation_low, company.translation_high)
    )
    most = f"{share} ({low} to {high}) of nearest neighbours are translations {states.place(best)}"
    if leads.all():
        return f"By meaning, from the first layer on: {most}, {about}."
    first = int(np.argmax(leads))
    again = "" if company.crossing.for_good else ", though not at all layers above"
    return (
        f"By language up to {_name(states, first - 1)}, by meaning from {_name(states, first)} on"
        f"{again}: {most}, {about}."
    )


def say_of_languages(shares: Array, languages: Sequence[str]) -> list[list[str]]:
    """Whose company each language's sentences keep, (L, K, 2), for each language and layer."""

    def say(language: str, translation: float, own: float) -> str:
        if not np.isfinite(translation):
            return ""
        return (
            f"Nearest is a translation for {percent(translation, 0)}, another sentence in "
            f"{language} for {percent(own, 0)}."
        )

    return [
        [say(language, *layer) for layer in shares[:, side].tolist()]
        for side, language in enumerate(languages)
    ]


def say_crossing(company: Company) -> str:
    """Where the two shares cross, with the interval over sentences."""
    crossing = company.crossing
    if not np.isfinite(crossing.layer) or not np.isfinite(crossing.low):
        return ""
    if np.isfinite(crossing.high):
        ends = f"{crossing.low:.1f} to {crossing.high:.1f}"
    else:
        ends = f"{crossing.low:.1f} upwards, as some resampled texts never cross"
    return (
        f"They cross at {crossing.layer:.1f} ({percent(crossing.level, 0)} interval over "
        f"{company.rows:,} sentences resampled: {ends})."
    )


def say_random(random: Company | None) -> str:
    """What the same network does with random weights, which no reading of a text explains."""
    if random is None:
        return (
            "No study of this text by the model with random weights is here to compare with: "
            "add one, as random:NAME."
        )
    if (random.translation > random.own).any():
        return (
            "**With random weights translations lead at some layer, too**: spelling that languages "
            "share does that much alone."
        )
    most, least = percent(float(random.translation.max()), 0), percent(float(random.own.min()), 0)
    return (
        f"With random weights it is a translation for at most {most} and its own language for at "
        f"least {least}, at every layer."
    )


def say_if_few_rows(rows: int) -> str:
    """What so few sentences cannot show."""
    if rows >= FEW_ROWS:
        return ""
    lowest, _ = wilson_interval(rows, rows)
    return (
        f"{rows} sentences a language are few: where all find their translation, the 95 % interval "
        f"still goes down to {percent(float(lowest), 0)}."
    )


def say_coordinates(coordinates: Coordinates, of_pairs: bool = False) -> str:
    """Over what the mean and the deviation are taken: of each two languages, or of all as the
    map's are."""
    if coordinates == "raw":
        return "Coordinates are the model's own, as on the map."
    if coordinates == "standardised":
        common, own = "mean and deviation", "mean and the deviation of both"
    else:
        common = own = "mean"
    if not of_pairs:
        return f"Coordinates take {common} over all languages."
    return (
        f"For every two languages coordinates take each one's own {own}; on the map they take "
        f"{common} over all languages."
    )


def say_coordinates_of_tree(coordinates: Coordinates, distance: Distance) -> str:
    """The same of what a tree is made from."""
    return say_coordinates(coordinates, of_pairs=distance != "means")


def say_tree(trees: Trees, random: Trees | None, distance: Distance, states: LayerStates) -> str:
    """Whether the tree knows families: where it agrees best, and what random weights give."""
    what = DISTANCES[distance].title.lower()
    if not np.isfinite(trees.correlation).any():
        return f"Too few of the languages have a family that is known here to judge {what} by."
    best = int(np.nanargmax(trees.correlation))
    worst = int(np.nanargmin(trees.correlation))
    looked_at = int(np.isfinite(trees.correlation).sum())
    p = min(1.0, looked_at * float(trees.p_value[best]))  # Bonferroni's, for choosing the best
    said = (
        f"The tree of {what} agrees best with the families {states.place(best)} "
        f"(r = {trees.correlation[best]:.2f}, p = {p:.2g} as the best of {looked_at}) "
        f"and least {states.place(worst)} ({trees.correlation[worst]:.2f})"
    )
    if random is not None and np.isfinite(random.correlation).any():
        said += f"; with random weights r is at most {np.nanmax(random.correlation):.2f}"
    return f"{said}."


def say_tree_here(trees: Trees, layer: int, states: LayerStates) -> str:
    """How the tree on show agrees, against languages dealt out at random."""
    r, p = trees.correlation[layer], trees.p_value[layer]
    if not np.isfinite(r):
        return ""
    chance = "more than chance" if p < SIGNIFICANT else "no more than chance would"
    return (
        f"{states.place(layer).capitalize()}: r = {r:.2f}, {chance} (p = {p:.2g} over dealings of "
        f"{trees.placed} languages to its leaves, this layer alone)."
    )


def best_layers(shares: Array) -> list[int]:
    """The layer at which each language (K, L) is found best, the first of equals; −1 for none."""
    return [int(np.nanargmax(row)) if np.isfinite(row).any() else -1 for row in shares]


def say_extremes(values: Array, names: Sequence[str], both: bool) -> str:
    """The two pairs that agree most and least at a layer, (K, K)."""
    count = len(names)
    cells = [
        (float(values[i, j]), i, j)
        for i in range(count)
        for j in range(count)
        if i != j and np.isfinite(values[i, j]) and (both or i < j)
    ]
    if not cells:
        return "No two languages have enough sentences in common."
    joined = " to " if both else " and "

    def say(value: float) -> str:
        ties = [cell for cell in cells if np.isclose(cell[0], value)]
        example = f"{names[ties[0][1]]}{joined}{names[ties[0][2]]}"
        return example if len(ties) == 1 else f"{len(ties)} pairs"

    high, low = max(cells)[0], min(cells)[0]
    return f"Highest {high:.2f}: {say(high)}. Lowest {low:.2f}: {say(low)}."


def say_counts(rows: Array, in_cells: bool) -> str:
    """How many sentences values rest on, (K, K), where that differs; `in_cells` if they say it."""
    between = rows[~np.eye(len(rows), dtype=bool)]
    fewest, most = int(between.min()), int(between.max())
    if fewest == most:
        return ""
    where = "small in each cell" if in_cells else "point at a cell"
    return f"n, the sentences that two languages have in common ({where}): {fewest:,} to {most:,}."


def _name(states: LayerStates, layer: int) -> str:
    name = states.title(layer)
    return name[:1].lower() + name[1:]
