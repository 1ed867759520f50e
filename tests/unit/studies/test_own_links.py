"""Links that a model made itself never score it: what pages and files show in their place."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import isogloss as ig
from isogloss.command_line import main
from isogloss.errors import IsoglossError
from isogloss.formatting import percent
from isogloss.interface.map_result import MapResult
from isogloss.links.sources import LINK_SOURCES, NOT_SCORED, badge_of
from isogloss.map.data import provenance, scrubber_data
from isogloss.map.film.panel import written_around
from isogloss.map.headline import WORDS, headline
from isogloss.map.maps import MapLinks, MapOptions, find_map, make_map
from isogloss.map.scene import Scene
from isogloss.map.sheet_contents import SheetContents
from isogloss.map.standalone import html_document
from isogloss.map.story import opening_pins, suggest_tour
from isogloss.map.table import map_table
from isogloss.measures.linked_points import linked_shares
from isogloss.measures.nearest_neighbours import unit_rows
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.models.loading import load_model
from isogloss.models.presets import find_preset
from isogloss.models.states import LayerStates
from isogloss.studies.extraction import extract
from isogloss.studies.links import words
from isogloss.studies.links.points import LinkOptions
from isogloss.studies.links.words import independent_links, is_other_model
from isogloss.studies.mapping import MappedRetrieval
from isogloss.studies.pooling import point_vectors
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study

PCA = MapOptions(projection=ProjectionOptions(method="pca"))
OWN = "links of this model: not evidence"
SENTENCES = "sentences that find their translation among 10"


@pytest.fixture
def dutch(bitext):
    """A text that no lexicon fits and nobody aligned."""
    return replace(bitext, languages=("en", "nl"), gold=None, words=None)


@pytest.fixture
def study(encoder, dutch, store, monkeypatch):
    """A study of which only the model's own links are to be had."""
    monkeypatch.setattr(words, "is_packaged_here", lambda: False)
    return Study(extract(encoder, dutch, store))


@pytest.fixture
def token_map(study, store):
    return make_map(study, store, PCA)


def test_words_are_not_scored_and_sentences_stand_in(study, store, token_map):
    assert token_map.scores is None
    assert token_map.scored.sources == {"own": 10}
    assert token_map.scored.badge == OWN
    assert not len(token_map.scored.pairs)
    found = headline(token_map)
    expected = SentenceRetrieval(study.key).answer(store)
    assert (found.name, found.badge) == (SENTENCES, "needs no links")
    np.testing.assert_array_equal(found.values, expected.curve("precision@1"))
    again = find_map(study, PCA)
    np.testing.assert_array_equal(headline(again).values, found.values)


def test_what_is_drawn_are_words_nearest_to_each_other_at_the_layer(study, token_map):
    table = token_map.table
    for layer, drawn in enumerate(token_map.lines):
        vectors = unit_rows(point_vectors(study, layer, table, token_map.options.coordinates))
        first, second = (np.flatnonzero(table.side == side) for side in (0, 1))
        near = vectors[first] @ vectors[second].T
        for a, b in drawn:
            row, column = np.searchsorted(first, a), np.searchsorted(second, b)
            assert near[row, column] == near[row].max() == near[:, column].max()
        peaks = (near == near.max(1)[:, None]) & (near == near.max(0))
        assert len(drawn) <= peaks.sum()
        assert len(drawn) >= 1
    assert {tuple(pair) for pair in token_map.lines[0]} != {tuple(p) for p in token_map.lines[-1]}


def test_every_export_has_the_sentences_score_and_says_what_lines_are(study, token_map):
    data = scrubber_data(study, token_map)
    assert [score.name for score in data.scores] == [SENTENCES, "neighbours the picture keeps"]
    assert data.scores[0].title == f"{SENTENCES} (needs no links)"
    assert data.lines == f"each other's nearest at the layer shown; {OWN}"
    assert not data.ranks.any()
    assert opening_pins(data) == ()
    said = f"{SENTENCES} (needs no links) "
    assert all(said in step.sentence and not step.pins for step in suggest_tour(data))
    assert "10 pairs are few" in data.provenance["mind"]
    assert "10 pairs are few" in html_document(data)
    scene = Scene(data)
    assert (scene.score.name, scene.score.badge) == (SENTENCES, "needs no links")
    assert {"needs no links", f"Lines: {data.lines}"} <= set(written_around(scene))
    assert data.links_of(2).tolist() == token_map.lines[2].tolist()
    sheet = SheetContents(scene, 2)
    assert f"{SENTENCES} (needs no links)" in sheet.score_line
    assert data.lines in [name for row in sheet.legend_rows for _, _, name in row]
    made = provenance(study, token_map)
    assert "no evidence: words are not scored" in made["links scored"]
    assert "not scored" in made["links drawn"]
    assert "no evidence" in html_document(data)


