"""Questions about studies whose answers are computed once and kept in the store.

A question is a small frozen value: it can be hashed, compared, put in a key and sent to a
background task. Its answer is a frozen dataclass of arrays and plain values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from isogloss.errors import Stopped
from isogloss.options import check_options
from isogloss.store import Store
from isogloss.store.results import read_result, write_result
from isogloss.studies.study import Study, open_study
from isogloss.tasks import OnProgress, ShouldStop
from isogloss.version import __version__

Result = TypeVar("Result")


@dataclass(frozen=True)
class Question(ABC, Generic[Result]):
    """What is asked of `study`, given by its key; subclasses add options and say how to answer.

    That key may name the pair of languages that is asked about (`Study.key`). Every field is part
    of the key that the answer is kept under; those made with `isogloss.options.option` are settings
    of pages and commands. `VERSION` is raised when a change of the code changes the answer.
    """

    study: str

    KIND: ClassVar[str]
    VERSION: ClassVar[int] = 1
    ANSWER: ClassVar[type]

    def __post_init__(self) -> None:
        check_options(self)

    @abstractmethod
    def compute(self, study: Study, store: Store, steps: Steps) -> Result:
        """Return the answer, computed now."""

    def record(self) -> dict[str, Any]:
        """Return the address of the answer under its study and the pair asked about."""
        options = asdict(self)
        del options["study"]
        return {"kind": self.KIND, "version": self.VERSION, **options}

    def find(self, store: Store) -> Result | None:
        """Return the answer if it has been computed before."""
        study = open_study(store, self.study)
        entry = study.entry.derived(self.record() | study.answer_record)
        return None if entry is None else read_result(self.ANSWER, entry.path)

    def answer(
        self,
        store: Store,
        progress: OnProgress = lambda share, message: None,
        should_stop: ShouldStop = lambda: False,
        show: Callable[[Any], None] = lambda part: None,
    ) -> Result:
        """Return the answer, computed and kept if it was not there.

        `show` sees parts of it that are there before the rest, where computing takes long.
        """
        study = open_study(store, self.study)

        def build(workspace: Path) -> None:
            write_result(self.compute(study, store, Steps(progress, should_stop, show)), workspace)

        facts = {"isogloss": __version__}
        entry = store.get_or_create_derived(
            study.entry,
            self.record() | study.answer_record,
            build,
            description=self.KIND,
            facts=facts,
        )
        result: Result = read_result(self.ANSWER, entry.path)
        return result


@dataclass(frozen=True)
class Steps:
    """Tells how far a computation is, and ends it where the user asks for that."""

    progress: OnProgress
    should_stop: ShouldStop
    show: Callable[[Any], None] = lambda part: None

    def reach(self, done: int, total: int, message: str) -> None:
        """Report that `done` of `total` steps are behind; raises Stopped if asked to stop."""
        if self.should_stop():
            raise Stopped("Stopped.")
        self.progress(done / max(total, 1), message)

    def layers(self, study: Study, what: str) -> Iterator[int]:
        """Go through a study's layers, a step each: `what` is done there, "at layer {}" say."""
        for layer in range(study.n_states):
            self.reach(layer, study.n_states, what.format(layer))
            yield layer
