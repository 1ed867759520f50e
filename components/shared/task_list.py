"""The one list of what is running, in the sidebar of every page: how far it is, and a stop."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from components.shared import loading
from components.shared.layout import progress_bar
from components.shared.markdown import in_markdown
from components.shared.read_only import is_read_only
from components.shared.session import is_mine
from isogloss.errors import RunError
from isogloss.lab.runs.run import Run, State
from isogloss.tasks import Task

POLL_SECONDS = 1.0
ACTIVE: tuple[State, ...] = ("running", "queued")
_WATCHED, _SEEN, _DONE = "watched-runs", "seen-tasks", "done-tasks"


@dataclass(frozen=True)
class _TaskSnapshot:
    """What was in the list when the page was drawn: tasks and runs with what they had to show."""

    tasks: dict[Task, object]
    runs: dict[Run, int]


def watch_runs(kind: str) -> None:
    """Have the page drawn again whenever a run of this kind has finished a part."""
    st.session_state[_WATCHED] = kind


def show() -> None:
    """Draw the list; while something is at work it renews itself, and the page when that ends."""
    st.session_state.pop(_WATCHED, None)  # the page says it anew
    seen = _look()
    for title in _done_since(st.session_state.get(_SEEN), seen):
        st.toast(f"{in_markdown(title)}: done.", icon=":material/check_circle:")
        st.session_state.setdefault(_DONE, []).append(title)
    st.session_state[_SEEN] = seen
    if seen.tasks or seen.runs:
        active = bool(seen.runs) or any(not task.finished for task in seen.tasks)
        with st.sidebar:
            st.fragment(_draw, run_every=POLL_SECONDS if active else None)(seen)
    with st.sidebar:
        _show_done()


def _show_done() -> None:
    """What this visitor started and is finished, until it is dismissed."""
    done: list[str] = st.session_state.get(_DONE, [])
    for place, title in enumerate(done):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(f":material/check_circle: {in_markdown(title)}: done.", width="stretch")
            st.button(
                "Dismiss",
                type="tertiary",
                key=f"dismiss-done-{place}",
                on_click=done.__delitem__,
                args=(place,),
            )


def _look() -> _TaskSnapshot:
    return _TaskSnapshot(
        {task: task.preview for task in loading.the_tasks().all() if _belongs_here(task)},
        {run: len(run.results()) for run in loading.the_runs().all() if _is_active(run)},
    )


def _belongs_here(task: Task) -> bool:
    """What is under way; of what failed, what this visitor asked for and no page would tell."""
    ended_badly = task.waiters is None and not task.stopping and is_mine(task.owner)
    return not task.finished or ended_badly


def _is_active(run: Run) -> bool:
    return _state(run) in ACTIVE


def _state(run: Run) -> State | None:
    try:
        return run.state
    except RunError:  # another version made it, or it is damaged
        return None


def _draw(seen: _TaskSnapshot) -> None:
    loading.the_runs().revive()
    now = _look()
    if _page_is_outdated(seen, now):
        st.rerun()
    st.caption("Running")
    for task in now.tasks:
        with st.container(key=f"task-{task.number}", gap="xsmall"):
            _show_task(task)
    for run in now.runs:
        with st.container(key=f"task-{run.id}", gap="xsmall"):
            _show_run(run)


def _done_since(seen: _TaskSnapshot | None, now: _TaskSnapshot) -> list[str]:
    """What this visitor had asked for by a button and is done since the page was drawn."""
    if seen is None:
        return []
    return [
        task.title
        for task in _ended(seen, now)
        if task.waiters is None and task.problem is None and is_mine(task.owner)
    ] + [
        run.plan.title
        for run in seen.runs
        if run not in now.runs and _state(run) == "finished" and is_mine(run.started_by)
    ]


def _ended(seen: _TaskSnapshot, now: _TaskSnapshot) -> list[Task]:
    return [task for task in seen.tasks if task.finished and task not in now.tasks]


def _page_is_outdated(seen: _TaskSnapshot, now: _TaskSnapshot) -> bool:
    """Whether something ended, or has more to show: a task, or a run of the kind on the page."""
    ended = _ended(seen, now)
    over = [run for run in seen.runs if run not in now.runs]
    watched = st.session_state.get(_WATCHED)
    grown = any(
        now.runs[run] != parts
        for run, parts in seen.runs.items()
        if run in now.runs and run.kind == watched
    )
    more = any(
        seen.tasks.get(task) is not preview for task, preview in now.tasks.items() if preview
    )
    return bool(ended or over or grown or more)


def _show_task(task: Task) -> None:
    if task.finished:
        st.warning(f"{in_markdown(task.title)}: {in_markdown(task.problem or '')}")
        st.button(
            "Dismiss",
            type="tertiary",
            key=f"dismiss-{task.number}",
            on_click=loading.the_tasks().forget,
            args=(task.key,),
        )
        return
    _title_and_stop(task.title, f"stop-task-{task.number}", task.stopping, task.stop)
    progress_bar(
        task.share, "Stopping" if task.stopping else in_markdown(task.message), task.left.seconds
    )


def _show_run(run: Run) -> None:
    progress, parts = run.progress, len(run.units)
    _title_and_stop(run.plan.title, f"stop-{run.id}", run.stopping, lambda: _stop_run(run))
    done = f"{len(run.results())} of {parts} part{'s' if parts != 1 else ''} done"
    if run.stopping:
        progress_bar(progress.share, f"{done}, stopping after this step", None)
    elif run.state == "queued":
        progress_bar(progress.share, f"{done}, {_queue_message(run)}", None)
    else:
        progress_bar(
            progress.share, in_markdown(f"{done}, {progress.message}"), progress.seconds_left
        )
    if is_read_only():  # a log names files of the machine that it ran on
        return
    with st.popover("Log", type="tertiary", icon=":material/description:", key=f"log-{run.id}"):
        st.code(run.log() or "Nothing yet.", language=None, height=300)


def _stop_run(run: Run) -> None:
    with suppress(RunError):  # it has ended meanwhile
        loading.the_runs().stop(run)


def _queue_message(run: Run) -> str:
    waiting = [each.id for each in loading.the_runs().queue()]
    ahead = waiting.index(run.id) if run.id in waiting else 0
    return f"waiting for its turn, {ahead} before it" if ahead else "waiting for its turn"


def _title_and_stop(title: str, key: str, stopping: bool, stop: Callable[[], None]) -> None:
    """What is at work, and the button that stops it, unless it belongs to somebody else."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{in_markdown(title)}**", width="stretch")
        if not is_read_only():
            st.button(
                "Stop",
                type="tertiary",
                icon=":material/stop_circle:",
                key=key,
                disabled=stopping,
                on_click=stop,
            )
