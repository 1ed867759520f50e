"""Which study tells the alignment that stands beside a run of Transfer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.studies.study import Study
from isogloss.text.reading import bundled_texts

PREFERRED = "news"
"""News sentences are longer and harder, so they tell layers apart best."""


def study_beside(run: Run, studies: Iterable[Study]) -> Study | None:
    """The study of the run's own model and languages on a bundled text, the news if there is one.

    Uploaded texts are left out: what stands beside a run must not change with the last upload.
    """
    plan = cast(TransferPlan, run.plan)
    fingerprint = run.facts.get("model", {}).get("fingerprint")
    bundled = {each.name for each in bundled_texts()}

    def fits(study: Study) -> bool:
        same = study.model == plan.model or study.entry.record.get("model") == fingerprint
        target = [code for code in study.languages if code != plan.source_language]
        return (
            same
            and (study.entry.demo or study.entry.facts["corpus"] in bundled)
            and study.n_layers == plan.n_layers
            and plan.source_language in study.languages
            and all(code in plan.languages for code in target)
        )

    found = sorted(
        filter(fits, studies),
        key=lambda study: not str(study.entry.facts["corpus"]).startswith(PREFERRED),
    )
    return found[0] if found else None
