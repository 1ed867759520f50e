"""What each command prints with `--json`, as JSON Schema: one for every command.

They are made from the table schemas.tsv, which says how to read it. A command that fails prints
`FAILED` instead, with the exit code that it has anyway.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

Schema = dict[str, Any]
Row = tuple[str, str, str]
"""The way to a field, its type, and what it is."""

_TABLE = Path(__file__).with_suffix(".tsv")


def _read() -> dict[str, list[Row]]:
    """The rows of every command and every part, with those of a part in its place."""
    _, *sections = _TABLE.read_text(encoding="utf-8").split("\n\n")
    found: dict[str, list[Row]] = {}
    for section in sections:
        head, *lines = section.splitlines()
        rows: list[Row] = []
        for line in lines:
            way, kind, about = (*line.split("\t"), "")[:3]
            part = found.get(kind, [("", kind, about)])
            rows += [(way.removesuffix(".") + more, type_, what) for more, type_, what in part]
        found |= dict.fromkeys(head.removeprefix("# ").split(", "), rows)
    return found


def _schema(rows: Sequence[Row]) -> Schema:
    root: Schema = {"type": "object"}
    for way, kind, about in rows:
        place = root
        steps = re.findall(r"\[\]|\{\}|\w+\??", way)
        for number, step in enumerate(steps, start=1):
            if step == "[]":
                place = _item(place, new=number == len(steps))
            elif step == "{}":
                place = place.setdefault("additionalProperties", {"type": "object"})
            else:
                place = _field(place, step)
        place |= _type(kind) | ({"description": about} if about else {})
    return root


def _item(array: Schema, *, new: bool) -> Schema:
    """What an array is of; where its kinds of objects are told apart, a new one or the last."""
    if new:
        array.setdefault("items", {"anyOf": []})["anyOf"].append({"type": "object"})
    items: Schema = array.setdefault("items", {"type": "object"})
    found: Schema = items["anyOf"][-1] if "anyOf" in items else items
    return found


def _field(place: Schema, name: str) -> Schema:
    """A field of an object, which has no others than those that are named."""
    if "properties" not in place:
        place |= {"properties": {}, "required": [], "additionalProperties": False}
    own = name.removesuffix("?")
    if own == name and own not in place["properties"]:
        place["required"].append(own)
    field: Schema = place["properties"].setdefault(own, {"type": "object"})
    return field


def _type(kind: str) -> Schema:
    if kind.endswith("?"):
        schema = _type(kind[:-1])
        return schema | {"type": [schema["type"], "null"]}
    if kind.endswith("[]"):
        return {"type": "array", "items": _type(kind[:-2])}
    return {"type": ["number", "null"] if kind == "number" else kind}


_ALL = {name: _schema(rows) for name, rows in _read().items()}
FAILED, RUN = _ALL["&failed"], _ALL["&run"]
SCHEMAS = {name: schema for name, schema in _ALL.items() if not name.startswith("&")}
"""By command; a kind of run that is no command here prints `RUN`."""
WITHOUT = {"app": "it becomes the server of the app"}
"""Commands that print nothing for scripts, and why."""


def schema_of(command: str, kinds: Collection[str]) -> Schema:
    """The schema of a command; every kind of run has the same."""
    return RUN if command in kinds else SCHEMAS[command]
