"""What every page with runs has: choose one, start one, see those under way, how one was made."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from components import loading
from components.charts import in_markdown
from components.layout import control_row
from isogloss.errors import USER_ERRORS, RunError
from isogloss.formatting import human_time
from isogloss.jobs import Run, State
from isogloss.plans import Plan

POLL_SECONDS = 1.0
ACTIVE: tuple[State, ...] = ("running", "queued")
_SAYINGS: dict[State, str] = {
    "stopped": "Stopped; what was finished is kept.",
    "interrupted": "Broken off when its process ended; what was finished is kept.",
    "failed": "It could not go on.",
}
_Sight = tuple[tuple[str, State, int], ...]


def open_runs(kind: str, key: str, form: Callable[[], None]) -> Run | None:
    """The run on show, None if none has results; with those under way and the form of a new one.

    The form is folded away unless there is nothing else to show, and drawn when it is opened.
    """
    runs_under_way(kind)
    run = choose_run(kind, f"{key}-run")
    folded = st.expander(
        "Run your own",
        expanded=run is None,
        icon=":material/science:",
        key=f"{key}-form",
        on_change="rerun",
    )
    if folded.open:
        with folded:
            form()
    return run


def choose_run(kind: str, key: str) -> Run | None:
    """The run whose results are on show, by a list of all that have any; None if none has.

    The first choice is the one the link names, else the user's newest that is finished, else one
    that ships. The address keeps it as `run`: a page that writes the rest adds `run_address`.
    """
    known = {run.id: run for run in runs_with_results(kind)}
    if not known:
        return None
    chosen = _first_choice(kind, known)
    st.session_state[f"run-{kind}"] = st.session_state[key] = chosen.id
    st.selectbox(
        "Run",
        list(known),
        format_func={name: run_label(run) for name, run in known.items()}.__getitem__,
        key=key,
        on_change=lambda: _choose(kind, st.session_state[key]),
        help="Your own runs, the newest first, and those that come with Isogloss; one that is "
        "under way shows what it has finished so far.",
    )
    if st.query_params.get("run") != run_address(chosen):
        st.query_params["run"] = run_address(chosen)
    return chosen


def run_address(shown: Run) -> str:
    """What the address says of runs: the one on show, or one that will be when it has results."""
    return str(st.session_state.get(f"awaited-{shown.kind}", shown.id))


def runs_with_results(kind: str) -> list[Run]:
    """Every run of a kind that has finished something, the user's newest first."""
    return [run for run in loading.the_runs().all(kind) if _is_readable(run) and run.results()]


def run_label(run: Run) -> str:
    """A run as a list shows it; it must not change while the run goes on."""
    origin = "comes with Isogloss" if run.shipped else run.created[:16].replace("T", " ")
    return f"{run.plan.title} · {origin} · {run.id}"


def _first_choice(kind: str, known: Mapping[str, Run]) -> Run:
    """The run to show, a run that was started or linked to as soon as it has results."""
    kept, awaited = f"run-{kind}", f"awaited-{kind}"
    asked = st.query_params.get("run", "")
    there = [run.id for run in loading.the_runs().all(kind)]
    if kept not in st.session_state and asked:
        found = [name for name in there if name.startswith(asked)]
        if found:
            st.session_state[awaited] = found[0]
        else:
            st.toast(f"The link's run {asked} is not in this cache.", icon=":material/link_off:")
    wished = st.session_state.get(awaited)
    if wished in known:
        st.session_state[kept] = wished
    if wished in known or wished not in there:
        st.session_state.pop(awaited, None)
    return known.get(str(st.session_state.get(kept))) or _default(list(known.values()))


def _default(runs: Sequence[Run]) -> Run:
    """The user's newest finished run, else what ships with most to show, else the newest."""
    own = [run for run in runs if not run.shipped]
    finished = [run for run in own if run.state == "finished"]
    shipped = sorted((run for run in runs if run.shipped), key=lambda run: -len(run.results()))
    return (finished or shipped or own)[0]


def _choose(kind: str, name: str) -> None:
    st.session_state[f"run-{kind}"] = name
    st.session_state.pop(f"awaited-{kind}", None)


def start_button(plan: Plan, estimate: Callable[[], str], key: str) -> None:
    """The button that starts a run of `plan`, with what it is and how long it will take.

    The estimate may take a while to make: the button does not wait for it.
    """
    runs = loading.the_runs()
    active = [run for run in runs.all() if _is_readable(run) and run.state in ACTIVE]
    same = any(run.kind == plan.KIND and run.plan == plan for run in active)
    what = f"**{in_markdown(plan.title)}**, {_counted(len(plan.units()), 'part')}."
    with control_row():
        pressed = st.button(
            "Start", type="primary", icon=":material/play_arrow:", key=key, disabled=same
        )
        said = st.empty()
        said.caption(f"{what} This run is under way." if same else what)
    if pressed:
        run = runs.create(plan)
        runs.enqueue(run)
        st.session_state[f"awaited-{plan.KIND}"] = run.id
        st.rerun()
    if not same:
        waits = f" It waits for {_counted(len(active), 'run')} before it." if active else ""
        said.caption(f"{what} {estimate()}{waits}")


