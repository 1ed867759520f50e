"""`measure`, `compare` and `map`: the stored numbers, as tables, JSON, CSV and files."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from pypdf import PdfReader

import isogloss as ig
from isogloss.command_line import main
from isogloss.command_line.measure_commands import _at_best
from isogloss.command_line.output import print_study
from isogloss.map.maps import MapOptions, make_map
from isogloss.store import Store
from isogloss.studies.extraction import extract
from isogloss.studies.links.points import LinkOptions
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import open_study
from isogloss.studies.word_alignment import AlignmentQuality
from tests.conftest import PAIRS


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    return Store()


@pytest.fixture
def key(encoder, bitext, store):
    return extract(encoder, bitext, store).key


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "ten.en-zh.tsv"
    path.write_text("\n".join("\t".join(pair) for pair in PAIRS), encoding="utf-8")
    return path


def test_measure_prints_the_stored_numbers_as_json(capsys, store, key):
    assert main(["measure", key[:8], "--measure", "mexa", "--json"]) == 0
    (document,) = json.loads(capsys.readouterr().out)
    assert document["study"] == key
    similarity = LayerComparison(key, measure="mexa").find(store).similarity
    cells = {(r["layer"], r["other_layer"]): r for r in document["similarity"]["rows"]}
    assert cells[2, 1]["value"] == similarity.values[2, 1]
    assert cells[2, 1]["p_value"] == similarity.p_values[2, 1]
    assert document["similarity"]["best"]["value"] == similarity.values.diagonal().max()
    errors = [row["error_rate"] for row in document["alignment"]["rows"]]
    assert errors == AlignmentQuality(key).find(store).error_rate.tolist()
    assert {"retrieval", "rogue", "geometry"} < set(document)


def test_measure_as_csv_and_as_a_table(capsys, store, key):
    assert main(["measure", key, "--what", "retrieval,rogue", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    found = SentenceRetrieval(key).find(store)
    first = next(r for r in rows if r["what"] == "retrieval" and r["metric"] == "precision@5")
    assert float(first["value"]) == found.values[0, 0, 1]
    assert first["largest"] == ""
    assert sum(row["what"] == "rogue" for row in rows) == 4
    assert main(["measure", key, "--what", "retrieval"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert "10 pairs English–Chinese" in printed[0]
    assert printed[1].split() == ["layer", "found", "first"]
    low, high = (ends[1, :, 0].mean() for ends in (found.low, found.high))
    value = f"{found.curve('precision@1')[1]:.3f}"
    assert printed[3].split() == ["1", value, f"({low:.2f}–{high:.2f})"]
    assert (first["languages"], first["pairs"]) == ("en–zh", "10")


def test_sentences_that_were_cut_and_few_pairs_are_said_beside_the_numbers(
    capsys, store, encoder, bitext
):
    key = extract(replace(encoder, max_tokens=12), bitext, store).key
    assert main(["measure", key, "--what", "retrieval,rogue"]) == 0
    said = capsys.readouterr().out
    assert said.count("sentences were longer than the model takes, and cut there.") == 1
    assert said.count("10 pairs are few") == 1
    assert main(["measure", key, "--what", "rogue", "--json"]) == 0
    (document,) = json.loads(capsys.readouterr().out)
    (cut,) = document["caveats"]
    assert "cut there" in cut
    print_study(open_study(store, key).entry, "made", as_json=False)
    assert cut in capsys.readouterr().out
    print_study(open_study(store, key).entry, "made", as_json=True)
    assert json.loads(capsys.readouterr().out)["sentences_cut"] > 0


def assert_best(best, values, low, high):
    layer = int(values.argmax())
    assert (best["layer"], best["value"]) == (layer, values[layer])
    assert (best["low"], best["high"]) == (low[layer], high[layer])


def test_compare_gives_one_document_with_the_pages_numbers(capsys, store, text, encoder_directory):
    models = [str(encoder_directory), f"random:{encoder_directory}"]
    command = ["compare", *models, "--text", str(text), "--device", "cpu"]
    assert main([*command, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["pairs"], document["languages"]) == (10, "en–zh")
    assert [found["model"] for found in document["models"]] == models
    for found in document["models"]:
        assert set(found["scores"]) == {"debiased_cka", "mexa", "retrieval"}
        for measure in ("debiased_cka", "mexa"):
            similar = LayerComparison(found["study"], measure=measure).find(store).similarity
            curves = [np.diag(each) for each in (similar.values, similar.low, similar.high)]
            assert_best(found["scores"][measure], *curves)
            assert found["scores"][measure]["ties"] == (curves[0] == curves[0].max()).sum() - 1
        searched = SentenceRetrieval(found["study"]).find(store)
        curve = searched.curve("precision@1")
        best = found["scores"]["retrieval"]
        assert (best["layer"], best["value"]) == (int(curve.argmax()), curve.max())
        assert best["low"] <= best["value"] <= best["high"]
        assert best["ties"] == (curve == curve.max()).sum() - 1
    assert main([*command, "--measures", "rsa"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0] == "ten.en-zh: 10 pairs English–Chinese"
    assert table[1].split() == ["model", "layers", "rsa", "retrieval"]
    assert sum("10 pairs are few" in line for line in table[4:]) == 1
    assert main([*command, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 2 * 3
    for row in rows:
        assert (row["text"], row["languages"], row["pairs"]) == ("ten.en-zh", "en–zh", "10")


def test_a_best_that_others_equal_is_not_said_to_be_alone():
    best = {"layer": 4, "value": 1.0, "low": 0.91, "high": 1.0, "ties": 8, "state": "4"}
    assert _at_best(best) == "1.000 (0.910–1.000) at 4 and 8 more"


def test_similarity_asks_what_its_flags_say(capsys, store, key, encoder_directory, bitext):
    flags = ["--measure", "mexa", "--unit", "word", "--pooling", "max", "--coordinates", "raw"]
    assert main(["similarity", key[:8], *flags, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    asked = LayerComparison(
        key, measure="mexa", unit="word", pooling="max", coordinates="raw"
    ).find(store)
    values = [row["value"] for row in document["rows"]]
    assert values == asked.similarity.values.ravel().tolist()
    assert document["options"]["unit"] == "word"
    other = ig.extract(f"random:{encoder_directory}", bitext, device="cpu").key
    assert main(["similarity", key, "--other", other[:8], "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    between = LayerComparison(key, other=other).find(store).similarity
    assert float(rows[1]["value"]) == between.values[0, 1]
    assert main(["similarity", key]) == 0
    said, head, *lines = capsys.readouterr().out.splitlines()
    assert said == ig.similarity(key).describe()
    assert head.split() == ["layer", "debiased_cka", "interval", "calibrated"]
    assert len([line for line in lines if line[0].isdecimal() and "." in line[:12]]) == 4


def test_every_setting_of_the_map_is_a_flag(capsys, store, key, tmp_path):
    def points(*flags):
        path = tmp_path / "map.csv"
        assert main(["token-map", key, "--csv", str(path), "--method", "pca", *flags]) == 0
        capsys.readouterr()
        lines = path.read_text(encoding="utf-8").splitlines()
        return list(csv.DictReader(line for line in lines if not line.startswith("# ")))

    word = PAIRS[0][0].split()[0]
    everything, found = points(), points("--part", "search", "--search", word)
    assert 0 < len(found) < len(everything)
    assert points("--part", "first", "--pairs", "1") == points("--pairs", "1", "--part", "first")
    seeds = [
        {row["text"] for row in points("--part", "random", "--pairs", "2", "--part-seed", seed)}
        for seed in ("1", "2")
    ]
    assert seeds[0] != seeds[1]
    assert ig.token_map(key, links="match", linklayer=2).data.links.tolist() == (
        make_map(
            open_study(store, key), store, MapOptions(links=LinkOptions("match", 2))
        ).drawn.pairs.tolist()
    )
    assert main(["token-map", key, "--csv", "x.csv", "--links", "match", "--linklayer", "9"]) == 1
    assert "There is no layer 9 to read links off" in capsys.readouterr().err


def test_map_writes_what_was_asked_for(capsys, store, key, tmp_path):
    files = [tmp_path / name for name in ("map.html", "map.csv")]
    command = ["map", key[:9], "--method", "pca", "--pairs", "3"]
    assert main([*command, "--html", str(files[0]), "--csv", str(files[1])]) == 0
    assert all(str(file) in capsys.readouterr().out or file.exists() for file in files)
    assert files[0].read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "# study: " + key in files[1].read_text(encoding="utf-8")
    sheet = tmp_path / "layers.pdf"
    assert main([*command, "--contact-sheet", str(sheet), "--columns", "1"]) == 0
    assert str(sheet) in capsys.readouterr().out
    (page,) = PdfReader(sheet).pages
    assert float(page.mediabox.width) / 72 * 25.4 == pytest.approx(84, abs=0.05)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["measure", "nothing"], "no study whose key begins with 'nothing'"),
        (["measure", "KEY", "--what", "beauty"], "--what knows no 'beauty'"),
        (["map", "KEY"], "name a file with --html"),
        (["map", "KEY", "--html", "nowhere/map.html"], "its folder is not there"),
        (["map", "KEY", "--html", "m.html", "--method", "pca", "--layer", "99"], "no layer 99"),
        (["map", "KEY", "--contact-sheet", "all.docx", "--method", "pca"], "cannot be a docx"),
        (["compare", "mini-en-zh", "--text", "nowhere.tsv"], "nowhere.tsv"),
        (["compare", "x", "--text", "news.en-zh", "--measures", "cca"], "--measures knows no"),
    ],
)
def test_mistakes_are_told_in_a_sentence(capsys, store, key, command, told):
    assert main([key if word == "KEY" else word for word in command]) == 1
    assert told in capsys.readouterr().err


def test_a_text_without_gold_has_no_alignment_to_measure(capsys, store, text, encoder_directory):
    main(["extract", str(encoder_directory), str(text), "--device", "cpu", "--json"])
    made = json.loads(capsys.readouterr().out)
    assert main(["measure", made["key"]]) == 0
    assert "alignment" not in capsys.readouterr().out
    assert main(["measure", made["key"], "--what", "alignment"]) == 1
    assert "aligned by hand" in capsys.readouterr().err
