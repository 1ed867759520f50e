"""Texts by name: data sets of a hub on this machine, laid out as those of the real one are."""

import hashlib
import json
from dataclasses import replace

import pytest
from huggingface_hub import constants

import isogloss as ig
from isogloss.command_line import main
from isogloss.errors import TextError
from isogloss.interface.methods import entries
from isogloss.map.data import provenance
from isogloss.map.maps import MapOptions, make_map
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.store import Store
from isogloss.studies.extraction import extract
from isogloss.studies.study import Study
from isogloss.text.hub import layout, reading
from isogloss.text.hub.names import Side, parse_hub_name
from isogloss.text.hub.sets import SETS
from isogloss.text.named import load_named
from tests.helpers.hub import DE, EN, ZH, card, parquet

OPUS = "some/opus"


def sides(name):
    bitext = load_named(name).text
    return dict(zip(bitext.languages, map(list, bitext.sides), strict=True))


def refused(name):
    with pytest.raises(TextError) as error:
        load_named(name)
    said = str(error.value)
    assert "\n" not in said
    assert said.endswith((".", "?"))
    return said


def go_offline(data_hub, monkeypatch, way):
    """Take the network away: as a setting has it, or a server that is not there."""
    if way == "setting":
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    else:
        monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")


# Names


def test_a_name_says_data_set_part_revision_languages_and_how_many_rows():
    found = parse_hub_name("flores/dev@v2.1:en, zho_Hant#20")
    assert (found.repository, found.config, found.split) == (
        "openlanguagedata/flores_plus", "", "dev",
    )  # fmt: skip
    assert (found.revision, found.first, found.called) == ("v2.1", 20, "flores/dev")
    assert found.sides == (Side("en"), Side("zho_Hant"))
    found = parse_hub_name("hub:Helsinki-NLP/opus-100/en-zh/train:src text=en,b=zh")
    assert (found.repository, found.config, found.split) == (
        "Helsinki-NLP/opus-100", "en-zh", "train",
    )  # fmt: skip
    assert found.sides == (Side("en", "src text"), Side("zh", "b"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ntrex", "does not name its languages: write ntrex:en,zh,de"),
        ("ntrex:en", "fewer than two languages"),
        ("ntrex:en,", "fewer than two languages"),
        ("ntrex:en,zh#0", "asks for no rows"),
        ("ntrex:a=en,b=zh", "has no need of"),
        ("ntrex/a/b:en,zh", "no data set ntrex/a/b"),
        ("hub:opus:en,zh", "does not name a data set of the hub"),
        ("hub:a/b/c/d/e:en,zh", "does not name a data set of the hub"),
        ("hub:owner/name", "does not name its languages"),
        ("newsset:en,zh", "neither a file nor a data set called newsset:en,zh"),
    ],
)
def test_names_that_are_not_understood(name, said):
    assert said in refused(name)


@pytest.mark.parametrize("name", ["news.en-zh.tsv", "./a:b,c", "C:\\texts\\a,b.tsv", "nothing"])
def test_paths_are_no_names(name):
    assert load_named(name) is None


def test_a_file_that_is_called_so_is_read_as_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ntrex:en,zh").write_text("Yes.\t是。\n")
    assert ig.read_text("ntrex:en,zh").source == ("Yes.",)


# The sets with a name


def test_ntrex_is_one_table_in_parts_with_a_column_a_language(data_hub):
    assert sides("ntrex:en,zh,de") == {"en": EN, "zh": ZH, "de": DE}
    assert sides("ntrex:de,zho_Hant#2") == {"de": DE[:2], "zh": ["門開著。", "她在看書。"]}


