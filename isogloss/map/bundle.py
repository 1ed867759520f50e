"""The component's scripts joined into one module, without any build tool."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Literal

_FOLDER = Path(__file__).parent
STYLES = ("base", "toolbar", "stage", "sheet", "side", "dock", "narrow", "talk")
_IMPORT = re.compile(r'^import [^;]*? from "\./(\w+)\.js";\n', re.MULTILINE)
_JSON = re.compile(r'^import (\w+) from "([./\w]+\.json)" with { type: "json" };\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)


@cache
def script(entry: Literal["streamlit", "standalone", "widget", "tourbar"]) -> str:
    """Return `scripts/<entry>.js` with everything it imports in front, as one plain script.

    Every file is an ordinary ES module; here the relative imports and the `export` keywords are
    removed and the files follow each other, the imported before the importing. All top-level names
    therefore share one scope and must differ. Imported JSON becomes a constant.
    """
    ordered: dict[str, str] = {}
    _collect(entry, ordered)
    return "\n".join(ordered.values())


@cache
def style() -> str:
    """Return the component's style sheet; where two rules disagree, the later part wins."""
    parts = [(_FOLDER / "styles" / f"{name}.css").read_text(encoding="utf-8") for name in STYLES]
    return "\n".join(parts)


def _collect(name: str, ordered: dict[str, str]) -> None:
    source = (_FOLDER / "scripts" / f"{name}.js").read_text(encoding="utf-8")
    for imported in _IMPORT.findall(source):
        if imported not in ordered:
            _collect(imported, ordered)
    ordered[name] = _EXPORT.sub("", _IMPORT.sub("", _JSON.sub(_as_constant, source)))


def _as_constant(found: re.Match[str]) -> str:
    name, path = found.groups()
    content = json.loads((_FOLDER / "scripts" / path).read_text(encoding="utf-8"))
    return f"const {name} = {json.dumps(content, ensure_ascii=False)};\n"
