"""Studies of many languages: any pair is what a study of these two alone would be."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

from isogloss.errors import ExtractionError, IsoglossError
from isogloss.map.maps import MapOptions, make_map, map_records
from isogloss.models.tokens import TOKENS, TokenTable
from isogloss.store import Store, StoreError
from isogloss.store.archive import export_entries, import_entries
from isogloss.studies.coordinates import token_statistics
from isogloss.studies.extraction import ExtractionOptions, extract
from isogloss.studies.languages.sentence_means import find_sentence_means, sentence_means
from isogloss.studies.own_vectors.study import import_vectors
from isogloss.studies.pooling import (
    STUDY_POOLINGS,
    point_table,
    point_vectors,
    sentence_pair_vectors,
    sentence_vectors,
)
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison, same_text
from isogloss.studies.study import Study, list_means, list_studies, open_study
from isogloss.text.parallel import ParallelText

# Of one sentence a batch the numbers do not depend on what other sentences there are.
ALONE = ExtractionOptions(token_budget=1)


@pytest.fixture(scope="module")
def text(bitext) -> ParallelText:
    """Four languages; rows 2 and 5 lack one, row 7 two."""
    backwards = [" ".join(reversed(each.split())) for each in bitext.source]
    shouted = [each.upper() for each in bitext.source]
    backwards[2] = backwards[7] = shouted[5] = shouted[7] = ""
    return ParallelText.of_sides(
        "four", ("en", "zh", "de", "sw"), [bitext.source, bitext.target, backwards, shouted]
    )


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Store:
    return Store(tmp_path_factory.mktemp("store"), demo=None)


@pytest.fixture(scope="module")
def study(encoder, text, shared) -> Study:
    return Study(extract(encoder, text, shared, ALONE))


@pytest.mark.parametrize("pair", [("en", "zh"), ("zh", "de"), ("sw", "de"), ("sw", "en")])
def test_a_pair_equals_the_study_of_these_two_bit_for_bit(study, encoder, text, shared, pair):
    seen = study.pair(*pair)
    direct = Study(extract(encoder, text.pair(*pair), shared, ALONE))
    assert seen.languages == direct.languages == pair
    assert seen.bitext == direct.bitext
    assert seen.text_key == direct.text_key
    assert set(vars(seen.tokens)) == set(vars(direct.tokens))
    for name, values in vars(direct.tokens).items():
        assert np.array_equal(getattr(seen.tokens, name), values), name
    table = point_table(seen)
    for layer in range(study.n_states):
        rows = np.arange(len(direct.tokens))
        assert np.array_equal(seen.layer(layer)[rows], direct.entry.layer(layer))
        for pooling in STUDY_POOLINGS:
            for one, other in zip(
                sentence_pair_vectors(seen, layer, pooling, "standardised"),
                sentence_pair_vectors(direct, layer, pooling, "standardised"),
                strict=True,
            ):
                assert np.array_equal(one, other)
        assert np.array_equal(
            point_vectors(seen, layer, table), point_vectors(direct, layer, table)
        )
        ours, theirs = (token_statistics(each, layer) for each in (seen, direct))
        for name, values in vars(theirs).items():
            assert np.array_equal(getattr(ours, name), values), name


def test_answers_are_those_of_the_pair_and_kept_apart(study, encoder, text, shared):
    by_pair = {}
    for pair in [("en", "zh"), ("zh", "de"), ("de", "zh")]:
        seen = study.pair(*pair)
        direct = Study(extract(encoder, text.pair(*pair), shared, ALONE))
        found = SentenceRetrieval(seen.key).answer(shared)
        expected = SentenceRetrieval(direct.key).answer(shared)
        assert np.array_equal(found.values, expected.values)
        assert SentenceRetrieval(seen.key).find(shared) is not None
        similarity = LayerComparison(seen.key, measure="cka").answer(shared)
        assert np.array_equal(
            similarity.similarity.values,
            LayerComparison(direct.key, measure="cka").answer(shared).similarity.values,
        )
        by_pair[pair] = found.values
    assert not np.array_equal(by_pair["en", "zh"], by_pair["zh", "de"])
    assert np.array_equal(by_pair["zh", "de"], by_pair["de", "zh"][:, ::-1])


def test_a_map_of_a_pair_has_the_words_of_both(study, shared):
    seen = study.pair("de", "sw")
    found = make_map(seen, shared, MapOptions())
    assert set(found.table.side.tolist()) == {0, 1}
    assert set(found.table.sentence.tolist()) <= set(range(len(seen.bitext)))
    records = map_records(seen, MapOptions())
    assert [record["pair"] for record in records] == [["de", "sw"]] * 2
    assert all("pair" not in record for record in map_records(study, MapOptions()))


def test_the_first_two_sides_are_the_study_itself_and_another_pair_is_in_the_key(study):
    assert study.key == study.entry.key
    assert study.pair("en", "zh") == study
    assert study.pair_record == {}
    assert study.pair("de", "en").pair_record == {"pair": ["de", "en"]}


def test_answers_that_count_words_cut_anew_are_kept_apart_from_older_ones():
    """Until 0.3.0 Japanese and Thai were cut into characters; others keep their keys."""
    entry = SimpleNamespace(facts={"languages": ["en", "zh", "ja", "th-TH"]})
    assert Study(entry).answer_record == {}
    assert Study(entry, (1, 0)).answer_record == {"pair": ["zh", "en"]}
    assert Study(entry, (0, 2)).answer_record == {"pair": ["en", "ja"], "words": 2}
    assert Study(entry, (3, 1)).answer_record["words"] == 2
    entry.facts["languages"] = ["ja", "en"]
    assert Study(entry).answer_record == {"words": 2}


def test_a_key_names_its_pair_and_nonsense_is_said(study, shared):
    for pair in [("de", "sw"), ("sw", "de"), ("zh", "en")]:
        again = open_study(shared, study.pair(*pair).key)
        assert again == study.pair(*pair)
        assert again.languages == pair
        assert again.pair("en", "zh") == study
    for wrong in ("4-0", "1-1", "0", "a-b", "0-1-2", ""):
        with pytest.raises(IsoglossError, match="has no pair"):
            open_study(shared, f"{study.key}:{wrong}")
    assert study.pair_called("de-sw") == study.pair("de", "sw")
    assert study.pair("de", "sw").pair_name == "de-sw"
    with pytest.raises(IsoglossError, match="join two of its languages by a hyphen"):
        study.pair_called("de-fr")
    with pytest.raises(IsoglossError, match="has no fr; its languages are en, zh, de, sw"):
        study.pair("en", "fr")
    with pytest.raises(IsoglossError, match="not of en with itself"):
        study.pair("en", "en")


def test_another_models_study_is_seen_through_the_same_pair(study, encoder, text, shared):
    other = Study(extract(encoder, text, shared, replace(ALONE, stored_as="float32")))
    pair = Study(extract(encoder, text.pair("de", "sw"), shared, ALONE))
    unrelated = Study(extract(encoder, text.pair("de", "zh"), shared, ALONE))
    found = same_text(study.pair("de", "sw"), [study, other, pair, unrelated])
    assert {each.key for each in found} == {other.pair("de", "sw").key, pair.key}


def test_means_of_all_languages_are_those_of_pooling(study, text, shared):
    means = sentence_means(study, shared)
    assert means.languages == text.languages
    for first, second in [("en", "zh"), ("de", "sw")]:
        seen = study.pair(first, second)
        both = means.filled(first) & means.filled(second)
        for layer in range(study.n_states):
            for side, language in enumerate((first, second)):
                pooled = sentence_vectors(seen, layer, side)
                # They are kept in half precision, as states are.
                kept = (pooled / study.scale).astype(np.float16).astype(np.float32) * study.scale
                assert np.array_equal(means.layer(language, layer)[both], kept)
    assert means.filled("de").tolist() == [bool(cell) for cell in text.side(2)]
    assert means.of("de").shape == (study.n_states, len(text), 32)
    assert not means.of("de")[:, ~means.filled("de")].any()


def test_a_study_of_means_alone_has_the_same_means_and_no_tokens(study, encoder, text, shared):
    small = Study(extract(encoder, text, shared, replace(ALONE, keep="means")))
    assert small in list_means(shared)
    assert small not in list_studies(shared)
    assert open_study(shared, small.key) == small
    kept, computed = find_sentence_means(small), sentence_means(study, shared)
    assert kept is not None
    for language in text.languages:
        assert np.array_equal(kept.of(language), computed.of(language))
    assert small.pair("de", "sw").bitext == text.pair("de", "sw")
    sentences = sum(bool(cell) for side in text.sides for cell in side)
    assert small.entry.layer(0).shape == (sentences, 32)
    with pytest.raises(StoreError, match=TOKENS):
        small.entry.file(TOKENS)
    with pytest.raises(IsoglossError, match="extract the tokens of de and sw first"):
        _ = small.pair("de", "sw").tokens


def test_vectors_from_elsewhere_may_be_of_many_languages(study, text, shared, tmp_path):
    states = {f"layer.{layer}": np.array(study.entry.layer(layer)) for layer in range(4)}
    save_file(states, tmp_path / "states.safetensors")
    tokens = TokenTable.read(study.entry.file(TOKENS))
    names = ("sentence", "side", "text", "start", "end", "special")
    columns = {name: getattr(tokens, name).tolist() for name in names}
    pq.write_table(pa.table(columns), tmp_path / "tokens.parquet")
    files = tmp_path / "states.safetensors", tmp_path / "tokens.parquet"
    mine = Study(import_vectors(*files, text, "mine", shared)).pair("sw", "de")
    seen = study.pair("sw", "de")
    assert mine.bitext == seen.bitext
    for pooled in (sentence_vectors(each, 2, 1) for each in (mine, seen)):
        assert np.array_equal(pooled, sentence_vectors(seen, 2, 1))
    columns["side"][0] = 4
    pq.write_table(pa.table(columns), tmp_path / "tokens.parquet")
    with pytest.raises(ExtractionError, match="and 3 for the last language"):
        import_vectors(*files, text, "mine", shared)


def test_studies_of_many_languages_travel_in_archives(study, encoder, text, shared, tmp_path):
    small = Study(extract(encoder, text, shared, replace(ALONE, keep="means")))
    export_entries(shared, [study.entry.key, small.entry.key], tmp_path / "a.tar")
    other = Store(tmp_path / "other", demo=None)
    import_entries(other, tmp_path / "a.tar")
    again = open_study(other, study.pair("de", "sw").key)
    assert again.bitext == study.pair("de", "sw").bitext
    kept = find_sentence_means(open_study(other, small.key))
    assert kept is not None
    assert np.array_equal(kept.of("sw"), sentence_means(study, shared).of("sw"))