def test_flores_is_a_file_a_language_put_together_by_ids(data_hub):
    assert sides("flores:en,zh") == {"en": EN, "zh": ZH}
    # Sentence 1 is missing in German: a pair has no such row, of three languages one is empty.
    assert sides("flores:en,de") == {"en": [EN[0], EN[2]], "de": [DE[0], DE[2]]}
    assert sides("flores:en,zh,de")["de"] == [DE[0], "", DE[2]]
    assert sides("flores/dev:en,cmn_Hans") == {"en": EN[:1], "zh": ZH[:1]}
    assert not [path for path in data_hub.asked if "Hant" in path]


def test_tatoeba_has_pairs_with_english_either_way_round(data_hub):
    assert sides("tatoeba:en,zh") == {"en": EN, "zh": ZH}
    assert list(sides("tatoeba:de,en").items()) == [("de", DE), ("en", EN)]
    assert "one language and English" in refused("tatoeba:de,zh")
    assert "no nl; it has cmn, deu" in refused("tatoeba:nl,en")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ntrex:en,sw", "NTREX-128 has no column for sw; it has deu_Latn, eng_Latn, zho_Hans"),
        ("flores:en,sw", "FLORES+ has no sw in devtest; it has cmn_Hans, cmn_Hant, deu_Latn"),
        ("flores/blind:en,zh", "FLORES+ has no part called blind"),
        ("ntrex:en,English", "twice"),
        ("ntrex@v9:en,zh", "no revision v9"),
    ],
)
def test_what_a_set_does_not_have_is_said_with_what_it_has(data_hub, name, said):
    assert said in refused(name)


def test_a_gated_set_says_where_its_terms_are_and_how_to_log_in(data_hub):
    data_hub.gated.add("openlanguagedata/flores_plus")
    said = refused("flores:en,zh")
    assert "https://huggingface.co/datasets/openlanguagedata/flores_plus" in said
    assert "hf auth login" in said


# Any data set


def test_columns_of_any_table_are_named(data_hub):
    table = parquet(left=EN, right=ZH, score=[1, 2, 3])
    data_hub.add(OPUS, {"README.md": card(("default", "train", "a.parquet")), "a.parquet": table})
    found = load_named(f"hub:{OPUS}:right=zh,left=en")
    assert (found.text.languages, found.text.source) == (("zh", "en"), tuple(ZH))
    assert (found.text.name, found.columns) == ("opus.zh-en", ("right", "left"))
    for place in (OPUS, f"{OPUS}/train", f"{OPUS}/default/train"):
        assert sides(f"hub:{place}:right=zh,left=en") == {"zh": ZH, "en": EN}
    said = refused(f"hub:{OPUS}:middle=zh,left=en")
    assert "no column for middle; it has left, right, score" in said


def test_a_translation_column_is_opened_and_only_as_many_rows_as_asked_are_read(data_hub):
    rows = [{"en": f"Number {n}.", "zh": f"第{n}。", "de": "…"} for n in range(5_000)]
    table = parquet(translation=rows)
    data_hub.add(OPUS, {"README.md": card(), "en-zh/train-00000-of-00001.parquet": table})
    assert sides(f"hub:{OPUS}/en-zh/train:zh,en#2") == {
        "zh": ["第0。", "第1。"], "en": ["Number 0.", "Number 1."],
    }  # fmt: skip
    assert len(load_named(f"hub:{OPUS}:zh,en").text) == 5_000


def test_tables_and_plain_files_are_read_as_files_are(data_hub):
    lines = {"en": EN, "zh": ZH, "de": DE}
    tsv = "\n".join("\t".join(row) for row in [lines, *zip(*lines.values(), strict=True)])
    data_hub.add("some/table", {"README.md": card(), "pairs.tsv": tsv.encode()})
    assert sides("hub:some/table:de,zh") == {"de": DE, "zh": ZH}
    assert sides("hub:some/table:en=en,zh=zh#1") == {"en": EN[:1], "zh": ZH[:1]}
    plain = {f"set/newstest-ref.{c}.txt": "\n".join(x).encode() for c, x in zip(
        ("eng", "zho-CN", "deu"), lines.values(), strict=True)}  # fmt: skip
    data_hub.add("some/files", {"README.md": card(), **plain})
    assert sides("hub:some/files:de,en,zh") == {"de": DE, "en": EN, "zh": ZH}


