"""The package as its files declare it, and the words that open the app."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from components import server
from isogloss.command_line import app_commands, build_parser, main
from isogloss.places import opened_with
from isogloss.settings import OPEN

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins(name: str) -> dict[str, Requirement]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if re.match(r"\w", line)]
    return {each.name: each for each in found}


@pytest.mark.parametrize(
    ("declared", "pinned"),
    [
        (PROJECT["dependencies"], "requirements.txt"),
        (PROJECT["optional-dependencies"]["ray"], "requirements-cluster.txt"),
        (PROJECT["optional-dependencies"]["models"], "requirements-models.txt"),
    ],
)
def test_what_is_pinned_is_what_the_package_asks_for(declared, pinned):
    asked = {each.name: each for each in map(Requirement, declared)}
    found = pins(pinned)
    assert asked.keys() == found.keys()
    for name, pin in found.items():
        (version,) = (each.version for each in pin.specifier)
        assert asked[name].specifier.contains(version), name
        assert str(asked[name].marker) == str(pin.marker)


@pytest.fixture
def started(monkeypatch) -> list[list[str]]:
    """The commands that would have taken the place of this process."""
    commands: list[list[str]] = []
    monkeypatch.setattr(app_commands.os, "execv", lambda _, words: commands.append(words))
    monkeypatch.setattr(app_commands.subprocess, "call", lambda _: 0)
    monkeypatch.setenv(OPEN.name, "")
    return commands


def test_alone_it_opens_the_app(started):
    main([])
    ((_, *words),) = started
    assert words == ["-m", "streamlit", "run", str(ROOT / "app.py")]
    assert opened_with() == ()


def test_with_a_file_it_opens_the_form_for_that_text(started, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my.tsv").write_text("Yes.\t是。\n", encoding="utf-8")
    assert not server.address().endswith("your_text")
    main(["my.tsv", "--port", "8600", "--no-browser"])
    (words,) = started
    assert words[-4:] == ["--server.port", "8600", "--server.headless", "true"]
    assert opened_with() == (str(tmp_path / "my.tsv"),)
    assert server.address().endswith("/your_text")


def test_a_file_that_is_not_there_is_said(started, capsys):
    assert main(["nothing.tsv"]) == 1
    assert "There is no file nothing.tsv" in capsys.readouterr().err
    assert not started


def test_no_command_looks_like_a_file():
    (commands,) = (
        action.choices for action in build_parser()._actions if isinstance(action.choices, dict)
    )
    assert not any(map(app_commands.names_a_file, commands))


def test_a_text_that_the_app_was_opened_with_is_in_the_form(tmp_path, monkeypatch):
    from streamlit.testing.v1 import AppTest

    path = tmp_path / "my_*text*.en-nl.tsv"
    path.write_text("Yes.\tJa.\nNo.\tNee.\n", encoding="utf-8")
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(OPEN.name, str(path))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=250)
    app.switch_page("pages/your_text.py").run()
    assert not app.exception
    assert any("which Isogloss was started with" in each.value for each in app.caption)
    assert app.metric[0].value == "2"
