"""The blocks of a transformer: finding them, freezing the lower ones, starting above them.

Layer 0 is the embedding output and layer i the output of block i, before any final normalisation.
With N layers frozen as in the source: -1 trains everything, 0 freezes the embeddings, N freezes the
embeddings and blocks 1…N; with all blocks frozen the final normalisation is, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from isogloss.errors import ModelError

_SHARED_BY_BLOCKS = ("rel_embeddings", "relative_attention_bias")
_LISTS = ("layer", "layers", "h", "block", "blocks")


def find_blocks(network: Any) -> Any:
    """The list of blocks (a torch ModuleList), one for each layer of the configuration."""
    expected = int(network.config.get_text_config().num_hidden_layers)
    if any(part in name for name, _ in network.named_parameters() for part in _SHARED_BY_BLOCKS):
        raise ModelError(
            f"The blocks of {type(network).__name__} share weights for positions, so what a frozen "
            "one says would go on changing: this kind of model cannot be frozen layer by layer."
        )
    blocks = _usual_list(network, expected)
    if blocks is None:
        raise ModelError(
            f"The {expected} blocks of {type(network).__name__} are not where they usually are: "
            "this kind of model cannot be frozen layer by layer."
        )
    return blocks


def last_block(network: Any, n_layers: int) -> Any:
    """The module whose output is the last block's, also where blocks share or lack a module.

    Where blocks are not in a list of their own, that is the last member of the last list.
    """
    import torch

    blocks = _usual_list(network, n_layers)
    if blocks is not None:
        return blocks[-1]
    lists = {
        name: module
        for name, module in network.named_modules()
        if isinstance(module, torch.nn.ModuleList) and len(module)
    }
    outermost = [
        module
        for name, module in lists.items()
        if not any(name.startswith(f"{other}.") for other in lists)
    ]
    if not outermost:
        raise ModelError(
            f"The blocks of {type(network).__name__} are not where they usually are: this kind of "
            "model is not supported."
        )
    return outermost[-1][-1]


def _usual_list(network: Any, length: int) -> Any | None:
    """The list of so many blocks, under one of the names that it usually has."""
    import torch

    for name, module in network.named_modules():
        if (
            isinstance(module, torch.nn.ModuleList)
            and len(module) == length
            and name.rpartition(".")[2] in _LISTS
        ):
            return module
    return None


def parameters_by_layer(network: Any) -> dict[str, int]:
    """For each parameter the layer it makes: 0 for embeddings, i for block i, L + 1 for the rest.

    The rest is what comes after the last block, such as a decoder's final normalisation.
    """
    blocks = find_blocks(network)
    inside = {
        id(parameter): number
        for number, block in enumerate(blocks, start=1)
        for parameter in block.parameters()
    }
    blocks_name = next(name for name, module in network.named_modules() if module is blocks)
    after = len(blocks) + 1
    layers: dict[str, int] = {}
    seen_blocks = False
    for name, parameter in network.named_parameters():
        seen_blocks = seen_blocks or name.startswith(f"{blocks_name}.")
        layers[name] = inside.get(id(parameter), after if seen_blocks else 0)
    return layers


def freeze(network: Any, frozen: int) -> list[Any]:
    """Freeze the first `frozen` layers (see the module) and return the parameters that learn.

    A pooler is left out of both: nothing here reads it.
    """
    n_layers = len(find_blocks(network))
    if not -1 <= frozen <= n_layers:
        raise ModelError(f"Between -1 and {n_layers} layers can be frozen, not {frozen}.")
    layers = parameters_by_layer(network)
    learning = []
    for name, parameter in network.named_parameters():
        learns = layers[name] > frozen and "pooler" not in name
        if frozen == n_layers:
            learns = False
        parameter.requires_grad_(learns)
        if learns:
            learning.append(parameter)
    return learning


def set_training(network: Any, frozen: int, *, dropout: bool) -> None:
    """Dropout on in what learns, if asked for, and off in what is frozen, whose output is fixed."""
    network.train(dropout and frozen < 0)
    for block in find_blocks(network)[max(frozen, 0) :]:
        block.train(dropout)


@contextmanager
def watching(blocks: Any, layer: int, see: Callable[[Any], Any]) -> Iterator[None]:
    """Within, `see` gets the states of a layer; what it returns, if anything, takes their place."""

    def before(module: Any, args: Any, kwargs: Any) -> Any:
        new = see(args[0] if args else kwargs["hidden_states"])
        if new is None:
            return None
        return ((new, *args[1:]), kwargs) if args else (args, {**kwargs, "hidden_states": new})

    def after(module: Any, args: Any, output: Any) -> Any:
        as_tuple = isinstance(output, tuple | list)
        new = see(output[0] if as_tuple else output)
        if new is None:
            return None
        return (new, *output[1:]) if as_tuple else new

    if layer == 0:
        hook = blocks[0].register_forward_pre_hook(before, with_kwargs=True)
    else:
        hook = blocks[layer - 1].register_forward_hook(after)
    try:
        yield
    finally:
        hook.remove()


def run_to_layer(network: Any, layer: int, **inputs: Any) -> Any:
    """The states of `layer` (batch, tokens, width); blocks above it are not computed."""
    caught: list[Any] = []

    def catch(states: Any) -> None:
        caught.append(states)
        raise _Caught

    with watching(find_blocks(network), layer, catch), suppress(_Caught):
        network(**inputs)
    return caught[0]


@contextmanager
def starting_above(network: Any, layer: int) -> Iterator[Callable[[Any], None]]:
    """Within, a pass of the network starts from states of `layer`: yields a function to give them.

    The network's own forward pass runs, so masks, positions and what follows the last block are its
    own; it is called as ever, blocks up to `layer` hand on what they are given, and what the
    embeddings say is replaced by the states given last.
    """
    blocks = find_blocks(network)
    given: list[Any] = [None]
    as_tuple = _returns_tuple(network)

    def hand_on(hidden_states: Any, *args: Any, **kwargs: Any) -> Any:
        return (hidden_states,) if as_tuple else hidden_states

    def give(states: Any) -> None:
        given[0] = states

    for block in blocks[:layer]:
        block.forward = hand_on
    try:
        with watching(blocks, 0, lambda states: given[0]):
            yield give
    finally:
        for block in blocks[:layer]:
            del block.forward  # the class's own is behind it


def _returns_tuple(network: Any) -> bool:
    """Whether blocks return a tuple that begins with the states, or the states themselves."""
    import torch

    seen: list[bool] = []

    def look(module: Any, args: Any, output: Any) -> None:
        seen.append(isinstance(output, tuple))
        raise _Caught

    hook = find_blocks(network)[0].register_forward_hook(look)
    try:
        with torch.no_grad(), suppress(_Caught):
            network(input_ids=torch.zeros((1, 1), dtype=torch.long, device=network.device))
    finally:
        hook.remove()
    return seen[0]


class _Caught(Exception):
    """The states that were wanted are there; the rest of the pass is not needed."""