def test_which_configuration_and_split_must_be_said_where_there_are_several(data_hub):
    table = parquet(en=EN, zh=ZH)
    files = {f"{c}/{s}.parquet": table for c in ("a", "b") for s in ("dev", "test")}
    both = card(("a", "dev", "a/dev.parquet"), ("b", "dev", "b/dev*"))
    data_hub.add(OPUS, {"README.md": both, **files})
    assert "several configurations: name one of a, b" in refused(f"hub:{OPUS}:en,zh")
    assert "no split test: name one of dev" in refused(f"hub:{OPUS}/a/test:en,zh")
    assert sides(f"hub:{OPUS}/b:en,zh") == {"en": EN, "zh": ZH}
    data_hub.add("some/other", {"README.md": card(), **files})
    assert "has the splits dev, test" in refused("hub:some/other/a:en,zh")
    assert sides("hub:some/other/a/test:en,zh") == {"en": EN, "zh": ZH}


def test_what_a_script_makes_is_read_as_the_hub_converted_it(data_hub):
    data_hub.add(OPUS, {"README.md": card(), "opus.py": b"raise SystemExit"})
    assert "has no file that can be read" in refused(f"hub:{OPUS}:en,zh")
    converted = {"default/test/0000.parquet": parquet(en=EN, zh=ZH)}
    data_hub.add(OPUS, converted, "refs/convert/parquet")
    assert sides(f"hub:{OPUS}/default/test:en,zh") == {"en": EN, "zh": ZH}


def test_bytes_and_rows_are_bounded_before_they_are_fetched(data_hub, monkeypatch):
    data_hub.add(OPUS, {"README.md": card(), "train.parquet": parquet(en=EN, zh=ZH)})
    monkeypatch.setattr(layout, "MOST_FETCHED", 100)
    assert "over the limit of 100 bytes" in refused(f"hub:{OPUS}:en,zh")
    assert not [path for path in data_hub.asked if path.endswith(".parquet")]


def test_rows_over_the_limit_are_refused_with_a_way_to_take_the_first(data_hub, monkeypatch):
    monkeypatch.setattr(reading, "LIMITS", replace(reading.LIMITS, pairs=2))
    assert "more rows than the limit of 2: write #2 behind it" in refused("ntrex:en,zh")
    assert sides("ntrex:en,zh#2") == {"en": EN[:2], "zh": ZH[:2]}


@pytest.mark.parametrize("data", [b"PAR1 and then nothing", b"", b"PAR1"])
def test_a_damaged_file_is_said(data_hub, data):
    data_hub.add(OPUS, {"README.md": card(), "train.parquet": data})
    assert "damaged Parquet file" in refused(f"hub:{OPUS}:en,zh")


@pytest.mark.parametrize("front", [b"---\n: [\n---\n", b"no front matter", b"\xff\xfe"])
def test_a_card_that_cannot_be_read_is_as_none(data_hub, front):
    data_hub.add(OPUS, {"README.md": front, "train.parquet": parquet(en=EN, zh=ZH)})
    found = load_named(f"hub:{OPUS}:en,zh").text
    assert found.source == tuple(EN)
    assert found.origin.licence == "not stated by its makers"


def test_a_data_set_that_is_not_there_and_a_hub_that_is_out_of_order(data_hub):
    assert "no data set called no/body" in refused("hub:no/body:en,zh")
    data_hub.answer = 503
    assert "it answers 503" in refused("ntrex:en,zh")


# Without a network


