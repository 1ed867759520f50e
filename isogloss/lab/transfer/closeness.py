"""How close each language lies to the one trained on, in the model as it was before any training.

Measured on the premises of the dev sets, where these are translations of one another row by row as
XNLI's are; each premise counts once, though several pairs may have it. A model of the same shape
with random weights is measured beside it: what is close there is spelling, not meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from isogloss.errors import RunError
from isogloss.lab.runs.run import Run
from isogloss.measures.languages.pairs import found_shares, measured_values
from isogloss.measures.languages.sides import all_there
from isogloss.measures.stacks import Array
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.presets import RANDOM_PREFIX
from isogloss.options import Choice
from isogloss.store import Store
from isogloss.studies.extraction import ExtractionOptions, extract
from isogloss.studies.languages.sentence_means import SentenceMeans
from isogloss.studies.study import Study
from isogloss.tasks import OnProgress
from isogloss.text.nli import NliSet
from isogloss.text.parallel import MOST_SIDES, ParallelText

CLOSENESS = "closeness"
"""The name that a run keeps it under."""
FEWEST_LANGUAGES = 4
"""With fewer beside the one trained on there is nothing to correlate over languages."""
MOST_SENTENCES = 1_000

CLOSENESS_MEASURES: dict[str, Choice] = {
    "debiased_cka": Choice(
        "Debiased CKA", "how alike sentences are arranged among one another in both languages"
    ),
    "retrieval": Choice(
        "Sentences found",
        "the share of sentences whose nearest is their translation, the mean of both directions; "
        "where nearly all are found it tells languages apart no longer",
    ),
}
_TRAINED, _RANDOM = "as trained", "random"


@dataclass(frozen=True)
class Closeness:
    """How close languages lie to the one trained on: by measure, (L + 1, others) each.

    `as_trained` is of the model, `random` of its shape with random weights, empty where the model
    itself has those. `sentences` is how many were compared.
    """

    sentences: int
    as_trained: Mapping[str, Array]
    random: Mapping[str, Array]

    def as_arrays(self) -> dict[str, Array]:
        """The closeness as arrays that a run can keep."""
        weights = ((_TRAINED, self.as_trained), (_RANDOM, self.random))
        found = {f"{which} {name}": each[name] for which, each in weights for name in each}
        return {"sentences": np.array([self.sentences])} | found

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Closeness:
        """The closeness as `as_arrays` gave it."""

        def of(weights: str) -> dict[str, Array]:
            names = {name: f"{weights} {name}" for name in CLOSENESS_MEASURES}
            there = {name: arrays[key] for name, key in names.items() if key in arrays}
            return {name: values.astype(np.float64) for name, values in there.items()}

        return cls(int(arrays["sentences"][0]), of(_TRAINED), of(_RANDOM))


def read_closeness(run: Run, others: Sequence[str]) -> Closeness | None:
    """What a run has kept of it for the languages not trained on; None if it was not measured."""
    found = run.kept_as(CLOSENESS, Closeness.from_arrays)
    if found is None:
        return None
    shapes = {value.shape for each in (found.as_trained, found.random) for value in each.values()}
    expected = (cast(int, getattr(run.plan, "n_layers", -1)) + 1, len(others))
    if set(found.as_trained) != set(CLOSENESS_MEASURES) or shapes != {expected}:
        raise RunError(
            f"Run {run.id} has kept the closeness of other languages or layers than its own: run "
            "`python -m docs.making.add_closeness` on it again."
        )
    return found


def parallel_premises(dev: Mapping[str, NliSet]) -> dict[str, tuple[str, ...]] | None:
    """Each premise once, by language, row by row the same, the source first.

    None where there are too few languages or they are no translations of one another: the sets are
    taken for that where row by row their labels are the same.
    """
    source = next(iter(dev.values()))
    if not FEWEST_LANGUAGES < len(dev) <= MOST_SIDES:
        return None
    if any(each.labels != source.labels for each in dev.values()):
        return None
    first: dict[str, int] = {}
    for row, premise in enumerate(source.premises):
        first.setdefault(premise, row)
    rows = [*first.values()]
    rows = rows[:: -(-len(rows) // MOST_SENTENCES)]
    return {code: tuple(each.premises[row] for row in rows) for code, each in dev.items()}


def measure_closeness(
    model: LoadedModel,
    premises: Mapping[str, Sequence[str]],
    store: Store,
    report: OnProgress = lambda share, message: None,
    borrow: Callable[[str], None] = lambda key: None,
) -> Closeness:
    """Measure a model and its random twin.

    The first language of `premises` is the one trained on. `borrow` is told of what is put into
    the store on the way.
    """
    trained = _measured(model, premises, store, _TRAINED, report, borrow)
    random: dict[str, Array] = {}
    if not model.name.startswith(RANDOM_PREFIX):
        twin = load_model(
            RANDOM_PREFIX + model.name, store, device=model.device, precision="float32"
        )
        random = _measured(twin, premises, store, _RANDOM, report, borrow)
    return Closeness(len(next(iter(premises.values()))), trained, random)


def _measured(
    model: LoadedModel,
    premises: Mapping[str, Sequence[str]],
    store: Store,
    weights: str,
    report: OnProgress,
    borrow: Callable[[str], None],
) -> dict[str, Array]:
    def tell(share: float, message: str) -> None:
        report(share, f"premises in {len(premises)} languages, {weights}")

    languages = tuple(premises)
    text = ParallelText.of_sides("premises", languages, tuple(map(tuple, premises.values())))
    entry = extract(model, text, store, ExtractionOptions(keep="means", on_progress=tell))
    borrow(entry.key)
    means = SentenceMeans(Study(entry), entry)
    found = np.zeros((2, model.n_layers + 1, len(languages) - 1), np.float32)
    for layer in range(model.n_layers + 1):
        report(1.0, f"comparing languages at layer {layer}, {weights}")
        source, *rest = (means.layer(language, layer) for language in languages)
        for place, other in enumerate(rest):
            pair = all_there(np.stack([source, other]))
            shares, alike = found_shares(pair), measured_values(pair, "debiased_cka")
            found[:, layer, place] = alike[0, 1], (shares[0, 1] + shares[1, 0]) / 2
    return dict(zip(CLOSENESS_MEASURES, found, strict=True))
