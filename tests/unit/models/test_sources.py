"""Models as people have them: GGUF files, sentence-transformers, and code, which is not run.

What is in docs/models.md is made by `docs/make_models.py`, of which two kinds are tried here.
"""

import json
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from huggingface_hub import constants

from docs.make_models import BY_HAND, MODELS, WAYS, try_kind
from docs.making.tiny_models import KINDS, save_gguf, save_in_hub_cache, save_tiny
from isogloss.errors import ModelError
from isogloss.models.loading import load_model
from isogloss.models.sources import gguf
from isogloss.models.sources.finding import find_model, path_of
from isogloss.models.sources.sentence_modules import sentence_modules
from isogloss.studies.extraction import extract
from isogloss.studies.study import Study

KIND = {kind.name: kind for kind in KINDS}
ROUNDING = 5e-6
needs_gguf = pytest.mark.skipif(
    find_spec("gguf") is None and "CI" not in os.environ,
    reason="the package gguf is not installed; with CI in the environment it has to be",
)


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    """A tiny Llama in a directory."""
    directory = tmp_path_factory.mktemp("llama") / "llama"
    directory.mkdir()
    save_tiny(KIND["llama"], directory)
    return directory


@pytest.fixture(scope="module")
def gguf_file(llama):
    """The same as a GGUF file beside the directory."""
    path = llama.parent / "tiny.gguf"
    save_gguf(KIND["llama"], llama, path)
    return path


def refused(name, store):
    with pytest.raises(ModelError) as error:
        load_model(name, store, device="cpu")
    said = str(error.value)
    assert "\n" not in said
    assert said.endswith(".")
    return said


def sentence_directory(model, directory, *, folder="", pooling=None, first="Transformer"):
    """`model` as sentence-transformers saves it, its transformer in a folder or in the root."""
    shutil.copytree(model, directory / folder, dirs_exist_ok=True)
    parts = [
        {"idx": 0, "name": "0", "path": folder, "type": f"sentence_transformers.models.{first}"},
        {
            "idx": 1,
            "name": "1",
            "path": "1_Pooling",
            "type": "sentence_transformers.models.Pooling",
        },
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "a.b.Normalize"},
    ]
    (directory / "modules.json").write_text(json.dumps(parts))
    if pooling is not None:
        (directory / "1_Pooling").mkdir()
        (directory / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    return directory


# The table of docs/models.md


def test_an_encoder_is_read_by_directory_and_by_name_as_transformers_reads_it(tmp_path):
    tried = try_kind(KIND["bert"], tmp_path)
    assert tried.differences["directory"] == tried.differences["name"] < ROUNDING
    assert tried.states == 3


@needs_gguf
def test_a_decoder_is_read_from_gguf_with_the_states_and_tokens_of_its_directory(tmp_path):
    tried = try_kind(KIND["llama"], tmp_path)
    assert max(tried.differences[way] for way in WAYS) < ROUNDING
    assert (tried.states, tried.normed) == (4, True)


def test_the_document_has_a_row_for_every_kind_and_no_difference_but_rounding():
    table = MODELS.read_text(encoding="utf-8").partition(BY_HAND)[2]
    rows = [line.strip("| ").split(" | ") for line in table.strip().splitlines()[2:]]
    assert [row[0] for row in rows] == [kind.name for kind in KINDS]
    for kind, row in zip(KINDS, rows, strict=True):
        found = [float(cell) for cell in row[3:] if cell != "—"]
        assert len(found) == (3 if kind.gguf else 2)
        assert max(found) < ROUNDING


# GGUF


@needs_gguf
def test_a_gguf_file_is_named_by_its_path_its_folder_or_a_hub_id(
    gguf_file, store, tmp_path, monkeypatch
):
    by_path = find_model(str(gguf_file), store)
    by_folder = find_model(f"{gguf_file.parent}:tiny.gguf", store)
    assert by_path.fingerprint == by_folder.fingerprint
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(gguf_file, alone)
    save_in_hub_cache(alone, tmp_path / "hub", "owner/name")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert find_model("owner/name:tiny.gguf", store).fingerprint == by_path.fingerprint
    said = refused("owner/name", store)
    assert "name one of its GGUF files" in said
    assert "has no config.json but tiny.gguf: name the file" in refused(str(alone), store)
    assert "There is no file other.gguf" in refused(f"{alone}:other.gguf", store)
    assert "There is no file nowhere/tiny.gguf" in refused("nowhere/tiny.gguf", store)


@needs_gguf
def test_random_weights_of_a_gguf_files_shape(gguf_file, store):
    first, again, other = (
        load_model(f"random:{gguf_file}#{seed}", store, device="cpu") for seed in (1, 1, 2)
    )
    weights = [m.network.embed_tokens.weight.detach().numpy() for m in (first, again, other)]
    assert np.array_equal(weights[0], weights[1])
    assert not np.array_equal(weights[0], weights[2])
    assert first.files.fingerprint != other.files.fingerprint


@needs_gguf
@pytest.mark.parametrize("share", [0.0005, 0.01, 0.1, 0.5, 0.998])
def test_a_gguf_file_that_is_cut_is_a_sentence(gguf_file, store, tmp_path, share):
    data = gguf_file.read_bytes()
    path = tmp_path / "cut.gguf"
    path.write_bytes(data[: int(len(data) * share)])
    assert "could not be read as GGUF" in refused(str(path), store)


@needs_gguf
def test_an_architecture_that_is_not_read_and_a_file_that_is_no_gguf(store, tmp_path):
    import gguf as package

    path = tmp_path / "bert.gguf"
    writer = package.GGUFWriter(path, "bert")
    writer.add_block_count(2)
    writer.add_tensor("x", np.zeros((4, 4), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    assert "the architecture bert, which transformers does not read" in refused(str(path), store)
    path.write_bytes(b"{}")
    assert "is no GGUF file" in refused(str(path), store)


def test_without_the_packages_it_is_said_what_to_install(store, tmp_path, monkeypatch):
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setattr(gguf, "find_spec", lambda name: None)
    assert "takes gguf and accelerate: run `pip install gguf accelerate`" in refused(
        str(path), store
    )


def test_presets_have_no_files_to_choose_among(store):
    assert "name it without :x.gguf" in refused("mini-en-zh:x.gguf", store)


# Sentence-transformers


@pytest.mark.parametrize("folder", ["", "0_Transformer"])
def test_the_transformer_in_it_is_read_and_its_pooling_noted(
    encoder_directory, tmp_path, store, folder, bitext
):
    pooling = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
    directory = sentence_directory(
        encoder_directory, tmp_path / "st", folder=folder, pooling=pooling
    )
    plain = load_model(str(encoder_directory), store, device="cpu")
    model = load_model(str(directory), store, device="cpu")
    assert model.files.fingerprint == plain.files.fingerprint
    assert model.files.pools == "the mean of all tokens, then Normalize"
    study = Study(extract(model, bitext.select([0, 1]), store))
    assert study.entry.facts["pools"] == model.files.pools


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"pooling_mode": "lasttoken"}, "the last token, then Normalize"),
        ({"pooling_mode": ["cls", "max"]}, "the first token and the largest value of all tokens, "
         "then Normalize"),
        ({}, ""),
        ([], ""),
        (None, ""),
    ],
)  # fmt: skip
def test_how_sentences_are_pooled_in_older_and_newer_files(tmp_path, given, said):
    (tmp_path / "model").mkdir()
    directory = sentence_directory(tmp_path / "model", tmp_path / "st", pooling=given)
    assert sentence_modules(directory).pools(directory) == said


