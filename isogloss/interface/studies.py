"""Texts and studies, for scripts and notebooks: read, computed, brought along, found again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Literal, cast

from isogloss.engines.choice import LOCAL, Engine
from isogloss.errors import IsoglossError, TextError
from isogloss.interface.results import Studies
from isogloss.store import Store
from isogloss.studies.extraction import ExtractionOptions, Keep
from isogloss.studies.named_extraction import extract_by_name
from isogloss.studies.own_vectors.study import import_vectors as store_vectors
from isogloss.studies.study import PAIR_MARK, Study, list_means
from isogloss.studies.study import list_studies as studies_in
from isogloss.tasks import OnProgress
from isogloss.text.named import load_named
from isogloss.text.readers.languages import known_languages
from isogloss.text.reading import ParallelText, read_files

Text = (
    str
    | PathLike[str]
    | ParallelText
    | Sequence[tuple[str, ...]]
    | Mapping[str, Sequence[str]]
    | Sequence[PathLike[str]]
)


def extract(
    model: str,
    text: Text,
    *,
    languages: Sequence[str] | None = None,
    name: str | None = None,
    keep: Keep = "tokens",
    device: str = "auto",
    precision: str = "auto",
    stored_as: Literal["float16", "float32"] = "float16",
    batch_tokens: int | None = None,
    on_progress: OnProgress = lambda share, message: None,
    engine: Engine = LOCAL,
) -> Study:
    """Return every layer's states of a model on a text, from the store or computed now.

    `model` is a preset, a hub id, a directory or random:NAME; `text` a bundled text, a data
    set of the hub by its name (`"ntrex:en,zh,de"`, see docs/texts.md), a file of parallel text in
    any format that the pages take, a directory or a list of files in one language each, a text,
    a list of sentence pairs, or the sentences of each language by its code:
    `{"en": […], "de": […], "sw": […]}`, row for row the same, "" where there is none. A study of
    more languages than two is looked at through a pair: `study.pair("de", "sw")`.

    With `keep="means"` of each sentence only the mean of its tokens stays. With
    `engine=Engine("ray", address)` a Ray cluster computes the states.
    """
    options = ExtractionOptions(stored_as, batch_tokens, on_progress, keep=keep)
    parallel = read_text(text, languages=languages, name=name)
    found = extract_by_name(model, parallel, Store(), options, device, precision, engine)
    return Study(found.entry)


def import_vectors(
    states: str | PathLike[str],
    tokens: str | PathLike[str],
    text: Text,
    *,
    model: str,
    languages: Sequence[str] | None = None,
    name: str | None = None,
) -> Study:
    """Return a study of states that were computed elsewhere, from two files and their text.

    `states` is safetensors or npz with one array per layer, `tokens` Parquet or JSON lines with
    one row per token, as docs/own_vectors.md describes; `model` is what to call what computed them.
    """
    parallel = read_text(text, languages=languages, name=name)
    return Study(store_vectors(states, tokens, parallel, model, Store()))


def read_text(
    text: Text, *, languages: Sequence[str] | None = None, name: str | None = None
) -> ParallelText:
    """Return the parallel text that a name, files, or sentences stand for.

    >>> len(read_text("everyday.en-zh")) > 100
    True
    >>> read_text([("Yes.", "是。")], languages=("en", "zh")).name
    'pairs'
    >>> read_text({"en": ["Yes."], "de": ["Ja."], "sw": ["Ndiyo."]}).languages
    ('en', 'de', 'sw')
    """
    if isinstance(text, ParallelText):
        return text
    if isinstance(text, str | PathLike):
        chooses = languages is not None
        named = load_named(text, called=name, chooses=chooses) if isinstance(text, str) else None
        if named is not None:
            return named.text
        return read_files(text, name=name, languages=languages).text
    if isinstance(text, Mapping):
        return _of_sentences(name or "sentences", list(text), list(text.values()))
    if text and isinstance(text[0], PathLike):
        files = cast("Sequence[PathLike[str]]", text)
        return read_files(files, name=name, languages=languages).text
    if languages is None:
        raise TextError("Pairs alone do not say their languages: add languages=('en', 'zh').")
    rows = cast("Sequence[tuple[str, ...]]", text)
    sides = list(zip(*rows, strict=True)) if len(rows) else [()] * len(languages)
    return _of_sentences(name or "pairs", languages, sides)


def _of_sentences(
    name: str, languages: Sequence[str], sides: Sequence[Sequence[str]]
) -> ParallelText:
    """The text of sentences that somebody's program gives, checked as those of a file are."""
    codes = known_languages(languages)
    for code, side in zip(codes, sides, strict=False):
        for row, cell in enumerate(side, start=1):
            if not isinstance(cell, str):
                raise TextError(
                    f"Row {row} of {code} is {cell!r} and no text; give '' where there is none."
                )
    text = ParallelText.of_sides(name, codes, sides)
    text.require_sentences()
    return text


def list_studies() -> Studies:
    """Return every study in the store, the newest first, those that come with Isogloss last.

    >>> list(list_studies().frame())
    ['key', 'model', 'text', 'languages', 'pairs', 'layers']
    """
    return Studies(studies_in(Store()))


def open_study(key: str) -> Study:
    """Return the study with this key, of which the beginning is enough.

    "KEY:de-sw" is the study looked at through these two of its languages.

    >>> newest = list_studies()[0]
    >>> open_study(newest.key[:10]) == newest
    True
    """
    start, mark, pair = key.partition(PAIR_MARK)
    store = Store()
    every = (*studies_in(store), *list_means(store))
    found = [study for study in every if study.key.startswith(start)]
    if len(found) != 1 or not start:
        what = "more than one study" if found else "no study"
        raise IsoglossError(
            f"There is {what} whose key begins with {key!r}: `python -m isogloss studies ls` or, "
            "in Python, list_studies() shows their keys."
        )
    return found[0].pair_called(pair) if mark else found[0]
