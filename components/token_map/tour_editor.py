"""Where a presenter writes the tour of a map."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components.layer_scrubber import MapView, ScrubberData, reported_state
from components.shared.layout import folded
from components.shared.markdown import in_markdown
from components.shared.studies import tours
from components.token_map.controls import keep_view, scrubber_key
from isogloss.map.story import suggest_tour
from isogloss.map.tour import LONGEST_SENTENCE, TourStep, write_tour
from isogloss.studies.study import Study


def show(study: Study, data: ScrubberData, seen: MapView) -> None:
    """The steps by what one sees at each, and two ways to begin: the view on show, a suggestion."""
    key = f"tour-{study.key}"

    def current() -> MapView:
        """The view when a button is pressed; the page may not have run since it changed."""
        state = reported_state(scrubber_key(study))
        return state.view if state else seen

    def take_over(tour: tuple[TourStep, ...]) -> None:
        keep_view(study, replace(current(), tour=tour, step=None))
        tours.keep(write_tour(tour))

    def reword(at: int, field: str) -> None:
        tour = current().tour
        said = " ".join(st.session_state[field].split())[:LONGEST_SENTENCE]
        take_over((*tour[:at], replace(tour[at], sentence=said), *tour[at + 1 :]))

    def take_out(at: int) -> None:
        tour = current().tour
        take_over((*tour[:at], *tour[at + 1 :]))

    def add() -> None:
        sentence = " ".join(st.session_state.pop(f"{key}-sentence", "").split())
        view = current()
        look = {name: getattr(view, name) for name in ("color_by", "links", "labels", "curves")}
        step = TourStep(round(view.layer), view.pins, sentence, where=tours.here(), **look)
        take_over((*view.tour, step))

    with folded("Presenter's tour", icon=":material/flag:") as opened:
        if not opened:
            return
        st.caption(
            "The space bar, or a presenter's remote control, goes through it step by step; press T "
            "for talk mode. A step keeps the view as it is: model, text, settings, colours and "
            "pins; once there is one, other pages can add theirs. The address of every page "
            "carries the tour, and the HTML file the steps of its own map."
        )
        sentence, button, suggestion = st.columns([3, 1, 1], vertical_alignment="bottom")
        sentence.text_input(
            "What to say at this layer, with these pins",
            key=f"{key}-sentence",
            placeholder="Here the two languages meet.",
        )
        button.button("Add this view", on_click=add, icon=":material/add:", width="stretch")
        suggestion.button(
            "Suggest a tour",
            on_click=lambda: take_over(suggest_tour(data)),
            icon=":material/auto_awesome:",
            width="stretch",
            help="Five steps with the numbers measured here. Rewrite the sentences as you like.",
        )
        for at, step in enumerate(seen.tour):
            where, words, say, out = st.columns([1, 2, 4, 1], vertical_alignment="center")
            if step.is_elsewhere(tours.here()):
                page = step.page.replace("_", " ").capitalize() or f"Layer {step.layer}"
                where.markdown(f"**{in_markdown(page)}**")
                words.caption("Another page" if step.page else "Another model, text or setting")
            else:
                where.markdown(f"**{in_markdown(data.stop_names[step.layer])}**")
                words.caption(in_markdown(", ".join(data.texts[pin] for pin in step.pins)))
            field = f"{key}-{at}-{step}"  # other words, another field
            say.text_input(
                f"What to say at step {at + 1}",
                step.sentence,
                LONGEST_SENTENCE,
                key=field,
                on_change=reword,
                args=(at, field),
                label_visibility="collapsed",
            )
            out.button(
                "Take out",
                icon=":material/delete:",
                type="tertiary",
                key=f"{field}-out",
                on_click=take_out,
                args=(at,),
            )
