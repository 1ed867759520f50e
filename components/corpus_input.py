"""Text comes in: uploaded in any format of the readers, as two files, or pasted."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from components.loading import read_files
from isogloss.corpora import LIMITS, CorpusFile, ReadResult, bundled_corpora, load_bundled
from isogloss.errors import USER_ERRORS

FORMATS_SENTENCE = (
    "TSV or CSV, two plain text files, `a ||| b`, TMX or JSON lines; plain or gzipped; "
    "with a Pharaoh alignment file if you have one."
)
LIMITS_SENTENCE = (
    f"At most {LIMITS.bytes // 10**6} MB a file, {LIMITS.pairs:,} pairs, "
    f"{LIMITS.characters:,} characters a sentence."
)
PASTE_EXAMPLE = (
    "The bank closed at noon.\t银行中午关门了。\n"
    "We sat on the bank of the river.\t我们坐在河岸上。\n"
    "She turned on the light.\t她打开了灯。"
)


EXAMPLES = {
    "Two columns, TSV or CSV": "en\tzh\nThe bank closed.\t银行关门了。\nShe sat down.\t她坐下了。",
    "One line a pair": "The bank closed . ||| 银行 关门 了 。\nShe sat down . ||| 她 坐下 了 。",
    "JSON lines": '{"en": "The bank closed.", "zh": "银行关门了。"}\n'
    '{"en": "She sat down.", "zh": "她坐下了。"}',
}


@dataclass(frozen=True)
class Given:
    """What the user brought: files as they came, or the name of a bundled corpus."""

    files: tuple[CorpusFile, ...] = ()
    bundled: str | None = None


def ask() -> Given | None:
    """Show the three ways in; returns what was given, None while there is nothing."""
    way = st.segmented_control(
        "How do you bring it?",
        ["Upload", "Paste", "Sample"],
        default="Upload",
        required=True,
        label_visibility="collapsed",
    )
    if way == "Upload":
        return _ask_files()
    if way == "Paste":
        return _ask_text()
    return _ask_sample()


def _ask_files() -> Given | None:
    uploads = st.file_uploader(
        f"{FORMATS_SENTENCE} {LIMITS_SENTENCE}",
        accept_multiple_files=True,
        max_upload_size=LIMITS.bytes // 10**6,
    )
    if not uploads:
        _show_examples()
        return None
    return Given(tuple(CorpusFile(upload.name, upload.getvalue()) for upload in uploads))


def _show_examples() -> None:
    """What a file may look like, while there is none."""
    st.markdown("A file may look like one of these; the first line may name the columns.")
    for column, (name, text) in zip(st.columns(len(EXAMPLES)), EXAMPLES.items(), strict=True):
        with column:
            st.caption(name)
            st.code(text, language=None, wrap_lines=True)
    st.markdown("Nothing at hand? Choose **Paste** and type two sentences, or **Sample**.")


def _ask_text() -> Given | None:
    text = st.text_area(
        "One pair a line, the two sentences with a tab or `|||` between them.",
        placeholder=PASTE_EXAMPLE,
        height=200,
    )
    if st.button("Use the example", type="tertiary"):
        text = PASTE_EXAMPLE
    if not text.strip():
        return None
    return Given((CorpusFile("pasted text", text.encode("utf-8", errors="replace")),))


def _ask_sample() -> Given | None:
    samples = {bundled.name: bundled for bundled in bundled_corpora()}
    name = st.selectbox(
        "A text that comes with Isogloss",
        list(samples),
        format_func=lambda name: samples[name].title,
    )
    st.caption(samples[name].description)
    return Given(bundled=name)


def read(given: Given) -> ReadResult | None:
    """Read what was given, with the user's choices; a problem is said in its sentence."""
    if given.bundled is not None:
        corpus = load_bundled(given.bundled)
        return ReadResult(corpus, "tsv", "utf-8", (), corpus.languages, False)
    with st.expander("Columns, languages and bad rows", icon=":material/tune:"):
        left, right = st.columns(2)
        columns = (
            left.text_input("First column", help="A header's name, or a number from 1."),
            right.text_input("Second column"),
        )
        languages = (
            left.text_input("First language", help="A code such as en, zh, nl."),
            right.text_input("Second language"),
        )
        skip = st.toggle("Leave bad rows out and list them", value=False)
    try:
        return read_files(given.files, _both(columns), _both(languages), skip)
    except USER_ERRORS as error:
        st.error(str(error), icon=":material/error:")
        return None


def _both(pair: tuple[str, str]) -> tuple[str, str] | None:
    first, second = (part.strip() for part in pair)
    return (first, second) if first and second else None