@pytest.mark.parametrize("way", ["setting", "nobody there"])
def test_without_a_network_the_cache_is_read_or_a_sentence_said(data_hub, monkeypatch, way):
    """What was fetched is found; what was not is said, and nobody waits for many tries."""
    with_network = load_named("ntrex:en,zh"), load_named("flores:en,zh")
    go_offline(data_hub, monkeypatch, way)
    slept = []
    monkeypatch.setattr("time.sleep", slept.append)
    for before, name in zip(with_network, ("ntrex:en,zh", "flores:en,zh"), strict=True):
        assert load_named(name).text == before.text
    assert sides("ntrex:zh,de") == {"zh": ZH, "de": DE}
    assert "FLORES+ is on this machine without de" in refused("flores:en,de")
    for name in ("tatoeba:en,zh", "hub:some/set:en,zh"):
        assert "not on this machine and the hub cannot be reached" in refused(name)
    assert not slept


def test_a_table_that_is_half_there_is_not_taken_for_whole(data_hub, monkeypatch, tmp_path):
    load_named("ntrex:en,zh")
    (half,) = (tmp_path / "hub").rglob("test-00001-of-00002.parquet")
    half.unlink()
    go_offline(data_hub, monkeypatch, "setting")
    assert "not on this machine" in refused("ntrex:en,zh")


# Where it came from


def test_the_origin_goes_from_the_name_to_study_map_and_paper(data_hub, encoder, store):
    bitext = ig.read_text("tatoeba:en,zh")
    table = data_hub.files["mteb/tatoeba-bitext-mining", "main"]["test/cmn-eng.jsonl.gz"]
    assert bitext.origin.revision == data_hub.commit("mteb/tatoeba-bitext-mining", "main")
    assert bitext.origin.files == (("test/cmn-eng.jsonl.gz", hashlib.sha256(table).hexdigest()),)
    assert bitext.select([0, 1]).origin == bitext.origin == bitext.pair("zh", "en").origin
    study = Study(extract(encoder, bitext, store))
    assert study.origin == study.text.origin == study.bitext.origin == bitext.origin
    token_map = make_map(study, store, MapOptions(projection=ProjectionOptions("pca")))
    assert provenance(study, token_map)["text from"] == bitext.origin.describe()
    written = ig.methods(study, ig.retrieval(study))
    assert r"\citep{artetxe2019laser}, licence CC BY 2.0" in written.text
    assert "Massively Multilingual Sentence Embeddings" in written.bibtex


def test_the_text_is_the_same_study_whether_named_or_given(data_hub, encoder, store, tmp_path):
    path = tmp_path / "own.en-zh.tsv"
    path.write_text("\n".join("\t".join(pair) for pair in zip(EN, ZH, strict=True)))
    assert ig.read_text("ntrex:en,zh").content_hash == ig.read_text(path).content_hash


def test_every_known_set_has_its_paper_and_example():
    for each in SETS:
        (entry,) = entries([each.key])
        assert each.citation[-4:] in entry
        assert parse_hub_name(each.example).known is each


def test_the_command_line_says_licence_and_paper_before_it_reads(
    data_hub, capsys, monkeypatch, tmp_path, encoder_directory
):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    assert main(["text", "check", "flores:en,zh", "--json"]) == 0
    said = capsys.readouterr()
    assert "licence CC BY-SA 4.0; cite NLLB Team et al. 2024" in said.err
    assert json.loads(said.out)["origin"]["repository"] == "openlanguagedata/flores_plus"
    assert main(["extract", str(encoder_directory), "ntrex:en,zh,de", "--json"]) == 0
    assert "Federmann, Kocmi and Xin 2022" in capsys.readouterr().err
    (entry,) = [each for each in Store().entries() if not each.demo]
    assert entry.facts["origin"]["name"] == "ntrex:en,zh,de"
    assert main(["text", "check", "ntrex:en,zh", "--languages", "en,zh"]) == 1
    assert "name them there alone" in capsys.readouterr().err


def test_a_name_of_ones_own_is_kept_and_languages_are_said_once(data_hub):
    assert ig.read_text("ntrex:en,zh", name="mine").name == "mine"
    with pytest.raises(TextError, match="name them there alone"):
        ig.read_text("ntrex:en,zh", languages=("en", "de"))
