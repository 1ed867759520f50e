"""What an adaptation shows, in sentences: what is gained, what is forgotten, where the two meet."""

from __future__ import annotations

import numpy as np

from components.shared.markdown import in_markdown, language_name
from isogloss.formatting import human_time, listed
from isogloss.lab.adaptation.results import (
    DRIFT_MEASURES,
    AdaptationResults,
    NativeModel,
    RegimeResults,
)
from isogloss.lab.training.drift import PROBE_SENTENCES
from isogloss.published import DUTCH_ADAPTATION, HUSSAIN_DUDEV

NOTICEABLE = 0.01
"""The relative change below which a perplexity is said to stay."""


def several(found: AdaptationResults) -> str:
    """The languages of the held-out set, as a sentence has them."""
    names = [language_name(code) for code in found.languages]
    return listed(names) or "several languages"


def headline(found: AdaptationResults, shown: RegimeResults) -> str:
    """What is learned and what is forgotten meanwhile, in one sentence."""
    return (
        f"{shown.regime.title}: training {_learned(found, shown, 'perplexity')}; "
        f"on {several(found)} it {_moved(shown)}."
    )


def _learned(found: AdaptationResults, shown: RegimeResults, what: str) -> str:
    """What training does to the perplexity on the language."""
    after = float(shown.test.mean())
    takes = "takes" if after < shown.test_before else "does not help: it takes"
    name = language_name(found.language)
    return f"{takes} {what} on {name} from {shown.test_before:.1f} to **{after:.1f}**"


def _moved(shown: RegimeResults) -> str:
    """What becomes of the perplexity on several languages."""
    before, after = float(shown.mean(shown.multilingual)[0]), shown.final(shown.multilingual)
    if abs(change := after / before - 1) < NOTICEABLE:
        return f"stays at **{after:.1f}**"
    return f"{'rises' if change > 0 else 'falls'} from {before:.1f} to **{after:.1f}**"


def how_far(found: AdaptationResults) -> str:
    """How much of the run is done; empty once all is."""
    if found.done >= found.wanted:
        return ""
    return f"**{found.done} of {found.wanted} trainings are done**; the rest is left out."


def describe(found: AdaptationResults, shown: RegimeResults) -> str:
    """What the regime on show gains and forgets, where its curves cross, and who does best."""
    spread = (
        f" ({shown.test.min():.1f} to {shown.test.max():.1f} over {len(shown.test)} seeds)"
        if len(shown.test) > 1
        else ""
    )
    return (
        f"**{shown.regime.title}:** training {_learned(found, shown, 'the test perplexity')}"
        f"{spread}. On held-out {several(found)} it {_moved(shown)} meanwhile. "
        f"{_crossing(found, shown)}{_best(found)}"
    )


def _crossing(found: AdaptationResults, shown: RegimeResults) -> str:
    crossing = shown.crossing
    seeds = len(shown.seeds)
    if not crossing.count:
        lower = (shown.target[:, 0] <= shown.multilingual[:, 0]).all()
        name = language_name(found.language)
        why = f"{name} is the lower from the start" if lower else f"{name} stays the higher"
        return f"The two curves do not cross: {why}."
    early, late = crossing.spread
    who = "" if crossing.count == seeds else f" in {crossing.count} of {seeds} seeds"
    spread = f" ({early:.0f} to {late:.0f} over seeds)" if crossing.count > 1 else ""
    return (
        f"The two curves cross for good{who} at step **{crossing.mean_step:.0f}**{spread}, at a "
        f"perplexity of {crossing.mean_perplexity:.1f}: what the paper calls the best balance."
    )


def _best(found: AdaptationResults) -> str:
    if len(found.regimes) < 2:
        return ""
    best, sure = found.best, ""
    if len(best.test) > 1:
        others = [each for each in found.regimes.values() if each is not best]
        clear = all(each.test.min() > best.test.max() for each in others)
        sure = ", in every seed" if clear else ", on average, though seeds overlap"
    return (
        f" Of all regimes, **{best.regime.title.lower()}** reaches the lowest test perplexity"
        f"{sure}."
    )


