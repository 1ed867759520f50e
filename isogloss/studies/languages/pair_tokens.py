"""The tokens of a pair, for a study that keeps the means of its sentences alone."""

from __future__ import annotations

from isogloss.studies.study import Study, list_studies


def find_pair_tokens(study: Study) -> Study | None:
    """The study of the two languages that are looked at, by the same model, if it was made.

    A study that keeps tokens is that itself.
    """
    if study.keeps_tokens:
        return study
    own = study.entry.record
    for other in list_studies(study.entry.store):
        theirs = other.entry.record
        same = all(theirs.get(name) == own.get(name) for name in ("model", "precision", "states"))
        if same and theirs["corpus"] == study.corpus.content_hash:
            return other
    return None
