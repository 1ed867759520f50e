"""`methods`: what a paper says of a study, with the BibTeX of what it rests on."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from isogloss import interface
from isogloss.command_line.output import add_json_option, print_json


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "methods",
        help="a paragraph and BibTeX for a paper",
        description="Say for a paper what was read and computed: text, model, hashes, versions, "
        "the best layers with their intervals, as LaTeX, and the BibTeX entries that it cites.",
    )
    parser.add_argument("study", metavar="STUDY", help="a study's key, or its beginning")
    add_json_option(parser)
    parser.set_defaults(run=run_methods)


def run_methods(options: Namespace) -> int:
    found = interface.methods(options.study)
    if options.json:
        print_json({"text": found.text, "bibtex": found.bibtex})
    else:
        print(found)
    return 0
