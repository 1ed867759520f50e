"""What a model's configuration says, before its weights are loaded: its depth and its kind."""

from __future__ import annotations

import json
from typing import Any

from isogloss.errors import ModelError
from isogloss.models.files import quietly
from isogloss.models.presets import base_of, find_preset
from isogloss.models.sources.finding import ModelFiles, find_model
from isogloss.models.sources.gguf import gguf_error
from isogloss.store import Store


def count_layers(name: str, store: Store) -> int:
    """How many blocks a model has, by its preset or by its configuration, which is fetched."""
    base = base_of(name)
    if preset := find_preset(base):
        return preset.n_layers
    files = find_model(f"random:{base}", store)
    try:
        with quietly():
            return int(load_config(files).get_text_config().num_hidden_layers)
    except (OSError, ValueError) as error:
        if files.gguf:
            raise gguf_error(files.directory / files.gguf, error) from error
        raise ModelError(
            f"The configuration of {files.name} in {files.directory} cannot be read: check that it "
            "was saved by transformers."
        ) from error


def load_config(files: ModelFiles) -> Any:
    """The configuration as transformers reads it; one that asks for code is refused."""
    from transformers import AutoConfig

    _refuse_code(files)
    config = AutoConfig.from_pretrained(
        files.directory, trust_remote_code=False, local_files_only=True, **as_gguf(files)
    )
    if getattr(config, "is_encoder_decoder", False) and not is_encoder_alone(config):
        raise ModelError(
            f"{files.name} is an encoder and a decoder in one, which have a stack of layers each: "
            "choose a model that is one of them."
        )
    return config


def is_encoder_alone(config: Any) -> bool:
    """Whether of an encoder and a decoder only the encoder was saved, as of sentence-T5."""
    saved = config.architectures or ()
    return bool(saved) and all(name.endswith("EncoderModel") for name in saved)


def as_gguf(files: ModelFiles) -> dict[str, str]:
    """What transformers must be told to read one GGUF file in place of its own."""
    return {"gguf_file": files.gguf} if files.gguf else {}


def _refuse_code(files: ModelFiles) -> None:
    """Raise that a model of a kind that transformers does not know is code, which is never run."""
    from transformers import CONFIG_MAPPING

    path = files.directory / "config.json"
    if files.gguf or not path.is_file():
        return
    try:
        given = json.loads(path.read_text("utf-8"))
        kind, code = given.get("model_type", ""), given.get("auto_map")
    except (OSError, ValueError, AttributeError):
        return  # transformers says what is wrong with it
    if code and kind not in CONFIG_MAPPING:
        raise ModelError(
            f"{files.name} is of a kind of its own ({kind or 'not named'}) and brings the code "
            "for it, which is never run: choose a model that transformers itself knows."
        )


def is_causal(text_config: Any) -> bool:
    """Whether the model was trained to continue text rather than to fill gaps in it."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    kind = text_config.model_type
    if kind in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        return bool(getattr(text_config, "is_decoder", False))
    return kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