def drift_words(found: AdaptationResults, shown: RegimeResults, anchor: str) -> str:
    """What is shaded, and why nothing wobbles there."""
    still = shown.frozen_distances()
    wobble = float(still.max())
    exact = (
        f"is **exactly 0** in all {still.size:,} measurements"
        if wobble == 0
        else f"reaches {wobble:.2g}, as far as this device repeats itself"
    )
    said = (
        "Shaded: neither the layer nor anything below it learns, so its distance from the model "
        f"before training {exact}. {HUSSAIN_DUDEV.short} saw frozen layers wobble, because dropout "
        "was on while they measured; here it is off."
    )
    if anchor == "reference" and found.native is not None:
        said += f" {_native_drift(found.native, shown)}"
    return said


def _native_drift(native: NativeModel, shown: RegimeResults) -> str:
    """Whether training brings layers nearer to the native model, by CKA from first to last step."""
    similarity = shown.drift["reference", "similarity"].mean(axis=0)
    first, last = (float(np.nanmean(similarity[step, 1:])) for step in (0, -1))
    return (
        f"Shown is how near layers are to {in_markdown(native.name)}, which stays as it is: over "
        f"layers 1 to {similarity.shape[1] - 1}, CKA goes from {first:.2f} to "
        f"{last:.2f}. The paper found that the adapted model settles elsewhere than the "
        "native one."
    )


def native_words(native: NativeModel) -> str:
    """How the native model's perplexity is to be read beside those of the adapted model."""
    name = in_markdown(native.name)
    if native.test is None:
        return f"{name}, the native model, has no head that guesses tokens, so it has no bar."
    own, other = native.characters_per_token
    return (
        f"{name} is the native model and was not trained here. It guesses tokens of its own, of "
        f"{other:.2f} characters where the adapted model's have {own:.2f}, and never saw this kind "
        "of text in particular. The published native model is BERTje."
    )


def basis(found: AdaptationResults) -> str:
    """How all of it was measured."""
    counts = found.sentences
    name = language_name(found.language)
    asked = (
        "every token but the first"
        if found.is_decoder
        else "15 % of the tokens, hidden by masks that stay the same at all steps"
    )
    took = human_time(sum(each.seconds for each in found.regimes.values()))
    trainings = "1 training" if found.done == 1 else f"{found.done} trainings"
    return (
        f"**Perplexity** is asked for {asked}; bands reach from the lowest to the highest "
        f"seed. {counts.get('train', 0):,} sentences in {name} to learn from, "
        f"{counts.get('validation', 0):,} to choose the step by, {counts.get('test', 0):,} to test "
        f"on; the other set has {_counts(found)}. No sentence is in two sets; what the "
        "model read before this run is not known here.\n\n"
        f"**Drift.** {DRIFT_MEASURES['distance'].explanation} "
        f"{DRIFT_MEASURES['similarity'].explanation} The batch is "
        f"{min(PROBE_SENTENCES, counts.get('validation', PROBE_SENTENCES))} sentences of "
        "the validation text.\n\n"
        f"{trainings} took {took}."
    )


def _counts(found: AdaptationResults) -> str:
    return " and ".join(
        f"{found.sentences[f'multilingual {code}']:,} in {language_name(code)}"
        for code in found.languages
    )


def paper_words() -> str:
    """What the source found, with its own numbers."""
    dutch = " → ".join(f"{step.target[0]:.2f}" for step in DUTCH_ADAPTATION)
    others = " → ".join(f"{step.multilingual[0]:.2f}" for step in DUTCH_ADAPTATION)
    steps = " → ".join(f"{step.step:,}" for step in DUTCH_ADAPTATION)
    return (
        f"**Published** (hatched): {HUSSAIN_DUDEV.full}, {HUSSAIN_DUDEV.place}. Multilingual BERT "
        "trained on 80,000 Dutch sentences; perplexities of other text and another vocabulary, so "
        "only their order compares, not their size. With all layers trained, Dutch went "
        f"{dutch} and the languages of XNLI {others} at steps {steps}; the curves crossed at about "
        "step 200."
    )
