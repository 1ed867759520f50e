"""`text check` and `text ls`, and how any command names a text."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from functools import partial
from typing import Any

from isogloss.command_line.arguments import add_actions, add_command
from isogloss.command_line.output import print_found, print_table
from isogloss.errors import TextError
from isogloss.formatting import percent
from isogloss.text.hub.names import OTHERS
from isogloss.text.hub.reading import LIMITS_OF_THE_HUB
from isogloss.text.hub.sets import SETS
from isogloss.text.named import load_named
from isogloss.text.reading import (
    FORMATS,
    LIMITS,
    ReadResult,
    TextStatistics,
    bundled_texts,
    load_bundled,
    read_files,
)


def add_to(commands: Any) -> None:
    actions = add_actions(commands, "text", help="look at parallel text before using it")
    add_command(
        actions,
        "check",
        run_check,
        add_reading_options,
        help="say what would be understood of a file, and what is wrong with it",
        description=f"Formats: {', '.join(FORMATS)}; plain or gzipped. At most "
        f"{LIMITS.bytes // 10**6} MB, {LIMITS.pairs:,} pairs, {LIMITS.characters:,} characters "
        f"a sentence. Of a data set of the hub: {LIMITS_OF_THE_HUB[0].lower()}"
        f"{LIMITS_OF_THE_HUB[1:]}",
    )
    help = "list the texts that come with Isogloss or have a name"
    add_command(actions, "ls", run_list, help=help)


WHICH_TEXT = (
    "a bundled text or a data set of the Hugging Face hub such as ntrex:en,zh,de (see `text "
    "ls`), a file in any number of languages, one file a language "
    "(news.de.txt, news.deu.txt), or a directory of these"
)


def add_reading_options(parser: ArgumentParser) -> None:
    """Add a text as the command's own arguments, and how to read it."""
    parser.add_argument("text", metavar="TEXT", nargs="+", help=WHICH_TEXT)
    _add_how_to_read(parser)


def add_text_options(parser: ArgumentParser) -> None:
    """Add a text as an option, where the command's own arguments are models."""
    parser.add_argument("--text", metavar="FILE", nargs="+", required=True, help=WHICH_TEXT)
    _add_how_to_read(parser)


def _add_how_to_read(parser: ArgumentParser) -> None:
    parser.add_argument("--name", help="what to call the text")
    parser.add_argument("--languages", metavar="EN,ZH", help="the language codes, or those to read")
    parser.add_argument("--columns", metavar="A,B", help="the columns, by name or number")
    parser.add_argument("--alignments", metavar="FILE", help="Pharaoh word alignments")
    parser.add_argument(
        "--skip-bad-rows", action="store_true", help="leave bad rows out and say how many"
    )


def read_named_text(options: Namespace) -> ReadResult:
    """The text an extraction or a check was asked for."""
    chooses = bool(options.languages or options.columns)
    alone = options.text[0] if len(options.text) == 1 else None
    named = load_named(alone, called=options.name, chooses=chooses) if alone else None
    if named is not None:
        if named.text.origin:
            print(named.text.origin.describe(), file=sys.stderr)
        return named
    return read_files(
        options.text,
        name=options.name,
        languages=_several(options.languages, "--languages", fewest=2),
        columns=_several(options.columns, "--columns", fewest=1),
        alignments=options.alignments,
        skip_bad_rows=options.skip_bad_rows,
    )


def _several(text: str | None, option: str, fewest: int) -> tuple[str, ...] | None:
    if text is None:
        return None
    parts = tuple(part.strip() for part in text.split(","))
    if len(parts) < fewest or not all(parts):
        many = "two values or more" if fewest > 1 else "values"
        raise TextError(f"{option} takes {many} with commas between them, not {text!r}.")
    return parts


def run_check(options: Namespace) -> int:
    result = read_named_text(options)
    statistics = result.text.statistics()
    document = {
        "name": result.text.name,
        "format": result.format,
        "encoding": result.encoding,
        "languages": result.text.languages,
        "languages_guessed": result.languages_guessed,
        "pairs": statistics.pairs,
        "pairs_with_gold": statistics.pairs_with_gold,
        "duplicate_share": statistics.duplicate_share,
        "same_share": statistics.same_share,
        "skipped": [str(row) for row in result.skipped],
        "not_languages": result.not_languages,
        "content_hash": result.text.content_hash,
        "origin": result.text.origin and result.text.origin.record(),
    }
    print_found(options, document, partial(_say, result, statistics))
    return 3 if result.skipped else 0


def _say(result: ReadResult, statistics: TextStatistics) -> None:
    guessed = " (guessed from the script)" if result.languages_guessed else ""
    print(f"{result.text.name}: {result.format}, {result.encoding}")
    rows = f"{statistics.pairs:,} {'rows' if result.text.more else 'pairs'}"
    print(f"{'–'.join(result.text.languages)}{guessed}, {rows}")
    for side in statistics.sides:
        missing = statistics.pairs - side.sentences
        print(
            f"  {side.language}: {f'{missing:,} missing, ' if missing else ''}"
            f"{side.words.mean:.1f} words per sentence, "
            f"longest {side.words.maximum}"
        )
    if statistics.pairs_with_gold:
        print(f"{statistics.pairs_with_gold:,} pairs with a gold word alignment")
    if statistics.duplicate_share:
        print(f"{percent(statistics.duplicate_share)} of the pairs are duplicates")
    if statistics.same_share:
        print(f"{percent(statistics.same_share)} of the rows are the same in two languages")
    if result.not_languages:
        print(f"{result.says_not_languages}.")
    for row in result.skipped[:20]:
        print(f"skipped: {row}")
    if len(result.skipped) > 20:
        print(f"… and {len(result.skipped) - 20:,} more rows skipped")


def run_list(options: Namespace) -> int:
    bundled = [
        {
            "name": each.name,
            "languages": "–".join(each.languages),
            "pairs": len(load_bundled(each.name)),
            "description": each.description,
        }
        for each in bundled_texts()
    ]
    fetched = [
        {
            "name": each.name,
            "write": each.example,
            "licence": each.licence,
            "cite": each.citation,
            "description": f"{each.title}: {each.about}{'; gated' if each.gated else ''}.",
        }
        for each in SETS
    ]

    def say() -> None:
        print_table(bundled)
        print("\nFetched from the Hugging Face hub:\n")
        print_table(fetched)
        print(f"\nAny other data set of the hub is {OTHERS}. {LIMITS_OF_THE_HUB}")

    return print_found(options, [*bundled, *fetched], say)
