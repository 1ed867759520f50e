"""What leaves the app: files of the map, each saying how it was made."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from components.layer_scrubber import MapView, ScrubberData, ScrubberState
from components.shared import background, charts, loading
from components.shared.layout import folded
from components.shared.markdown import in_markdown
from components.shared.studies import tours
from components.shared.studies.methods import methods_button
from isogloss.errors import IsoglossError
from isogloss.formatting import human_size, human_time
from isogloss.map.contact_sheet import contact_sheet, require_font
from isogloss.map.film import QUALITIES, FilmPlan, film_scene, make_film, plan_film
from isogloss.map.maps import TokenMap, map_records
from isogloss.map.sheet_plan import WIDTHS
from isogloss.map.standalone import Comparison, html_document
from isogloss.map.table import map_table, write_csv, write_parquet
from isogloss.options import to_query
from isogloss.studies.study import Study
from isogloss.tasks import OnProgress, ShouldStop, Work

PARQUET = "application/vnd.apache.parquet"
HELP = {
    "HTML": "The same map in one file that works offline by double click.",
    "CSV": "Coordinates, ranks and partners, a row for each word and layer.",
    "Parquet": "The same table with its types.",
}
FILMS = {"gif": "image/gif", "mp4": "video/mp4"}
FILM_VERSION = 5
"""Raised when films come to look different."""
_FILM = "film"


def show(
    study: Study,
    token_map: TokenMap,
    data: ScrubberData,
    state: ScrubberState,
    comparison: Comparison | None,
    theme: str,
) -> None:
    """Files for a talk, a paper or a spreadsheet, and the block that says how they were made."""
    name = f"isogloss-{study.key[:8]}-{token_map.options.projection.method}"
    with folded("Take it away", icon=":material/download:") as opened:
        if not opened:
            return
        st.caption(
            "One picture (PNG or SVG) is behind the map's own download button. These hold all "
            "layers, and each says how it was made."
        )
        downloads: dict[str, tuple[str, Callable[[], str | bytes]]] = {
            "HTML": ("text/html", partial(page_of, data, state, comparison, tours.here())),
            "CSV": ("text/csv", partial(_table, study, token_map, data, "csv")),
            "Parquet": (PARQUET, partial(_table, study, token_map, data, "parquet")),
        }
        columns = st.columns(len(downloads))
        for column, (kind, (media_type, make)) in zip(columns, downloads.items(), strict=True):
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
        made_from = map_records(study, token_map.options)
        offer_films(study, made_from, data, state.view, name, theme)
        offer_sheet(data, state, name)
        _offer_methods(study, token_map)
        show_provenance(data)


def _offer_methods(study: Study, token_map: TokenMap) -> None:
    from isogloss.interface.map_result import MapResult  # the first page opens without it

    methods_button(study, MapResult(study, token_map))


def show_provenance(data: ScrubberData) -> None:
    """How a map was made."""
    rows = (f"| {in_markdown(a)} | {in_markdown(b)} |" for a, b in data.provenance.items())
    st.markdown("\n".join(("| How this was made | |", "|---|---|", *rows)))


def offer_sheet(data: ScrubberData, state: ScrubberState, name: str) -> None:
    """All layers on one sheet for a paper, with the pins and colours of the map on show."""
    try:
        require_font(data, state.view)
    except IsoglossError as problem:
        st.caption(f"No sheet of all layers: {problem}")
        return
    choice, *columns = st.columns([2, 1, 1, 1], vertical_alignment="bottom")
    width = choice.segmented_control(
        "All layers on one sheet",
        list(WIDTHS),
        default=2,
        required=True,
        format_func=lambda n: "One column" if n == 1 else "Two columns",
        help=f"For a paper: {WIDTHS[1]:g} or {WIDTHS[2]:g} mm wide, fonts embedded.",
    )
    for column, kind in zip(columns, charts.FILES, strict=True):
        column.download_button(
            kind.upper(),
            partial(contact_sheet, data, kind, width, state.view),
            f"{name}-layers.{kind}",
            charts.FILES[kind],
            on_click="ignore",
            icon=":material/grid_view:",
            width="stretch",
            key=f"sheet-{kind}",
        )


def page_of(
    data: ScrubberData,
    state: ScrubberState,
    comparison: Comparison | None = None,
    here: str = "",
) -> str:
    """The file holds both maps of two, and of a tour the steps at the place `here`.

    It opens at the first of them.
    """
    tour = tuple(
        replace(step, where="?" if step.where else "")
        for step in state.view.tour
        if not step.is_elsewhere(here)
    )
    at = {"talk": False, "tour": tour, "step": 0 if tour else None}
    return html_document(data, comparison, **vars(state.view) | at)


def _table(study: Study, token_map: TokenMap, data: ScrubberData, kind: str) -> bytes:
    table = map_table(study, token_map)
    write = write_csv if kind == "csv" else write_parquet
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"map.{kind}"
        write(table, path, data.provenance)
        return path.read_bytes()


Records = list[dict[str, Any]]


def offer_films(
    study: Study,
    made_from: Records,
    data: ScrubberData,
    view: MapView,
    name: str,
    theme: str,
) -> None:
    """Films of a map as one looks at it; `made_from` are the records of what it is made from."""
    look = MapView(pins=view.pins, color_by=view.color_by, links=view.links, labels=view.labels)
    choice, *columns = st.columns([2, 1, 1], vertical_alignment="bottom")
    quality = choice.segmented_control(
        "A film through all layers",
        list(QUALITIES),
        default="slide",
        required=True,
        format_func=QUALITIES.__getitem__,
        help="To fit a slide, a GIF has at most 5 MB and an MP4 at most 3 MB.",
    )
    for column, kind in zip(columns, FILMS, strict=True):
        with column:
            _offer_film(study, made_from, data, _Film(kind, quality, theme, look), name)


@dataclass(frozen=True)
class _Film:
    kind: str
    quality: str
    theme: str
    look: MapView


def _offer_film(
    study: Study, made_from: Records, data: ScrubberData, film: _Film, name: str
) -> None:
    """A film is drawn picture by picture, so it is made when asked for, kept, and then offered."""
    record = {
        "kind": "film",
        "version": FILM_VERSION,
        "format": film.kind,
        "quality": film.quality,
        "theme": film.theme,
        "map": made_from,
        "look": to_query(film.look) | {"pins": list(film.look.pins)},
    }
    key = ("film", study.key, str(made_from), film)
    made = study.entry.derived(record)
    if made is not None:
        st.download_button(
            f"Save {film.kind.upper()}",
            made.file(f"{_FILM}.{film.kind}").read_bytes,
            f"{name}.{film.kind}",
            FILMS[film.kind],
            on_click="ignore",
            icon=":material/download:",
            width="stretch",
        )
    elif not background.show(key, f"Drawing the {film.kind.upper()}") and st.button(
        film.kind.upper(), icon=":material/movie:", width="stretch"
    ):
        _say_cost(study, data, film, key, record)


@st.dialog("A film of the map")
def _say_cost(
    study: Study, data: ScrubberData, film: _Film, key: Hashable, record: dict[str, object]
) -> None:
    """What the film will be and how long it will take, before it is begun."""
    with st.spinner("Drawing a few pictures to see how long it takes"):
        plan = _film_plan(data, film)
    width, height = plan.film.size
    st.markdown(
        f"**{film.kind.upper()}**, {width} × {height} pixels, {plan.pictures:,} pictures: about "
        f"{human_time(plan.seconds)} to draw, about {human_size(round(plan.bytes))}."
    )
    st.caption("It is drawn in the background; the sidebar shows how far it is.")
    if st.button("Draw it", type="primary", icon=":material/movie:"):
        title = f"Drawing a {film.kind.upper()}: {study.title}"
        background.start(key, title, _film(study, data, film, record))


def _film(study: Study, data: ScrubberData, film: _Film, record: dict[str, object]) -> Work:
    store = loading.the_store()

    def work(progress: OnProgress, should_stop: ShouldStop) -> None:
        def draw(workspace: Path) -> None:
            path = workspace / f"{_FILM}.{film.kind}"
            scene = film_scene(data, film.look, film.theme)
            make_film(scene, path, film.quality, progress, should_stop)

        store.get_or_create_derived(study.entry, record, draw, description="film")

    return work


@st.cache_data(
    show_spinner=False,
    max_entries=16,
    hash_funcs={ScrubberData: lambda data: data.digest, _Film: repr},
)
def _film_plan(data: ScrubberData, film: _Film) -> FilmPlan:
    """What a film of a map will be and cost; a few of its pictures are drawn to see."""
    return plan_film(film_scene(data, film.look, film.theme), film.kind, film.quality)
