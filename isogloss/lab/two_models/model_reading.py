"""Every model that takes part reads its texts: what each layer says of each word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isogloss.lab.runs.context import RunContext
from isogloss.lab.two_models.data import RunData, located
from isogloss.lab.two_models.reading import Side, Sides
from isogloss.lab.two_models.word_states import Located, WordStates, word_states
from isogloss.models.loading import load_model
from isogloss.models.presets import RANDOM_PREFIX, display_name
from isogloss.text.treebanks import Treebank

_STATES_SHARE = 0.5
"""How much of the first unit's time goes into states, for the progress that is shown."""


class ModelReader:
    """Has every model read its texts, one model in memory at a time."""

    def __init__(
        self,
        source: str,
        target: str,
        bilingual: str | None,
        device: str,
        data: RunData,
        context: RunContext,
    ) -> None:
        self._names, self._device, self._context = (source, target, bilingual), device, context
        tasks = list(data.tasks.values())
        shown = data.shown
        self._words = data.words
        self._source = [each for task in tasks for each in (task.train, task.source_test)]
        self._tested = [task.target_test for task in tasks]
        self._target = [*self._tested, *(task.target_train for task in tasks if task.target_train)]
        self._shown = ([shown[0]], [shown[1]]) if shown else ([], [])
        self._done = 0
        self._models: list[dict[str, Any]] = []

    def read(self) -> Sides:
        (source, target, bilingual), words = self._names, self._words
        random = f"{RANDOM_PREFIX}{target.removeprefix(RANDOM_PREFIX)}"
        sides = Sides(
            source=self._side(source, [*self._source, *self._shown[0]], words.source, None),
            target=self._side(target, [*self._target, *self._shown[1]], None, words.target),
            random=self._side(random, self._tested, None, words.target),
            bilingual=None
            if bilingual is None
            else self._side(
                bilingual,
                [*self._source, *self._tested],
                words.source,
                words.target,
            ),
        )
        first, *others = self._models
        self._context.note(model=first | {"beside": others})
        return sides

    def _side(
        self,
        name: str,
        banks: Sequence[Treebank],
        source: Located | None,
        target: Located | None,
    ) -> Side:
        model = load_model(name, self._context.store, device=self._device, precision="float32")

        def read(text: Located) -> WordStates:
            found = word_states(
                model,
                text,
                self._context.store,
                lambda share: self._context.report(
                    _STATES_SHARE * (1 - 0.9 ** (self._done + share)),
                    f"{display_name(name)} reads {text.name}",
                ),
            )
            self._context.borrow(found.entry.key)
            self._done += 1
            return found

        self._models.append(
            {"name": name, "fingerprint": model.files.fingerprint, "device": model.device}
        )
        return Side(
            {bank.content_hash: read(located(bank)) for bank in banks},
            read(source) if source else None,
            read(target) if target else None,
            model.n_layers,
        )
