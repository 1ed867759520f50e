"""What every page with runs has: choose one, start one, go on with one, how one was made."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from components.shared import loading, query, task_list
from components.shared.markdown import in_markdown, in_table
from components.shared.read_only import is_read_only
from components.shared.session import is_mine
from components.shared.studies.model_names import show_tuning
from isogloss.errors import USER_ERRORS, RunError
from isogloss.formatting import spreadsheet_rows
from isogloss.lab.runs.run import Run, State
from isogloss.models.presets import DEFAULT_MODEL

STATE_TEXT: dict[State, str] = {
    "stopped": "Stopped; what was finished is kept.",
    "interrupted": "Broken off when its process ended; what was finished is kept.",
    "failed": "It could not go on.",
}
_QUERY = "run"


def has_results(run: Run) -> bool:
    """Whether a run has finished something."""
    return bool(run.results())


def open_runs(
    kind: str,
    key: str,
    form: Callable[[], None],
    is_to_show: Callable[[Run], bool] = has_results,
) -> Run | None:
    """The run on show, None if none has results; with those that ended early.

    `is_to_show` says which runs have something to show, where that is more than results.

    Where there is none, the form of a new one stands here, open; else it comes last, by `more`.
    Those under way are in the sidebar's list. A read-only server has neither.
    """
    task_list.watch_runs(kind)
    if is_read_only():
        return choose_run(kind, f"{key}-run", is_to_show)
    broken_off_runs(kind)
    run = choose_run(kind, f"{key}-run", is_to_show)
    if run is None:
        _offer(key, form, expanded=True)
    return run


def more(run: Run, key: str, form: Callable[[], None]) -> None:
    """What comes last on every page of runs: how this one was made, and the form of another."""
    run_facts(run)
    if not is_read_only():
        _offer(key, form, expanded=False)


def _offer(key: str, form: Callable[[], None], *, expanded: bool) -> None:
    """The form of a new run, drawn when it is opened."""
    folded = st.expander(
        "Run your own",
        expanded=expanded,
        icon=":material/science:",
        key=f"{key}-form",
        on_change="rerun",
    )
    if folded.open:
        with folded:
            form()


def choose_run(kind: str, key: str, is_to_show: Callable[[Run], bool] = has_results) -> Run | None:
    """The run whose results are on show, by a list of all that have any; None if none has.

    The first choice is the one the link names, else the user's newest that is finished, else one
    that ships. The address keeps it as `run`: a page that writes the rest adds `run_address`.
    """
    known = {run.id: run for run in runs_with_results(kind, is_to_show)}
    there = [run.id for run in loading.the_runs().all(kind)]
    if query.is_dead(_QUERY, there):
        _say_dead(kind)
    if not known:
        return None
    chosen = _first_choice(kind, known, there)
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
    query.add(run=run_address(chosen))
    return chosen


def _say_dead(kind: str) -> None:
    """A link to a run that is not here says so until a run is chosen or started."""
    st.warning(
        f"The link names the run {in_markdown(st.query_params[_QUERY][:32])}, which is not in this "
        "store. Choose another, or start it again with the command that made it.",
        icon=":material/link_off:",
    )
    st.button("Go on without it", on_click=query.drop, args=(_QUERY,), key=f"without-run-{kind}")


def run_address(shown: Run) -> str:
    """What the address says of runs: the one on show, or one that will be when it has results."""
    return str(st.session_state.get(f"awaited-{shown.kind}", shown.id))


def runs_with_results(kind: str, is_to_show: Callable[[Run], bool] = has_results) -> list[Run]:
    """Every run of a kind that has finished something, the user's newest first."""
    return [run for run in loading.the_runs().all(kind) if _is_readable(run) and is_to_show(run)]


def run_label(run: Run) -> str:
    """A run as a list shows it; it must not change while the run goes on."""
    origin = "comes with Isogloss" if run.shipped else run.created[:16].replace("T", " ")
    return f"{run.plan.title} · {origin} · {run.id}"


def _first_choice(kind: str, known: Mapping[str, Run], there: Sequence[str]) -> Run:
    """The run to show, a run that was started or linked to as soon as it has results."""
    kept, awaited = f"run-{kind}", f"awaited-{kind}"
    linked = query.key(_QUERY, there)
    if kept not in st.session_state and linked:
        st.session_state[awaited] = linked
    wished = st.session_state.get(awaited)
    if wished in known:
        st.session_state[kept] = wished
    if wished in known or wished not in there:
        st.session_state.pop(awaited, None)
    return known.get(str(st.session_state.get(kept))) or _default(list(known.values()))


