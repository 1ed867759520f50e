"""`studies ls | verify | prune | rm | export | import`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from isogloss.command_line.output import add_json_option, print_json, print_table, say
from isogloss.formatting import human_size, parse_size
from isogloss.lab.runs.queue import Runs
from isogloss.store import Entry, Store, StoreError, export_entries, import_entries
from isogloss.text.uploads import prune_uploads


def add_to(commands: Any) -> None:
    studies = commands.add_parser("studies", help="list, check, move and clear what is stored")
    actions = studies.add_subparsers(title="actions", metavar="ACTION", required=True)

    parser = actions.add_parser("ls", help="list the entries")
    add_json_option(parser)
    parser.set_defaults(run=run_list)

    parser = actions.add_parser("verify", help="check every file against its checksum")
    parser.add_argument("keys", nargs="*", metavar="KEY", help="all entries if none is named")
    add_json_option(parser)
    parser.set_defaults(run=run_verify)

    parser = actions.add_parser(
        "prune", help="evict the least recently used entries, and uploads that no run needs"
    )
    parser.add_argument("limit", metavar="SIZE", help="what may stay, such as 20GB")
    add_json_option(parser)
    parser.set_defaults(run=run_prune)

    parser = actions.add_parser("rm", help="remove entries and what was derived from them")
    parser.add_argument("keys", nargs="+", metavar="KEY")
    add_json_option(parser)
    parser.set_defaults(run=run_remove)

    parser = actions.add_parser("export", help="write entries as one archive to carry elsewhere")
    parser.add_argument("archive", type=Path, metavar="FILE.tar")
    parser.add_argument(
        "keys", nargs="*", metavar="KEY", help="all but the demo's if none is named"
    )
    add_json_option(parser)
    parser.set_defaults(run=run_export)

    parser = actions.add_parser("import", help="take in the entries of an archive")
    parser.add_argument("archive", type=Path, metavar="FILE.tar")
    add_json_option(parser)
    parser.set_defaults(run=run_import)


def run_list(options: Namespace) -> int:
    store = Store()
    entries = store.entries()
    if options.json:
        print_json([_describe(store, entry) for entry in entries])
        return 0
    rows = [
        {
            "key": entry.key,
            "what": entry.description,
            "size": human_size(entry.size_bytes),
            "derived": len(store.derived_entries(entry)),
            "made": entry.created[:16].replace("T", " "),
            "": "demo" if entry.demo else "",
        }
        for entry in entries
    ]
    print_table(rows, empty="The store is empty: `python -m isogloss extract` fills it.")
    for report in store.reports:
        print(report)
    for path in store.aside():
        print(f"Set aside as corrupt: {path}")
    return 0


def _describe(store: Store, entry: Entry) -> dict[str, Any]:
    return {
        "key": entry.key,
        "description": entry.description,
        "demo": entry.demo,
        "created": entry.created,
        "bytes": entry.size_bytes,
        "record": dict(entry.record),
        "facts": dict(entry.facts),
        "derived": [result.key for result in store.derived_entries(entry)],
    }


def run_verify(options: Namespace) -> int:
    store = Store()
    chosen = [_resolve(store, key) for key in options.keys] or list(store.entries())
    everything = [part for entry in chosen for part in (entry, *store.derived_entries(entry))]
    problems = {entry.name: store.verify(entry) for entry in everything}
    problems = {name: found for name, found in problems.items() if found}
    if options.json:
        print_json({"verified": len(everything), "problems": problems, "reports": store.reports})
    else:
        for name, found in problems.items():
            for problem in found:
                print(f"{name}: {problem}")
        for report in store.reports:
            print(report)
        print(f"{len(everything)} results checked, {len(problems)} with problems.")
    return 3 if problems or store.reports else 0


def run_prune(options: Namespace) -> int:
    store = Store()
    try:
        limit = parse_size(options.limit)
    except ValueError as error:
        raise StoreError(str(error)) from error
    removed = store.prune(limit)
    prune_uploads(store.root, Runs(store).named_files())
    if options.json:
        print_json([entry.key for entry in removed])
    else:
        for entry in removed:
            print(f"removed {entry.key}  {entry.description}")
        print(f"{len(removed)} entries removed.")
    return 0


def run_remove(options: Namespace) -> int:
    store = Store()
    entries = [_resolve(store, key) for key in options.keys]
    for entry in entries:
        store.remove(entry.key)
        say(f"removed {entry.key}  {entry.description}", as_json=options.json)
    if options.json:
        print_json({"removed": [entry.key for entry in entries]})
    return 0


def run_export(options: Namespace) -> int:
    store = Store()
    chosen = [_resolve(store, key) for key in options.keys]
    chosen = chosen or [entry for entry in store.entries() if not entry.demo]
    if not chosen:
        raise StoreError("There is nothing to export: the store holds only the demo's entries.")
    export_entries(store, [entry.key for entry in chosen], options.archive)
    size = options.archive.stat().st_size
    if options.json:
        keys = [entry.key for entry in chosen]
        print_json({"archive": str(options.archive), "entries": keys, "bytes": size})
    else:
        print(f"{len(chosen)} entries written to {options.archive} ({human_size(size)}).")
    return 0


def run_import(options: Namespace) -> int:
    report = import_entries(Store(), options.archive)
    if options.json:
        print_json(vars(report))
    else:
        print(
            f"{len(report.imported)} results imported, "
            f"{len(report.already_there)} were there already."
        )
        for name, reason in report.rejected:
            print(f"rejected {name}: {reason}")
    return 3 if report.rejected else 0


def _resolve(store: Store, start: str) -> Entry:
    """The one entry whose key begins with `start`."""
    found = [entry for entry in store.entries() if entry.key.startswith(start)]
    if len(found) != 1:
        how_many = "no entry" if not found else f"{len(found)} entries"
        raise StoreError(
            f"{how_many} in {store.root} begins with {start}: `studies ls` lists the keys."
        )
    return found[0]
