"""The command line: what it prints, its exit codes, and sentences instead of tracebacks."""

import json
import re

import pytest

from isogloss.command_line import main
from isogloss.models.presets import PRESETS
from isogloss.text.hub.sets import BY_NAME, SETS
from isogloss.text.reading import bundled_texts


@pytest.fixture
def cache_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "small.en-zh.tsv"
    path.write_text("Good morning!\t早上好！\nI like green tea.\t我喜欢绿茶。\n", encoding="utf-8")
    return path


def run_json(capsys, *arguments):
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_models_lists_the_whole_table(capsys):
    assert main(["models"]) == 0
    printed = capsys.readouterr().out
    assert all(preset.name in printed for preset in PRESETS)
    code, listed = run_json(capsys, "models")
    assert code == 0
    assert [row["n_layers"] for row in listed] == [preset.n_layers for preset in PRESETS]


def test_extract_then_find_then_list(capsys, cache_directory, encoder_directory, text):
    command = ["extract", str(encoder_directory), str(text), "--device", "cpu"]
    code, first = run_json(capsys, *command)
    assert code == 0
    assert first["how"] == "computed on cpu in float32"
    assert (first["pairs"], first["layers"]) == (2, 3)
    code, again = run_json(capsys, *command)
    assert (code, again["how"], again["key"]) == (0, "found in the store", first["key"])
    code, listed = run_json(capsys, "cache", "ls")
    assert [entry["key"] for entry in listed if not entry["demo"]] == [first["key"]]
    code, report = run_json(capsys, "cache", "verify")
    assert (code, report["problems"]) == (0, {})


def test_the_size_of_the_states_is_said_before_they_are_computed(
    capsys, cache_directory, encoder_directory, text
):
    command = ["extract", str(encoder_directory), str(text), "--device", "cpu"]
    assert main(command) == 0
    assert re.match(r"\d+(\.\d)? k?B of states will be stored\.\n", capsys.readouterr().err)
    assert main(command) == 0
    assert "will be stored" not in capsys.readouterr().err, "it is there already"


def test_entries_travel_between_caches(
    capsys, cache_directory, encoder_directory, text, tmp_path, monkeypatch
):
    _, made = run_json(capsys, "extract", str(encoder_directory), str(text), "--device", "cpu")
    archive = tmp_path / "studies.tar"
    assert main(["cache", "export", str(archive), made["key"][:6]]) == 0
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "laptop"))
    capsys.readouterr()
    code, report = run_json(capsys, "cache", "import", str(archive))
    assert (code, report["imported"]) == (0, [made["key"]])
    assert main(["cache", "rm", made["key"][:6]]) == 0
    assert main(["cache", "rm", made["key"][:6]]) == 1
    assert "no entry" in capsys.readouterr().err


def test_damage_is_found_by_verify(capsys, cache_directory, encoder_directory, text):
    _, made = run_json(capsys, "extract", str(encoder_directory), str(text), "--device", "cpu")
    states = cache_directory / "entries" / made["key"] / "states.safetensors"
    damaged = bytearray(states.read_bytes())
    damaged[-5] ^= 1
    states.write_bytes(damaged)
    code, report = run_json(capsys, "cache", "verify")
    assert code == 3
    assert list(report["problems"]) == [made["key"]]


def test_text_check_counts_and_names_bad_rows(capsys, tmp_path):
    path = tmp_path / "bad.en-zh.tsv"
    path.write_text("Yes.\t是。\nalone\nNo.\t不。\n", encoding="utf-8")
    assert main(["text", "check", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("isogloss: ")
    assert "line 2" in error
    assert "Traceback" not in error
    code, found = run_json(capsys, "text", "check", str(path), "--skip-bad-rows")
    assert code == 3
    assert found["pairs"] == 2
    assert len(found["skipped"]) == 1


def test_bundled_texts_are_known_by_name(capsys):
    code, listed = run_json(capsys, "text", "ls")
    assert code == 0
    names = [row["name"] for row in listed]
    assert names == [each.name for each in (*bundled_texts(), *SETS)]
    assert all(row["licence"] and row["cite"] for row in listed if row["name"] in BY_NAME)
    code, found = run_json(capsys, "text", "check", "everyday.en-zh")
    assert code == 0
    assert found["pairs_with_gold"] >= 60


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["extract", "./nowhere", "everyday.en-zh"], "no directory"),
        (["text", "check", "nothing.tsv"], "nothing.tsv"),
        (["text", "check", "everyday.en-zh.tsv", "--languages", "en"], "two values"),
        (["cache", "prune", "much"], "not a size"),
        (["cache", "export", "x.tar"], "nothing to export"),
        (["cache", "import", "missing.tar"], "missing.tar"),
    ],
)
def test_mistakes_get_a_sentence(arguments, said, capsys, cache_directory):
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_wrong_usage_exits_with_two():
    with pytest.raises(SystemExit) as stop:
        main(["no-such-command"])
    assert stop.value.code == 2
