"""The server is for this machine alone unless its owner says otherwise."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_server_listens_on_this_machine_only_by_default():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["address"] == "localhost"
    assert "$(if $(HOST),--server.address $(HOST))" in (ROOT / "Makefile").read_text()
