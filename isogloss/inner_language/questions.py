"""Questions about a model alone, without a study; an answer is an entry of its own in the store.

Its key is made of the model, the settings of the question, and nothing else. A model that a package
carries is known by the package's name and not by its weights, so that answers that ship are found
where the weights are not installed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from isogloss.models.guessing import Guesser, identify, the_guesser
from isogloss.store import Store
from isogloss.store.results import read_result, write_result
from isogloss.studies.questions import Steps
from isogloss.tasks import OnProgress, ShouldStop
from isogloss.version import __version__

Result = TypeVar("Result")


@dataclass(frozen=True)
class ModelQuestion(ABC, Generic[Result]):
    """What is asked of a model that guesses, given by its name; subclasses say how to answer."""

    model: str

    KIND: ClassVar[str]
    VERSION: ClassVar[int] = 1
    ANSWER: ClassVar[type]

    @abstractmethod
    def compute(self, guesser: Guesser, store: Store, steps: Steps, parts: Path) -> Result:
        """Return the answer, computed now; what is put into `parts` is there after a kill."""

    def record(self, store: Store) -> dict[str, Any]:
        """Return the address of the answer."""
        options = asdict(self) | {"model": identify(self.model, store)}
        return {"kind": self.KIND, "version": self.VERSION, **options}

    def find(self, store: Store) -> Result | None:
        """Return the answer if it has been computed before."""
        entry = store.find(self.record(store))
        return None if entry is None else read_result(self.ANSWER, entry.path)

    def answer(
        self,
        store: Store,
        progress: OnProgress = lambda share, message: None,
        should_stop: ShouldStop = lambda: False,
        show: Callable[[Any], None] = lambda part: None,
    ) -> Result:
        """Return the answer, computed and kept if it was not there."""

        steps = Steps(progress, should_stop, show)

        def wait_for_model() -> AbstractContextManager[Guesser]:
            steps.reach(0, 1, "Waiting for the model")
            return the_guesser.using(self.model, store)

        return self._obtain(store, steps, wait_for_model)

    def answer_of(self, guesser: Guesser, store: Store, steps: Steps) -> Result:
        """The same, of a model that is at hand already."""
        return self._obtain(store, steps, lambda: nullcontext(guesser))

    def _obtain(
        self, store: Store, steps: Steps, model: Callable[[], AbstractContextManager[Guesser]]
    ) -> Result:
        def build(workspace: Path) -> None:
            with model() as guesser:
                result = self.compute(guesser, store, steps, workspace)
            for part in workspace.glob("part-*"):
                part.unlink()
            write_result(result, workspace)

        facts = {"isogloss": __version__, "model": self.model}
        entry = store.get_or_create(
            self.record(store), build, description=f"{self.KIND}: {self.model}", facts=facts
        )
        result: Result = read_result(self.ANSWER, entry.path)
        return result


def kept_questions(kind: type[ModelQuestion[Any]], model: str, store: Store) -> list[Any]:
    """The questions of a kind about a model whose answers are kept, as they were asked."""
    names = {each.name for each in fields(kind)} - {"model"}
    found = []
    for entry in store.entries():
        if entry.record.get("kind") == kind.KIND and entry.facts.get("model") == model:
            asked = {name: value for name, value in entry.record.items() if name in names}
            question = kind(model, **asked)
            if question.record(store) == dict(entry.record):
                found.append(question)
    return found
