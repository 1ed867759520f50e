"""The maps of a run of emergence that ship: coordinates, where the run may have kept states."""

from __future__ import annotations

from pathlib import Path

from isogloss.lab.emergence.pictures import Picture, WordMap, lay_out, map_name, picture_name
from isogloss.lab.emergence.plan import EmergencePlan
from isogloss.lab.emergence.shown_words import ShownWords
from isogloss.lab.emergence.sources import read_source
from isogloss.lab.emergence.watching import plan_of, shown_unit
from isogloss.lab.runs.files import KEPT
from isogloss.lab.runs.run import Run
from isogloss.store.results import write_arrays


def keep_maps(run: Run, to: Path, before: Path, seed: int) -> None:
    """Put the map of every finished condition into `to`; one that is in `before` is taken over.

    Pages show that of the first seed, `seed`; a run that begins with another one adds no map. A run
    of the first version kept states and not its words, which are dealt out again.
    """
    (to / KEPT).mkdir(exist_ok=True)
    if plan_of(run).seeds[0] != seed:
        return
    known = Run(before, shipped=True)
    finished = run.results()
    for condition in plan_of(run).conditions:
        unit = shown_unit(plan_of(run), condition)
        if unit not in finished:
            continue
        name = map_name(unit)
        arrays = known.kept(name) or run.kept(name)
        if arrays is None:
            arrays = _laid_out(run, condition, finished[unit]["text"]["sha256"]).as_arrays()
        write_arrays(to / KEPT / f"{name}.safetensors", arrays)


def _laid_out(run: Run, condition: str, text: str) -> WordMap:
    plan = plan_of(run)
    unit = shown_unit(plan, condition)
    names = [picture_name(unit, step) for step in plan.look_steps()]
    pictures = [run.kept_as(name, Picture.from_arrays) for name in names]
    states = [picture.states for picture in pictures if picture is not None]
    return lay_out(_words_of(plan, condition, text), plan.look_steps(), states)


def _words_of(plan: EmergencePlan, condition: str, sha256: str) -> ShownWords:
    """The words that a condition's pictures are of; the text has to be what it was."""
    from isogloss.lab.emergence.scores import HeldOut

    source = read_source(plan.text, plan.languages)
    text = plan.text_of(source, condition, plan.seeds[0])
    assert text.content_hash == sha256, f"The text of {condition} is not what it was learned from."
    training = plan.training_of(condition, plan.seeds[0], text)
    return HeldOut(text, training.numbering).shown_words(plan.pictured)
