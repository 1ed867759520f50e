"""The start page: the map at once, its settings, and the link that reopens it."""

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components.layer_scrubber import ScrubberState
from components.shared import background, loading, map_view, session
from components.shared.studies import study_picker
from components.token_map import so_far
from components.your_text import extraction
from isogloss.formatting import percent
from isogloss.map.data import scrubber_data
from isogloss.map.maps import MapLinks, MapOptions, MapSoFar, TokenMap, links_of_map, make_map
from isogloss.measures.linked_points import linked_shares
from isogloss.measures.projection.layout import FittedLayers
from isogloss.store import Store
from isogloss.studies.extraction import extract
from isogloss.studies.similarity import random_twin
from isogloss.studies.study import Study
from tests.helpers.pages import labelled, said


def test_an_empty_cache_says_what_to_do(open_app):
    app = open_app()
    assert not app.exception
    assert "Your text" in app.sidebar.info[0].value


def test_the_map_is_there_at_once_with_its_numbers(open_app, study):
    app = open_app()
    assert not app.exception
    assert app.title[0].value == "Where do translations meet?"
    labels = [metric.label for metric in app.metric]
    assert labels == [
        "Nearest is right",
        "Seen in the picture",
        "Mean rank",
        "Alignment error",
        "Neighbours kept",
    ]
    assert "made by hand (1 pairs)" in said(app)
    assert "all 10 pairs" in said(app)
    badges = [metric.delta for metric in app.metric]
    mixed = "links by hand and by an aligner"
    assert badges == [mixed, mixed, mixed, "links by hand", ""]
    table = make_map(study, study.entry.store, MapOptions())
    first, second = linked_shares(table.table.side, table.scored.pairs)
    assert (
        f"{percent(first, 0)} of the English and {percent(second, 0)} of the Chinese words"
        in said(app)
    )
    assert ".26 on news" in said(app)
    assert ".38" in said(app)


def test_layers_that_are_there_are_shown_while_others_are_fitted(open_app, study, monkeypatch):
    token_map = loading.stored_map(study.key, MapOptions())
    fitted = FittedLayers(1, token_map.layout.positions[1:3])
    part = MapSoFar(token_map.table, fitted, token_map.drawn, MapOptions())
    monkeypatch.setattr(background, "map_of", lambda study, options: None)
    monkeypatch.setattr(background, "map_so_far", lambda study, options: part)
    app = open_app()
    assert not app.exception
    assert f"2 of {study.n_states} layers so far" in said(app)
    assert not app.metric, "scores come with the last layer"


def test_the_map_from_before_stays_until_the_next_one_has_a_layer(open_app, study, monkeypatch):
    drawn = []
    app = open_app()
    monkeypatch.setattr(background, "map_of", lambda study, options: None)
    monkeypatch.setattr(
        so_far, "layer_scrubber", lambda data, view, key: drawn.append((data.texts, view.layer))
    )
    layer = int(app.query_params["layer"])
    app.run()
    assert not app.exception
    before = scrubber_data(study, loading.stored_map(study.key, MapOptions()))
    assert drawn == [(before.texts, layer)]


def test_the_address_holds_the_view(open_app, study):
    app = open_app()
    assert app.query_params["study"] == study.key[:12]
    assert app.query_params["layer"] == str(best_layer(study))


def test_a_link_reopens_layer_and_method(open_app, study):
    app = open_app(study=study.key[:12], layer="1", method="pca")
    assert not app.exception
    assert app.metric[0].help.startswith("At layer 1,")
    assert app.query_params["method"] == "pca"


def test_a_dead_link_says_so_and_stays_in_the_address_until_a_study_is_chosen(open_app, study):
    app = open_app(study="ffff0000", layer="1")
    for _ in range(2):
        assert "ffff0000" in app.warning[0].value
        assert app.metric, "another study is shown"
        assert app.query_params == {"study": "ffff0000", "layer": "1"}
        app.run()
    app.button(key="stay-with-study").click().run()
    assert not app.exception
    assert not app.warning
    assert app.query_params["study"] == study.key[:12]


def test_a_layer_without_a_study_is_a_layer_of_the_one_on_show(open_app, study):
    assert open_app(talk="1", layer="1").query_params["layer"] == "1"


def test_a_newcomer_sees_the_longest_demo_that_meets_most_and_not_the_newest_upload(
    open_app, study, encoder, bitext, app_store, tmp_path, monkeypatch
):
    demo = Store(tmp_path / "demo", demo=None)
    shipped = [
        Study(extract(encoder, replace(bitext.select(rows), name=f"from {rows[0]}"), demo))
        for rows in (range(4), range(1, 7), range(6, 0, -1), range(2, 10))
    ]
    # The longest shows no meeting at all.
    gains = dict(zip((each.key for each in shipped), (0.5, 0.2, 0.1, 0.0), strict=True))
    monkeypatch.setattr(study_picker, "_meeting", lambda one: gains.get(one.key, 0.9))
    monkeypatch.setattr(Store.__init__, "__kwdefaults__", {"demo": demo.root, "limit_bytes": None})
    assert open_app().sidebar.selectbox[0].value == shipped[1].key
    monkeypatch.setattr(session, "last_study", lambda: study.key)
    assert open_app().sidebar.selectbox[0].value == study.key
    monkeypatch.setattr(session, "last_study", lambda: "gone")
    assert open_app().sidebar.selectbox[0].value == shipped[1].key


def test_meeting_is_what_words_gain_over_layer_0(encoder, bitext, app_store):
    study = Study(extract(encoder, bitext, app_store))
    assert study_picker._meeting(study) == 0, "nobody has asked yet"
    curve = MapLinks(study.key).answer(app_store).scores.nearest_share
    assert study_picker._meeting(study) == pytest.approx(curve.max() - curve[0])


