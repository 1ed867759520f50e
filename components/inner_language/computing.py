"""An answer about a model that is kept, or the button that has it computed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal, TypeVar

import streamlit as st

from components.shared import background, loading
from components.shared.markdown import in_markdown
from components.shared.read_only import is_read_only, say_read_only
from isogloss.formatting import human_size
from isogloss.inner_language.questions import ModelQuestion
from isogloss.models.memory import memory_available, memory_needed
from isogloss.models.packaged.gguf import what_is_missing
from isogloss.models.presets import display_name, find_preset
from isogloss.tasks import Work

Result = TypeVar("Result")


def kept_or_computed(question: ModelQuestion[Result], what: str, cost: str) -> Result | None:
    """The answer if it is kept; else None, and here is a button that starts computing it."""
    found = loading.kept_answer(question)
    if found is not None:
        return found
    title = f"{what}: {display_name(question.model)}"
    if background.show(_key(question), title):
        return None
    if is_read_only():
        say_read_only()
        return None
    missing = what_is_missing(question.model)
    if missing:
        st.info(f"{in_markdown(what)} is not computed yet. {missing}")
        return None
    st.info(f"{in_markdown(what)} is not computed yet. {cost} {_needs(question.model)}")
    _button(question, f"Compute {what[:1].lower()}{what[1:]}", title, "primary")
    return None


def offer(question: ModelQuestion[Any], what: str) -> None:
    """A button that has something more computed, where that can be done here."""
    if is_read_only() or what_is_missing(question.model):
        return
    title = f"{what}: {display_name(question.model)}"
    if not background.show(_key(question), title):
        _button(question, what, title, "secondary")


def _key(question: ModelQuestion[Any]) -> Hashable:
    return ("inner language", question)


def _button(
    question: ModelQuestion[Any], label: str, title: str, kind: Literal["primary", "secondary"]
) -> None:
    """Starts the work, where there is memory for it."""
    if st.button(
        label, icon=":material/play_arrow:", type=kind, disabled=not _fits(question.model)
    ):
        background.start(_key(question), title, _work(question))


def _work(question: ModelQuestion[Any]) -> Work:
    """Answers a question, and has what is there of the answer shown meanwhile."""

    def show(part: Any) -> None:
        task = loading.the_tasks().find(_key(question))
        if task is not None:
            task.preview = part

    return lambda progress, should_stop: question.answer(
        loading.the_store(), progress, should_stop, show
    )


def so_far(question: ModelQuestion[Result]) -> Result | None:
    """What is there of an answer that is being computed; the page is drawn again for more."""
    task = loading.the_tasks().find(_key(question))
    preview: Result | None = None if task is None else task.preview  # type: ignore[assignment]
    return preview


def _needs(model: str) -> str:
    """What it takes to run a model: what to install, and how much memory."""
    preset, needed = find_preset(model), memory_needed(model)
    said = ""
    if preset is not None and preset.megabytes:
        said = f"{in_markdown(preset.title)} takes {human_size(preset.megabytes * 1e6)} to install"
        said += f" and {human_size(needed)} of memory" if needed else ""
        said += f" ({in_markdown(preset.licence)})."
    if not _fits(model):
        said += f" Only {human_size(memory_available() or 0)} are free here."
    return said


def _fits(model: str) -> bool:
    needed, available = memory_needed(model), memory_available()
    return not needed or available is None or available >= needed