def test_the_table_has_the_score_and_whose_links_it_rests_on(study, token_map):
    frame = MapResult(study, token_map).frame()
    assert set(frame["links_scored"]) == {NOT_SCORED}, "a table without ranks names no links"
    assert set(frame["score_name"]) == {f"{SENTENCES} (needs no links)"}
    assert frame["rank"].isna().all()
    values = headline(token_map).values
    assert frame.groupby("layer")["score"].first().tolist() == values.tolist()
    low = headline(token_map).low
    assert frame.groupby("layer")["score_low"].first().tolist() == low.tolist()
    assert (frame["score_low"] <= frame["score"]).all()
    assert (frame["score"] <= frame["score_high"]).all()
    last = frame[frame.layer == study.n_layers].reset_index()
    a, b = token_map.lines[-1][0]
    assert last.partner[a] == str(b)
    assert list(map_table(study, token_map)) == list(frame)


def test_a_map_with_evidence_says_which_beside_each_number(encoder, bitext, store):
    study = Study(extract(encoder, bitext, store))
    token_map = make_map(study, store, PCA)
    badge = "links by hand and by an aligner"
    data = scrubber_data(study, token_map)
    kept, error = "neighbours the picture keeps", "1 − alignment error"
    assert {score.name: score.badge for score in data.scores} == {
        WORDS: badge,
        "seen in the picture": badge,
        kept: "",
        error: "links by hand",
    }
    assert data.lines == f"translations, {badge}"
    assert Scene(data).score.badge == badge
    assert SheetContents(Scene(data), 2).score_line.startswith(f"Bar and number: {WORDS} ({badge})")
    frame = MapResult(study, token_map).frame()
    assert set(frame["links_scored"]) == set(frame["links_drawn"]) == {badge}
    assert set(frame["score_name"]) == {f"{WORDS} ({badge})"}
    first, second = linked_shares(token_map.table.side, token_map.scored.pairs)
    assert (
        f"{percent(first, 0)} of the words of the first language and {percent(second, 0)}"
        in data.scores[0].about
    )
    assert 0 < first < 1


def test_links_read_off_the_model_may_be_drawn_and_are_called_so(study, store):
    drawn = make_map(study, store, replace(PCA, links=LinkOptions("argmax", 2)))
    assert drawn.scores is None
    assert len(drawn.drawn.pairs)
    assert drawn.lines is None
    assert drawn.drawn.badge == OWN
    assert scrubber_data(study, drawn).lines == OWN, "they may be no translations"
    assert "not evidence" in drawn.drawn.describe()


def test_a_rank_never_stands_beside_a_word_that_it_is_not_of(encoder, bitext, store):
    study = Study(extract(encoder, bitext, store))
    own = make_map(study, store, replace(PCA, links=LinkOptions("argmax", 2)))
    data, scored = scrubber_data(study, own), set(map(tuple, own.scored.pairs.tolist()))
    elsewhere = [p for pair in own.drawn.pairs.tolist() if tuple(pair) not in scored for p in pair]
    assert set(elsewhere) & set(own.scored.pairs.ravel().tolist()), "some have both"
    assert not data.ranks[:, elsewhere].any()
    rest = np.setdiff1d(np.arange(len(own.table)), elsewhere)
    np.testing.assert_array_equal(data.ranks[:, rest], np.ceil(own.scores.ranks[:, rest]))
    assert data.ranks[:, rest].any()
    assert data.ranks_rest_on == "links by hand and by an aligner"
    frame = MapResult(study, own).frame()
    np.testing.assert_array_equal(frame["rank"].fillna(0), own.scores.ranks.ravel())


def test_of_pairs_some_of_which_were_aligned_by_hand_only_these_are_scored(
    encoder, bitext, store, monkeypatch
):
    monkeypatch.setattr(words, "is_packaged_here", lambda: False)
    study = Study(extract(encoder, replace(bitext, languages=("en", "nl")), store))
    token_map = make_map(study, store, PCA)
    assert token_map.scored.sources == {"gold": 1, "own": 9}
    assert token_map.scored.badge == "links by hand"
    assert set(token_map.table.sentence[token_map.scored.pairs.ravel()]) == {3}
    assert (
        "9 pairs have none but this model's own and are not scored" in token_map.scored.describe()
    )


@pytest.mark.parametrize(
    "question",
    [
        lambda key: LayerComparison(key, unit="word"),
        lambda key: MappedRetrieval(key, level="word"),
        lambda key: MappedRetrieval(key, level="type"),
    ],
)
def test_words_that_only_the_model_pairs_are_not_compared(study, store, question):
    with pytest.raises(IsoglossError, match="links of the model itself are no evidence"):
        question(study.key).answer(store)


