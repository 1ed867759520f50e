"""The gallery says what the shipped studies and runs say, and its commands are commands."""

import shlex

from docs.make_gallery import TARGET, describe_gallery
from isogloss.command_line import build_parser


def test_the_gallery_is_what_its_command_writes(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path))
    assert TARGET.read_text(encoding="utf-8") == describe_gallery(), (
        "write it anew: python -m docs.make_gallery"
    )


def test_its_commands_parse_and_its_pictures_are_there():
    text = TARGET.read_text(encoding="utf-8")
    commands = [line for line in text.splitlines() if line.startswith("python -m isogloss ")]
    assert len(commands) >= text.count("\n## ")
    for command in commands:
        assert callable(build_parser().parse_args(shlex.split(command)[3:]).run)
    for part in text.split("](pictures/")[1:]:
        assert (TARGET.parent / "pictures" / part.partition(")")[0]).is_file()
