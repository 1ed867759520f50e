"""Work that takes a while: a page asks for its result and goes on without it until it is there."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx

from components.shared import loading
from components.shared.layout import progress_bar
from components.shared.markdown import in_markdown
from components.shared.session import visitor
from isogloss.map.maps import MapOptions, MapSoFar, TokenMap, make_map
from isogloss.studies.questions import Question
from isogloss.studies.study import Study
from isogloss.tasks import Task, Work

Result = TypeVar("Result")

PATIENCE = 1.5
"""Seconds that quick work is waited for, so that its result comes without a word about it."""


@dataclass
class _Place:
    """A page, or a panel on it that reruns on its own, and what it asked for in this run."""

    name: str
    asked: set[Hashable] = field(default_factory=set)


_PAGE = "page-that-waits"
_here: ContextVar[_Place | None] = ContextVar("here", default=None)


@contextmanager
def page_at_work(name: str) -> Iterator[None]:
    """Draw a page within; what it waited for before and no longer asks for is stopped.

    So when another perplexity is chosen, the layout of the first is given up, unless somebody else
    waits for it. Leaving a page gives up nothing: its work is there on return.
    """
    st.session_state[_PAGE] = name
    with _waiting_at(name):
        yield


@contextmanager
def panel_at_work(name: str) -> Iterator[None]:
    """The same for a panel, whether it runs with its page or on its own."""
    with _waiting_at(f"{st.session_state.get(_PAGE, '')}/{name}"):
        yield


@contextmanager
def _waiting_at(name: str) -> Iterator[None]:
    tasks, who, outer, place = loading.the_tasks(), _session(), _here.get(), _Place(name)
    token = _here.set(place)
    try:
        yield
    finally:
        if not isinstance(sys.exception(), RerunException):  # which has yet to ask for the rest
            tasks.release(who, place.name, but=place.asked)
        _here.reset(token)
        if outer is not None:
            outer.asked |= place.asked


def answer(question: Question[Result], title: str, of: str = "") -> Result | None:
    """The answer, at once if it is kept or quickly had; else None, and the page says so here.

    `of` is what is asked, for the list of tasks, where it is not the study's pair.
    """
    return _obtain(
        ("answer", question),
        title,
        of or loading.study(question.study).title,
        lambda: loading.kept_answer(question),
        lambda *how: question.answer(loading.the_store(), *how),
    )


def map_of(study: Study, options: MapOptions) -> TokenMap | None:
    """The map, at once if it is kept or quickly had; else None, and the page says so here."""
    store, key = loading.the_store(), _map_key(study, options)

    def show(part: MapSoFar) -> None:
        task = loading.the_tasks().find(key)
        if task is not None:
            task.preview = part

    return _obtain(
        key,
        "Laying out the map",
        study.title,
        lambda: loading.stored_map(study.key, options),
        lambda progress, should_stop: make_map(study, store, options, progress, should_stop, show),
    )


def map_so_far(study: Study, options: MapOptions) -> MapSoFar | None:
    """The layers of a map under way that are there already; the page is drawn again for more."""
    task = loading.the_tasks().find(_map_key(study, options))
    return task.preview if task is not None and isinstance(task.preview, MapSoFar) else None


def _map_key(study: Study, options: MapOptions) -> Hashable:
    return ("map", study.key, options)


def start(key: Hashable, title: str, work: Work) -> None:
    """Begin what a button asked for; it goes on until it is done or stopped, whoever looks."""
    loading.the_tasks().start(key, title, work, owner=visitor())
    st.rerun()


def show(key: Hashable, what: str) -> bool:
    """Say here that the work under `key` is under way or why it ended; False if there is none."""
    task = loading.the_tasks().find(key)
    if task is None:
        return False
    if task.problem is None:
        _say_under_way(what, task)
    else:
        _say_problem(task)
    return True


def _obtain(
    key: Hashable, title: str, of: str, find: Callable[[], Result | None], work: Work
) -> Result | None:
    """What `find` gives; else begin `work`, which leaves it there, and wait for it here."""
    found = find()
    if found is not None:
        return found
    tasks, place = loading.the_tasks(), _here.get() or _Place("")
    place.asked.add(key)
    task = tasks.find(key)
    begun = task is None
    if task is None or not task.finished:
        task = tasks.start(key, f"{title}: {of}", work, (_session(), place.name))
    patience_ends = time.monotonic() + PATIENCE
    while begun and task.begun and not task.finished and time.monotonic() < patience_ends:
        time.sleep(0.02)
    if task.problem is not None:
        _say_problem(task)
    elif task.finished:
        return find()
    elif begun:
        st.rerun()  # the list in the sidebar has to show it
    else:
        _say_under_way(title, task)
    return None


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context is not None else ""


def _say_under_way(what: str, task: Task) -> None:
    """What is being done, and how far it is; the page is drawn again when it is finished."""

    @st.fragment(run_every=1.0)
    def bar() -> None:
        progress_bar(task.share, what, task.left.seconds)

    bar()


def _say_problem(task: Task) -> None:
    st.warning(in_markdown(task.problem or ""), icon=":material/info:")
    if st.button("Try again", key=f"again-{task.number}"):
        loading.the_tasks().forget(task.key)
        st.rerun()