def _default(runs: Sequence[Run]) -> Run:
    """The user's newest finished run, else a shipped one, else the user's newest, else any.

    What another visitor started is not somebody's own. Of what ships, the default model's comes
    first, then what has most to show.
    """
    own = [run for run in runs if not run.shipped and is_mine(run.started_by)]
    finished = [run for run in own if run.state == "finished"]
    shipped = sorted(
        (run for run in runs if run.shipped),
        key=lambda run: (getattr(run.plan, "model", "") != DEFAULT_MODEL, -len(run.results())),
    )
    return (finished or shipped or own or runs)[0]


def _choose(kind: str, name: str) -> None:
    st.session_state[f"run-{kind}"] = name
    st.session_state.pop(f"awaited-{kind}", None)
    query.drop(_QUERY)


def broken_off_runs(kind: str) -> None:
    """The user's runs of a kind that ended before they were finished; to resume or remove.

    Of a run that is damaged so much that it has no kind, every kind's page says so.
    """
    runs = loading.the_runs()
    for run in (*runs.all(kind), *runs.damaged()):
        state = state_of(run)
        if state in STATE_TEXT and _is_mine(run):
            with st.container(border=True, key=f"run-{run.id}"):
                try:
                    _show_broken_off(run, state)
                except USER_ERRORS as error:  # such as a run that another window has removed
                    st.warning(in_markdown(error), icon=":material/info:")


def _show_broken_off(run: Run, state: State) -> None:
    if not _is_readable(run):
        st.warning(in_markdown(_why_unreadable(run)), icon=":material/warning:")
        _remove_button(run)
        return
    done = f"{len(run.results())} of {counted(len(run.units), 'part')}"
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.markdown(f"**{in_markdown(run.plan.title)}** · {done} done", width="content")
        with st.container(horizontal=True, width="content", gap="small"):
            if st.button("Resume", icon=":material/play_arrow:", key=f"resume-{run.id}"):
                loading.the_runs().enqueue(run)
                st.rerun()
            with st.popover("Log", icon=":material/description:", key=f"log-{run.id}"):
                st.code(run.log() or "Nothing yet.", language=None, height=300)
            _remove_button(run)
    if state == "failed":
        st.error(in_markdown(run.problem or STATE_TEXT[state]), icon=":material/error:")
    else:
        st.progress(min(run.progress.share, 1.0), text=STATE_TEXT[state])


def _remove_button(run: Run) -> None:
    """Removing asks once more, because results go with the run."""
    with st.popover("Remove", icon=":material/delete:", key=f"ask-remove-{run.id}"):
        st.markdown("Its results are deleted with it.")
        if st.button("Remove for good", type="primary", key=f"remove-{run.id}"):
            loading.the_runs().remove(run)
            st.rerun()


def run_facts(run: Run) -> None:
    """How a run was made, folded: what was chosen how; its command, data and versions."""
    with st.expander("How this was made", icon=":material/history:"):
        show_tuning(run.description["plan"].get("model", ""))
        if run.note:
            st.caption(f"**How its settings were chosen.** {in_markdown(run.note)}")
        st.code(run.command, language="bash", wrap_lines=True)
        facts = {"created": run.created, **run.facts, "plan": run.description["plan"]}
        flat = dict(_flatten(facts))
        st.dataframe(
            {"What": list(map(in_table, flat)), "Value": list(map(in_table, flat.values()))},
            hide_index=True,
            height=320,
            key=f"facts-{run.id}",
            alt="How this run was made",
        )
        if not run.shipped and not is_read_only() and run.state == "finished" and _is_mine(run):
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
    """Rows as comma-separated values for a spreadsheet; what is None stays empty."""
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(spreadsheet_rows(rows, list(rows[0])))
    return text.getvalue()


def _is_mine(run: Run) -> bool:
    """Whether it was started here or by the command line, or cannot say by whom."""
    return not _is_readable(run) or is_mine(run.started_by)


def _is_readable(run: Run) -> bool:
    return not _why_unreadable(run)


def _why_unreadable(run: Run) -> str:
    """The sentence for a run that is damaged or of another version, empty where it can be read."""
    try:
        run.check()
    except RunError as error:
        return str(error)
    return ""


def state_of(run: Run) -> State:
    """A run's state; one that cannot be read has failed."""
    return run.state if _is_readable(run) else "failed"


def counted(number: int, what: str) -> str:
    """1 part, 2 parts."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
