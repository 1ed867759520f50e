"""States that ship, packed: the same bits in four fifths of the room.

Numbers of half precision barely shrink as they stand, but one of their two bytes holds the sign and
the exponent, and these are much alike. So each layer is two tensors of an ordinary safetensors
file: `layer.0.high`, those bytes, packed by LZMA, and `layer.0.low`, the others, by DEFLATE. Where
it is smaller, they are packed feature by feature, as `layer.0.high by feature`. The tensor `shape`
says how many rows and features there are. A layer takes some milliseconds to unpack
and cannot be mapped, so what is extracted or trained stays as it is (`isogloss.store.states`).
"""

from __future__ import annotations

import lzma
import math
import zlib
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isogloss.store.errors import CorruptEntryError, StoreError
from isogloss.store.states import open_tensor, read_header

PACKED_STATES = "states.packed.safetensors"
_LOW, _HIGH, _TURNED = "low", "high", "high by feature"
_MOST_BYTES = 1 << 23
"""Of one layer, unpacked: what packs larger states should be small, or is not well meant."""
_LAYERS_AT_HAND = 48


def pack_states(layers: list[npt.NDArray[np.float16]], path: Path) -> None:
    """Write layers of one shape (rows, features) in half precision to a packed file."""
    from safetensors.numpy import save_file

    if any(layer.dtype != np.float16 or layer.nbytes > _MOST_BYTES for layer in layers):
        raise StoreError(f"Only float16 states of up to {_MOST_BYTES:,} bytes a layer are packed.")
    tensors = {"shape": np.array(layers[0].shape, np.int64)}
    for index, layer in enumerate(layers):
        halves = np.ascontiguousarray(layer, "<f2").view(np.uint8).reshape(*layer.shape, 2)
        high = halves[..., 1]
        ways = {_HIGH: lzma.compress(high.tobytes()), _TURNED: lzma.compress(high.T.tobytes())}
        best = min(ways, key=lambda way: len(ways[way]))
        for name, data in {best: ways[best], _LOW: zlib.compress(halves[..., 0].tobytes())}.items():
            tensors[f"layer.{index}.{name}"] = np.frombuffer(data, np.uint8)
    save_file(tensors, path)


def count_packed(path: Path) -> int:
    """How many layers' states a packed file holds."""
    return (len(read_header(path)) - 1) // 2


@lru_cache(_LAYERS_AT_HAND)
def unpack_layer(path: Path, index: int) -> npt.NDArray[np.float16]:
    """The states of one layer of a packed file, (rows, features), read-only."""
    shape = open_tensor(path, "shape").tolist()
    size = math.prod(shape)
    if len(shape) != 2 or min(shape) < 0 or 2 * size > _MOST_BYTES:
        raise CorruptEntryError(f"{path} promises layers of shape {shape}, which cannot be.")
    turned = f"layer.{index}.{_TURNED}" in read_header(path)
    high = open_tensor(path, f"layer.{index}.{_TURNED if turned else _HIGH}").tobytes()
    low = open_tensor(path, f"layer.{index}.{_LOW}").tobytes()
    try:
        # A byte more than there should be is enough to notice that there are more.
        lows = zlib.decompressobj().decompress(low, size + 1)
        highs = lzma.LZMADecompressor().decompress(high, size + 1)
    except (zlib.error, lzma.LZMAError) as error:
        raise CorruptEntryError(f"{path} has a layer {index} that is damaged ({error}).") from None
    if not len(lows) == len(highs) == size:
        raise CorruptEntryError(f"{path} has a layer {index} that is not of shape {shape}.")
    halves = np.empty((*shape, 2), np.uint8)
    halves[..., 0] = np.frombuffer(lows, np.uint8).reshape(shape)
    order = np.frombuffer(highs, np.uint8)
    halves[..., 1] = order.reshape(shape[::-1]).T if turned else order.reshape(shape)
    states = halves.view("<f2")[..., 0]
    states.flags.writeable = False
    return states
