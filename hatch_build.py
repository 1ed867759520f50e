"""What the wheel carries inside the package beside its modules: the app, and what ships.

The study that the app opens on, the same model on another text, and all shipped runs are in
`isogloss`; the other studies would make it larger than package indexes take, and are in
`isogloss-demo` (`packages/demo`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
APP = ("app.py", "pages", "components", ".streamlit", "assets")
ENTRIES = ROOT / "cache" / "demo" / "entries"
CARRIED = {
    ("multilingual-e5-small", "everyday-48"),
    ("multilingual-e5-small", "news-20"),
    ("multilingual-e5-small", "everyday.16-languages"),
    ("random:multilingual-e5-small", "everyday.16-languages"),
}
"""Model and text of the studies in `isogloss`; the app opens on the first."""


class CustomBuildHook(BuildHookInterface):
    """Put the app into the package; an editable install finds it in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        carried = demo() if self.metadata.name == "isogloss-demo" else app()
        build_data["force_include"] |= {str(source): place for source, place in carried.items()}


def app() -> dict[Path, str]:
    """Where everything lies that the package carries beside its modules."""
    carried = {ROOT / name: f"isogloss/_app/{name}" for name in (*APP, "cache/demo/runs")}
    studies = filter(is_carried, sorted(ENTRIES.iterdir()))
    return carried | {each: f"isogloss/_app/cache/demo/entries/{each.name}" for each in studies}


def demo() -> dict[Path, str]:
    """The studies that the other package has no room for."""
    others = (each for each in sorted(ENTRIES.iterdir()) if not is_carried(each))
    return {each: f"isogloss_demo/entries/{each.name}" for each in others}


def is_carried(entry: Path) -> bool:
    """Whether this study is in `isogloss` itself; answers about a model alone all are."""
    facts = json.loads((entry / "manifest.json").read_text(encoding="utf-8"))["facts"]
    return "corpus" not in facts or (facts["model"], facts["corpus"]) in CARRIED
