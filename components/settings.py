"""What can be set on each page: one row a page.

Everything of a question is part of the key that its answer is kept under. A view says which answers
are shown, and how; it is never part of a key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.similarity.controls import SimilarityChoice
from isogloss.studies.similarity import LayerComparison


@dataclass(frozen=True)
class PageSettings:
    """The dataclasses whose options a page shows, and the command that asks the same question."""

    questions: tuple[type, ...] = ()
    views: tuple[type, ...] = ()
    command: str = ""


PAGE_SETTINGS: Mapping[str, PageSettings] = {
    "similarity": PageSettings((LayerComparison,), (SimilarityChoice,), "measure"),
}