def test_a_model_by_name_has_its_folders_fetched(encoder_directory, tmp_path, store, monkeypatch):
    directory = sentence_directory(
        encoder_directory, tmp_path / "st", folder="0_Transformer", pooling={"pooling_mode": "cls"}
    )
    save_in_hub_cache(directory, tmp_path / "hub", "owner/st")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    model = load_model("owner/st", store, device="cpu")
    assert model.files.pools == "the first token, then Normalize"
    assert model.n_layers == 3


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ("{", "does not say which parts"),
        ("[]", "begins with nothing"),
        ('[{"type": "x.StaticEmbedding", "path": ""}]', "begins with StaticEmbedding"),
        ('[{"type": "x.Transformer", "path": "../other"}]', "does not say which parts"),
        ('[{"type": "x.Transformer", "path": "/etc"}]', "does not say which parts"),
        ('[{"type": "x.Transformer", "path": "gone"}]', "gone has no config.json"),
        ('["a", "b"]', "does not say which parts"),
    ],
)
def test_modules_that_are_no_transformer_or_lead_elsewhere(tmp_path, store, modules, said):
    (tmp_path / "modules.json").write_text(modules)
    assert said in refused(str(tmp_path), store)


# Code


def test_a_model_that_is_code_is_refused_and_its_code_not_run(tmp_path, store):
    ran = tmp_path / "ran"
    (tmp_path / "modeling_own.py").write_text(f"open({str(ran)!r}, 'w')")
    assert "has no config.json" in refused(str(tmp_path), store)
    config = {"model_type": "own", "auto_map": {"AutoConfig": "modeling_own.C"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert "of a kind of its own (own) and brings the code for it" in refused(str(tmp_path), store)
    assert not ran.exists()


# What a server that is open to others must know


def test_which_names_are_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "a.gguf").touch()
    for name in ("owner/name", "owner/name:model.gguf", "mini-en-zh", "random:mini-en-zh#1"):
        assert path_of(name) == ""
    assert Path(path_of("random:models#1")).resolve() == tmp_path / "models"
    assert Path(path_of("models:x.gguf")).resolve() == tmp_path / "models" / "x.gguf"
    assert Path(path_of("a.gguf")).resolve() == tmp_path / "a.gguf"
    assert path_of("/etc/x.gguf") == "/etc/x.gguf"
    assert path_of("~/x").startswith("/")
