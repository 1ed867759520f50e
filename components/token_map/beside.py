"""A second map beside the first: another model, another text, or other coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import streamlit as st

from components.layer_scrubber import MapView, layer_scrubber
from components.shared import background, loading, query
from components.shared.studies import coordinates
from components.shared.studies.model_names import model_name
from isogloss.map.data import scrubber_data
from isogloss.map.maps import MapOptions
from isogloss.map.standalone import Comparison
from isogloss.measures.coordinates import COORDINATES, Coordinates
from isogloss.studies.study import Study
from isogloss.text.parts import TextPart

_QUERY = "beside"
_SESSION = "map-beside"


def choose(study: Study) -> str | None:
    """Show the one switch; returns a study's key, or the coordinates to draw this one in."""
    titles = _titles(study)
    kept = st.session_state.setdefault(_SESSION, query.key(_QUERY, titles))
    widget = f"beside-{study.key}-{coordinates.current()}"
    # Set this way and not by its index, the widget can be emptied again.
    st.session_state.setdefault(widget, kept if kept in titles else None)
    chosen = st.selectbox(
        "Compare with…",
        list(titles),
        index=None,
        format_func=titles.__getitem__,
        placeholder="Compare with…",
        label_visibility="collapsed",
        width=190,
        key=widget,
    )
    st.session_state[_SESSION] = chosen
    return chosen


def show(study: Study, options: MapOptions, other: str) -> Comparison | None:
    """Draw the second map here; None while it is laid out."""
    beside, its_options = _setting(study, options, other)
    token_map = background.map_of(beside, its_options)
    if token_map is None:
        return None
    found = Comparison(
        name(beside, its_options), scrubber_data(beside, token_map), name(study, options)
    )
    key = f"beside-{beside.key}-{its_options.coordinates}"
    layer_scrubber(found.data, MapView(), pane="second", name=found.name, key=key)
    return found


def _titles(study: Study) -> dict[str, str]:
    """What this map can be compared with, the same text before others."""
    ways = {
        name: f"{coordinates.TITLES[name]} coordinates"
        for name in COORDINATES
        if name != coordinates.current()
    }
    text = study.entry.record["corpus"]
    others = sorted(
        (each for each in loading.studies() if each.key != study.key),
        key=lambda each: each.entry.record["corpus"] != text,
    )
    return ways | {
        each.key: f"{model_name(each, weights=False)} · {each.entry.facts['corpus']}"
        for each in others
    }


def _setting(study: Study, options: MapOptions, other: str) -> tuple[Study, MapOptions]:
    """The other map's study and options: as far as they can be, those of the first."""
    if other in COORDINATES:
        return study, replace(options, coordinates=cast(Coordinates, other))
    beside = loading.study(other)
    part = options.part
    if beside.corpus.content_hash != study.corpus.content_hash and part.way in ("topic", "search"):
        part = TextPart(part.pairs)
    links = replace(options.links, layer=min(options.links.layer, beside.states.last))
    return beside, replace(options, part=part, links=links)


def name(study: Study, options: MapOptions) -> str:
    """What tells a map from the other one."""
    way = coordinates.TITLES[options.coordinates].lower()
    return f"{model_name(study)} · {study.entry.facts['corpus']}, {way}"
