"""What a model sees of a text: its tokens, and where each lies in its sentence and words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.models.loading import LoadedModel
from isogloss.text.reading import ParallelText
from isogloss.text.words import Unit, Word, locate, segment

TOKENS = "tokens.parquet"

# How many sentences are tokenised and written at a time: what bounds the memory this takes.
_SENTENCES_AT_A_TIME = 1_000

_COLUMNS = {
    "sentence": "int32",
    "side": "int8",
    "text": "string",
    "piece": "string",
    "word": "int32",
    "start": "int32",
    "end": "int32",
    "special": "bool",
}


@dataclass(frozen=True)
class TokenTable:
    """All tokens of a text, a row each: side by side, and sentence by sentence in each.

    `sentence` is the row of the text, `side` counts from 0, `text` the characters covered, from
    `start` to `end`, `piece` the model's name of the token, `word` the index of the first word
    touched (-1 for none), `special` marks [CLS], <bos> and their like. All have shape (rows,).
    """

    sentence: np.ndarray
    side: np.ndarray
    text: np.ndarray
    piece: np.ndarray
    word: np.ndarray
    start: np.ndarray
    end: np.ndarray
    special: np.ndarray

    def __len__(self) -> int:
        return len(self.sentence)

    def sentence_starts(self) -> np.ndarray:
        """First row of each sentence that has tokens, side by side."""
        change = (np.diff(self.sentence) != 0) | (np.diff(self.side) != 0)
        return np.concatenate([[0], np.flatnonzero(change) + 1])

    @classmethod
    def read(cls, path: Path) -> TokenTable:
        """The table that `write_tokens` wrote."""
        return cls._of(_read_table(path))

    @classmethod
    def read_pair(
        cls, path: Path, sides: tuple[int, int], sentences: np.ndarray
    ) -> tuple[TokenTable, np.ndarray]:
        """The tokens of two sides in some sentences, and which rows of the whole table they are.

        The sides count as 0 and 1, and the sentences from 0 on, as if there were no others.
        """
        table = _read_table(path)
        side, sentence = (_as_numpy(table[name].combine_chunks()) for name in ("side", "sentence"))
        chosen = np.isin(sentence, sentences)
        parts = [np.flatnonzero(chosen & (side == each)) for each in sides]
        rows = np.concatenate(parts)
        found = cls._of(table.take(rows))
        own = np.repeat(np.arange(2, dtype=np.int8), [len(part) for part in parts])
        numbers = np.searchsorted(sentences, found.sentence).astype(np.int32)
        return replace(found, side=own, sentence=numbers), rows

    @classmethod
    def _of(cls, table: Any) -> TokenTable:
        return cls(**{name: _as_numpy(table[name].combine_chunks()) for name in _COLUMNS})


def _read_table(path: Path) -> Any:
    """The Arrow table of a file; one file needs no dataset, and those of pyarrow import pandas."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return file.read(columns=list(_COLUMNS))


def _as_numpy(column: Any) -> np.ndarray:
    """Return a column of an Arrow table without pandas, which pyarrow's own way would import."""
    import pyarrow as pa

    if column.type == pa.string():
        return np.array(column.to_pylist(), object)
    if column.type == pa.bool_():
        return np.from_dlpack(column.cast(pa.uint8())).astype(bool)
    return np.array(np.from_dlpack(column))


@dataclass(frozen=True)
class Tokenised:
    """One sentence as the model takes it; `spans` are characters (start, end) of each token."""

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    special: tuple[bool, ...]
    truncated: bool


NO_TOKENS = Tokenised((), (), (), (), False)


@dataclass(frozen=True)
class TextTokens:
    """The token ids of every sentence, side by side, and how many sentences were cut.

    A cell without a sentence has none, so that states of it are nowhere.
    """

    ids: tuple[np.ndarray, ...]
    truncated_sentences: int


def write_tokens(model: LoadedModel, text: ParallelText, path: Path) -> TextTokens:
    """Tokenise a text and write the table of its tokens as Parquet, a part at a time."""
    return write_token_table(
        text, lambda side, first, last: _tokenise_side(model, text.side(side)[first:last]), path
    )


def _tokenise_side(model: LoadedModel, cells: Sequence[str]) -> list[Tokenised]:
    """The sentences of a side; of a cell without one not even what stands around a sentence."""
    found = iter(tokenise(model, [cell for cell in cells if cell]))
    return [next(found) if cell else NO_TOKENS for cell in cells]


