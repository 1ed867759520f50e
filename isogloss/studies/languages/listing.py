"""Which studies are in more than two languages, and which has the same with random weights."""

from __future__ import annotations

from collections.abc import Iterable

from isogloss.models.presets import RANDOM_PREFIX
from isogloss.store import Store
from isogloss.studies.study import Study, list_means, list_studies


def languages_studies(store: Store) -> tuple[Study, ...]:
    """Every study in more than two languages, those with random weights last."""
    found = [study for study in list_studies(store) if len(study.all_languages) > 2]
    every = [*list_means(store), *found]
    return tuple(sorted(every, key=lambda study: study.model.startswith(RANDOM_PREFIX)))


def twin_with_random_weights(study: Study, studies: Iterable[Study]) -> Study | None:
    """The study of the same text by the same model with random weights, if there is one."""
    name, text = RANDOM_PREFIX + study.model, study.entry.record["corpus"]
    fitting = (each for each in studies if each.entry.record["corpus"] == text)
    return next((each for each in fitting if each.model == name), None)