def test_meeting_counts_nothing_on_a_models_own_links(monkeypatch, study):
    words = loading.kept_answer(MapLinks(study.key))
    own = replace(words, scores=None)
    monkeypatch.setattr(loading, "kept_answer", lambda question: own)
    assert study_picker._meeting(study) == 0


def test_a_text_that_the_default_covers_has_one_map(open_app, encoder, bitext, app_store):
    twelve = replace(bitext.select([*range(10), 0, 1]), name="twelve")
    study = Study(extract(encoder, twelve, app_store))
    make_map(study, app_store, MapOptions())
    app = open_app(study=study.key[:12])
    assert "all 12 pairs" in said(app)
    assert app.metric, "the map that was laid out before is shown"
    assert "pairs" not in app.query_params


def test_nonsense_in_the_address_is_ignored(open_app, study):
    app = open_app(study=study.key, layer="9999", method="magic", pins="x.7.-1", color="no")
    assert not app.exception
    assert app.metric[0].help.startswith(f"At layer {study.n_layers},")


def best_layer(study: Study) -> int:
    return int(loading.stored_map(study.key, MapOptions()).scores.nearest_share.argmax())


def test_who_names_no_layer_goes_to_where_most_meet_and_who_names_one_is_there(
    open_app, study, monkeypatch
):
    seen = []

    def look(data, view, **options):
        seen.append(view)
        return ScrubberState(view, ())

    monkeypatch.setattr(map_view, "layer_scrubber", look)
    scores = loading.stored_map(study.key, MapOptions()).scores
    rising = replace(scores, nearest_share=np.array([0.1, 0.2, 0.9, 0.3]))
    monkeypatch.setattr(TokenMap, "scores", property(lambda token_map: rising))
    open_app()
    open_app(layer="1")
    app = open_app("similarity")
    app.switch_page("pages/token_map.py").run()
    assert [(view.layer, view.arrives) for view in seen] == [(2, True), (1, False), (2, True)]


def test_the_finding_stands_above_the_map_with_the_random_model(
    open_app, study, encoder, bitext, app_store
):
    app = open_app()
    scores = loading.stored_map(study.key, MapOptions()).scores
    best = best_layer(study)
    assert f"**{percent(scores.nearest_share[0], 0)}**" in app.markdown[0].value
    assert f"at layer {best or study.n_layers}" in app.markdown[0].value  # or more, if layers tie
    assert "; by chance" in app.markdown[0].value
    assert "links by hand and by an aligner" in app.markdown[0].value
    files = replace(encoder.files, name=f"random:{encoder.name}", fingerprint="random 0")
    twin = Study(extract(replace(encoder, files=files), bitext, app_store))
    assert random_twin(study, loading.studies()).key == twin.key
    links_of_map(twin, MapOptions()).answer(app_store)
    most = links_of_map(twin, MapOptions()).find(app_store).scores.nearest_share.max()
    app = open_app(study=study.key[:12])
    assert f"in a random model at most {percent(most, 0)}" in app.markdown[0].value
    assert "Compare with a random model" not in [button.label for button in app.button]


def test_the_random_model_reads_the_text_when_asked(open_app, study, monkeypatch):
    asked = []
    monkeypatch.setattr(extraction, "start", lambda *what: asked.append(what[:2]))
    app = open_app()
    button = labelled(app.button, "Compare with a random model")
    button.click().run()
    assert asked == [(f"random:{study.model}", study.bitext)]


def tables_of_facts(app: AppTest) -> list[str]:
    return [each.value for each in app.markdown if each.value.startswith("| How this was made |")]


def test_how_it_was_made_is_on_the_page(open_app, study):
    app = open_app()
    assert not tables_of_facts(app), "what is folded away is not made"
    app.session_state["Take it away"] = True
    (table,) = tables_of_facts(app.run())
    assert f"| study | {study.key} |" in table.splitlines()


def test_a_second_map_stands_beside_the_first_and_the_address_keeps_it(open_app, study):
    app = open_app(study=study.key[:12], method="pca")
    switch = labelled(app.selectbox, "Compare with…")
    assert switch.value is None
    assert "beside" not in app.query_params
    switch.set_value("raw").run()
    assert not app.exception
    assert app.query_params["beside"] == "raw"
    again = open_app(study=study.key[:12], method="pca", beside="raw")
    switch = labelled(again.selectbox, "Compare with…")
    assert switch.value == "raw"
    switch.set_value(None).run()
    assert "beside" not in again.query_params


def test_another_model_stands_beside_with_what_its_text_allows(
    open_app, study, decoder, bitext, app_store
):
    other = Study(extract(decoder, bitext, app_store))
    app = open_app(study=study.key[:12], method="pca", beside=other.key[:12])
    assert not app.exception
    assert app.query_params["beside"] == other.key[:12]
    assert app.metric, "the first map stays"


def test_a_tour_is_edited_by_its_sentences_and_steps_are_taken_out(open_app, study):
    app = open_app(study=study.key[:12], layer="1", tour="0; 1; Apart.\n2; ; Here they meet.")
    app.session_state["Presenter's tour"] = True
    app.run()
    first, second = (app.text_input(key=f"tour-{study.key}-{at}-{step}") for at, step in (
        (0, "0; 1; Apart."), (1, "2; ; Here they meet.")
    ))  # fmt: skip
    assert (first.value, second.value) == ("Apart.", "Here they meet.")
    second.set_value("They   meet; here.").run()
    assert app.query_params["tour"] == "0; 1; Apart.\n2; ; They meet; here."
    app.button(key=f"tour-{study.key}-0-0; 1; Apart.-out").click().run()
    assert not app.exception
    assert app.query_params["tour"] == "2; ; They meet; here."
