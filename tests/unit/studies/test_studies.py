"""Studies: what is in the store, and the text as it was."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import IsoglossError
from isogloss.models.presets import display_name
from isogloss.store import Store
from isogloss.studies.extraction import extract
from isogloss.studies.study import list_studies, open_study, read_stored_text, write_stored_text
from isogloss.text.parallel import GoldAlignment, ParallelText


def test_a_study_tells_what_it_is(model, bitext, store):
    entry = extract(model, bitext, store)
    study = open_study(store, entry.key)
    assert study.key == entry.key
    assert study.model == model.name
    assert study.title == f"{display_name(model.name)} · ten pairs en–zh"
    assert study.languages == ("en", "zh")
    assert (study.n_layers, study.n_states) == (model.n_layers, len(model.states))
    assert study.is_decoder == model.is_decoder
    assert study.bitext == bitext
    assert study.bitext.content_hash == bitext.content_hash
    assert len(study.tokens) == entry.facts["tokens"]


@pytest.mark.parametrize(
    ("name", "title"),
    [("everyday-48", "everyday-48 en–zh"), ("news.en-zh", "news.en-zh"), ("a.zh", "a.zh en–zh")],
)
def test_texts_of_the_same_name_are_told_apart_by_their_languages(
    encoder, bitext, store, name, title
):
    entry = extract(encoder, replace(bitext, name=name), store)
    assert open_study(store, entry.key).text_title == title


def test_studies_are_listed_newest_first_and_shipped_ones_last(
    encoder, bitext, tmp_path, monkeypatch
):
    shipped = extract(encoder, bitext.select([0]), Store(tmp_path / "shipped", demo=None))
    store = Store(tmp_path / "store", demo=tmp_path / "shipped")
    store.get_or_create({"kind": "model"}, lambda place: (place / "x").write_text("x") and None)
    store.get_or_create({"other": 1}, lambda place: (place / "x").write_text("x") and None)
    entries = []
    for number in (1, 2):
        monkeypatch.setattr(
            "isogloss.store.manifest.datetime", _Clock(f"2030-01-0{number}T00:00:00+00:00")
        )
        entries.append(extract(encoder, bitext.select([number]), store))
    keys = [study.key for study in list_studies(store)]
    assert keys == [entries[1].key, entries[0].key, shipped.key]


class _Clock:
    def __init__(self, now: str) -> None:
        self._now = now

    def now(self, _):
        from datetime import datetime

        return datetime.fromisoformat(self._now)


@pytest.mark.parametrize("record", [{"kind": "model"}, {"other": 1}])
def test_what_is_no_study_cannot_be_opened_as_one(store, record):
    entry = store.get_or_create(record, lambda place: (place / "x").write_text("x") and None)
    with pytest.raises(IsoglossError, match="no study"):
        open_study(store, entry.key)
    with pytest.raises(IsoglossError, match="no study"):
        open_study(store, "0" * 32)


any_text = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)


@st.composite
def texts(draw) -> ParallelText:
    count = draw(st.integers(0, 4))

    def column(values):
        return tuple(draw(st.lists(values, min_size=count, max_size=count)))

    links = st.frozensets(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=4)
    words = tuple(
        (tuple("abc"), tuple("xyz")) if draw(st.booleans()) else None for _ in range(count)
    )
    gold = tuple(
        GoldAlignment(sure, sure | draw(links)) if pair and (sure := draw(links)) else None
        for pair in words
    )
    return ParallelText(
        name=draw(any_text),
        languages=("en", "zh"),
        source=column(any_text),
        target=column(any_text),
        topics=draw(st.none() | st.just(column(any_text))),
        gold=draw(st.sampled_from([None, gold])),
        words=words,
    )


@given(texts())
def test_a_stored_text_reads_back_as_it_was(tmp_path_factory, bitext):
    path = tmp_path_factory.mktemp("corpus") / "corpus.json"
    write_stored_text(bitext, path)
    assert read_stored_text(path) == bitext
    assert read_stored_text(path).content_hash == bitext.content_hash
