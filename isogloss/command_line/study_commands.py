"""`studies ls | verify | prune | rm | export | import`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from isogloss.command_line.arguments import AddArguments, add_actions, add_command
from isogloss.command_line.output import print_found, print_json, print_table, tell
from isogloss.formatting import human_size, parse_size
from isogloss.lab.runs.queue import Runs
from isogloss.store import Entry, Store, StoreError, export_entries, import_entries
from isogloss.text.uploads import prune_uploads


def add_to(commands: Any) -> None:
    actions = add_actions(commands, "studies", help="list, check, move and clear what is stored")
    add_command(actions, "ls", run_list, help="list the entries")
    add_command(
        actions,
        "verify",
        run_verify,
        _keys("*", "all entries if none is named"),
        help="check every file against its checksum",
    )
    add_command(
        actions,
        "prune",
        run_prune,
        lambda parser: parser.add_argument(
            "limit", metavar="SIZE", help="what may stay, such as 20GB"
        ),
        help="evict the least recently used entries, and uploads that no run needs",
    )
    add_command(
        actions,
        "rm",
        run_remove,
        _keys("+"),
        help="remove entries and what was derived from them",
    )
    add_command(
        actions,
        "export",
        run_export,
        _add_archive,
        _keys("*", "all but the demo's if none is named"),
        help="write entries as one archive to carry elsewhere",
    )
    add_command(
        actions, "import", run_import, _add_archive, help="take in the entries of an archive"
    )


def _keys(nargs: str, help: str | None = None) -> AddArguments:
    return lambda parser: parser.add_argument("keys", nargs=nargs, metavar="KEY", help=help)


def _add_archive(parser: ArgumentParser) -> None:
    parser.add_argument("archive", type=Path, metavar="FILE.tar")


def run_list(options: Namespace) -> int:
    store = Store()
    entries = store.entries()

    def say() -> None:
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

    return print_found(options, lambda: [_describe(store, entry) for entry in entries], say)


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
    document = {"verified": len(everything), "problems": problems, "reports": store.reports}

    def say() -> None:
        for name, found in problems.items():
            for problem in found:
                print(f"{name}: {problem}")
        for report in store.reports:
            print(report)
        print(f"{len(everything)} results checked, {len(problems)} with problems.")

    print_found(options, document, say)
    return 3 if problems or store.reports else 0


def run_prune(options: Namespace) -> int:
    store = Store()
    try:
        limit = parse_size(options.limit)
    except ValueError as error:
        raise StoreError(str(error)) from error
    removed = store.prune(limit)
    prune_uploads(store.root, Runs(store).named_files())

    def say() -> None:
        for entry in removed:
            print(f"removed {entry.key}  {entry.description}")
        print(f"{len(removed)} entries removed.")

    return print_found(options, [entry.key for entry in removed], say)


def run_remove(options: Namespace) -> int:
    store = Store()
    entries = [_resolve(store, key) for key in options.keys]
    for entry in entries:
        store.remove(entry.key)
        tell(f"removed {entry.key}  {entry.description}", as_json=options.json)
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
    keys = [entry.key for entry in chosen]
    document = {"archive": str(options.archive), "entries": keys, "bytes": size}
    said = f"{len(chosen)} entries written to {options.archive} ({human_size(size)})."
    return print_found(options, document, said)


def run_import(options: Namespace) -> int:
    report = import_entries(Store(), options.archive)

    def say() -> None:
        print(
            f"{len(report.imported)} results imported, "
            f"{len(report.already_there)} were there already."
        )
        for name, reason in report.rejected:
            print(f"rejected {name}: {reason}")

    print_found(options, vars(report), say)
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
