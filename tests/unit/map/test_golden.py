"""What the tests of the map's scripts read is what Python writes today, and so are their tools."""

import json
import re
from pathlib import Path

from tests.scripts.golden import TARGET, golden

ROOT = Path(__file__).parents[3]


def test_the_golden_map_is_what_python_writes():
    assert TARGET.read_text(encoding="utf-8") == golden(), (
        "write it anew: python -m tests.scripts.golden"
    )


def test_tools_are_pinned_and_no_registry_is_named():
    asked = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    locked = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, version in asked.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), f"{name}: an exact version"
        assert locked[f"node_modules/{name}"]["version"] == version
    assert not any("resolved" in package for package in locked.values())
    assert all("integrity" in package for name, package in locked.items() if name)
