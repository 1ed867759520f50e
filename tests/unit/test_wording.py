"""What people read is typed so that every font shows it as it should."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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
