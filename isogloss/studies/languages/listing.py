"""Which studies are in more than two languages, and which have the tokens of two of them."""

from __future__ import annotations

from isogloss.models.presets import RANDOM_PREFIX
from isogloss.store import Store
from isogloss.studies.study import Study, list_means, list_studies


def languages_studies(store: Store) -> tuple[Study, ...]:
    """Every study in more than two languages, those with random weights last."""
    found = [study for study in list_studies(store) if len(study.all_languages) > 2]
    every = [*list_means(store), *found]
    return tuple(sorted(every, key=lambda study: study.model.startswith(RANDOM_PREFIX)))


def find_pair_tokens(study: Study) -> Study | None:
    """The study of the two languages that are looked at, with their tokens, if it was made.

    A study that keeps the means of its sentences alone has one beside it for each pair that was
    read; one that keeps tokens is that itself.
    """
    if study.keeps_tokens:
        return study
    own = study.entry.record
    for other in list_studies(study.entry.store):
        theirs = other.entry.record
        same = all(theirs.get(name) == own.get(name) for name in ("model", "precision", "states"))
        if same and theirs["corpus"] == study.bitext.content_hash:
            return other
    return None
