"""Why do two languages meet? Learn both from nothing, take one thing away, and see whether they do.

After Dufter & Schütze (2020), Identifying Elements Essential for BERT's Multilinguality
(https://aclanthology.org/2020.emnlp-main.358), who train small BERTs on English and on a copy of it
in tokens of its own, and Conneau et al. (2020), Emerging Cross-lingual Structure in Pretrained
Language Models (https://aclanthology.org/2020.acl-main.536), on what has to be shared. A unit of
work is one condition with one seed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from isogloss.errors import RunError
from isogloss.lab.emergence.conditions import AS_IT_IS, Setup, read_condition
from isogloss.lab.emergence.network import Shape
from isogloss.lab.emergence.pictures import (
    Picture,
    lay_out,
    map_name,
    picture_name,
    words_name,
)
from isogloss.lab.emergence.scores import HeldOut
from isogloss.lab.emergence.shown_words import ShownWords
from isogloss.lab.emergence.sources import DOCSTRINGS, SourceText, read_source
from isogloss.lab.emergence.text import COPY, Amounts, TwoLanguages, deal_out, shuffled
from isogloss.lab.emergence.training import Recipe, Training
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.options import rate_option, seeds_option
from isogloss.lab.runs.plan import Plan, check_seeds
from isogloss.measures.stacks import Array
from isogloss.options import option
from isogloss.studies.extraction import software_versions
from isogloss.text.language_names import language_name
from isogloss.text.reading import BUNDLED_NAMES

LOOKS = 20
_WORD = r"[a-z]+(?:-[a-z]+)*(?:-[0-9]+)?(?:\+[a-z]+(?:-[a-z]+)*(?:-[0-9]+)?)*"


def emergence_unit(condition: str, seed: int) -> str:
    """What the unit of a condition and a seed is called."""
    return f"{condition}, seed {seed}"


@dataclass(frozen=True)
class EmergencePlan(Plan):
    """Learn two languages from nothing under every condition, with every seed."""

    conditions: tuple[str, ...] = option(
        (AS_IT_IS, "positions"),
        "what to take away: a condition, or several joined by + (see `conditions.py`)",
        title="Conditions",
        word=_WORD,
    )
    seeds: tuple[int, ...] = seeds_option("one model, and one way to deal out the text, for each")
    text: tuple[str, ...] = option(
        (DOCSTRINGS,),
        "what to learn from: docstrings, the English of what is installed, or files of sentences",
        title="Text",
        paths=True,
        known=(DOCSTRINGS, *BUNDLED_NAMES),
    )
    language: str = option("en", "the first language", title="First language")
    second: str = option(
        COPY,
        "the second language: copy, the first in words of its own, or the code of a language that "
        "the text is translated into",
        title="Second language",
    )
    words: int = option(
        1_000, "how many of the commonest words are known", title="Words", least=20, most=20_000
    )
    unknown: int = option(
        1,
        "how many other words a sentence may have; they stay hidden",
        title="Unknown words",
        least=0,
        most=12,
    )
    shortest: int = option(3, "words in the shortest sentence", title="Shortest", least=1, most=40)
    longest: int = option(12, "words in the longest sentence", title="Longest", least=2, most=60)
    held_out: int = option(
        400, "sentences to score on", title="Sentences held out", least=20, most=2_000
    )
    blocks: int = option(4, "blocks of the model", title="Blocks", least=1, most=24)
    width: int = option(64, "width of the model", title="Width", least=8, most=1_024)
    heads: int = option(4, "attention heads", title="Heads", least=1, most=16)
    steps: int = option(3_700, "updates of the model", title="Steps", least=1, most=1_000_000)
    sentences: int = option(
        128, "sentences of each language in a step", title="Sentences a step", least=1, most=4_096
    )
    learning_rate: float = rate_option(2e-3, "at its highest", most=1)
    warm_up: int = option(300, "steps until the rate is at its highest", title="Warm-up", least=0)
    pictured: int = option(
        40,
        "held-out sentences whose words are kept at every look, with the first seed, for the map",
        title="Sentences on the map",
        least=0,
        most=200,
    )

    KIND: ClassVar[str] = "emergence"
    SUMMARY: ClassVar[str] = (
        "train a small BERT on two languages from nothing, one thing taken away"
    )
    DESCRIPTION: ClassVar[str] = (
        "A small BERT learns English and a copy of it in words of its own, or two real languages, "
        "from random weights, and is scored on sentences held out as it learns. Conditions say "
        "what the languages do not share."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_seeds(self.seeds)
        if not self.conditions or len(set(self.conditions)) != len(self.conditions):
            raise RunError("Give at least one condition, and each only once.")
        if self.shortest > self.longest:
            raise RunError("The shortest sentence is longer than the longest: change one of them.")
        for condition in self.conditions:
            width = self.shape_of(read_condition(condition))[1]
            if width % self.heads:
                raise RunError(f"A width of {width} has no {self.heads} equal heads: change one.")

    @property
    def title(self) -> str:
        names = ["docstrings" if name == DOCSTRINGS else Path(name).name for name in self.text]
        first = names[0] if len(names) == 1 else f"{len(names)} files"
        second = "its copy" if self.second == COPY else language_name(self.second)
        return f"{language_name(self.language)} of {first} and {second}, from nothing"

    @property
    def languages(self) -> tuple[str, ...]:
        return (self.language,) if self.second == COPY else (self.language, self.second)

    @property
    def amounts(self) -> Amounts:
        return Amounts(self.words, self.shortest, self.longest, self.unknown, self.held_out)

    def shape_of(self, setup: Setup) -> tuple[int, int]:
        """Blocks and width under a setup."""
        return (
            max(1, round(self.blocks * setup.depth_factor)),
            max(1, round(self.width * setup.width_factor)),
        )

    def parts(self) -> dict[str, tuple[str, int]]:
        """Every condition with every seed; all have their first seed before any its second."""
        return {
            emergence_unit(condition, seed): (condition, seed)
            for seed in self.seeds
            for condition in self.conditions
        }

    def read_data(self) -> None:
        """Look whether the files are there, and the conditions fit; the text is read by the run."""
        for name in self.text:
            if name not in {DOCSTRINGS, *BUNDLED_NAMES} and not Path(name).is_file():
                raise RunError(f"There is no file {name}: give docstrings or a file of sentences.")

    def text_of(self, source: SourceText, condition: str, seed: int) -> TwoLanguages:
        """The two languages that a condition and a seed learn from."""
        return deal_out(source, self.amounts, read_condition(condition), seed)

    def training_of(self, condition: str, seed: int, text: TwoLanguages) -> Training:
        """The training of a condition and a seed, before its first step."""
        setup = read_condition(condition)
        shape = Shape(*self.shape_of(setup), self.heads)
        return Training(text, setup, shape, self._recipe(), seed)

    def _recipe(self) -> Recipe:
        looks = min(LOOKS, self.steps)
        return Recipe(self.steps, self.sentences, self.learning_rate, self.warm_up, looks)

    def look_steps(self) -> tuple[int, ...]:
        """The steps before which a training is scored, and the last."""
        recipe = self._recipe()
        return tuple(step for step in range(self.steps + 1) if recipe.is_look(step))

    def carry_out(
        self, todo: Sequence[str], context: RunContext
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        import torch

        # So small a model gains nothing from a second thread, and one gives the same bits always.
        torch.set_num_threads(1)
        context.report(0.0, "reading the text")
        source = read_source(
            self.text,
            self.languages,
            lambda domain: context.report(0.0, f"reading the text: {domain}"),
        )
        context.note(
            data={"languages": self.languages, **source.facts},
            versions=software_versions(),
            device="cpu",
        )
        parts = self.parts()
        for unit in todo:
            yield unit, self._run_unit(*parts[unit], source, context)

    def _run_unit(
        self, condition: str, seed: int, source: SourceText, context: RunContext
    ) -> dict[str, Any]:
        began = time.monotonic()
        unit = emergence_unit(condition, seed)
        context.report(0.0, f"{unit}: dealing out the text")
        text = self.text_of(source, condition, seed)
        training = self.training_of(condition, seed, text)
        held_out = HeldOut(text, training.numbering)
        shows = self.pictured if seed == self.seeds[0] else 0
        if kept := context.kept(unit):
            training.resume(kept)
            context.log(f"{unit}: goes on at step {training.step}")
        pictures: dict[int, Array] = {}
        if shows:
            words = held_out.shown_words(shows)
            context.keep(words_name(unit), words.as_arrays())
        for look in training.go(lambda share, message: context.report(share, f"{unit}: {message}")):
            if shows:
                pictures[look.step] = held_out.picture(training.model, shows)
                picture = Picture(pictures[look.step], asdict(look))
                context.keep(picture_name(unit, look.step), picture.as_arrays())
            context.keep(unit, training.checkpoint())
        if shows:
            context.report(1.0, f"{unit}: laying out its words")
            _lay_out(unit, words, [look.step for look in training.looks], pictures, context)
        wrong = HeldOut(shuffled(text, seed), training.numbering)
        setup = read_condition(condition)
        found = {
            "condition": condition,
            "seed": seed,
            "looks": list(map(asdict, training.looks)),
            "chance": asdict(held_out.chance()),
            "shuffled": asdict(wrong.score(training.model, setup.random_words)),
            "text": {
                "sha256": text.content_hash,
                "sentences": [len(text.first.train), len(text.second.train)],
                "held_out": held_out.sentences,
            },
            "parameters": training.parameters,
            "seconds": round(time.monotonic() - began, 1),
        }
        context.drop(unit)
        return found


def _lay_out(
    unit: str,
    words: ShownWords,
    steps: Sequence[int],
    pictures: Mapping[int, Array],
    context: RunContext,
) -> None:
    """Keep the map of a unit that is finished in the place of its pictures.

    Pictures from before an interruption are not in `pictures`; they are read again.
    """
    if context.kept(map_name(unit)) is None:
        taken = [
            pictures[step]
            if step in pictures
            else (context.kept(picture_name(unit, step)) or {})["states"]
            for step in steps
        ]
        context.keep(map_name(unit), lay_out(words, steps, taken).as_arrays())
    for name in (words_name(unit), *(picture_name(unit, step) for step in steps)):
        context.drop(name)
