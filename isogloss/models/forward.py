"""Forward passes: batches of sentences go through a model, every layer's states come back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.errors import ExtractionError
from isogloss.models.loading import LoadedModel
from isogloss.models.states import LayerStates, read_states


def sort_by_length(lengths: np.ndarray, chosen: Sequence[int]) -> list[int]:
    """`chosen` sentences, longest first, so that too little memory shows at once."""
    return sorted(chosen, key=lambda index: (-int(lengths[index]), index))


def next_batch(order: Sequence[int], lengths: np.ndarray, first: int, budget: int) -> list[int]:
    """The sentences from `order[first]` on that fit `budget` padded tokens; one at the least."""
    longest = int(lengths[order[first]])
    return list(order[first : first + max(1, budget // longest)])


@dataclass(frozen=True)
class PendingStates:
    """States on their way to the host: `collect` waits for them."""

    model_name: str
    states: Any
    largest: Any
    scale: int
    arrived: Any | None

    def collect(self) -> np.ndarray:
        """States of the batch's tokens, padding left out: (states, tokens, width)."""
        if self.arrived is not None:
            self.arrived.synchronize()
        largest = float(self.largest)
        if not math.isfinite(largest):
            raise ExtractionError(
                f"{self.model_name} gave states that are not finite numbers: compute in float32."
            )
        states = np.asarray(self.states.numpy())
        if (needed := storage_scale(str(states.dtype), largest)) > self.scale:
            raise ScaleTooSmall(self.model_name, needed)
        return states


class ScaleTooSmall(Exception):
    """States were too large to be stored as they were divided; `needed` is a scale that does."""

    def __init__(self, model_name: str, needed: int) -> None:
        super().__init__(model_name, needed)  # both, so that it can be sent between processes
        self.model_name, self.needed = model_name, needed


def storage_scale(stored_as: str, largest: float) -> int:
    """What states are divided by before they are stored: the least power of two that will do.

    Models with a final norm grow a few features, above all at their first token, beyond what half
    precision holds (65,504; Sun et al. 2024, Massive activations). A power of two costs no digit of
    the others, unless it is so large that they vanish.
    """
    most = float(np.finfo(stored_as).max)
    return 1 if largest <= most else 2 ** math.ceil(math.log2(largest / most))


class ForwardPasses:
    """Runs a model batch by batch; on CUDA, states are copied while the next batch computes.

    States are divided by `scale` before they are stored. They are the `states` of the model, all
    that it has unless others are asked for.
    """

    def __init__(
        self,
        model: LoadedModel,
        stored_as: str,
        scale: int = 1,
        states: LayerStates | None = None,
    ) -> None:
        import torch

        self._model = model
        self._states = states or model.states
        self._stored_as = getattr(torch, stored_as)
        self._scale = scale
        self._copies = torch.cuda.Stream(model.device) if model.device.startswith("cuda") else None

    def read(
        self,
        ids: Sequence[np.ndarray],
        order: Sequence[int],
        budget: int,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[list[int], np.ndarray]]:
        """Yield the sentences of each batch and their states; the next batch computes meanwhile.

        `order` has indices of `ids`, the longest first. A batch that is too much for the device's
        memory is halved, and so are those after it. Asked to stop, it ends with what is under way.
        """
        lengths = np.array([len(each) for each in ids])
        before: tuple[list[int], PendingStates] | None = None
        first = 0
        while first < len(order) and not should_stop():
            batch = next_batch(order, lengths, first, budget)
            try:
                launched = self.launch([ids[index] for index in batch])
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                budget = self._smaller_budget(batch, int(lengths[batch[0]]))
                continue
            first += len(batch)
            if before is not None:
                yield before[0], before[1].collect()
            before = (batch, launched)
        if before is not None:
            yield before[0], before[1].collect()

    def _smaller_budget(self, batch: Sequence[int], longest: int) -> int:
        """Half of what was too much for the device's memory."""
        if len(batch) == 1:
            raise ExtractionError(
                f"{self._model.device} has too little memory for one sentence of {longest} tokens: "
                "choose another device or a smaller model."
            )
        return longest * (len(batch) // 2)

    def launch(self, sentences: Sequence[np.ndarray]) -> PendingStates:
        """Start one batch of token ids. What is stored of them is checked when it arrives."""
        import torch

        lengths = np.array([len(ids) for ids in sentences])
        real = np.arange(lengths.max()) < lengths[:, None]
        ids = np.full(real.shape, self._model.tokenizer.pad_token_id or 0, np.int64)
        ids[real] = np.concatenate(sentences)
        with torch.inference_mode(), _bounded_memory(self._model):
            layers = self._hidden_states(ids, real)
            rows = None if real.all() else self._to_device(np.flatnonzero(real))
            states = torch.empty(
                (len(layers), int(lengths.sum()), self._model.width),
                dtype=self._stored_as,
                device=self._model.device,
            )
            largest = torch.zeros((), device=self._model.device)
            for place, layer in zip(states, layers, strict=True):
                tokens = layer.flatten(0, 1)
                kept = tokens if rows is None else tokens.index_select(0, rows)
                place.copy_(kept if self._scale == 1 else kept / self._scale)
                for end in torch.aminmax(kept):  # where one is not a number, neither is the largest
                    largest = torch.maximum(largest, end.abs().float())
            return self._send(states, largest)

    def _hidden_states(self, ids: np.ndarray, real: np.ndarray) -> Sequence[Any]:
        options: dict[str, Any] = {"use_cache": False} if self._model.is_decoder else {}
        if not real.all():  # without padding, attention takes its fast path
            options["attention_mask"] = self._to_device(real.astype(np.int64))
        options["input_ids"] = self._to_device(ids)
        return read_states(self._model.network, self._states, options)

    def _to_device(self, values: np.ndarray) -> Any:
        import torch

        return torch.from_numpy(values).to(self._model.device)

    def _send(self, states: Any, largest: Any) -> PendingStates:
        """Copy to the host; on CUDA just start to, on a stream of its own into pinned memory."""
        import torch

        if self._copies is None:
            return PendingStates(self._model.name, states.cpu(), largest, self._scale, None)
        self._copies.wait_stream(torch.cuda.current_stream(states.device))
        with torch.cuda.stream(self._copies):
            # Without blocking, torch takes pinned memory and uses it again once it is free.
            host, checked = (each.to("cpu", non_blocking=True) for each in (states, largest))
            arrived = self._copies.record_event()
        for each in (states, largest):
            each.record_stream(self._copies)
        return PendingStates(self._model.name, host, checked, self._scale, arrived)


@contextmanager
def _bounded_memory(model: LoadedModel) -> Iterator[None]:
    """On a CPU, without oneDNN: for every new shape of a batch it keeps a copy of each weight.

    It would win a few per cent of the time; in half precision much more, so there it stays.
    """
    from torch.backends import mkldnn

    was_enabled = mkldnn.enabled
    if model.device == "cpu" and model.precision == "float32":
        mkldnn.enabled = False
    try:
        yield
    finally:
        mkldnn.enabled = was_enabled


def is_out_of_memory(error: Exception) -> bool:
    """Whether `error` says that the batch was too large for the device."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    # Apple's devices and the CPU say it in words only.
    said = str(error).lower()
    return isinstance(error, RuntimeError) and (
        "out of memory" in said or "can't allocate memory" in said
    )
