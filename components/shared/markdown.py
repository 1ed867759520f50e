"""Text from elsewhere within Markdown and tables: names, notes and messages are only ever text.

Streamlit reads Markdown with formulas, colours, icons, emoji, arrows and bare addresses besides;
some of them are found after backslashes were taken away, so those are broken by a joiner that has
no width.
"""

import re

from isogloss.errors import USER_ERRORS
from isogloss.formatting import begins_like_a_formula
from isogloss.store.files import say_if_full
from isogloss.text import language_names

_JOINER = "\u2060"


def in_markdown(text: object) -> str:
    """Text so that Markdown, as Streamlit reads it, shows it as it is."""
    shown = re.sub(r"(?m)^[ \t]+", " ", str(text))
    shown = re.sub(r"(?<=[-<=])(?=[-<>=])|(?<=:)(?=\S)|(?i:(?<=\bwww)(?=\.))", _JOINER, shown)
    shown = re.sub(r"([\\`*_\[\]<&|~$]|:(?=\u2060))", r"\\\1", shown)
    return re.sub(r"(?m)^( ?)([-+#>=]|\d+(?=[.)]))", _at_the_start, shown)


def _at_the_start(found: re.Match[str]) -> str:
    """What begins a list, a heading or a quotation where a line begins with it."""
    space, mark = found.groups()
    return f"{space}{mark}{_JOINER}" if mark.isdigit() else f"{space}\\{mark}"


def in_a_sentence(error: Exception) -> str | None:
    """What a user can do about an error, for Markdown; None where that is nothing."""
    said = str(error) if isinstance(error, USER_ERRORS) else say_if_full(error)
    return None if said is None else in_markdown(said)


def in_table(text: str) -> str:
    """Text for a table on a page, which a button of Streamlit's saves as CSV as it is.

    A spreadsheet takes a cell that begins like a formula for one; with a joiner, which nobody
    sees, before it, the cell is text.
    """
    return _JOINER + text if begins_like_a_formula(text) else text


def language_name(code: str) -> str:
    """A language's English name, or what somebody called it, for Markdown."""
    return in_markdown(language_names.language_name(code))
