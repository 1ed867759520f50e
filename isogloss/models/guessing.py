"""A model that guesses, read and changed in the middle: three verbs for causal and masked heads.

    read      the states of some tokens at every layer, from one pass
    guess     what the model's own head makes of given states, as if they were the last block's
    changed   within, what a layer hands on is changed before the next one sees it

States are always what a block hands on, before any final norm, so the norm is applied exactly once,
by `guess`, whatever the layer. It is the network's own code that runs there: its norm, its head and
its soft cap. That this is so is compared with the model's own answer when it is loaded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from isogloss.errors import ModelError
from isogloss.models.blocks import find_blocks, starting_above, watching
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.masking import only_asked
from isogloss.models.memory import require_memory
from isogloss.models.presets import base_of, find_preset
from isogloss.models.sources.finding import find_model
from isogloss.models.tokens import tokenise
from isogloss.store import Store

CLOSE = 1e-4
"""How far a logit may be from the model's own, as a share of the largest."""
GUESSES_AT_ONCE = 24_000_000
"""Logits that are computed together: about 100 MB."""
MASK = "[MASK]"
"""How a prompt names the gap, whatever the model calls its mask."""

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Prompt:
    """Token ids (t,) with special ones, where the guess is read, and how each token reads."""

    ids: tuple[int, ...]
    position: int
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Guesser:
    """A model with its head. `n_layers` counts blocks; layer 0 is the embedding output."""

    model: LoadedModel

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def n_layers(self) -> int:
        return self.model.n_layers

    @property
    def masked(self) -> bool:
        """Whether it fills gaps; else it goes on where a text ends."""
        return not self.model.is_decoder

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """What each token reads as, alone; "" for special ones."""
        tokenizer = self.model.tokenizer
        special = set(tokenizer.all_special_ids)
        texts = tokenizer.batch_decode(
            [[index] for index in range(len(tokenizer))], clean_up_tokenization_spaces=False
        )
        return tuple("" if index in special else text for index, text in enumerate(texts))

    def prompt(self, text: str) -> Prompt:
        """The tokens of a text; the guess is read at its gap, or at its end if it has none.

        A masked model needs the gap, which is written [MASK]; if it is not there it is put last.
        """
        tokenizer = self.model.tokenizer
        if not self.masked:
            (found,) = tokenise(self.model, [text])
            ids, pieces = list(found.ids), list(found.pieces)
            if ids and ids[-1] == tokenizer.eos_token_id and len(ids) > 1:
                ids, pieces = ids[:-1], pieces[:-1]
        else:
            if tokenizer.mask_token_id is None:
                raise ModelError(
                    f"The tokenizer of {self.name} has no mask token, so it cannot be asked to "
                    "fill a gap: choose a model that was trained on masked text."
                )
            gap = text if MASK in text else f"{text} {MASK}"
            (found,) = tokenise(self.model, [gap.replace(MASK, tokenizer.mask_token)])
            ids, pieces = list(found.ids), list(found.pieces)
        if not ids:
            raise ModelError("The prompt has no token: write a few words.")
        if found.truncated:
            raise ModelError(
                f"The prompt is longer than the {self.model.max_tokens:,} tokens that "
                f"{self.name} takes: shorten it."
            )
        position = len(ids) - 1
        if self.masked:
            if tokenizer.mask_token_id not in ids:
                raise ModelError(f"{self.name} does not see the gap in {text!r}: write [MASK].")
            position = ids.index(tokenizer.mask_token_id)
        return Prompt(tuple(ids), position, tuple(pieces))

    def read(self, prompts: Sequence[Prompt], *, everywhere: bool = False) -> Any:
        """The states (layers + 1, prompts, width) where each prompt is guessed at.

        With `everywhere`, those of all tokens of all prompts, one after the other. What all prompts
        to a causal model begin with is read once.
        """
        import torch

        shared = 0 if everywhere or self.masked else _shared_tokens(prompts)
        seen: list[Any] = []
        rest = [Prompt(prompt.ids[shared:], prompt.position - shared) for prompt in prompts]
        real, rows, columns = _places(rest, everywhere=everywhere)

        def keep(states: Any) -> None:
            seen.append(states[rows, columns].float())

        network = self.model.network.base_model
        with torch.inference_mode(), ExitStack() as hooks:
            before = self._beginning(prompts[0].ids[:shared], len(prompts)) if shared else {}
            for layer in range(self.n_layers + 1):
                hooks.enter_context(watching(self._blocks, layer, keep))
            network(**self._inputs(rest, real, shared) | before)
        return torch.stack(seen)

    def _beginning(self, ids: Sequence[int], times: int) -> dict[str, Any]:
        """What a pass takes that goes on after some tokens, so many prompts side by side."""
        import torch

        network = self.model.network
        given = torch.tensor([ids], device=network.device)
        cache = network.base_model(input_ids=given, use_cache=True).past_key_values
        cache.batch_repeat_interleave(times)
        return {"past_key_values": cache, "use_cache": True}

    def read_whole(self, prompts: Sequence[Prompt]) -> Any:
        """The states of every token, (layers + 1, prompts, tokens, width), padding included."""
        import torch

        seen: list[Any] = []
        real, _, _ = _places(prompts, everywhere=False)
        with torch.inference_mode(), ExitStack() as hooks:
            for layer in range(self.n_layers + 1):
                hooks.enter_context(watching(self._blocks, layer, seen.append))
            self.model.network.base_model(**self._inputs(prompts, real))
        return torch.stack(seen)

    def guess(self, states: Any) -> Iterator[tuple[int, Any]]:
        """The logits of states (rows, width) by parts: the first row of each, and (part, tokens).

        A part is as much as fits into memory at once, so read it and let it go.
        """
        import torch

        network = self.model.network
        step = max(1, GUESSES_AT_ONCE // self.width_of_vocabulary)
        with torch.inference_mode(), self._above_all_blocks() as give:
            for first in range(0, len(states), step):
                part = states[first : first + step].to(network.dtype).unsqueeze(1)
                give(part)
                dummy = torch.zeros(part.shape[:2], dtype=torch.long, device=part.device)
                logits = network(input_ids=dummy, **self._no_cache).logits[:, 0]
                yield first, logits.float()

    def probabilities(self, states: Any) -> Iterator[tuple[int, Any]]:
        """The same after the softmax."""
        import torch

        for first, logits in self.guess(states):
            yield first, torch.softmax(logits, -1)

    @contextmanager
    def changed(self, layer: int, change: Change) -> Iterator[None]:
        """Within, the states (batch, tokens, width) of `layer` are what `change` makes of them."""
        with watching(self._blocks, layer, change):
            yield

    def answer(self, prompts: Sequence[Prompt]) -> Any:
        """The model's own logits (prompts, tokens) where each prompt is guessed at."""
        import torch

        network = self.model.network
        real, rows, columns = _places(prompts, everywhere=False)
        with torch.inference_mode(), only_asked(network, rows, columns):
            return network(**self._inputs(prompts, real)).logits[0].float()

    def answer_from(self, layer: int, states: Any, prompts: Sequence[Prompt]) -> Any:
        """The same from whole states of `layer` on, (prompts, tokens, width); less work."""
        with starting_above(self.model.network.base_model, layer) as give:
            give(states)
            return self.answer(prompts)

    def speak(self, prompt: Prompt, tokens: int) -> Iterator[int]:
        """The next tokens by greedy decoding, one by one; of a masked model, what fills the gap."""
        import torch

        if self.masked:
            yield int(self.answer([prompt])[0].argmax())
            return
        network = self.model.network
        stops = {self.model.tokenizer.eos_token_id}
        ids, cache = torch.tensor([prompt.ids], device=network.device), None
        for _ in range(tokens):
            with torch.inference_mode():
                row, last = torch.tensor([0]), torch.tensor([ids.shape[1] - 1])
                with only_asked(network, row, last):
                    out = network(input_ids=ids, past_key_values=cache, use_cache=True)
            chosen, cache = int(out.logits[0, 0].argmax()), out.past_key_values
            if chosen in stops:
                return
            yield chosen
            ids = torch.tensor([[chosen]], device=network.device)

    def text(self, ids: Sequence[int]) -> str:
        """What some tokens read as, one after the other."""
        return str(
            self.model.tokenizer.decode(
                list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )

    @cached_property
    def width_of_vocabulary(self) -> int:
        """How many tokens a guess is about."""
        return int(self.model.network.config.get_text_config().vocab_size)

    @cached_property
    def _blocks(self) -> Any:
        return find_blocks(self.model.network.base_model)

    @property
    def _no_cache(self) -> dict[str, Any]:
        return {} if self.masked else {"use_cache": False}

    def _above_all_blocks(self) -> Any:
        return starting_above(self.model.network.base_model, self.n_layers)

    def _inputs(self, prompts: Sequence[Prompt], real: Any, before: int = 0) -> dict[str, Any]:
        """What the network takes; without padding no mask, so that attention is quick.

        `before` says how many tokens were read already.
        """
        import torch

        device = self.model.network.device
        ids = np.zeros(real.shape, np.int64)
        for row, prompt in enumerate(prompts):
            ids[row, : len(prompt.ids)] = prompt.ids
        inputs = {"input_ids": torch.from_numpy(ids).to(device), **self._no_cache}
        if not real.all():
            mask = np.pad(real, ((0, 0), (before, 0)), constant_values=True).astype(np.int64)
            inputs["attention_mask"] = torch.from_numpy(mask).to(device)
        return inputs


def _places(prompts: Sequence[Prompt], *, everywhere: bool) -> tuple[Any, Any, Any]:
    """Which tokens are real (prompts, tokens), and rows and columns of those that are read."""
    import torch

    lengths = np.array([len(prompt.ids) for prompt in prompts])
    real = np.arange(lengths.max()) < lengths[:, None]
    if everywhere:
        rows, columns = np.nonzero(real)
    else:
        rows = np.arange(len(prompts))
        columns = np.array([prompt.position for prompt in prompts])
    return real, torch.from_numpy(rows), torch.from_numpy(columns)


def _shared_tokens(prompts: Sequence[Prompt]) -> int:
    """How many tokens all prompts begin with, before any is guessed at; 0 where it is one."""
    most = min(prompt.position for prompt in prompts) if len(prompts) > 1 else 0
    columns = zip(*(prompt.ids[:most] for prompt in prompts), strict=False)
    different = (place for place, ids in enumerate(columns) if len(set(ids)) > 1)
    return next(different, most)


def load_guesser(name: str, store: Store) -> Guesser:
    """Load a model with its head, and see that reading its last layer gives its own guesses."""
    require_memory(name)
    guesser = Guesser(load_model(name, store, language_head=True))
    _check(guesser)
    return guesser


def _check(guesser: Guesser) -> None:
    """Compare what is read off the last layer with what the whole network says."""
    import torch

    network = guesser.model.network
    ids = guesser.prompt(f"1, 2, 3, {MASK}" if guesser.masked else "1, 2, 3,")
    with torch.inference_mode():
        inputs = {"input_ids": torch.tensor([ids.ids], device=network.device)}
        own = network(**inputs).logits[0, ids.position].float()
    ((_, read),) = guesser.guess(guesser.read([ids])[-1])
    apart = float((read[0] - own).abs().max() / own.abs().max().clamp_min(1))
    if not apart <= (CLOSE if guesser.model.precision == "float32" else 100 * CLOSE):
        raise ModelError(
            f"What is read off the last layer of {guesser.name} differs from what the model itself "
            f"says (by {apart:.2g} of its largest logit): this kind of model is not supported."
        )


class OneGuesser:
    """The one model with a head that a process keeps: all who ask use it, one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: Guesser | None = None

    @contextmanager
    def using(self, name: str, store: Store) -> Iterator[Guesser]:
        """The model, loaded if it is not the one that is kept; nobody else has it meanwhile."""
        with self._lock:
            if self._kept is None or self._kept.name != name:
                self._kept = None  # its memory is needed
                self._kept = load_guesser(name, store)
            yield self._kept


the_guesser = OneGuesser()


def identify(name: str, store: Store) -> str:
    """What a model is in the key of an answer: its weights' digest.

    Where a package of one version carries it, that says as much, and needs no weights to be there.
    """
    preset = find_preset(base_of(name))
    if preset is not None and preset.where == "package":
        return name
    return find_model(name, store).fingerprint
