"""What leaves the app: files of the map, each saying how it was made."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from components import loading
from components.layer_scrubber import ScrubberData, ScrubberState
from components.layer_scrubber.standalone import html_document
from components.map_data import moving_map
from isogloss.animation import animate
from isogloss.studies import Study
from isogloss.tables import layout_table, write_csv, write_parquet
from isogloss.tasks import OnProgress, ShouldStop, Work
from isogloss.token_maps import TokenMap

PARQUET = "application/vnd.apache.parquet"
HELP = {
    "HTML": "The same map in one file that works offline by double click.",
    "CSV": "Coordinates, ranks and partners, a row for each word and layer.",
    "Parquet": "The same table with its types.",
}
FILMS = {"gif": "image/gif", "mp4": "video/mp4"}


def offer(
    study: Study, token_map: TokenMap, data: ScrubberData, state: ScrubberState, theme: str
) -> None:
    """Files for a talk, a paper or a spreadsheet, and the block that says how they were made."""
    name = f"isogloss-{study.key[:8]}-{token_map.options.projection.method}"
    with st.expander("Take it away", icon=":material/download:"):
        st.caption(
            "One picture (PNG or SVG) is behind the map's own download button. These hold all "
            "layers, and each says how it was made."
        )
        downloads: dict[str, tuple[str, Callable[[], str | bytes]]] = {
            "HTML": ("text/html", partial(_page, data, state)),
            "CSV": ("text/csv", partial(_table, study, token_map, data, "csv")),
            "Parquet": (PARQUET, partial(_table, study, token_map, data, "parquet")),
        }
        columns = st.columns(len(downloads) + len(FILMS))
        for column, (kind, (media_type, make)) in zip(columns, downloads.items(), strict=False):
            with column:
                st.download_button(
                    kind,
                    make,
                    f"{name}.{kind.lower()}",
                    media_type,
                    on_click="ignore",
                    icon=":material/download:",
                    width="stretch",
                    help=HELP[kind],
                )
        for column, kind in zip(columns[len(downloads) :], FILMS, strict=True):
            with column:
                _offer_film(study, token_map, data, kind, name, theme)
        st.markdown("**How this was made**")
        st.table({"": list(data.provenance), " ": list(data.provenance.values())})


def _page(data: ScrubberData, state: ScrubberState) -> str:
    view = vars(state.view) | {"talk": False}
    return html_document(data, **view)


def _table(study: Study, token_map: TokenMap, data: ScrubberData, kind: str) -> bytes:
    points = token_map.table
    table = layout_table(
        data.coordinates,
        data.texts,
        points.side,
        points.sentence,
        token_map.links.pairs,
        data.ranks,
        study.languages,
    )
    write = write_csv if kind == "csv" else write_parquet
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"map.{kind}"
        write(table, path, data.provenance)
        return path.read_bytes()


def _offer_film(
    study: Study, token_map: TokenMap, data: ScrubberData, kind: str, name: str, theme: str
) -> None:
    """A film is drawn picture by picture, so it is made when asked for and then offered."""
    key = ("film", study.key, token_map.options, kind, theme)
    task = loading.the_tasks().find(key)
    if task is None:
        if st.button(kind.upper(), icon=":material/movie:", width="stretch"):
            loading.the_tasks().start(key, kind.upper(), _film(data, kind, theme))
            st.rerun()
    elif task.finished and task.problem is None:
        st.download_button(
            f"Save {kind.upper()}",
            task.result,
            f"{name}.{kind}",
            FILMS[kind],
            on_click="ignore",
            icon=":material/download:",
            width="stretch",
        )
    else:
        loading.in_background(key, kind.upper(), _film(data, kind, theme))


def _film(data: ScrubberData, kind: str, theme: str) -> Work:
    def work(progress: OnProgress, should_stop: ShouldStop) -> bytes:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / f"map.{kind}"
            animate(moving_map(data), path, theme=theme, progress=progress, should_stop=should_stop)
            return path.read_bytes()

    return work
