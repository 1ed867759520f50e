"""What several pages read, each thing once; what one panel reads is cached beside it."""

from __future__ import annotations

import gc
import importlib
import threading
import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import streamlit as st
from streamlit import runtime

from components.shared.read_only import is_read_only
from isogloss.inner_language.questions import ModelQuestion
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.map.maps import MapOptions, TokenMap, find_map
from isogloss.store import Store
from isogloss.studies.questions import Question
from isogloss.studies.study import Study, list_means, list_studies, open_study
from isogloss.tasks import TaskBoard
from isogloss.text.uploads import prune_uploads

if TYPE_CHECKING:
    from isogloss.figures.template import Figure

Answer = TypeVar("Answer")

WARM_UP_DELAY = 4.0
"""Seconds that the first page has the server to itself."""


@st.cache_resource(show_spinner=False)
def the_store() -> Store:
    """The store of this server."""
    return Store()


def the_runs() -> Runs:
    """The training runs of this server's store, as every process sees them."""
    return Runs(the_store(), read_only=is_read_only())


@st.cache_resource(show_spinner=False)
def the_tasks() -> TaskBoard:
    """What this server has under way, shared by all sessions."""
    runs = the_runs()
    return TaskBoard(elsewhere=lambda: int(runs.at_work()), is_there=_has_page_open)


def _has_page_open(session: str) -> bool:
    return not runtime.exists() or runtime.get_instance().is_active_session(session)


@st.cache_resource(show_spinner=False)
def warm_up() -> threading.Thread:
    """Import what extraction and projection need while the user looks at the first page.

    It takes seconds that someone who brings a text would otherwise wait for.
    """

    def import_slow_libraries() -> None:
        time.sleep(WARM_UP_DELAY)
        drop_old_uploads()
        # scipy.stats cannot be imported while torch is being imported, so it comes first.
        for name in ("scipy.stats", "torch", "transformers.models.bert.modeling_bert", "openTSNE"):
            importlib.import_module(name)
        # Streamlit collects garbage after every run, and would look through all of these objects
        # each time: seconds of work that holds up everything else.
        gc.collect()
        gc.freeze()

    thread = threading.Thread(target=import_slow_libraries, name="warm-up", daemon=True)
    thread.start()
    return thread


def drop_old_uploads() -> None:
    """Delete the uploaded texts that neither a run nor anybody here needs."""
    prune_uploads(the_store().root, the_runs().named_files())


def studies() -> tuple[Study, ...]:
    """Every study in the store; listing is quick and always current."""
    return list_studies(the_store())


def means() -> tuple[Study, ...]:
    """The studies in many languages that keep the means of sentences alone."""
    return list_means(the_store())


@st.cache_resource(show_spinner=False, max_entries=8)
def study(key: str) -> Study:
    """One study, its text and token table read once."""
    return open_study(the_store(), key)


@st.cache_resource(show_spinner=False, max_entries=16)
def _stored_map(key: str, options: MapOptions) -> TokenMap:
    found = find_map(study(key), options)
    if found is None:
        raise LookupError(key)
    return found


def stored_map(key: str, options: MapOptions) -> TokenMap | None:
    """The map of a study if it has been computed before."""
    try:
        return _stored_map(key, options)
    except LookupError:
        return None


@st.cache_resource(show_spinner=False, max_entries=128)
def drawn_figure(key: str, _draw: Callable[[], Figure]) -> Figure:
    """The figure of everybody who asks with this key, which none of them may change."""
    return _draw()


def findings(run: Run, read: Callable[..., Answer], *settings: Hashable) -> Answer:
    """What `read` makes of a run and settings, which it does again once there are more results."""
    reader = (f"{read.__module__}.{read.__qualname__}", *settings)
    return _findings(str(run.path), run.stamp, reader, partial(read, run, *settings))


@st.cache_resource(show_spinner=False, max_entries=32)
def _findings(path: str, stamp: Hashable, reader: Hashable, _read: Callable[[], Answer]) -> Answer:
    return _read()


def kept_answer(question: Question[Answer] | ModelQuestion[Answer]) -> Answer | None:
    """The answer if it has been computed before; nothing is started."""
    # Streamlit's hash of a dataclass leaves its type out, so the kind is given beside it.
    try:
        return _kept_answer(question.KIND, question)
    except LookupError:
        return None


@st.cache_resource(show_spinner=False, max_entries=256)
def _kept_answer(kind: str, question: Question[Answer] | ModelQuestion[Answer]) -> Answer:
    found = question.find(the_store())
    if found is None:
        raise LookupError(kind)
    return found
