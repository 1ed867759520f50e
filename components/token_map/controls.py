"""The map's settings and what it shows, to and from the URL; and what the numbers under it mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.layer_scrubber import MapView, ScrubberData
from components.shared import map_view, query
from components.shared.markdown import in_markdown
from components.shared.settings import setting_widget
from components.shared.studies import coordinates, tours
from components.shared.studies import study_picker as study_choice
from isogloss.formatting import percent
from isogloss.links.lexicons import load_lexicon
from isogloss.links.sources import ALONE_ERROR, LEXICON_ERROR, LINK_SOURCES
from isogloss.map.data import LOW_TRUST
from isogloss.map.headline import headline
from isogloss.map.maps import MapOptions, TokenMap
from isogloss.map.payload import COLORINGS
from isogloss.map.story import best_stop, opening_pins
from isogloss.map.tour import TourStep, read_tour, write_tour
from isogloss.measures.linked_points import linked_shares
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.measures.projection.methods import PROJECTIONS
from isogloss.options import DIGITS, Option, options_of, titled, to_query
from isogloss.studies.links.points import INDEPENDENT, LinkOptions, LinkScores
from isogloss.studies.links.words import default_link_layer
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name
from isogloss.text.parts import SENTENCE_STEPS, WAYS, TextPart, way_title

_PAGE = "map"
_OPTIONS, _PART, _PROJECTION, _LINKS = map(
    options_of, (MapOptions, TextPart, ProjectionOptions, LinkOptions)
)


def options(study: Study) -> MapOptions:
    """Show the settings; returns them as one value. The URL's query sets where they start."""
    with st.popover("Settings", icon=":material/tune:"):
        return _options(study)


def _options(study: Study) -> MapOptions:
    method = setting_widget(_PROJECTION["method"], _PAGE, buttons=True)
    points = setting_widget(_OPTIONS["points"], _PAGE, buttons=True)
    part = _choose_part(study)
    numbers = {
        each.name: setting_widget(_PROJECTION[each.name], _PAGE)
        for each in PROJECTIONS[method].parameters
    }
    return MapOptions(
        points=points,
        part=part,
        coordinates=coordinates.current(),
        projection=ProjectionOptions(method, **numbers),
        links=_choose_links(study),
    )


def _choose_links(study: Study) -> LinkOptions:
    links = setting_widget(_LINKS["method"], _PAGE)
    if links == INDEPENDENT:
        return LinkOptions()
    layer = setting_widget(
        _link_layer(study), f"{_PAGE}-{study.key}", format_func=study.states.name
    )
    return LinkOptions(links, layer)


def _link_layer(study: Study) -> Option:
    return _LINKS["layer"].but(
        values=range(study.n_states), default=default_link_layer(study.n_layers)
    )


def _choose_part(study: Study) -> TextPart:
    """Which sentence pairs the map shows."""
    parallel, defaults = study.bitext, TextPart()
    steps = [*(step for step in SENTENCE_STEPS if step < len(parallel)), len(parallel)]
    pairs = defaults.pairs
    if len(steps) > 1:
        offered = _PART["pairs"].but(values=steps, default=min(defaults.pairs, steps[-1]))
        pairs = setting_widget(offered, f"{_PAGE}-{study.key}")
    if pairs == len(parallel) < defaults.pairs:
        pairs = defaults.pairs  # the whole text either way: one map, not two
    if len(parallel) <= steps[0]:
        return TextPart(pairs)
    ways = [way for way in WAYS if way != "topic" or parallel.topics is not None]
    titles = {way: way_title(way, parallel) for way in ways}
    way = setting_widget(_PART["way"].but(choices=titled(titles)), f"{_PAGE}-{study.key}")
    if way == "random":
        return TextPart(pairs, way, seed=setting_widget(_PART["seed"], _PAGE))
    if way == "topic":
        topics = {each: each for each in sorted(set(parallel.topics or ()))}
        offered = _PART["topic"].but(choices=titled(topics), default=next(iter(topics)))
        return TextPart(pairs, way, topic=setting_widget(offered, f"{_PAGE}-{study.key}"))
    if way == "search":
        text = setting_widget(_PART["search"], _PAGE).strip()
        return TextPart(pairs, way, search=text) if text else TextPart(pairs)
    return TextPart(pairs, way)


def view(study: Study, data: ScrubberData) -> MapView:
    """How the map is looked at: as left in this session, else as the URL says.

    Where the URL names no pins, the pairs that meet are pinned. Where nobody named a layer, it
    begins at the first one and goes to where most meet.
    """
    choice = study_choice.current_choice()
    layer, named = (choice.layer, choice.named) if choice else (0, False)
    kept: MapView | None = st.session_state.get(f"view-{study.key}")
    if kept is None:
        if not named:
            layer = best_stop(data)
        step = query.number("step", 99, 0)
        kept = replace(
            map_view.asked(len(data.texts), opening_pins(data), list(COLORINGS)),
            step=step - 1 if step else None,
            arrives=not named and not step,
        )
    return replace(kept, layer=float(layer), tour=_tour(data))


def _tour(data: ScrubberData) -> tuple[TourStep, ...]:
    stops, points = len(data.stops), len(data.texts)
    return read_tour(tours.text(), stops, points, tours.here(), list(COLORINGS))


def scrubber_key(study: Study) -> str:
    """The name of the study's scrubber on the page."""
    return f"scrubber-{study.key}"


def keep_view(study: Study, seen: MapView) -> None:
    """Look at the map this way from the next run on."""
    st.session_state[f"view-{study.key}"] = seen


