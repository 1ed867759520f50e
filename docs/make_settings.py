"""The list of pages' settings, written from the declarations: `python -m docs.make_settings`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from pathlib import Path

from components.settings import PAGE_SETTINGS, PageSettings
from isogloss import interface
from isogloss.command_line import (
    best_layer_commands,
    inner_language_commands,
    map_commands,
    measure_commands,
)
from isogloss.inner_language.read_along import ReadAlong
from isogloss.inner_language.river import River
from isogloss.inner_language.swap import Swap
from isogloss.inner_language.switch import Steered, Switch
from isogloss.map.maps import MapOptions
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.options import Option, options_of
from isogloss.studies.languages.questions import EveryPair, LanguageTrees
from isogloss.studies.links.points import LinkOptions
from isogloss.studies.mapping import MappedRetrieval
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.word_alignment import AlignmentQuality
from isogloss.text.parts import TextPart

SETTINGS = Path(__file__).parent / "settings.md"
INTRODUCTION = """# What can be set on a page

Written from the declarations by `python -m docs.make_settings`. Every setting is in the page's
address under its name there, unless it has its default; so a link shows what you see. What belongs
to the *question* is part of the key that the answer is kept under in the store. What belongs to the
*view* never is: it says which answers are shown, and how. Where a default depends on the study or
the run, it is left open. A flag belongs to the named command of `isogloss`, an argument to the
function of `import isogloss as ig`; both ask the question as the page does.
"""
HEAD = (
    "| setting | in the address | values | default | belongs to | command line | in Python |",
    "|---|---|---|---|---|---|---|",
)
FLAGGED = {
    "token-map": map_commands.OPTIONS,
    "similarity": measure_commands.COMPARISON,
    "best-layer": best_layer_commands.OPTIONS,
    "languages": measure_commands.LANGUAGES,
    "inner-language": inner_language_commands.OPTIONS,
}
"""The options that each command has a flag for."""
FUNCTIONS: Mapping[type, Callable[..., object]] = {
    **dict.fromkeys((MapOptions, TextPart, ProjectionOptions, LinkOptions), interface.token_map),
    LayerComparison: interface.similarity,
    SentenceRetrieval: interface.retrieval,
    MappedRetrieval: interface.mapping,
    AlignmentQuality: interface.alignment,
    **dict.fromkeys((EveryPair, LanguageTrees), interface.languages),
    **dict.fromkeys((River, ReadAlong), interface.lens),
    **dict.fromkeys((Switch, Steered), interface.steer),
    Swap: interface.swap,
}
"""What asks each question in Python."""


def main() -> None:
    SETTINGS.write_text(describe_settings(), encoding="utf-8")


def describe_settings() -> str:
    """Return the whole document."""
    parts = [INTRODUCTION]
    for page, settings in PAGE_SETTINGS.items():
        title = page.replace("_", " ").capitalize()
        parts.append("\n".join([f"## {title}\n", *HEAD, *_rows(settings), ""]))
    return "\n".join(parts)


def _rows(settings: PageSettings) -> Iterator[str]:
    """One row a setting, which two questions may share."""
    flagged = {each.address: each for each in FLAGGED.get(settings.command, ())}
    said: set[str] = set()
    for owner in settings.questions:
        for option in options_of(owner).values():
            if option.address not in said:
                said.add(option.address)
                named = flagged[option.address]
                flag = f"`{settings.command} {named.flag}`"
                yield _row(option, "question", flag, f"`{in_python(owner, option, named)}`")
    yield from (_row(option, "question") for option in settings.some)
    for option in (each for view in settings.views for each in options_of(view).values()):
        if option.address not in said:
            said.add(option.address)
            yield _row(option, "view")


def _row(option: Option, belongs: str, flag: str = "", argument: str = "") -> str:
    values, default = _values(option), _default(option)
    address = f"`{option.address}`"
    return f"| {' | '.join((option.title, address, values, default, belongs, flag, argument))} |"


def in_python(owner: type, option: Option, flagged: Option) -> str:
    """The function that asks the question, and the argument: the flag's word, else the field's."""
    function = FUNCTIONS[owner]
    known = signature(function).parameters
    argument = next(each for each in (flagged.name, option.name, option.address) if each in known)
    return f"ig.{function.__name__}({argument}=…)"


def _values(option: Option) -> str:
    if option.kind is bool:
        return f"`{option.yes}` for yes, `0` for no"
    if option.choices:
        return ", ".join(f"`{name}`" for name in option.choices)
    if option.values:
        return ", ".join(f"{value:g}" for value in option.values)
    if option.digits:
        return f"the first {option.digits} characters of a key"
    if option.many:
        return "numbers with dots between them, or `none`"
    if option.kind is str:
        return "any text"
    ends = [f"{end:.10g}" for end in (option.least, option.most) if end is not None]
    return " to ".join(ends) if len(ends) > 1 else f"from {ends[0]}"


def _default(option: Option) -> str:
    if option.kind is bool:
        return "yes" if option.default else "no"
    return f"`{option.default}`" if option.default not in ("", (), None) else ""


if __name__ == "__main__":
    main()