def test_answers_on_links_have_a_new_address_and_others_keep_theirs(study):
    assert MapLinks(study.key).record()["version"] > 2
    words, sentences = (LayerComparison(study.key, unit=unit) for unit in ("word", "sentence"))
    assert "paired_words" in words.record()
    assert "paired_words" not in sentences.record()
    assert "paired_words" in MappedRetrieval(study.key, level="type").record()
    assert "paired_words" not in MappedRetrieval(study.key).record()


def test_a_comparison_of_words_says_whose_links_paired_them(encoder, bitext, store):
    study = Study(extract(encoder, bitext, store))
    found = ig.similarity(study, unit="word")
    assert {row["links"] for row in found.rows()} == {"links by hand and by an aligner"}
    assert "(links by hand and by an aligner)" in found.describe()
    assert "links" not in ig.similarity(study).rows()[0]


def test_the_command_line_prints_the_score_with_its_badge(
    study, token_map, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(ig.interface, "token_map", lambda *_, **__: MapResult(study, token_map))
    assert main(["token-map", study.key, "--csv", str(tmp_path / "map.csv")]) == 0
    said = capsys.readouterr().out
    assert f"{SENTENCES} (needs no links): " in said
    assert "95 % interval" in said
    assert "10 pairs are few" in said


def test_a_highest_score_that_several_layers_share_is_said_so(token_map):
    values = np.array([0.5, 1, 1, 1])
    shared = replace(headline(token_map), values=values, low=values / 2, high=values)
    assert shared.describe(LayerStates(3)).endswith(
        "1.00 (95 % interval 0.50 to 1.00) at 3 of 4 layers, the first at layer 1"
    )
    alone = replace(shared, values=np.array([0.5, 0.6, 0.7, 1]))
    assert alone.describe(LayerStates(2, "apart")).endswith(
        "after the final norm, where it is highest"
    )


def test_every_source_has_its_badge():
    badges = {source: origin.badge for source, origin in LINK_SOURCES.items()}
    assert badges == {
        "gold": "links by hand",
        "aligner": "links by an aligner",
        "other model": "links of another model",
        "own": OWN,
    }
    assert badge_of({}) == ""


# --- whose links are whose own ---------------------------------------------------------------


@pytest.fixture
def linker(encoder, dutch, store, monkeypatch):
    """The tiny encoder in the place of the model that links for others."""
    preset = replace(find_preset("multilingual-e5-small"), n_layers=3, width=32)
    monkeypatch.setattr(words, "find_preset", lambda name: preset)
    monkeypatch.setattr(words, "OTHER_MODEL_LAYER", 2)
    monkeypatch.setattr(words, "is_packaged_here", lambda: True)
    monkeypatch.setattr(
        words, "_other_study", lambda study: Study(extract(encoder, study.bitext, store))
    )


def copy_of(directory, target, change):
    """A directory with the same model, its weights changed by a function."""
    from safetensors.numpy import load_file, save_file

    shutil.copytree(directory, target)
    weights = load_file(target / "model.safetensors")
    changed = {name: change(values) for name, values in weights.items()}
    save_file(changed, target / "model.safetensors", metadata={"format": "pt"})
    return str(target)


def rounded(values):
    """To 16 steps, as in 4-bit weights."""
    step = (np.ptp(values) or 1) / 15
    return (np.round(values / step) * step).astype(values.dtype)


def others(values):
    return values[::-1].copy() if values.ndim == 2 else values


@pytest.mark.parametrize(
    ("name", "change", "its_own"),
    [
        ("my-encoder", lambda values: values, True),
        ("my-encoder-in-4-bits", rounded, True),
        ("another-encoder", others, False),
        ("multilingual-e5-small-tuned", others, True),
    ],
)
def test_a_copy_under_any_name_is_no_other_model(
    linker, encoder_directory, dutch, store, tmp_path, name, change, its_own
):
    directory = copy_of(encoder_directory, tmp_path / name, change)
    study = Study(extract(load_model(directory, store, device="cpu"), dutch, store))
    assert is_other_model(study) == its_own
    found = independent_links(study, np.array([2]))
    assert found.source == {2: "own" if its_own else "other model"}
    assert bool(found.links[2]) != its_own


def test_a_random_model_of_the_same_shape_and_name_is_another(
    linker, encoder_directory, dutch, store
):
    model = load_model(f"random:{encoder_directory}#5", store, device="cpu")
    assert not is_other_model(Study(extract(model, dutch, store)))


def test_a_model_of_another_shape_is_another(linker, decoder, dutch, store):
    assert not is_other_model(Study(extract(decoder, dutch, store)))


def test_of_two_models_that_are_compared_neither_may_have_linked(
    linker, encoder, decoder, dutch, store
):
    linking, reading = (Study(extract(model, dutch, store)) for model in (encoder, decoder))
    alone = independent_links(reading, np.array([2]))
    assert alone.source == {2: "other model"}
    assert independent_links(reading, np.array([2]), [linking]).source == {2: "own"}
