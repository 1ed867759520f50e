"""A second map beside the first: another model, another text, or other coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from components.shared import background, loading, map_view
from components.shared.studies import coordinates
from components.shared.studies.model_names import model_name
from isogloss.map.data import scrubber_data
from isogloss.map.maps import MapOptions
from isogloss.map.standalone import Comparison
from isogloss.measures.coordinates import COORDINATES, Coordinates
from isogloss.studies.study import Study
from isogloss.text.parts import TextPart


def choose(study: Study) -> str | None:
    """Show the one switch; returns a study's key, or the coordinates to draw this one in."""
    return map_view.choose_beside("map", study.key, _titles(study))


def show(study: Study, options: MapOptions, other: str) -> Comparison | None:
    """Draw the second map here; None while it is laid out."""
    other_study, its_options = _setting(study, options, other)
    token_map = background.map_of(other_study, its_options)
    if token_map is None:
        return None
    found = Comparison(
        name(other_study, its_options), scrubber_data(other_study, token_map), name(study, options)
    )
    map_view.draw_beside(found, f"beside-{other_study.key}-{its_options.coordinates}")
    return found


def _titles(study: Study) -> dict[str, str]:
    """What this map can be compared with, the same text before others."""
    text = study.entry.record["corpus"]
    others = sorted(
        (each for each in loading.studies() if each.key != study.key),
        key=lambda each: each.entry.record["corpus"] != text,
    )
    return map_view.other_ways() | {
        each.key: f"{model_name(each, weights=False)} · {each.entry.facts['corpus']}"
        for each in others
    }


def _setting(study: Study, options: MapOptions, other: str) -> tuple[Study, MapOptions]:
    """The other map's study and options: as far as they can be, those of the first."""
    if other in COORDINATES:
        return study, replace(options, coordinates=cast(Coordinates, other))
    found = loading.study(other)
    part = options.part
    if found.text.content_hash != study.bitext.content_hash and part.way in ("topic", "search"):
        part = TextPart(part.pairs)
    links = replace(options.links, layer=min(options.links.layer, found.states.last))
    return found, replace(options, part=part, links=links)


def name(study: Study, options: MapOptions) -> str:
    """What tells a map from the other one."""
    way = coordinates.TITLES[options.coordinates].lower()
    return f"{model_name(study)} · {study.entry.facts['corpus']}, {way}"
