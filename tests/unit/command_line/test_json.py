"""With --json every command prints one document that its schema allows, and nothing else."""

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from safetensors.numpy import save_file

from docs.make_commands import leaves
from isogloss.command_line import build_parser, main
from isogloss.command_line.schemas import FAILED, RUN, SCHEMAS, WITHOUT, schema_of
from isogloss.lab.runs import queue
from isogloss.lab.runs.plan import PLANS
from isogloss.store import Store
from isogloss.studies.languages.listing import languages_studies
from tests.helpers.writing import write_tsv

ALL = {name: parser for name, _, parser in leaves(build_parser())}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def call(capsys, cache):
    """Run a command; what it prints is checked against its schema."""

    def ask(command, *arguments, code=0):
        capsys.readouterr()
        assert main([*command.split(), *map(str, arguments), "--json"]) == code
        printed = json.loads(capsys.readouterr().out)
        schema = FAILED if code in (1, 2) else schema_of(command, PLANS)
        Draft202012Validator(schema).validate(printed)
        asked.add(command)
        return printed

    return ask


asked: set[str] = set()


@pytest.fixture
def text(tmp_path, bitext):
    path = tmp_path / "text.en-zh.tsv"
    path.write_bytes(write_tsv(bitext))
    return path


def test_every_command_has_a_schema_and_takes_json():
    runs = {kind for kind, where in PLANS.items() if where.startswith("isogloss.")}
    assert {*SCHEMAS, *runs, *WITHOUT} == set(ALL)
    for name, parser in ALL.items():
        takes = any("--json" in action.option_strings for action in parser._actions)
        assert takes == (name not in WITHOUT), name


def test_schemas_are_schemas_that_refuse_what_is_not_theirs():
    for name, schema in {**SCHEMAS, "run": RUN, "failed": FAILED}.items():
        Draft202012Validator.check_schema(schema)
        assert not Draft202012Validator(schema).is_valid({"of": "another"}), name
        assert not Draft202012Validator(schema).is_valid([{"of": "another"}]), name


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("models", []),
        ("text ls", []),
        ("text check", ["everyday.en-zh"]),
        ("best-layer", ["eada"]),
        ("best-layer", ["eada", "--score", "cosine", "--mapping", "word", "--aligner", "match"]),
        ("measure", ["eada"]),
        ("similarity", ["eada", "--unit", "word"]),
        ("methods", ["eada"]),
        ("studies ls", []),
        ("inner-language", ["qwen2.5-coder-1.5b"]),
        ("inner-language", ["gemma-3-270m", "swap"]),
        ("inner-language", ["mini-en-zh", "switch"]),
        ("runs ls", []),
        ("runs show", ["mini-en-zh-sentences"]),
        ("runs log", ["mini-en-zh-sentences"]),
    ],
)
def test_what_ships(call, command, arguments):
    assert call(command, *arguments)


def test_many_languages(call):
    shipped = next(each for each in languages_studies(Store()) if each.entry.demo)
    found = call("languages", shipped.key)["pairs"]
    assert {"found_first", "rows"} < set(found[0])
    measured = call("languages", shipped.key, "--measure", "mexa")["pairs"]
    assert {"value", "rows"} < set(measured[0])
    assert "found_first" not in measured[0]


def test_a_text_of_one_s_own_from_extraction_to_removal(call, cache, encoder_directory, text):
    made = call("extract", encoder_directory, text, "--device", "cpu")
    page = cache.parent / "map.csv"
    found = call("token-map", made["key"], "--csv", page, "--method", "pca")
    assert found["files"] == [{"path": str(page), "bytes": page.stat().st_size}]
    measured = call("measure", made["key"], "--what", "geometry,rogue,retrieval")
    assert measured[0]["pairs"] == made["pairs"]
    compared = call("compare", encoder_directory, "--text", text, "--measures", "mexa")
    assert compared["models"][0]["study"] == made["key"]
    archive = cache.parent / "all.tar"
    assert call("studies export", archive, made["key"][:8])["entries"] == [made["key"]]
    assert call("studies verify", made["key"][:8])["problems"] == {}
    assert call("studies rm", made["key"][:8]) == {"removed": [made["key"]]}
    assert call("studies import", archive)["imported"]
    assert call("studies prune", "0 B") == [made["key"]]


def test_vectors_from_elsewhere(call, tmp_path, text, bitext):
    rows = [
        {"sentence": number, "side": side, "start": 0, "end": len(sentence), "text": sentence}
        for side, sentences in enumerate((bitext.source, bitext.target))
        for number, sentence in enumerate(sentences)
    ]
    states = np.random.default_rng(0).normal(size=(2, len(rows), 6)).astype(np.float32)
    save_file(
        {f"layer.{n}": each for n, each in enumerate(states)}, tmp_path / "states.safetensors"
    )
    tokens = tmp_path / "tokens.jsonl"
    tokens.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    call("import-vectors", tmp_path / "states.safetensors", tokens, "--text", text, "--model", "me")


def test_a_run_from_its_start_to_its_end(call, monkeypatch):
    monkeypatch.setattr(queue, "start_worker_process", lambda store: None)
    begun = call("sentences", "mini-en-zh", "--detach")
    assert (begun["state"], begun["done"]) == ("queued", 0)
    assert call("runs stop", begun["run"])["state"] == "stopped"
    assert call("runs resume", begun["run"], "--detach")["state"] == "queued"
    call("runs stop", begun["run"])
    assert call("runs log", begun["run"])["state"] == "stopped"
    assert call("runs rm", begun["run"]) == {"removed": begun["run"]}


def test_a_failure_is_a_document_too(call, capsys):
    assert "no study" in call("measure", "zz", code=1)["error"]
    with pytest.raises(SystemExit) as wrong:
        main(["measure", "--json"])
    assert wrong.value.code == 2
    printed = capsys.readouterr()
    assert "STUDY" in json.loads(printed.out)["error"]
    assert "usage:" in printed.err


def test_without_json_wrong_usage_prints_no_document(capsys):
    with pytest.raises(SystemExit):
        main(["measure"])
    assert not capsys.readouterr().out


def test_every_command_was_asked(request):
    """Last in this file, and of use where all of it runs."""
    here = [item for item in request.session.items if item.path == request.node.path]
    if len(here) < 20:
        pytest.skip("some of this file's tests were not asked for")
    assert asked == {*SCHEMAS, "sentences"}, "each kind of run prints the same"
