"""`extract`, `import-vectors` and `models`: where studies come from."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from isogloss.command_line.arguments import add_command, add_device, add_engine, engine_from
from isogloss.command_line.output import (
    print_found,
    print_size,
    print_study,
    print_table,
    progress_bar,
)
from isogloss.command_line.text_commands import (
    add_reading_options,
    add_text_options,
    read_named_text,
)
from isogloss.models.presets import PRESETS
from isogloss.store import Store
from isogloss.studies.extraction import ExtractionOptions
from isogloss.studies.named_extraction import extract_by_name
from isogloss.studies.own_vectors.study import import_vectors


def add_to(commands: Any) -> None:
    add_command(
        commands,
        "extract",
        run_extract,
        _add_extract,
        add_engine,
        help="run a model over a text and keep every layer's states",
        description="Run a model over a text and keep every layer's states. A killed run "
        "continues where it was; a finished one is found in the store.",
    )
    add_command(
        commands,
        "import-vectors",
        run_import_vectors,
        _add_import_vectors,
        help="take in states that were computed elsewhere",
        description="Check states that were computed elsewhere and keep them as a study like any "
        "other. docs/own_vectors.md describes both files, with an example that writes them.",
    )
    add_command(commands, "models", run_models, help="list the models that have a name here")


def _add_extract(parser: ArgumentParser) -> None:
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a preset (see `models`), a hub id with an optional @revision, a directory, a GGUF "
        "file (model.gguf, or owner/name:model.gguf), or random:MODEL#SEED",
    )
    add_reading_options(parser)
    add_device(parser)
    parser.add_argument(
        "--precision", default="auto", choices=("auto", "float32", "float16", "bfloat16")
    )
    parser.add_argument("--store", default="float16", choices=("float16", "float32"))
    parser.add_argument(
        "--keep",
        default="tokens",
        choices=("tokens", "means"),
        help="states of all tokens, or of each sentence their mean alone, for many languages",
    )
    parser.add_argument("--batch-tokens", type=int, help="padded tokens in a batch")


def _add_import_vectors(parser: ArgumentParser) -> None:
    parser.add_argument(
        "states", type=Path, metavar="STATES", help="safetensors or npz, one array per layer"
    )
    parser.add_argument(
        "tokens", type=Path, metavar="TOKENS", help="Parquet or JSON lines, one row per token"
    )
    add_text_options(parser)
    parser.add_argument("--model", required=True, metavar="NAME", help="what computed the states")


def run_extract(options: Namespace) -> int:
    found = extract_by_name(
        options.model,
        read_named_text(options).text,
        Store(),
        ExtractionOptions(
            stored_as=options.store,
            token_budget=options.batch_tokens,
            on_progress=progress_bar(),
            on_size=print_size,
            keep=options.keep,
        ),
        options.device,
        options.precision,
        engine_from(options),
    )
    print_study(found.entry, found.how, as_json=options.json)
    return 0


def run_models(options: Namespace) -> int:
    rows = [
        {
            "name": preset.name,
            "kind": preset.kind,
            "layers": preset.n_layers,
            "width": preset.width,
            "languages": preset.languages,
            "weights": f"{preset.bits}-bit" if preset.bits else "as trained",
            "licence": preset.licence,
            "download": f"{preset.megabytes} MB" if preset.megabytes else "none",
            "from": preset.source if preset.where == "hub" else f"{preset.where}: {preset.source}",
        }
        for preset in PRESETS
    ]

    def say() -> None:
        print_table(rows)
        print(
            "\nAlso any hub id (owner/name@revision), any directory of transformers or "
            "sentence-transformers, a GGUF file (model.gguf, owner/name:model.gguf), and "
            "random:NAME#SEED, the same shape with random weights."
        )

    return print_found(options, list(map(vars, PRESETS)), say)


def run_import_vectors(options: Namespace) -> int:
    text = read_named_text(options).text
    entry = import_vectors(options.states, options.tokens, text, options.model, Store())
    print_study(entry, "computed elsewhere", as_json=options.json)
    return 0
