"""The list of pages' settings, written from the declarations: `python -m docs.make_settings`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from components.settings import PAGE_SETTINGS, PageSettings
from isogloss.command_line import map_commands, measure_commands
from isogloss.options import Option, options_of

SETTINGS = Path(__file__).parent / "settings.md"
INTRODUCTION = """# What can be set on a page

Written from the declarations by `python -m docs.make_settings`. Every setting is in the page's
address under its name there, unless it has its default; so a link shows what you see. What belongs
to the *question* is part of the key that the answer is kept under in the store. What belongs to the
*view* never is: it says which answers are shown, and how. Where a default depends on the study or
the run, it is left open.
"""
HEAD = (
    "| setting | in the address | values | default | belongs to | command line |",
    "|---|---|---|---|---|---|",
)
FLAGGED = {"measure": measure_commands.OPTIONS, "token-map": map_commands.OPTIONS}
"""The options that each command has a flag for."""


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
    flagged = FLAGGED.get(settings.command, ())
    said: set[str] = set()
    for owners, belongs in ((settings.questions, "question"), (settings.views, "view")):
        for option in (each for owner in owners for each in options_of(owner).values()):
            if option.address in said:
                continue
            said.add(option.address)
            flag = f"`{settings.command} {option.flag}`" if option in flagged else ""
            cells = (
                option.title,
                f"`{option.address}`",
                _values(option),
                _default(option),
                belongs,
                flag,
            )
            yield f"| {' | '.join(cells)} |"


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