def write_token_table(
    text: ParallelText,
    sentences_of: Callable[[int, int, int], Sequence[Tokenised]],
    path: Path,
) -> TextTokens:
    """Write the tokens that `sentences_of` gives for a side's sentences [first, last)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [(name, pa.type_for_alias(kind)) for name, kind in _COLUMNS.items()],
        metadata={"languages": " ".join(text.languages)},
    ).append(pa.field("language", pa.string()))
    ids: list[np.ndarray] = []
    truncated = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as table:
        for side, language in enumerate(text.languages):
            for first in range(0, len(text), _SENTENCES_AT_A_TIME):
                sentences = sentences_of(side, first, first + _SENTENCES_AT_A_TIME)
                columns = _token_columns(text, side, first, sentences)
                columns["language"] = np.full(len(columns["side"]), language, object)
                table.write_table(pa.table(columns, schema=schema))
                ids += [np.array(sentence.ids, np.int32) for sentence in sentences]
                truncated += sum(sentence.truncated for sentence in sentences)
    return TextTokens(tuple(ids), truncated)


def tokenise(model: LoadedModel, sentences: Sequence[str]) -> list[Tokenised]:
    """Tokenise with special tokens, cut to what the model takes; BOS added where it is missing."""
    tokenizer = model.tokenizer
    bos = tokenizer.bos_token_id if model.is_decoder else None
    encoded = tokenizer(
        list(sentences), truncation=True, max_length=model.max_tokens - (bos is not None)
    )
    result = []
    for text, encoding in zip(sentences, encoded.encodings, strict=True):
        ids, pieces, offsets = encoding.ids, encoding.tokens, encoding.offsets
        special = [bool(mark) for mark in encoding.special_tokens_mask]
        if bos is not None and not (special and special[0] and ids[0] == bos):
            # Some decoders were trained with it but their tokenizer leaves it to the caller.
            ids, pieces = [bos, *ids], [tokenizer.bos_token, *pieces]
            offsets, special = [(0, 0), *offsets], [True, *special]
        spans = tuple(trim_span(text, start, end) for start, end in offsets)
        cut = bool(encoding.overflowing)
        result.append(Tokenised(tuple(ids), tuple(pieces), spans, tuple(special), cut))
    return result


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the spaces that some tokenizers count to a token."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def words_of(parallel: ParallelText, sentence: int, side: int, unit: Unit = "word") -> list[Word]:
    """The words of one sentence: those its gold alignment speaks of, else segmented ones."""
    text = parallel.side(side)[sentence]
    given = parallel.words[sentence] if parallel.words is not None else None
    if unit == "word" and given is not None and given[side]:
        return list(locate(given[side], text))
    return list(segment(text, parallel.languages[side], unit))


def token_ranges(spans: np.ndarray, words: Sequence[Word]) -> np.ndarray:
    """For each word the range [first, last) of tokens that overlap it; empty where none does.

    `spans` (tokens, 2) are in order. Returns shape (words, 2). A token that spans two words, as
    large vocabularies have them, belongs to both.
    """
    real = np.flatnonzero(spans[:, 1] > spans[:, 0])
    if not len(real) or not len(words):
        return np.zeros((len(words), 2), np.int64)
    starts = np.array([word.start for word in words], np.int64)
    ends = np.array([word.end for word in words], np.int64)
    first = np.searchsorted(spans[real, 1], starts, side="right")
    last = np.searchsorted(spans[real, 0], ends, side="left")
    touched = last > first
    ranges = np.zeros((len(words), 2), np.int64)
    ranges[touched, 0] = real[first[touched]]
    ranges[touched, 1] = real[last[touched] - 1] + 1
    return ranges


def _token_columns(
    parallel: ParallelText, side: int, first: int, sentences: Sequence[Tokenised]
) -> dict[str, np.ndarray]:
    """The rows of some sentences from the `first` on, in the order their states are stored."""
    texts = parallel.side(side)[first : first + len(sentences)]
    numbers = np.arange(first, first + len(sentences), dtype=np.int32)
    lengths = [len(sentence.pieces) for sentence in sentences]
    spans = [np.array(sentence.spans, np.int32).reshape(-1, 2) for sentence in sentences]
    words = [
        _first_words(spans[index], words_of(parallel, first + index, side))
        for index in range(len(sentences))
    ]
    special = np.array([mark for sentence in sentences for mark in sentence.special], bool)
    shown = [
        text[start:end] if end > start else piece
        for text, sentence in zip(texts, sentences, strict=True)
        for (start, end), piece in zip(sentence.spans, sentence.pieces, strict=True)
    ]
    starts, ends = np.concatenate(spans).T
    return {
        "sentence": np.repeat(numbers, lengths),
        "side": np.full(sum(lengths), side, np.int8),
        "text": np.array(shown, object),
        "piece": np.array([piece for each in sentences for piece in each.pieces], object),
        "word": np.where(special, np.int32(-1), np.concatenate(words)),
        "start": starts,
        "end": ends,
        "special": special,
    }


def _first_words(spans: np.ndarray, words: Sequence[Word]) -> np.ndarray:
    """The index of the first word each token touches, -1 for none: shape (tokens,)."""
    found = np.full(len(spans), -1, np.int32)
    ranges = token_ranges(spans, words)
    for index in range(len(words) - 1, -1, -1):
        found[ranges[index, 0] : ranges[index, 1]] = index
    return found
