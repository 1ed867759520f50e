"""What a run of re-initialised layers shows, in sentences that follow from its figures alone."""

from __future__ import annotations

from components.shared.markdown import language_name
from isogloss.formatting import listed, percent, points
from isogloss.lab.layers_needed.plan import FULL, LayerGroup, group_name
from isogloss.lab.layers_needed.results import (
    Halves,
    LayerSimilarities,
    LayersNeededResults,
    Trend,
)
from isogloss.measures.uncertainty import Estimate
from isogloss.text import language_names
from isogloss.text.nli import CHANCE


def verdict(found: LayersNeededResults) -> str:
    """Does this run show a lower part that transfer needs and an upper part that it does not?

    A sentence is said once, of all the languages that it holds for.
    """
    alike: dict[str, list[str]] = {}
    for language in found.targets:
        for sentence in _sentences(found, language):
            alike.setdefault(sentence, []).append(language_name(language))
    said = [sentence.format(listed(names)) for sentence, names in alike.items()]
    return " ".join([*said, *_of_the_source(found)])


def headline(found: LayersNeededResults) -> str:
    """The finding in one sentence: languages of which the same is to be said are said together."""
    alike: dict[str, list[str]] = {}
    for language in found.targets:
        alike.setdefault(_outcome(found, language), []).append(f"**{language_name(language)}**")
    sentence = "; ".join(outcome.format(listed(names)) for outcome, names in alike.items())
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _outcome(found: LayersNeededResults, language: str) -> str:
    """Which layers transfer to a language needs, {} in the place of its name."""
    halves = found.halves(language)
    if halves is None:
        return "not enough is finished to compare the halves of the model in {}"
    if not found.is_above_chance(language):
        return "{} is too close to chance, even in the full model, to have much to lose"
    if halves.difference.above_zero:
        return "transfer to {} needs the lower half of the model more than the upper"
    if halves.difference.below_zero:
        return "transfer to {} needs the upper half of the model more than the lower"
    if _falls(found, language):
        return "in {} layers cost less the deeper they are"
    if not halves.difference.has_interval:
        return "with one seed the two halves cannot be told apart in {}"
    return "what the two halves cost in {} cannot be told apart"


def _of_the_source(found: LayersNeededResults) -> list[str]:
    """What forgetting costs the language of training is not for want of transfer."""
    own = found.halves(found.source) if found.source in found.languages else None
    if own is None or not any(_dear_below(found, code) for code in found.targets):
        return []
    if not _dear_below(found, found.source):
        return []
    return [
        f"{language_name(found.source)} itself loses {points(own.lower.mean)} points a block of "
        "the lower half, so it is not transfer alone that needs it."
    ]


def _dear_below(found: LayersNeededResults, language: str) -> bool:
    """Whether it is said of a language that lower layers cost more."""
    halves = found.halves(language)
    if halves is None or not found.is_above_chance(language):
        return False
    return halves.difference.above_zero or _falls(found, language)


def _falls(found: LayersNeededResults, language: str) -> bool:
    trend = found.trend(language)
    return trend is not None and trend.falls


def _sentences(found: LayersNeededResults, language: str) -> tuple[str, ...]:
    """What is to be said of a language, {} in the place of its name."""
    halves = found.halves(language)
    if halves is None:
        return ("Not enough is finished to compare the lower half of the model with the upper.",)
    if not found.is_above_chance(language):
        return (
            "This run cannot tell which layers transfer to {} needs: even the full model is not "
            "clearly above chance there, so there is little to lose.",
        )
    falls = _falls(found, language)
    shape = ("The deeper the layers that are forgotten, the less it costs in {}.",) if falls else ()
    if not halves.difference.has_interval:
        return (
            *shape,
            "With one seed this run cannot tell the two halves apart: a difference needs several, "
            "so that chance can be seen.",
        )
    if halves.difference.above_zero:
        needed = "This run shows that transfer to {} needs the lower half more."
        return (*shape, needed, _upper(halves))
    if halves.difference.below_zero:
        return (
            "This run shows the opposite of an aligned lower and a replaceable upper part: "
            "transfer to {} loses more with the upper half.",
        )
    if falls:
        return (
            *shape,
            "How much the two halves differ in {} varies too much between seeds to put a figure "
            "on it.",
        )
    return (
        "This run does not show an aligned lower part and a replaceable upper part: what the two "
        "halves cost in {} is too close to tell apart.",
    )


def _upper(halves: Halves) -> str:
    if halves.upper.above_zero:
        return "The upper half is not simply replaceable: it costs something in {}, too."
    if halves.upper.below_zero:
        return "The upper half is replaceable: re-initialised, it is even better in {}."
    # Not to find a cost is no proof that there is none: the table has the interval.
    return "What the upper half costs in {} cannot be told from nothing."


def halves_table(found: LayersNeededResults) -> list[dict[str, str]]:
    """What a block within each half costs on average, language by language; empty at first."""
    rows = []
    for language in found.languages:
        halves = found.halves(language)
        if halves is not None:
            rows.append(
                {
                    "Language": language_names.language_name(language),
                    "Full model": percent(found.accuracy(FULL, language).mean),
                    _column(halves.lower_layers): _with_interval(halves.lower),
                    _column(halves.upper_layers): _with_interval(halves.upper),
                    "Difference": _with_interval(halves.difference),
                    "Falls with depth": _trend(found.trend(language)),
                }
            )
    return rows


def _trend(trend: Trend | None) -> str:
    if trend is None:
        return "–"
    found = f"ρ = {trend.correlation:.2f}, p = {trend.p:.3f}, n = {trend.blocks}"
    return found.replace("-", "−")


def _column(layers: LayerGroup) -> str:
    return f"Cost within {group_name(layers)}"


def _with_interval(cost: Estimate) -> str:
    if not cost.has_interval:
        return points(cost.mean)
    return f"{points(cost.mean)} ({points(cost.low)} to {points(cost.high)})"


def evidence(found: LayersNeededResults) -> list[str]:
    """The figures that stand beside the costs, each with what it is of."""
    most = max(found.languages, key=lambda code: found.accuracy(FULL, code).mean)
    said = [
        f"**Guessing** gives {percent(CHANCE)}, so at most "
        f"{points(max(found.accuracy(FULL, most).mean - CHANCE, 0))} points are there to be lost, "
        f"in {language_name(most)}."
    ]
    halves = found.halves(found.languages[0])
    similar = found.similarities.get(FULL)
    if similar is not None and similar.kept and halves is not None:
        said.append(f"**Kept in fine-tuning:** {_kept(similar, halves)}")
    if similar is not None:
        for language in similar.before:
            before, after = similar.before[language][1:].mean(), similar.after[language][1:].mean()
            said.append(
                f"**{language_name(found.source)} and {language_name(language)} are alike:** "
                f"{before:.2f} before and {after:.2f} after fine-tuning, over layers 1 and up."
            )
    return said


def _kept(similar: LayerSimilarities, halves: Halves) -> str:
    """How alike each half is before and after, layers averaged."""
    below, above = list(halves.lower_layers), list(halves.upper_layers)
    parts = [
        f"{values[below].mean():.2f} and {values[above].mean():.2f} in {language_name(code)}"
        for code, values in similar.kept.items()
    ]
    return (
        f"in {group_name(halves.lower_layers)} and {group_name(halves.upper_layers)}, "
        f"{listed(parts)}; 1 is unchanged."
    )
