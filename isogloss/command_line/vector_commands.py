"""`import-vectors`: states computed elsewhere become a study."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from isogloss.command_line.corpus_commands import add_text_options, read_named_corpus
from isogloss.command_line.output import add_json_option, print_study
from isogloss.store import Store
from isogloss.studies.own_vectors.study import import_vectors


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "import-vectors",
        help="take in states that were computed elsewhere",
        description="Check states that were computed elsewhere and keep them as a study like any "
        "other. docs/own_vectors.md describes both files, with an example that writes them.",
    )
    parser.add_argument(
        "states", type=Path, metavar="STATES", help="safetensors or npz, one array per layer"
    )
    parser.add_argument(
        "tokens", type=Path, metavar="TOKENS", help="Parquet or JSON lines, one row per token"
    )
    add_text_options(parser)
    parser.add_argument("--model", required=True, metavar="NAME", help="what computed the states")
    add_json_option(parser)
    parser.set_defaults(run=run_import_vectors)


def run_import_vectors(options: Namespace) -> int:
    corpus = read_named_corpus(options).corpus
    entry = import_vectors(options.states, options.tokens, corpus, options.model, Store())
    print_study(entry, "computed elsewhere", as_json=options.json)
    return 0