def runs_under_way(kind: str) -> None:
    """Every unfinished run of a kind: how far it is, and buttons to stop, resume or remove it.

    While one is at work this renews itself, and reruns the page when a part is finished; when none
    is, nothing is asked of the server.
    """
    seen = _look(kind)
    if any(state != "finished" for _, state, _ in seen):
        active = any(state in ACTIVE for _, state, _ in seen)
        st.fragment(_show_unfinished, run_every=POLL_SECONDS if active else None)(kind, seen)


def _look(kind: str) -> _Sight:
    """The state of every run of a kind and how many parts it has finished."""
    return tuple((run.id, _state(run), len(_results(run))) for run in _own(kind))


def _own(kind: str) -> list[Run]:
    return [run for run in loading.the_runs().all(kind) if not run.shipped]


def _show_unfinished(kind: str, seen: _Sight) -> None:
    loading.the_runs().revive()
    if _look(kind) != seen:
        st.rerun()
    order = ("running", "queued", "failed", "interrupted", "stopped")
    unfinished = [run for run in _own(kind) if _state(run) in order]
    for run in sorted(unfinished, key=lambda run: order.index(_state(run))):
        with st.container(border=True, key=f"run-{run.id}"):
            try:
                _show_run(run, _state(run))
            except USER_ERRORS as error:  # such as a run that another window has removed
                st.warning(str(error), icon=":material/info:")


def _show_run(run: Run, state: State) -> None:
    if not _is_readable(run):
        st.warning(_why_unreadable(run), icon=":material/warning:")
        _remove_button(run)
        return
    progress = run.progress
    done = f"{len(run.results())} of {_counted(len(run.units), 'part')}"
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.markdown(f"**{in_markdown(run.plan.title)}** · {done} done", width="content")
        with st.container(horizontal=True, width="content", gap="small"):
            _show_buttons(run, state)
    if state in ACTIVE:
        left = progress.seconds_left if state == "running" else None
        remaining = "" if left is None else f" · about {human_time(left)} left"
        message = progress.message if state == "running" else _queue_message(run)
        if run.stopping:
            message, remaining = "stopping after this step", ""
        st.progress(min(progress.share, 1.0), text=f"{message[:1].upper()}{message[1:]}{remaining}")
    elif state == "failed":
        st.error(run.problem or _SAYINGS[state], icon=":material/error:")
    else:
        st.progress(min(progress.share, 1.0), text=_SAYINGS[state])


def _queue_message(run: Run) -> str:
    waiting = [each.id for each in loading.the_runs().queue()]
    ahead = waiting.index(run.id) if run.id in waiting else 0
    return f"waiting for its turn, {ahead} before it" if ahead else "waiting for its turn"


def _show_buttons(run: Run, state: State) -> None:
    runs = loading.the_runs()
    if state in ACTIVE and st.button(
        "Stop", icon=":material/stop:", key=f"stop-{run.id}", disabled=run.stopping
    ):
        runs.stop(run)
        st.rerun()
    if state not in ACTIVE and st.button(
        "Resume", icon=":material/play_arrow:", key=f"resume-{run.id}"
    ):
        runs.enqueue(run)
        st.rerun()
    with st.popover("Log", icon=":material/description:", key=f"log-{run.id}"):
        st.code(run.log() or "Nothing yet.", language=None, height=300)
    if state not in ACTIVE:
        _remove_button(run)


def _remove_button(run: Run) -> None:
    """Removing asks once more, because results go with the run."""
    with st.popover("Remove", icon=":material/delete:", key=f"ask-remove-{run.id}"):
        st.markdown("Its results are deleted with it.")
        if st.button("Remove for good", type="primary", key=f"remove-{run.id}"):
            loading.the_runs().remove(run)
            st.rerun()


def run_facts(run: Run) -> None:
    """How a run was made: how its settings were chosen; its command, data and versions folded."""
    if run.note:
        st.caption(f"**How its settings were chosen.** {run.note}")
    with st.expander("How this was made", icon=":material/history:"):
        st.code(run.command, language="bash", wrap_lines=True)
        facts = {"created": run.created, **run.facts, "plan": run.description["plan"]}
        flat = dict(_flatten(facts))
        st.dataframe(
            {"What": list(flat), "Value": list(flat.values())},
            hide_index=True,
            height=320,
            key=f"facts-{run.id}",
            alt="How this run was made",
        )
        if not run.shipped and run.state == "finished":
            _remove_button(run)


def _flatten(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Nested facts as lines, such as ("data · train · pairs", "600")."""
    if isinstance(value, Mapping):
        for part, inner in value.items():
            yield from _flatten(inner, f"{name} · {part}" if name else str(part))
    elif isinstance(value, list | tuple):
        yield name, ", ".join(map(str, value))
    else:
        yield name, "" if value is None else str(value)


def table_download(rows: Sequence[Mapping[str, Any]], name: str) -> None:
    """A button that saves rows as `name`.csv; the first row says what the columns are."""
    st.download_button(
        "CSV",
        as_csv(rows),
        f"{name}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"csv-{name}",
        disabled=not rows,
    )


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as comma-separated values; what is None stays empty."""
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _is_readable(run: Run) -> bool:
    return not _why_unreadable(run)


def _why_unreadable(run: Run) -> str:
    """The sentence for a run that another version of Isogloss made, empty where it can be read."""
    try:
        _ = run.plan
    except RunError as error:
        return str(error)
    return ""


def _state(run: Run) -> State:
    return run.state if _is_readable(run) else "failed"


def _results(run: Run) -> Mapping[str, Any]:
    return run.results() if _is_readable(run) else {}


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
