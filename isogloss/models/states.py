"""Which states a model has: the output of the embeddings, of every block, and of a final norm.

Layer 0 is the embedding output and layer i what block i hands on. Decoders and some encoders
normalise once more after the last block; transformers gives only the outcome of that as the last of
its hidden states. Here it is a stop of its own, above all layers, called "after the final norm".
How many states there are and what each is called is said here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from isogloss.errors import ExtractionError
from isogloss.models.blocks import last_block, watching

AFTER_NORM = "after the final norm"
BLOCKS = "blocks"
"""What the record of a study says whose layers are blocks' outputs though the model has a norm."""

FinalNorm = Literal["none", "apart", "on top"]
"""Whether there is a final norm: none; kept apart, above the last block; or, as transformers gives
it and studies made before 0.4 have it, on the top layer, in the place of the last block's output.
"""


@dataclass(frozen=True)
class LayerStates:
    """The states of a model by number: 0 the embeddings, i block i, then perhaps the normed top."""

    n_layers: int
    final_norm: FinalNorm = "none"

    def __len__(self) -> int:
        return self.n_layers + 1 + (self.final_norm == "apart")

    @property
    def last(self) -> int:
        """The number of the topmost state."""
        return len(self) - 1

    @property
    def normed(self) -> int | None:
        """The number of the state after the final norm, if there is one."""
        return None if self.final_norm == "none" else self.last

    @property
    def handed_on(self) -> LayerStates:
        """The same as transformers gives them: the normed top in the place of the last block's."""
        return replace(self, final_norm="none" if self.final_norm == "none" else "on top")

    @property
    def handed_on_numbers(self) -> list[int]:
        """Which of these states transformers gives, in its order."""
        return [*range(self.n_layers), self.last]

    def name(self, number: int) -> str:
        """What a state is called where layers are listed: "7", or "after the final norm"."""
        if number != self.normed:
            return str(number)
        return AFTER_NORM if self.final_norm == "apart" else f"{number}, {AFTER_NORM}"

    def short(self, number: int) -> str:
        """The same as the tick of an axis, where there is little room."""
        return "norm" if number == self.normed else str(number)

    def title(self, number: int) -> str:
        """A state called in full, as the head of something: "Layer 7", "After the final norm"."""
        if number == self.normed and self.final_norm == "apart":
            return AFTER_NORM.capitalize()
        return f"Layer {self.name(number)}"

    def place(self, number: int) -> str:
        """Where that is, inside a sentence: "at layer 7", "after the final norm"."""
        if number == self.normed and self.final_norm == "apart":
            return AFTER_NORM
        return f"at layer {self.name(number)}"

    def describe(self) -> str:
        """What a reader must know of the top, "" where there is nothing to know."""
        if self.final_norm == "apart":
            return "Every layer is its block's output; the final norm is a stop of its own, above."
        if self.final_norm == "on top":
            return (
                f"Layer {self.n_layers} is {AFTER_NORM}, all below are blocks' outputs: so it was "
                "stored before 0.4. Extract the model again to have its top layer, too."
            )
        return ""

    def counterpart(self, number: int, other: LayerStates) -> int:
        """The state of another model at the same share of its depth; normed tops meet."""
        if number > self.n_layers:
            return other.last
        return round(number * other.n_layers / self.n_layers)


def has_final_norm(network: Any, n_layers: int) -> bool:
    """Whether what the last block hands on is changed before it becomes the last hidden state.

    One short sentence is read, so that nothing is padded. Its tokens are none that usually pads,
    whose embedding may be zero, which no norm changes.
    """
    import torch

    ids = torch.tensor([[2, 3, 4]], device=network.device)
    with torch.inference_mode():
        given, output = _run(network, n_layers, {"input_ids": ids})
    # Some blocks have the tokens before the sentences, which for one sentence is the same order.
    return not torch.equal(given[-1].flatten(), output.flatten())


def read_states(network: Any, states: LayerStates, inputs: dict[str, Any]) -> Sequence[Any]:
    """Every state of a batch from one pass, each a tensor (sentences, tokens, width)."""
    if states.final_norm != "apart":
        given = _hidden_states(network, inputs)
        expected = len(states)
    else:
        given, output = _run(network, states.n_layers, inputs)
        expected = len(states) - 1
        if output.shape != given[-1].shape:
            raise ExtractionError(
                f"The blocks of {type(network).__name__} give states of shape "
                f"{tuple(output.shape)} where {tuple(given[-1].shape)} was expected: this kind of "
                "model is not supported."
            )
    if len(given) != expected:
        raise ExtractionError(
            f"{type(network).__name__} gave {len(given)} layers of states where its configuration "
            f"promises {expected}: this kind of model is not supported."
        )
    return given if states.final_norm != "apart" else [*given[:-1], output, given[-1]]


def _hidden_states(network: Any, inputs: dict[str, Any]) -> Sequence[Any]:
    found: Sequence[Any] = network(
        **inputs, output_hidden_states=True, return_dict=True
    ).hidden_states
    return found


def _run(network: Any, n_layers: int, inputs: dict[str, Any]) -> tuple[Sequence[Any], Any]:
    """The hidden states as transformers gives them, and what the last block handed on."""
    seen: list[Any] = []
    with watching([last_block(network, n_layers)], 1, seen.append):
        given = _hidden_states(network, inputs)
    return given, seen[-1]
