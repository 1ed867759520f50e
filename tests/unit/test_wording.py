"""What people read is typed so that every font shows it as it should."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PER_CENT = re.compile(r":\d*\.\d%\}|\"\.\d%\"")
"""How Python and d3 format a share, which leaves the space out."""
NOT_READ = {"results.py": "names of columns in files", "strip.py": "a film", "scales.py": "as d3"}
WRITTEN = sorted(
    path
    for room in ("pages", "components", "isogloss/figures", "isogloss/map")
    for path in (ROOT / room).rglob("*")
    if path.suffix in (".py", ".js", ".css")
)


@pytest.mark.parametrize("mark", ["\u2019", "\uff07"], ids=["curly", "full width"])
def test_apostrophes_are_plain(mark):
    """Fonts made for Chinese draw the curly one as wide as a Chinese character."""
    assert WRITTEN
    assert not [path.name for path in WRITTEN if mark in path.read_text(encoding="utf-8")]


def test_per_cent_are_written_in_one_way():
    """`isogloss.formatting.percent` puts a space before the sign, which does not break."""
    found = {
        path.name
        for room in ("pages", "components", "isogloss")
        for path in (ROOT / room).rglob("*.py")
        if PER_CENT.search(path.read_text(encoding="utf-8"))
    }
    assert found <= NOT_READ.keys()
