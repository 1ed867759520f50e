"""What was understood of a text, before any model reads it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.shared.markdown import in_markdown, in_table
from components.your_text.by_name import show_origin
from isogloss.formatting import percent
from isogloss.text.language_names import language_name
from isogloss.text.reading import ParallelText, ReadResult, TextStatistics

SHOWN_PAIRS = 200
SHOWN_PROBLEMS = 50


def preview(result: ReadResult) -> None:
    """Pairs, languages, lengths, rows left out and why, and the first pairs themselves."""
    text, statistics = result.text, _statistics(result.text)
    if text.more:
        _show_languages(statistics)
    else:
        _show_two(statistics)
    notes = [f"Read as {result.format}, {result.encoding}"]
    if result.columns:
        named = list(dict.fromkeys(map(in_markdown, result.columns)))
        columns = f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]
        notes.append(f"column{'s' if len(named) > 1 else ''} {columns}")
    if result.languages_guessed:
        notes.append("languages guessed from the script: correct them above if they are wrong")
    if statistics.duplicate_share:
        notes.append(f"{percent(statistics.duplicate_share)} of the pairs repeat")
    if statistics.same_share:
        notes.append(f"{percent(statistics.same_share)} of the rows are the same in two languages")
    if result.not_languages:
        notes.append(in_markdown(result.says_not_languages))
    st.caption("; ".join(notes) + ".")
    show_origin(result)
    if result.skipped:
        with st.expander(f"{len(result.skipped):,} rows left out"):
            for row in result.skipped[:SHOWN_PROBLEMS]:
                st.text(str(row))
            if len(result.skipped) > SHOWN_PROBLEMS:
                st.text(f"… and {len(result.skipped) - SHOWN_PROBLEMS:,} more")
    # Two columns of one name would be one: spaces behind it tell them apart.
    st.dataframe(
        {
            in_table(language_name(code)) + " " * place: _first(side)
            for place, (code, side) in enumerate(zip(text.languages, text.sides, strict=True))
        },
        height=260,
    )
    if len(text) > SHOWN_PAIRS:
        rows = "rows" if text.more else "pairs"
        st.caption(f"The first {SHOWN_PAIRS} of {len(text):,} {rows}.")


def _show_two(statistics: TextStatistics) -> None:
    columns = st.columns(4)
    columns[0].metric("Sentence pairs", f"{statistics.pairs:,}")
    for column, side in zip(columns[1:3], statistics.sides, strict=True):
        column.metric(
            f"{in_markdown(language_name(side.language))}: words per sentence",
            f"{side.words.mean:.1f}",
            help=f"Median {side.words.median:g}, longest {side.words.maximum}; "
            f"{side.characters.mean:.0f} characters on average.",
        )
    columns[3].metric("With a gold alignment", f"{statistics.pairs_with_gold:,}")


def _show_languages(statistics: TextStatistics) -> None:
    """How many languages there are, and in which of them sentences are missing."""
    columns = st.columns(3)
    columns[0].metric("Languages", f"{len(statistics.sides)}")
    columns[1].metric("Rows", f"{statistics.pairs:,}")
    missing = {side.language: statistics.pairs - side.sentences for side in statistics.sides}
    columns[2].metric("Sentences missing", f"{sum(missing.values()):,}")
    lacking = [
        f"{in_markdown(language_name(code))} {count:,}" for code, count in missing.items() if count
    ]
    if lacking:
        st.caption(f"Missing: {', '.join(lacking)}. A pair has the rows in which both are there.")


def _first(sentences: Sequence[str]) -> list[str]:
    return list(map(in_table, sentences[:SHOWN_PAIRS]))


@st.cache_data(
    show_spinner="Counting words",
    max_entries=8,
    hash_funcs={ParallelText: lambda c: c.content_hash},
)
def _statistics(text: ParallelText) -> TextStatistics:
    """A text in numbers; a long one takes a while to cut into words."""
    return text.statistics()
