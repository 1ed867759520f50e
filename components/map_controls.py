"""The map's settings and what it shows, to and from the URL; and what the numbers under it mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

from components import study as study_choice
from components.layer_scrubber import ScrubberState, View
from components.layer_scrubber.payload import COLORINGS
from isogloss.links import GOLD, LinkOptions, default_link_layer
from isogloss.pooling import Points
from isogloss.projection import ProjectionOptions
from isogloss.projection_methods import METHODS, NEIGHBOURS, PERPLEXITY
from isogloss.studies import Study
from isogloss.token_maps import MapOptions, TokenMap
from isogloss.word_alignment import METHODS as ALIGNERS

POINT_TITLES: dict[Points, str] = {
    "word": "Words",
    "character": "Characters",
    "token": "Subwords",
}
Option = TypeVar("Option", bound=str)

SENTENCE_STEPS = (10, 20, 40, 60, 100, 150, 200)


def options(study: Study) -> MapOptions:
    """Show the settings; returns them as one value. The URL's query sets where they start."""
    defaults = MapOptions(links=LinkOptions(layer=default_link_layer(study.n_layers)))
    columns = st.columns([2.1, 1.9, 1.1], vertical_alignment="bottom")
    with columns[0]:
        method = st.segmented_control(
            "Projection",
            list(METHODS),
            format_func=lambda name: METHODS[name].title,
            default=_asked("method", list(METHODS), defaults.projection.method),
            required=True,
            help="\n\n".join(
                f"**{m.title}** {m.explanation} *Can't tell:* {m.blind_to} ({m.paper})"
                for m in METHODS.values()
            ),
        )
    with columns[1]:
        points = st.segmented_control(
            "Points",
            list(POINT_TITLES),
            format_func=POINT_TITLES.__getitem__,
            default=_asked("points", list(POINT_TITLES), defaults.points),
            required=True,
            help="**Words** average their subwords, whatever the model's tokenisation. "
            "**Subwords** are the model's own tokens.",
        )
    with columns[2], st.popover("More settings", icon=":material/tune:", width="stretch"):
        return _more_settings(study, defaults, method, points or defaults.points)


def _more_settings(study: Study, defaults: MapOptions, method: str, points: Points) -> MapOptions:
    pairs = len(study.corpus)
    steps = [step for step in SENTENCE_STEPS if step < pairs] + [min(pairs, SENTENCE_STEPS[-1])]
    wanted = int(_asked("pairs", [str(s) for s in steps], str(min(defaults.sentences, steps[-1]))))
    sentences = st.select_slider("Sentence pairs", sorted({*steps}), value=min(wanted, steps[-1]))
    remove = st.toggle(
        "Remove each language's mean",
        value=_asked("means", ["removed", "kept"], "removed") == "removed",
        help="Every layer keeps a constant offset between languages. Without removing it, a map "
        "mostly shows which language a word is in. The literature removes it "
        "(Libovický et al. 2020).",
    )
    perplexity, neighbours = PERPLEXITY.default, NEIGHBOURS.default
    for parameter in METHODS[method].parameters:
        value = st.slider(
            parameter.title,
            parameter.lowest,
            parameter.highest,
            parameter.default,
            help=parameter.explanation,
        )
        if parameter is PERPLEXITY:
            perplexity = value
        else:
            neighbours = value
    ways = [GOLD, *ALIGNERS]
    links = st.selectbox(
        "Links",
        ways,
        index=ways.index(_asked("links", ways, GOLD)),
        format_func=lambda way: (
            "By hand where there are any" if way == GOLD else ALIGNERS[way].title
        ),
        help="Which words count as translations of each other. Computed links come from the "
        "activations of one layer, as in SimAlign (Jalili Sabet et al. 2020).",
    )
    layer = st.slider(
        "Layer that computed links come from",
        0,
        study.n_layers,
        defaults.links.layer,
    )
    return MapOptions(
        points=points,
        sentences=sentences,
        projection=ProjectionOptions(method, perplexity, neighbours, remove),
        links=LinkOptions(links, layer, remove),
    )


def _asked(name: str, allowed: Sequence[Option], default: Option) -> Option:
    """What the URL asks for, if it is something there is."""
    value = st.query_params.get(name)
    return next((option for option in allowed if option == value), default)


def view(study: Study) -> View:
    """How the map is looked at: as left in this session, else as the URL says."""
    choice = study_choice.current_choice()
    layer = float(choice.layer if choice else 0)
    kept: View | None = st.session_state.get(f"view-{study.key}")
    if kept is None:
        pins = st.query_params.get("pins", "").split(".")
        kept = View(
            pins=tuple(int(pin) for pin in pins if pin.isdigit()),
            color_by=_asked("color", list(COLORINGS), "language"),
            talk=st.query_params.get("talk") == "1",
        )
    return View(layer, kept.pins, kept.color_by, kept.links, kept.labels, kept.talk)


def remember(study: Study, state: ScrubberState, chosen: MapOptions) -> None:
    """Keep the view for this session and for whoever opens the link."""
    st.session_state[f"view-{study.key}"] = state.view
    study_choice.set_layer(round(state.layer))
    projection, defaults = chosen.projection, MapOptions()
    study_choice.write_query(
        method=_unless(projection.method, defaults.projection.method),
        points=_unless(chosen.points, defaults.points),
        pairs=_unless(str(chosen.sentences), str(defaults.sentences)),
        means="" if projection.remove_language_means else "kept",
        links=_unless(chosen.links.method, GOLD),
        color=_unless(state.color_by, "language"),
        pins=".".join(map(str, state.pins)),
        talk="1" if state.talk else "",
    )


def _unless(value: str, default: str) -> str:
    return "" if value == default else value


def explain(token_map: TokenMap, layer: int) -> None:
    """The numbers of the layer on show, each with what it is and what it can't tell."""
    scores, layout = token_map.scores, token_map.layout
    columns = st.columns(4)
    low, high = scores.nearest_low[layer], scores.nearest_high[layer]
    columns[0].metric(
        f"Nearest is the translation, layer {layer}",
        f"{scores.nearest_share[layer]:.0%}",
        help="The share of linked words whose nearest neighbour among all words of the other "
        r"language on this map, by cosine in the full space, is their partner. 95 % interval by "
        f"bootstrap: {low:.0%} to {high:.0%}. It can't tell whether a wrong neighbour was nearly "
        "right: *house* finding *home's* translation counts as a miss.",
    )
    columns[1].metric(
        "Mean rank of the translation",
        f"{scores.mean_rank[layer]:.1f}",
        help="1 is best; the largest possible is the number of words of the other language on "
        "the map. A few lost words raise the mean.",
    )
    if scores.error_rate is None:
        columns[2].metric(
            "Alignment error rate",
            "—",
            help="Needs hand-made word alignments, which this text does not have.",
        )
    else:
        columns[2].metric(
            "Alignment error rate",
            f"{scores.error_rate[layer]:.2f}",
            help=r"Word alignments read off this layer by itermax, against hand-made ones: "
            r"$1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}$ with links $A$, sure links $S$, "
            r"possible links $P$; 0 is perfect (Och & Ney 2003).",
        )
    columns[3].metric(
        "Neighbours the picture keeps",
        f"{layout.preservation[layer]:.0%}",
        help="Of each word's 10 nearest neighbours in the full space, the share that are still "
        f"among its 10 nearest on the plane; chance is {layout.chance:.1%}. Where it is low, trust "
        "the numbers and not the picture.",
    )
    st.caption(token_map.links.describe())
