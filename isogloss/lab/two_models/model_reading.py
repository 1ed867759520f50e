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


def read_models(
    source: str, target: str, bilingual: str | None, device: str, data: RunData, context: RunContext
) -> Sides:
    """Have every model read its texts, one model in memory at a time."""
    models: list[dict[str, Any]] = []
    done = 0

    def side(
        name: str, banks: Sequence[Treebank], first: Located | None, second: Located | None
    ) -> Side:
        model = load_model(name, context.store, device=device, precision="float32")

        def read(text: Located) -> WordStates:
            nonlocal done
            found = word_states(
                model,
                text,
                context.store,
                lambda share: context.report(
                    _STATES_SHARE * (1 - 0.9 ** (done + share)),
                    f"{display_name(name)} reads {text.name}",
                ),
            )
            context.borrow(found.entry.key)
            done += 1
            return found

        facts = {"name": name, "fingerprint": model.files.fingerprint, "device": model.device}
        models.append(facts)
        return Side(
            {bank.content_hash: read(located(bank)) for bank in banks},
            read(first) if first else None,
            read(second) if second else None,
            model.n_layers,
        )

    tasks, words = list(data.tasks.values()), data.words
    learned = [each for task in tasks for each in (task.train, task.source_test)]
    tested = [task.target_test for task in tasks]
    own = [*tested, *(task.target_train for task in tasks if task.target_train)]
    shown = [[bank] for bank in data.shown] if data.shown else [[], []]
    random = f"{RANDOM_PREFIX}{target.removeprefix(RANDOM_PREFIX)}"
    sides = Sides(
        source=side(source, [*learned, *shown[0]], words.source, None),
        target=side(target, [*own, *shown[1]], None, words.target),
        random=side(random, tested, None, words.target),
        bilingual=side(bilingual, [*learned, *tested], words.source, words.target)
        if bilingual
        else None,
    )
    context.note(model=models[0] | {"beside": models[1:]})
    return sides
