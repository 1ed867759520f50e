"""A model's network and tokenizer, ready to be run: no remote code, no dropout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.errors import IsoglossError, ModelError
from isogloss.models.configuration import as_gguf, is_causal, is_encoder_alone, load_config
from isogloss.models.files import HEAD, quietly
from isogloss.models.sources.finding import ModelFiles, find_model
from isogloss.models.sources.gguf import gguf_error
from isogloss.models.states import LayerStates, has_final_norm
from isogloss.store import Store

MAX_TOKENS = 2_048
"""Where a sentence is cut at the latest, even for models that could take more."""


@dataclass(frozen=True)
class LoadedModel:
    """A model ready to run. `n_layers` counts blocks.

    `max_tokens` is the longest sequence it takes, special tokens included. `final_norm` says
    whether what the last block hands on is normalised once more.
    """

    files: ModelFiles
    network: Any
    tokenizer: Any
    n_layers: int
    width: int
    max_tokens: int
    is_decoder: bool
    device: str
    precision: str
    final_norm: bool = False

    @property
    def name(self) -> str:
        return self.files.name

    @property
    def states(self) -> LayerStates:
        """The states that it has, by number and by name."""
        return LayerStates(self.n_layers, "apart" if self.final_norm else "none")


def choose_device(wish: str = "auto") -> str:
    """CUDA, then MPS, then CPU; or as told."""
    import torch

    available = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if wish == "auto":
        return next(device for device, there in available.items() if there)
    if not available.get(wish.partition(":")[0], False):
        raise ModelError(f"This machine has no {wish}: choose auto, cuda, mps or cpu.")
    return wish


def choose_precision(device: str, *, is_decoder: bool, wish: str = "auto") -> str:
    """float32 on a CPU; on a GPU half precision: bfloat16 for decoders, whose states overflow."""
    if wish != "auto":
        if wish not in {"float32", "float16", "bfloat16"}:
            raise ModelError(f"Unknown precision {wish}: choose float32, float16 or bfloat16.")
        return wish
    if device == "cpu":
        return "float32"
    return "bfloat16" if is_decoder else "float16"


def load_model(
    name: str | ModelFiles,
    store: Store,
    *,
    device: str = "auto",
    precision: str = "auto",
    language_head: bool = False,
    weights: bool = True,
) -> LoadedModel:
    """Load a model and its tokenizer, for reading states: no remote code, no dropout.

    With `language_head`, the network also guesses masked tokens, or the next one if it is a
    decoder; it must have been saved with what it takes. Without `weights` it tokenises and says
    what it is, for whoever has others run it, on a device that this machine need not have.
    """
    files = find_model(name, store) if isinstance(name, str) else name
    place = choose_device(device) if weights else device
    try:
        with quietly():
            config = load_config(files)
            text_config = config.get_text_config()
            is_decoder = is_causal(text_config)
            dtype = choose_precision(place, is_decoder=is_decoder, wish=precision)
            kind = _kind_of_network(config, is_decoder=is_decoder, language_head=language_head)
            config._attn_implementation = _attention(kind, config)
            network = (_load_network if weights else _outline)(files, kind, config, dtype)
            tokenizer = _load_tokenizer(files)
            n_layers = int(text_config.num_hidden_layers)
            network = network.eval().to(place) if weights else network
            # Reads a sentence, at which weights that do not fit each other show.
            normed = weights and has_final_norm(network.base_model, n_layers)
    except IsoglossError:
        raise
    except Exception as error:  # a foreign file can make transformers raise anything
        if files.gguf:
            raise gguf_error(files.directory / files.gguf, error) from error
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".:")
        raise ModelError(
            f"{files.name} could not be loaded from {files.directory} ({reason}): "
            "check that it holds a text model saved by transformers."
        ) from error
    _check_tokenizer(files, tokenizer, text_config)
    return LoadedModel(
        files=files,
        network=network,
        tokenizer=tokenizer,
        n_layers=n_layers,
        width=int(text_config.hidden_size),
        max_tokens=_max_tokens(network.base_model, tokenizer, text_config),
        is_decoder=is_decoder,
        device=place,
        precision=dtype,
        final_norm=normed if weights else expect_norm(files, store),
    )


def expect_norm(files: ModelFiles, store: Store) -> bool:
    """Whether a model has a final norm, by a small one of its kind; it is loaded if there is none.

    The small one has one block and few words, and is told apart as the model itself would be.
    """
    try:
        with quietly():
            network = _small_one(load_config(files))
            return has_final_norm(network, n_layers=1)
    except Exception:  # a configuration that cannot be cut short: its model can tell
        return load_model(files, store, device="cpu").final_norm


def _small_one(config: Any) -> Any:
    """A random network of one block and eight words, otherwise as `config` has it."""
    import torch

    kind = _kind_of_network(config, is_decoder=False, language_head=False)
    text_config = config.get_text_config()
    text_config.num_hidden_layers, text_config.vocab_size = 1, 8
    text_config.pad_token_id = 0
    if getattr(text_config, "layer_types", None):
        text_config.layer_types = text_config.layer_types[:1]
    config._attn_implementation = _attention(kind, config)
    with torch.random.fork_rng(devices=[]):
        return kind.from_config(config, dtype=torch.float32, trust_remote_code=False).eval()


def _kind_of_network(config: Any, *, is_decoder: bool, language_head: bool) -> Any:
    from transformers import (
        AutoModel,
        AutoModelForCausalLM,
        AutoModelForMaskedLM,
        AutoModelForTextEncoding,
    )

    if is_encoder_alone(config):
        return AutoModelForTextEncoding
    if not language_head:
        return AutoModel
    return AutoModelForCausalLM if is_decoder else AutoModelForMaskedLM


def _attention(kind: Any, config: Any) -> str:
    """The code that computes attention, whatever the configuration of a foreign model names.

    Torch's own where the model has it, else the plain formula: a configuration could name a kernel
    that is not installed, that this machine cannot run, or that would be fetched from a hub.
    """
    networks = kind._model_mapping[type(config)]
    networks = networks if isinstance(networks, tuple | list) else (networks,)
    return "sdpa" if all(network._supports_sdpa for network in networks) else "eager"


def _load_network(files: ModelFiles, kind: Any, config: Any, dtype: str) -> Any:
    import torch

    if files.random_seed is not None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(files.random_seed)
            network = kind.from_config(config, dtype=torch.float32, trust_remote_code=False)
        return network.to(getattr(torch, dtype))
    network, report = kind.from_pretrained(
        files.directory,
        config=config,
        dtype=getattr(torch, dtype),
        weights_only=True,
        trust_remote_code=False,
        local_files_only=True,
        output_loading_info=True,
        **as_gguf(files),
    )
    # What a file lacks, transformers fills with random numbers; only the pooler is never read.
    missing = sorted(key for key in report["missing_keys"] if "pooler" not in key)
    if missing and network.base_model is not network and (files.directory / HEAD).is_file():
        missing = _load_head(network, files.directory / HEAD, missing)
    inside = [key for key in missing if key.startswith(f"{network.base_model_prefix}.")]
    if missing and network.base_model is not network and not inside:
        raise ModelError(
            f"{files.name} was saved without the head that guesses tokens ({missing[0]} is not in "
            f"{files.directory}): choose a model that was saved with it."
        )
    if missing:
        raise ModelError(
            f"The weights in {files.directory} lack {missing[0]}"
            f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}: "
            "save the model again, or name it as random: for a random one."
        )
    return network


def _load_head(network: Any, path: Path, missing: list[str]) -> list[str]:
    """Give the network a head that is kept apart; returns what is missing even then."""
    from safetensors.torch import load_file

    head = load_file(path)
    network.load_state_dict(head, strict=False)
    return [name for name in missing if name not in head]


def _outline(files: ModelFiles, kind: Any, config: Any, dtype: str) -> Any:
    """The network with nothing in it, which takes no memory."""
    import torch

    with torch.device("meta"):
        return kind.from_config(config, dtype=getattr(torch, dtype), trust_remote_code=False)


def _load_tokenizer(files: ModelFiles) -> Any:
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    # A tokenizer.json is the whole truth; the class that some configurations name beside it
    # would rebuild the tokenizer as another kind, and badly.
    whole = not files.gguf and (files.directory / "tokenizer.json").is_file()
    kind = PreTrainedTokenizerFast if whole else AutoTokenizer
    return kind.from_pretrained(
        files.directory, trust_remote_code=False, local_files_only=True, **as_gguf(files)
    )


def _check_tokenizer(files: ModelFiles, tokenizer: Any, text_config: Any) -> None:
    if not tokenizer.is_fast:
        raise ModelError(
            f"{files.name} has only a slow tokenizer, which cannot tell where its tokens lie in "
            "the text: save it with a tokenizer.json."
        )
    # Without its files, transformers makes an empty tokenizer to which all words are unknown.
    if len(tokenizer) < text_config.vocab_size / 2:
        raise ModelError(
            f"The tokenizer in {files.directory} has {len(tokenizer):,} tokens where the model has "
            f"{text_config.vocab_size:,}: save the right one there as tokenizer.json."
        )


def _max_tokens(network: Any, tokenizer: Any, text_config: Any) -> int:
    limit = getattr(text_config, "max_position_embeddings", None) or MAX_TOKENS
    # RoBERTa's positions start after that of padding, so the first ones are never used.
    positions = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(positions, "padding_idx", None)
    if padding is not None:
        limit -= padding + 1
    return int(min(limit, tokenizer.model_max_length, MAX_TOKENS))
