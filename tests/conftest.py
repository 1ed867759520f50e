"""What many tests need: two tiny models with random weights, a small text, an empty store."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from isogloss.models.loading import LoadedModel, load_model
from isogloss.store import Store
from isogloss.text.parallel import GoldAlignment, ParallelText
from tests.helpers.hub import Stand, add_known_sets, serve_hub

# A busy machine must not fail a test that is only slow, and a change is judged by the same examples
# as the one before it; without CI in the environment, each run looks at new ones.
settings.register_profile(
    "patient",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("patient")

PAIRS = [
    ("Yes.", "是。"),
    ("Good morning!", "早上好！"),
    ("The cat sleeps on the mat.", "猫睡在垫子上。"),
    ("I like green tea.", "我喜欢绿茶。"),
    ("He doesn't know the answer, but she does.", "他不知道答案，但她知道。"),
    ("It costs 3.50 euros.", "它要三点五欧元。"),
    ("Where is the station?", "车站在哪里？"),
    (
        "When the rain stopped, the children ran out of the house and played in the garden until "
        "the sun went down behind the hills.",
        "雨停了以后，孩子们从房子里跑出来，在花园里一直玩到太阳落山。",
    ),
    ("We read the same book.", "我们读了同一本书。"),
    ("Nobody saw him on Monday or on Tuesday.", "星期一和星期二都没有人看见他。"),
]


@pytest.fixture(scope="session")
def bitext() -> ParallelText:
    """Ten English–Chinese pairs of mixed lengths, one of them aligned by hand."""
    source, target = zip(*PAIRS, strict=True)
    links = frozenset({(0, 0), (1, 1), (2, 2), (3, 2), (4, 3)})
    gold = GoldAlignment(links, links)
    words = (("I", "like", "green", "tea", "."), ("我", "喜欢", "绿茶", "。"))
    return ParallelText(
        name="ten pairs",
        languages=("en", "zh"),
        source=source,
        target=target,
        gold=tuple(gold if index == 3 else None for index in range(len(source))),
        words=tuple(words if index == 3 else None for index in range(len(source))),
    )


@pytest.fixture
def data_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Stand]:
    """A hub on this machine that has the known data sets, with an empty cache of its own."""
    from huggingface_hub import constants

    with serve_hub() as stand:
        add_known_sets(stand)
        url = f"{stand.address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "ENDPOINT", stand.address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        yield stand


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store", demo=None)


@pytest.fixture(scope="session")
def encoder_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of three blocks, width 32, in the transformers layout."""
    from transformers import BertConfig, BertModel

    directory = tmp_path_factory.mktemp("encoder")
    size = _save_wordpiece_tokenizer(directory)
    config = BertConfig(
        vocab_size=size,
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.3,
    )
    _save_network(BertModel, config, directory)
    return directory


@pytest.fixture(scope="session")
def masked_model_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of three blocks, width 32, with the head that guesses masked tokens."""
    from transformers import BertConfig, BertForMaskedLM

    directory = tmp_path_factory.mktemp("masked")
    config = BertConfig(
        vocab_size=_save_wordpiece_tokenizer(directory),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.1,
    )
    _save_network(BertForMaskedLM, config, directory)
    return directory


@pytest.fixture(scope="session")
def decoder_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Gemma of four blocks, width 32, whose tokenizer leaves BOS to the caller, as the real one.

    Its window of attention is shorter than some sentences.
    """
    from transformers import Gemma3TextConfig, Gemma3TextModel

    directory = tmp_path_factory.mktemp("decoder")
    size = _save_sentence_tokenizer(directory)
    config = Gemma3TextConfig(
        vocab_size=size,
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        intermediate_size=64,
        max_position_embeddings=128,
        sliding_window=8,
        layer_types=["sliding_attention", "full_attention"] * 2,
        initializer_range=0.3,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=2,
    )
    _save_network(Gemma3TextModel, config, directory)
    return directory


@pytest.fixture(scope="session")
def encoder(encoder_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return _load(encoder_directory, tmp_path_factory)


@pytest.fixture(scope="session")
def decoder(decoder_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return _load(decoder_directory, tmp_path_factory)


@pytest.fixture(params=["encoder", "decoder"])
def model(request: pytest.FixtureRequest) -> LoadedModel:
    """Each of the two tiny models in turn."""
    return request.getfixturevalue(request.param)


def _load(directory: Path, factory: pytest.TempPathFactory) -> LoadedModel:
    return load_model(str(directory), Store(factory.mktemp("store"), demo=None), device="cpu")


def _save_network(kind: type, config: object, directory: Path) -> None:
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        kind(config).save_pretrained(directory)


def _save_wordpiece_tokenizer(directory: Path) -> int:
    """A BERT tokenizer: lower case, one token a Chinese character, [CLS] and [SEP] around."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=220, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator([text for pair in PAIRS for text in pair], trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **dict(zip(names, special, strict=True))
    )
    wrapped.save_pretrained(directory)
    return tokenizer.get_vocab_size()


def _save_sentence_tokenizer(directory: Path) -> int:
    """A tokenizer that knows no words: spaces are letters, so a token may reach across them."""
    from tokenizers import Tokenizer, decoders, models, normalizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Replace("▁", " ")
    special = ["<pad>", "<eos>", "<bos>", "<unk>"]
    trainer = trainers.BpeTrainer(vocab_size=260, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator([text for pair in PAIRS for text in pair] * 3, trainer)
    names = ("pad_token", "eos_token", "bos_token", "unk_token")
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **dict(zip(names, special, strict=True))
    )
    wrapped.save_pretrained(directory)
    return tokenizer.get_vocab_size()