def remember(
    study: Study, data: ScrubberData, seen: MapView, chosen: MapOptions, beside: str | None = None
) -> None:
    """Keep the view for this session and for whoever opens the link."""
    keep_view(study, seen)
    tours.keep(write_tour(seen.tour))
    study_choice.set_layer(round(seen.layer))
    links = chosen.links
    layer = {} if links == LinkOptions() else _link_layer(study).written(links.layer)
    study_choice.write_query(
        **to_query(chosen) | layer | map_view.written(seen, opening_pins(data)),
        tour=write_tour(seen.tour),
        step="" if seen.step is None else str(seen.step + 1),
        beside=(beside or "")[:DIGITS],
    )


def explain(study: Study, token_map: TokenMap, layer: int) -> None:
    """The numbers of the layer on show, each with what it is and what it can't tell."""
    layout = token_map.layout
    where = study.states.place(layer)
    if layout.preservation[layer] < LOW_TRUST:
        st.warning(
            f"{where.capitalize()} the picture keeps only {percent(layout.preservation[layer], 0)} "
            "of the neighbourhoods: trust the numbers, not the picture.",
            icon=":material/visibility_off:",
        )
    st.markdown(f"**{where.capitalize()}**")
    columns = st.columns(5)
    if token_map.scores is not None:
        _show_words(columns, token_map, token_map.scores, layer, where)
    elif (found := headline(token_map)) is not None:
        _show_metric(
            columns[0],
            "Sentences found",
            percent(found.values[layer], 0),
            found.badge,
            f"{where.capitalize()}. {found.about}. 95 % interval: {percent(found.low[layer], 0)} "
            f"to {percent(found.high[layer], 0)}; chance is {percent(found.chance)}.",
        )
    columns[4].metric(
        "Neighbours kept",
        percent(layout.preservation[layer], 0),
        help="Of each word's 10 nearest neighbours in the full space, the share that are still "
        f"among its 10 nearest on the plane; chance is {percent(layout.chance)}. Where it is low, "
        "trust the numbers and not the picture.",
    )
    st.caption(in_markdown(_about(study, token_map)))


def _show_metric(place: DeltaGenerator, name: str, value: str, badge: str, about: str) -> None:
    """A number with, beside it, whose links it rests on."""
    place.metric(name, value, badge, delta_color="off", delta_arrow="off", help=about)


def _show_words(
    columns: Sequence[DeltaGenerator],
    token_map: TokenMap,
    scores: LinkScores,
    layer: int,
    where: str,
) -> None:
    badge = token_map.scored.badge
    low, high = scores.nearest_low[layer], scores.nearest_high[layer]
    _show_metric(
        columns[0],
        "Nearest is right",
        percent(scores.nearest_share[layer], 0),
        badge,
        f"{where.capitalize()}, the share of linked words whose nearest neighbour among all words "
        "of the other language on this map, by cosine in the full space, is their partner; equals "
        "count as if in random order. 95 % interval over sentences: "
        f"{percent(low, 0)} to {percent(high, 0)}. It can't tell whether a wrong neighbour was "
        "nearly right: *house* finding *home's* translation counts as a miss.",
    )
    _show_metric(
        columns[1],
        "Seen in the picture",
        percent(token_map.seen[layer], 0),
        badge,
        "The same share in the picture itself: linked words whose partner is nearest among "
        "the other language's words on the plane. What the eye may believe; the difference to the "
        "first number is what the drawing loses.",
    )
    _show_metric(
        columns[2],
        "Mean rank",
        f"{scores.mean_rank[layer]:.1f}",
        badge,
        "1 is best; the largest possible is the number of words of the other language on "
        "the map. A few lost words raise the mean.",
    )
    if scores.error_rate is None:
        columns[3].metric(
            "Alignment error",
            "—",
            help="Needs hand-made word alignments, which this text does not have.",
        )
    else:
        _show_metric(
            columns[3],
            "Alignment error",
            f"{scores.error_rate[layer]:.2f}",
            LINK_SOURCES["gold"].badge,
            r"Word alignments read off this layer by itermax, against hand-made ones: "
            r"$1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}$ with links $A$, sure links $S$, "
            r"possible links $P$; 0 is perfect (Och & Ney 2003).",
        )


def _about(study: Study, token_map: TokenMap) -> str:
    """Which part of the text is shown and scored, where the links come from, how good they are."""
    shown = token_map.options.part.describe(study.bitext)
    scored = token_map.scored
    if token_map.scores is None:
        about = [f"The map shows {shown}.", scored.describe(), token_map.says_drawn]
        if token_map.sentences is not None:
            about.append("The score is of all sentences of the text, which needs no links.")
        found = headline(token_map)
        return " ".join([*about, *(found.caveats if found else ())])
    about = [f"The map shows {shown}, and the scores are of that part.", scored.describe()]
    about.append(_share_linked(study, token_map))
    if scored.sources.get("aligner"):
        known = load_lexicon(study.languages) is not None
        about.append(LEXICON_ERROR if known else ALONE_ERROR)
    if token_map.options.links.method != INDEPENDENT:
        about.append(f"That is what scores use. What is drawn: {token_map.says_drawn}")
    return " ".join(about)


def _share_linked(study: Study, token_map: TokenMap) -> str:
    """How much of what is shown has a link at all."""
    first, second = linked_shares(token_map.table.side, token_map.scored.pairs)
    names = [language_name(code) for code in study.languages]
    return (
        f"{percent(first, 0)} of the {names[0]} and {percent(second, 0)} of the {names[1]} "
        f"{token_map.table.unit}s shown are linked; the others are not scored."
    )
