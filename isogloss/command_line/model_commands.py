"""`extract` and `models`."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from cache import Store
from isogloss.activations import ExtractionOptions, activation_record, extract
from isogloss.command_line.corpus_commands import add_reading_options, read_named_corpus
from isogloss.command_line.output import (
    add_json_option,
    print_json,
    print_progress,
    print_table,
)
from isogloss.formatting import human_size
from isogloss.models import find_model, load_model
from isogloss.presets import PRESETS


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "extract",
        help="run a model over a corpus and keep every layer's states",
        description="Run a model over a corpus and keep every layer's states. A killed run "
        "continues where it was; a finished one is found in the cache.",
    )
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a preset (see `models`), a hub id with an optional @revision, a directory, "
        "or random:MODEL#SEED",
    )
    add_reading_options(parser)
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu")
    parser.add_argument(
        "--precision", default="auto", choices=("auto", "float32", "float16", "bfloat16")
    )
    parser.add_argument("--store", default="float16", choices=("float16", "float32"))
    parser.add_argument("--batch-tokens", type=int, help="padded tokens in a batch")
    add_json_option(parser)
    parser.set_defaults(run=run_extract)

    parser = commands.add_parser("models", help="list the models that have a name here")
    add_json_option(parser)
    parser.set_defaults(run=run_models)


def run_extract(options: Namespace) -> int:
    store = Store()
    corpus = read_named_corpus(options).corpus
    files = find_model(options.model, store)
    known = {
        store.find(activation_record(files, corpus, precision=precision, stored_as=options.store))
        for precision in _precisions(options.precision)
    } - {None}
    if known:
        entry, how = known.pop(), "found in the cache"
    else:
        model = load_model(files, store, device=options.device, precision=options.precision)
        how = f"computed on {model.device} in {model.precision}"
        entry = extract(
            model,
            corpus,
            store,
            ExtractionOptions(
                stored_as=options.store,
                token_budget=options.batch_tokens,
                on_progress=print_progress,
            ),
        )
    assert entry is not None
    summary = {
        "key": entry.key,
        "study": entry.description,
        "pairs": entry.facts["pairs"],
        "tokens": entry.facts["tokens"],
        "layers": entry.facts["n_layers"],
        "bytes": entry.size_bytes,
        "how": how,
    }
    if options.json:
        print_json(summary)
    else:
        print(
            f"{summary['study']}: {summary['pairs']} pairs, {summary['tokens']} tokens, "
            f"{summary['layers']} layers, {human_size(entry.size_bytes)}, {how}.\n"
            f"Entry {entry.key}; `make run` shows it."
        )
    return 0


def _precisions(wish: str) -> tuple[str, ...]:
    """What a stored result may have been computed in: where none was asked for, any will do."""
    return (wish,) if wish != "auto" else ("float32", "float16", "bfloat16")


def run_models(options: Namespace) -> int:
    if options.json:
        print_json([vars(preset) for preset in PRESETS])
        return 0
    rows = [
        {
            "name": preset.name,
            "kind": preset.kind,
            "layers": preset.n_layers,
            "width": preset.width,
            "languages": preset.languages,
            "licence": preset.licence,
            "download": f"{preset.megabytes} MB" if preset.megabytes else "none",
            "from": preset.source if preset.where == "hub" else f"{preset.where}: {preset.source}",
        }
        for preset in PRESETS
    ]
    print_table(rows, empty="")
    print(
        "\nAlso any hub id (owner/name@revision), any directory, and random:NAME#SEED, "
        "the same shape with random weights."
    )
    return 0
