"""Stores of 0.3.0 (e32db00) are read: what has not changed since lies where it lay then.

The keys below were printed by that version itself, for the records that it made of the same text,
model and questions.
"""

import pytest

from isogloss.map.maps import Layout, MapLinks
from isogloss.store import cache_key
from isogloss.studies.coordinates import RogueReport
from isogloss.studies.extraction import activation_record
from isogloss.studies.layer_geometry import LayerGeometry
from isogloss.studies.mapping import DictionaryTranslation, MappedRetrieval
from isogloss.studies.retrieval import LanguageIdentity, SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.word_alignment import AlignmentQuality
from isogloss.text.reading import ParallelText

TEXT = ParallelText(
    "pairs", ("en", "zh"), ("Good morning.", "I like tea."), ("早上好。", "我喜欢茶。")
)


class Files:
    fingerprint = "sha256:0123"


@pytest.mark.parametrize(
    ("precision", "stored_as", "key"),
    [
        ("float32", "float16", "3eee0903cecc516844f365025156069d"),
        ("float32", "float32", "f574ade18644aefef2306269b63c18ca"),
        ("bfloat16", "float16", "6f4e8f462098063a0df7dba03331497e"),
        ("bfloat16", "float32", "59a90dbc2249d56a5945fdad772f7cb8"),
    ],
)
def test_studies_keep_their_keys_where_their_states_are_the_same(precision, stored_as, key):
    """Of a model with a final norm they are not: its top layer was the normed one, and is apart."""
    record = activation_record(Files(), TEXT, precision=precision, stored_as=stored_as)
    assert cache_key(record) == key
    normed = activation_record(
        Files(), TEXT, precision=precision, stored_as=stored_as, final_norm=True
    )
    assert normed == record | {"states": "blocks"}
    assert cache_key(normed) != key


@pytest.mark.parametrize(
    ("question", "key"),
    [
        (RogueReport("k"), "16d9ac67c15ddd328a6d27236f7674c7"),
        (LayerGeometry("k"), "a946d693ce44180e4c5fe943ecf78b62"),
        (DictionaryTranslation("k", (("tea", "茶"),)), "6ff364fc22c8dd1c3f4c22cdebab6b47"),
        (Layout("k"), "8d49c6cd0eb86e2c968924003030a6a7"),
    ],
)
def test_questions_keep_their_keys_where_their_answers_are_the_same(question, key):
    assert cache_key(question.record()) == key


@pytest.mark.parametrize(
    ("question", "version", "key"),
    [
        (SentenceRetrieval("k"), 2, "039df98b7ff26d2346fefe31fab6d08d"),
        (SentenceRetrieval("k", "cosine", "first"), 2, "1df945ae6e3ad21c3ed894f49d90afda"),
        (LanguageIdentity("k"), 1, "9f6d8b63e68dc3c3c2aa4ed9b2710ebe"),
        (AlignmentQuality("k"), 2, "cb3a5aeadfdc120b52e587b6e6235268"),
        (LayerComparison("k"), 3, "92799ca13ed3b6298fad35cb082cfa78"),
        (
            LayerComparison("k", measure="cka", coordinates="raw"),
            3,
            "2278cd9f52a06a56c9b11f317a99c9ba",
        ),
        (LayerComparison("k", other="o", unit="word"), 3, "b1a71df9e2515ca45cbb0e7fef153ca0"),
        (MappedRetrieval("k"), 2, "471c12226a1dc7b3946feca25aeebb7a"),
        (MapLinks("k"), 2, "d5b298894c2370873a3fb938f39a501b"),
    ],
)
def test_where_answers_have_changed_the_version_says_so_and_nothing_else(question, version, key):
    """Intervals, chance and links are computed otherwise since: the version was raised for that.

    With the version that it had, a question has the very key that it had; how words are paired has
    a version of its own since.
    """
    record = question.record()
    assert record["version"] > version
    del record["version"]
    record.pop("paired_words", None)
    assert cache_key(record | {"version": version}) == key
    assert cache_key(question.record()) != key
