"""The gallery says what the shipped studies and runs say, and its commands are commands."""

import shlex

import isogloss as ig
from docs.make_gallery import MODEL, NEWS, TARGET, TEXT, describe_gallery
from docs.make_gallery import _study as study_that_ships
from isogloss.command_line import build_parser


def test_the_gallery_is_what_its_command_writes(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path))
    assert TARGET.read_text(encoding="utf-8") == describe_gallery(), (
        "write it anew: python -m docs.make_gallery"
    )


def test_where_words_are_nearest_is_said_of_two_texts(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path))
    said = next(line for line in TARGET.read_text(encoding="utf-8").splitlines() if NEWS in line)
    assert "the alignment error is least at layer" in said
    for text in (TEXT, NEWS):
        found = ig.token_map(study_that_ships(MODEL, text)).answer.scores.nearest_share
        assert f"at layer {found.argmax()} " in said


def test_its_commands_parse_and_its_pictures_are_there():
    text = TARGET.read_text(encoding="utf-8")
    commands = [line for line in text.splitlines() if line.startswith("python -m isogloss ")]
    assert len(commands) >= text.count("\n## ")
    for command in commands:
        assert callable(build_parser().parse_args(shlex.split(command)[3:]).run)
    for part in text.split("](pictures/")[1:]:
        assert (TARGET.parent / "pictures" / part.partition(")")[0]).is_file()
