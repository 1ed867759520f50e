"""Text comes in: uploaded in any format of the readers, as two files, or pasted."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import streamlit as st

from components.shared import session
from components.shared.file_inputs import ask_uploads
from components.shared.markdown import in_markdown
from components.your_text.by_name import ask_name, fetch
from isogloss.errors import USER_ERRORS
from isogloss.places import opened_with
from isogloss.text.language_names import LANGUAGES, language_name
from isogloss.text.readers.languages import language_code, nearest_language
from isogloss.text.reading import (
    LIMITS,
    GivenFile,
    ReadResult,
    bundled_texts,
    load_bundled,
    read_files,
)

FORMATS_SENTENCE = (
    "TSV, CSV, JSON lines, Parquet, TMX or `a ||| b` in two languages or more, or one file each, "
    "such as news.de.txt; plain or gzipped; Pharaoh alignments may come with them."
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
_LANGUAGES = {"first-language": "First language", "second-language": "Second language"}
_COLUMNS = {"first-column": "First column", "second-column": "Second column"}
"""What can be said of the two sides, by the name under which a session keeps it."""

EXAMPLES = {
    "Two columns, TSV or CSV": "en\tzh\nThe bank closed.\t银行关门了。\nShe sat down.\t她坐下了。",
    "One line a pair": "The bank closed . ||| 银行 关门 了 。\nShe sat down . ||| 她 坐下 了 。",
    "JSON lines": '{"en": "The bank closed.", "zh": "银行关门了。"}',
}


@dataclass(frozen=True)
class Given:
    """What the user brought: uploads by where they are kept, a pasted text, or a text's name."""

    files: tuple[GivenFile | str, ...] = ()
    bundled: str | None = None
    hub: str | None = None


def ask() -> Given | None:
    """Show the ways in; returns what was given, None while there is nothing.

    What was given stays for the session, also while another page is open.
    """
    session.kept("way", "Upload")
    way = st.segmented_control(
        "How do you bring it?",
        ["Upload", "Paste", "By name", "Sample"],
        required=True,
        key=f"{session.KEPT}way",
        label_visibility="collapsed",
    )
    if way == "Upload":
        return _ask_files()
    if way == "Paste":
        return _ask_text()
    if way == "By name":
        name = ask_name()
        return Given(hub=name) if name else None
    return _ask_sample()


def _ask_files() -> Given | None:
    files = ask_uploads(f"{FORMATS_SENTENCE} {LIMITS_SENTENCE}", "text") or _opened()
    if not files:
        _show_examples()
        return None
    return Given(files)


def _opened() -> tuple[str, ...]:
    """The files that `isogloss FILE` was started with, until another is uploaded."""
    files = opened_with()
    if files:
        names = " and ".join(f"**{in_markdown(os.path.basename(path))}**" for path in files)
        st.caption(
            f"This is {names}, which Isogloss was started with. Upload another to replace it."
        )
    return files


def _show_examples() -> None:
    """What a file may look like, while there is none."""
    st.markdown("A file may look like one of these, with or without names of columns.")
    for column, (name, text) in zip(st.columns(len(EXAMPLES)), EXAMPLES.items(), strict=True):
        with column:
            st.caption(name)
            st.code(text, language=None, wrap_lines=True)
    st.markdown("Nothing at hand? Choose **By name** or **Sample**.")


def _ask_text() -> Given | None:
    key = f"{session.KEPT}pasted"
    text = st.text_area(
        "One pair a line, the two sentences with a tab or `|||` between them.",
        placeholder=PASTE_EXAMPLE,
        height=200,
        key=key,
    )
    st.button(
        "Use the example",
        type="tertiary",
        on_click=st.session_state.__setitem__,
        args=(key, PASTE_EXAMPLE),
    )
    if not text.strip():
        return None
    return Given((GivenFile("pasted text", text.encode("utf-8", errors="replace")),))


def _ask_sample() -> Given | None:
    samples = {bundled.name: bundled for bundled in bundled_texts()}
    name = st.selectbox(
        "A text that comes with Isogloss",
        list(samples),
        format_func=lambda name: samples[name].title,
        key=f"{session.KEPT}sample",
    )
    st.caption(samples[name].description)
    return Given(bundled=name)


def read(given: Given) -> ReadResult | None:
    """Read what was given, with the user's choices; a problem is said in its sentence.

    What could mend a problem stands open above it.
    """
    if given.bundled is not None:
        text = load_bundled(given.bundled)
        return ReadResult(text, "tsv", "utf-8", (), text.languages, False)
    if given.hub is not None:
        try:
            return fetch(given.hub)
        except USER_ERRORS as error:
            st.error(in_markdown(error), icon=":material/error:")
            return None
    languages = _both(session.kept(name) for name in _LANGUAGES)
    columns = _both(session.kept(name) for name in _COLUMNS)
    skip = session.kept("skip", False)
    try:
        result, problem = _read_files(given.files, columns, languages, skip), ""
    except USER_ERRORS as error:
        result, problem = None, str(error)
    _ask_how_to_read(opened=bool(problem or columns or skip))
    if problem:
        st.error(in_markdown(problem), icon=":material/error:")
    elif languages is None and any(session.kept(name) for name in _LANGUAGES):
        st.info("Name the other language, too.", icon=":material/info:")
    return result


def _ask_how_to_read(*, opened: bool) -> None:
    """The languages, and what is seldom needed: which columns, and what becomes of bad rows."""
    for place, (name, label) in zip(st.columns(2), _LANGUAGES.items(), strict=True):
        place.selectbox(
            label,
            sorted(LANGUAGES, key=language_name),
            format_func=language_name,
            placeholder="As the text says",
            accept_new_options=True,
            key=f"{session.KEPT}{name}",
            help="Needed where neither a header, nor the file's name, nor the script tells; any "
            "code such as en, zh, nl will do.",
        )
    for name in _LANGUAGES:
        _ask_back(name)
    with st.expander("Columns and bad rows", icon=":material/tune:", expanded=opened):
        for place, (name, label) in zip(st.columns(2), _COLUMNS.items(), strict=True):
            place.text_input(
                label, key=f"{session.KEPT}{name}", help="A header's name, or a number from 1."
            )
        st.toggle("Leave bad rows out and list them", key=f"{session.KEPT}skip")


def _ask_back(name: str) -> None:
    """A language that nobody knows by this name may be one that was mistyped."""
    given = (session.kept(name) or "").strip()
    if not given or language_code(given):
        return
    meant = nearest_language(given)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.warning(
            f"{in_markdown(given)} is not in the list"
            + (f": did you mean {language_name(meant)}?" if meant else ", and is taken as a name."),
            icon=":material/help:",
        )
        if meant:
            st.button(
                language_name(meant),
                key=f"meant-{name}",
                on_click=st.session_state.__setitem__,
                args=(f"{session.KEPT}{name}", meant),
            )


def _both(pair: Iterable[str | None]) -> tuple[str, str] | None:
    first, second = ((part or "").strip() for part in pair)
    return (first, second) if first and second else None


@st.cache_data(show_spinner="Reading the text", max_entries=4)
def _read_files(
    files: tuple[GivenFile | str, ...],
    columns: tuple[str, str] | None,
    languages: tuple[str, str] | None,
    skip_bad_rows: bool,
) -> ReadResult:
    """What a text says, read once for each set of choices; an upload's path tells its content."""
    return read_files(files, columns=columns, languages=languages, skip_bad_rows=skip_bad_rows)
