"""A run of Transfer with what its page says of it."""

from __future__ import annotations

from dataclasses import dataclass

from components.shared import loading
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.comparison import Gains, Judgements, gains_of_freezing, read_judgements
from isogloss.lab.transfer.results import TransferResults, read_transfer


@dataclass(frozen=True)
class TransferShown:
    """A run with what the page says of it: which pairs were right, what freezing gained."""

    run: Run
    results: TransferResults
    judgements: Judgements
    gains: Gains

    @classmethod
    def of(cls, run: Run, selection: str) -> TransferShown:
        results, judgements = loading.findings(run, read_findings)
        return cls(run, results, judgements, gains_of_freezing(results, judgements, selection))


def read_findings(run: Run) -> tuple[TransferResults, Judgements]:
    """What a run has found, and which pairs were judged right."""
    results = read_transfer(run)
    return results, read_judgements(run, results)
