"""What stands below the map: the crossing, every pair, the tree."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.languages import controls
from components.shared import charts, loading, query
from components.shared.layout import chart_columns, control_row
from components.shared.markdown import in_markdown
from components.shared.settings import kept_setting
from components.shared.studies import coordinates, pair_tokens, study_picker
from isogloss.figures.languages import (
    MOST_NUMBERED,
    agreement_figure,
    company_figure,
    found_by_layer_figure,
    pairs_figure,
    similarities_figure,
    tree_figure,
)
from isogloss.formatting import percent
from isogloss.measures.coordinates import Coordinates
from isogloss.measures.languages.company import Company
from isogloss.measures.languages.tree import average_linkage, leaf_order
from isogloss.measures.stacks import Array
from isogloss.studies.languages.company_by_language import company_by_language
from isogloss.studies.languages.listing import find_pair_tokens
from isogloss.studies.languages.questions import (
    PAIR_MEASURES,
    RETRIEVAL,
    EveryPair,
    LanguageTrees,
    SentenceCompany,
)
from isogloss.studies.languages.wording import (
    say_coordinates,
    say_coordinates_of_tree,
    say_counts,
    say_crossing,
    say_extremes,
    say_if_few_rows,
    say_of_languages,
    say_random,
    say_tree,
    say_tree_here,
)
from isogloss.studies.study import Study
from isogloss.text.families import SOURCE, family_of
from isogloss.text.language_names import language_name

if TYPE_CHECKING:
    from isogloss.figures.template import Figure

_PAIR = "languages-pair"
PAGES = {
    "Similarity": ("pages/similarity.py", ":material/grid_on:"),
    "Best layer": ("pages/best_layer.py", ":material/stairs:"),
    "Token map": ("pages/token_map.py", ":material/bubble_chart:"),
}
"""Where two languages are looked at."""
RAMA = (
    "Rama, Beinborn & Eger 2020 built such trees from multilingual BERT and compared them with "
    "Glottolog's, too."
)


def company_of(study: Study, way: Coordinates | None = None) -> Company | None:
    """Whose company the sentences of a study keep, in the coordinates of the page by default."""
    question = SentenceCompany(study.entry.key, coordinates=way or coordinates.current())
    return controls.answer(question, "Looking for neighbours")


def of_languages(
    study: Study, company: Company | None, way: Coordinates | None = None
) -> list[list[str]]:
    """What is said of each language at each layer, where it is chosen on the map: once there is
    the `company` of all."""
    if company is None:
        return []
    return _of_languages(study.entry.key, way or coordinates.current())


@st.cache_data(show_spinner=False, max_entries=16)
def _of_languages(study: str, way: Coordinates) -> list[list[str]]:
    shown = loading.study(study)
    shares = company_by_language(shown, way)
    names = [language_name(code) for code in shown.all_languages]
    return [] if shares is None else say_of_languages(shares, names)


def crossing_panel(study: Study, layer: int) -> None:
    """Over the layers: nearest to a translation, or to the own language."""
    company = company_of(study)
    if company is None:
        return
    twin = controls.random_twin(study)
    random = company_of(twin) if twin is not None else None
    left, right = chart_columns([1.5, 1], "languages-crossing")
    with left:
        _clickable(
            partial(company_figure, company, random, layer, study.states, charts.mode()),
            "languages-company",
            "By layer, the share of sentences whose nearest neighbour is a translation, and of "
            "those whose nearest is of their own language",
        )
    with right:
        st.markdown(" ".join(filter(None, (say_crossing(company), say_random(random)))))
        translation, own = (
            percent(each, 0) for each in (company.chance_translation, company.chance_own)
        )
        st.caption(
            f"By chance a neighbour is a translation for {translation} and of the same language "
            f"for {own}. {say_coordinates(coordinates.current())} {say_if_few_rows(company.rows)}"
        )
        with st.expander("Mean cosines, which can mislead"):
            _clickable(
                partial(similarities_figure, company, layer, study.states, charts.mode()),
                "languages-cosines",
                "By layer, the mean cosine of translations, of sentences of one language, and of "
                "neither",
            )
            st.caption(
                "Names, figures and loans that languages share lift the mean of translations in "
                "any model, a random one included; nearest neighbours bear that better."
            )


def pairs_panel(study: Study, layer: int) -> None:
    """Every two languages at the layer, and every language by layer against the first."""
    with control_row():
        measure = kept_setting(controls.PAIR_SETTINGS["measure"], "languages", width=260)
        asked = EveryPair(study.entry.key, measure=measure, coordinates=coordinates.current())
        if measure == RETRIEVAL:
            score = kept_setting(controls.PAIR_SETTINGS["score"], "languages", width=200)
            asked = replace(asked, score=score)
    table = controls.answer(asked, "Comparing languages")
    if table is None:
        return
    names = [language_name(code) for code in study.all_languages]
    title, values = PAIR_MEASURES[measure].title, table.values[layer]
    chosen = _chosen(len(names))
    low = float(np.nanmin(table.values, initial=1.0))
    left, right = chart_columns([1.25, 1], "languages-pairs")
    order = _order(table.both_ways()[layer])
    with left:
        st.markdown(
            f"**{title}, {study.states.place(layer)}.** "
            + in_markdown(say_extremes(values, names, both=measure == RETRIEVAL))
        )
        charts.show_clickable(
            partial(
                pairs_figure, values, table.rows, names, order, title, chosen, low, charts.mode()
            ),
            "languages-matrix",
            f"{title} of every two of {len(names)} languages",
            partial(_choose_pair, order),
        )
    with right:
        pivot = chosen[0] if chosen else 0
        shares = table.both_ways()[:, pivot].T
        others = [k for k in range(len(names)) if k != pivot]
        st.markdown(
            f"**From and to {in_markdown(names[pivot])}, by layer**; framed: the best, of equals "
            "the first."
        )
        _clickable(
            partial(
                found_by_layer_figure,
                shares[others],
                [names[k] for k in others],
                names[pivot],
                layer,
                study.states,
                low,
                charts.mode(),
            ),
            "languages-by-layer",
            f"{title} of {names[pivot]} and every other language, by layer",
        )
    counts = say_counts(table.rows, in_cells=len(names) <= MOST_NUMBERED)
    st.caption(f"{counts} {say_coordinates(coordinates.current(), of_pairs=True)}".strip())
    if chosen is not None:
        _offer_pair(study.pair(*(study.all_languages[side] for side in chosen)))
    else:
        st.caption("Click a cell to open that pair on the other pages.")


def _offer_pair(pair: Study) -> None:
    """Open two of the languages elsewhere; where no tokens are kept, have the pair read first."""
    found = find_pair_tokens(pair)
    if found is None:
        pair_tokens.offer(pair)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{pair_tokens.names(pair)}** on")
        for title, (page, icon) in PAGES.items():
            if st.button(title, icon=icon, key=f"open-{title}"):
                study_picker.set_study(found.key, controls.current().layer)
                st.switch_page(page)


def tree_panel(study: Study, layer: int) -> None:
    """The tree at the layer, and how well trees agree with families over the layers."""
    distance = kept_setting(controls.TREE_SETTINGS["distance"], "languages", buttons=True)
    asked = LanguageTrees(study.entry.key, distance, coordinates.current())
    trees = controls.answer(asked, "Growing trees")
    if trees is None:
        return
    twin = controls.random_twin(study)
    random = None
    if twin is not None:
        other = LanguageTrees(twin.entry.key, distance, coordinates.current())
        random = controls.answer(other, "Growing trees with random weights")
    st.markdown(say_tree(trees, random, distance, study.states))
    names = [language_name(code) for code in study.all_languages]
    families = [family_of(code) for code in study.all_languages]
    left, right = chart_columns([1.25, 1], "languages-trees")
    with left:
        charts.show(
            partial(
                tree_figure,
                trees.merges[layer],
                names,
                families,
                float(trees.merges[:, -1, 2].max()),
                charts.mode(),
            ),
            "languages-tree",
            f"A tree of {len(names)} languages {study.states.place(layer)}",
        )
    with right:
        _clickable(
            partial(
                agreement_figure,
                trees.correlation,
                None if random is None else random.correlation,
                layer,
                study.states,
                charts.mode(),
            ),
            "languages-agreement",
            "By layer, the correlation of heights in the tree with distances of families",
        )
        st.caption(
            f"{say_tree_here(trees, layer, study.states)} "
            f"{say_coordinates_of_tree(coordinates.current(), distance)} "
            f"Families: {SOURCE}. {RAMA}"
        )


def _clickable(figure: partial[Figure], key: str, alt: str) -> None:
    """A chart with layers across, of which a click chooses one."""
    charts.show_clickable(figure, key, alt, lambda x, y: _move_to(round(x)))


def _move_to(layer: int) -> None:
    controls.set_layer(layer)
    charts.redraw_page()


def _chosen(count: int) -> tuple[int, int] | None:
    """The two languages that were clicked, as numbers."""
    cells = {f"{row}.{column}": (row, column) for row, column in permutations(range(count), 2)}
    return st.session_state.get(_PAIR) or cells.get(query.choice("cell", cells, ""))


def _choose_pair(order: list[int], x: float, y: float) -> None:
    pair = (order[round(y)], order[round(x)])
    st.session_state[_PAIR] = pair
    query.add(cell=f"{pair[0]}.{pair[1]}")


def _order(values: Array) -> list[int]:
    """Languages that agree stand together, in the order of their tree."""
    apart = 1 - values
    off = ~np.eye(len(apart), dtype=bool)
    if not np.isfinite(apart[off]).all():
        return list(range(len(apart)))
    return leaf_order(average_linkage(np.where(off, np.maximum(apart, 0), 0)))
