"""States computed elsewhere: the same study as computed here, or one clear sentence."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import isogloss as ig
from isogloss.command_line import main
from isogloss.errors import ExtractionError
from isogloss.models.forward import ForwardPasses
from isogloss.store import Store
from isogloss.studies.extraction import ExtractionOptions, extract
from isogloss.studies.own_vectors.study import import_vectors
from isogloss.studies.study import Study
from tests.conftest import PAIRS

ROOT = Path(__file__).parents[3]


@pytest.fixture
def here(encoder, bitext, store):
    """The study as Isogloss itself computes it, in full precision."""
    return Study(extract(encoder, bitext, store, ExtractionOptions(stored_as="float32")))


@pytest.fixture
def layers(here):
    return {f"layer.{i}": np.array(here.entry.layer(i)) for i in range(here.n_states)}


@pytest.fixture
def rows(here):
    tokens = here.tokens
    return [
        {
            "sentence": int(tokens.sentence[i]),
            "side": int(tokens.side[i]),
            "start": int(tokens.start[i]),
            "end": int(tokens.end[i]),
            "text": str(tokens.text[i]),
        }
        for i in range(len(tokens))
    ]


@pytest.fixture
def bring(tmp_path, bitext, store):
    """Write both files in the formats that their names say, and take them in."""

    def bring(layers, rows, states="states.npz", tokens="tokens.jsonl", text=bitext):
        places = tmp_path / states, tmp_path / tokens
        if states.endswith("npz"):
            np.savez(places[0], **layers)
        else:
            from safetensors.numpy import save_file

            save_file(layers, places[0])
        if tokens.endswith("jsonl"):
            places[1].write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        else:
            import pandas as pd

            pd.DataFrame(rows).to_parquet(places[1])
        return Study(import_vectors(*places, text, "mine", store))

    return bring


def assert_same(found, expected, tolerance=0.0):
    for name in ("sentence", "side", "text", "word", "start", "end", "special"):
        special = expected.tokens.special if name == "text" else np.zeros(len(found.tokens), bool)
        ours, theirs = (getattr(study.tokens, name)[~special] for study in (found, expected))
        np.testing.assert_array_equal(ours, theirs, err_msg=name)
    for layer in range(expected.n_states):
        np.testing.assert_allclose(
            found.entry.layer(layer), expected.entry.layer(layer), atol=tolerance
        )


def test_the_example_of_the_docs_gives_the_study_that_isogloss_computes(
    tmp_path, monkeypatch, encoder_directory, here, bitext, store
):
    described = (ROOT / "docs" / "own_vectors.md").read_text(encoding="utf-8")
    write, read = re.findall(r"```python\n(.+?)```", described, re.DOTALL)[:2]
    monkeypatch.chdir(tmp_path)
    names = {"MODEL": str(encoder_directory), "PAIRS": PAIRS}
    exec(read, names)
    exec(write, names)
    found = Study(import_vectors("states.npz", "tokens.jsonl", bitext, "mine", store))
    assert_same(found, here, 1e-5)


def test_the_docs_read_a_model_with_a_final_norm_as_isogloss_does(decoder, decoder_directory):
    described = (ROOT / "docs" / "own_vectors.md").read_text(encoding="utf-8")
    _, first, second = re.findall(r"```python\n(.+?)```", described, re.DOTALL)[:3]
    names = {"MODEL": str(decoder_directory)}
    exec(first, names)
    exec(second, names)
    found, _ = names["read"](PAIRS[0][0])
    ids = names["tokenizer"](PAIRS[0][0])["input_ids"]
    expected = ForwardPasses(decoder, "float32").launch([np.array(ids)]).collect()
    assert len(found) == len(decoder.states)
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=1e-5)


def test_a_normed_top_of_ones_own_is_a_stop_of_its_own(bring, layers, rows):
    plain = bring(layers, rows)
    top = {"layer.norm": layers["layer.3"] / 2}
    found = bring({**layers, **top}, rows)
    assert (plain.n_states, found.n_states, found.n_layers) == (4, 5, 3)
    assert [found.states.name(layer) for layer in (3, 4)] == ["3", "after the final norm"]
    np.testing.assert_array_equal(found.entry.layer(4), layers["layer.3"] / 2)
    assert plain.states.normed is None
    assert "states" not in plain.entry.record


def test_a_normed_top_is_checked_like_any_layer(bring, layers, rows):
    with pytest.raises(ExtractionError, match=r"layer\.norm of .* has \d+ rows"):
        bring({**layers, "layer.norm": layers["layer.3"][1:]}, rows)
    with pytest.raises(ExtractionError, match=r"has no layer\.0"):
        bring({"layer.norm": layers["layer.3"]}, rows)


@pytest.mark.parametrize("states", ["states.npz", "states.safetensors"])
@pytest.mark.parametrize("tokens", ["tokens.jsonl", "tokens.parquet"])
def test_every_format_and_any_order_of_sentences(bring, layers, rows, here, states, tokens):
    sentences = [(row["sentence"], row["side"]) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (-sentences[i][0], sentences[i][1]))
    mixed = {name: layer[order] for name, layer in layers.items()}
    assert_same(bring(mixed, [rows[i] for i in order], states, tokens), here)


def test_half_precision_stays_and_double_is_rounded(bring, layers, rows):
    half = bring({name: layer.astype(np.float16) for name, layer in layers.items()}, rows)
    assert half.entry.layer(1).dtype == np.float16
    double = bring({name: layer.astype(np.float64) for name, layer in layers.items()}, rows)
    assert double.entry.layer(1).dtype == np.float32
    assert half.kind == "vectors from elsewhere"


def test_the_same_from_the_command_line_and_the_interface(
    tmp_path, monkeypatch, capsys, layers, rows
):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "own store"))
    np.savez(tmp_path / "states.npz", **layers)
    (tmp_path / "tokens.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    text = tmp_path / "pairs.en-zh.tsv"
    text.write_text("\n".join("\t".join(pair) for pair in PAIRS), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("states.npz", "tokens.jsonl")]
    command = ["import-vectors", *files, "--text", str(text), "--model", "my model", "--json"]
    assert main(command) == 0
    said = json.loads(capsys.readouterr().out)
    study = ig.import_vectors(*files, text, model="my model")
    assert study.key == said["key"]
    assert study.model == "my model"
    assert ig.import_vectors(*files, text, model="another").key != study.key
    assert main(["measure", said["key"], "--what", "similarity,retrieval", "--json"]) == 0
    (document,) = json.loads(capsys.readouterr().out)
    np.testing.assert_array_equal(
        [row["value"] for row in document["similarity"]["rows"]], ig.similarity(study).values.flat
    )
    assert ig.token_map(study, "pca", pairs=4).frame()["text"].size


def cut(layers):
    return {name: layer[:-1] for name, layer in layers.items()}


def with_nan(layers):
    layers["layer.2"][5, 3] = np.nan
    return layers


def without(name):
    return lambda layers: {key: layer for key, layer in layers.items() if key != name}


def with_layer(index, change):
    def changed(layers):
        name = f"layer.{index}"
        return {**layers, name: change(layers.get(name, layers["layer.0"]))}

    return changed


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (cut, "rows where tokens.jsonl has"),
        (with_layer(2, lambda layer: layer[:7]), "layer.2 of states.npz has 7 rows"),
        (with_nan, "layer.2 of states.npz has values that are not finite numbers, first in row 5"),
        (without("layer.1"), "states.npz has no layer.1: name the arrays"),
        (without("layer.0"), "states.npz has no layer.0"),
        (with_layer(3, lambda layer: layer[:, :9]), "layer.3 of states.npz is 9 wide where"),
        (with_layer(1, lambda layer: layer.astype(np.float16)), "layer.1 of states.npz is float16"),
        (with_layer(1, lambda layer: layer.astype(int)), "layer.1 of states.npz is int64"),
        (with_layer(1, lambda layer: layer[0]), "of shape (32,)"),
        (with_layer(1, lambda layer: layer.astype(object)), "no readable array of numbers layer.1"),
        (with_layer(0, lambda layer: layer.astype(float) + 1e300), "layer.0 of states.npz has val"),
        (lambda layers: {"hidden": layers["layer.0"]}, "has an array 'hidden': name the arrays"),
        (lambda layers: {"layer.0": layers["layer.0"]}, "has one layer only"),
    ],
)
def test_damaged_states_are_told_in_a_sentence(bring, layers, rows, store, damage, told):
    before = len(store.entries())
    with pytest.raises(ExtractionError) as raised:
        bring(damage(layers), rows)
    assert told in str(raised.value)
    assert str(raised.value).endswith(".")
    assert len(store.entries()) == before
    assert not list((store.root / "partial").glob("*")), "nothing half-made is left behind"


def change(row, **fields):
    return lambda rows: [*rows[:row], {**rows[row], **fields}, *rows[row + 1 :]]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (change(5, text="Katze"), "row 5: 'Katze' does not stand in 'Good morning!'"),
        (change(5, end=400), "another text"),
        (change(5, start=-1), "another text"),
        (change(5, sentence=10), "row 5: there is no sentence 10 in a text of 10 pairs"),
        (change(5, side=2), "row 5: side is 2"),
        (change(5, start="4"), "row 5: start is '4', but that column holds whole numbers"),
        (change(5, start=None), "start is None"),
        (change(5, side=True), "side is True"),
        (lambda rows: [{**row, "side": 0} for row in rows], "another text"),
        (
            lambda rows: [rows[0], rows[2], rows[1], *rows[3:]],
            "row 2: 'Yes' begins before the token that precedes it",
        ),
        (lambda rows: [{k: row[k] for k in ("side", "text")} for row in rows], "no column"),
        (lambda rows: [*rows[:3], {"sentence": 0}, *rows[4:]], "line 4, has no 'end'"),
        (lambda rows: [*rows[:3], [1], *rows[4:]], "line 4, is no JSON object"),
        (lambda rows: [], "no column 'sentence'"),
    ],
)
def test_a_token_table_that_does_not_fit_is_told_in_a_sentence(bring, layers, rows, damage, told):
    with pytest.raises(ExtractionError) as raised:
        bring(layers, damage(rows))
    assert told in str(raised.value)


def test_a_longer_text_than_the_tokens_are_of(bring, layers, rows, bitext):
    longer = ig.read_text([*PAIRS, ("More.", "更多。")], languages=("en", "zh"))
    with pytest.raises(ExtractionError, match=r"no token of sentence 10 on side 0 \('More\.'\)"):
        bring(layers, rows, text=longer)


@pytest.mark.parametrize(
    ("states", "tokens", "told"),
    [
        ("states.npz", None, "states.npz is not a whole npz file"),
        ("states.safetensors", None, "states.safetensors is not a whole safetensors file"),
        ("states.pt", None, "end its name in .safetensors or .npz"),
        (None, "tokens.parquet", "tokens.parquet is not a whole Parquet file"),
        (None, "tokens.jsonl", "tokens.jsonl is not UTF-8 text"),
        (None, "tokens.csv", "end its name in .parquet or .jsonl"),
    ],
)
def test_files_of_another_kind(tmp_path, bring, layers, rows, bitext, store, states, tokens, told):
    bring(layers, rows, "good.npz", "good.jsonl")
    places = [tmp_path / (states or "good.npz"), tmp_path / (tokens or "good.jsonl")]
    for place in places:
        if not place.name.startswith("good"):
            place.write_bytes(b"\xff\xfe not what it says" * 20)
    with pytest.raises(ExtractionError) as raised:
        import_vectors(*places, bitext, "mine", store)
    assert told in str(raised.value)


def test_a_name_that_promises_weights_read_here_is_refused(tmp_path, bitext):
    for name in ("mini-en-zh", "random:mini-en-zh", " "):
        with pytest.raises(ExtractionError, match="name"):
            import_vectors("states.npz", "tokens.jsonl", bitext, name, Store(tmp_path))
    with pytest.raises(ExtractionError, match="There is no file"):
        import_vectors(tmp_path / "no.npz", "tokens.jsonl", bitext, "mine", Store(tmp_path))
