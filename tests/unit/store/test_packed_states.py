"""Packed states: the same bits, and one sentence where a file is not what it promises."""

import lzma
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import load_file, save_file

from isogloss.store import STATES, Store, StoreError, create_states_file
from isogloss.store.errors import CorruptEntryError
from isogloss.store.packed_states import PACKED_STATES, count_packed, pack_states, unpack_layer

SHAPES = st.tuples(st.integers(1, 3), st.integers(0, 5), st.integers(1, 5))


@given(states=arrays(np.uint16, SHAPES))
def test_every_bit_comes_back_also_of_what_is_no_number(tmp_path_factory, states):
    path = tmp_path_factory.mktemp("packed") / PACKED_STATES
    layers = list(states.view(np.float16))
    pack_states(layers, path)
    assert count_packed(path) == len(layers)
    for index, layer in enumerate(layers):
        found = unpack_layer(path, index)
        assert found.dtype == np.float16
        assert not found.flags.writeable
        assert found.shape == layer.shape
        assert found.tobytes() == layer.tobytes()


@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_alike_down_or_across_is_packed_well_and_comes_back(tmp_path, axis):
    random = np.random.default_rng(2)
    alike = np.exp2(random.integers(-12, 12, size=300))
    noise = random.uniform(1, 2, size=(300, 300))
    layer = (noise * np.expand_dims(alike, axis)).astype(np.float16)
    path = tmp_path / PACKED_STATES
    pack_states([layer], path)
    np.testing.assert_array_equal(unpack_layer(path, 0), layer)
    assert ("layer.0.high by feature" in load_file(path)) == (axis == 0)


def test_states_like_those_of_models_take_less_room(tmp_path):
    random = np.random.default_rng(0)
    layers = [random.normal(size=(400, 64)).astype(np.float16) for _ in range(3)]
    pack_states(layers, tmp_path / PACKED_STATES)
    plain = sum(layer.nbytes for layer in layers)
    assert (tmp_path / PACKED_STATES).stat().st_size < 0.9 * plain


def test_an_entry_reads_packed_states_as_it_reads_others(tmp_path):
    random = np.random.default_rng(1)
    states = random.normal(size=(3, 4, 2)).astype(np.float16)
    store = Store(tmp_path, demo=None)

    def plain(workspace):
        made = create_states_file(workspace / STATES, n_states=3, rows=4, width=2, dtype="float16")
        made[:] = states

    def packed(workspace):
        pack_states(list(states), workspace / PACKED_STATES)

    for name, build in {"plain": plain, "packed": packed}.items():
        entry = store.get_or_create({"name": name}, build)
        assert entry.n_states == 3
        assert store.verify(entry) == ()
        for layer in range(3):
            np.testing.assert_array_equal(entry.layer(layer), states[layer])
        with pytest.raises(StoreError, match=r"holds no tensor layer\.3"):
            entry.layer(3)


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (np.zeros((2, 2), np.float32), "Only float16 states"),
        (np.zeros((1 << 12, 1 << 11), np.float16), "up to 8,388,608 bytes a layer"),
    ],
)
def test_what_is_too_large_or_of_another_type_is_not_packed(tmp_path, layer, reason):
    with pytest.raises(StoreError, match=reason):
        pack_states([layer], tmp_path / PACKED_STATES)


def change(tensors, name, data):
    tensors[name] = np.frombuffer(data, np.uint8)


DAMAGE = {
    "cut": (lambda t: change(t, "layer.0.low", t["layer.0.low"].tobytes()[:-9]), "is not of shape"),
    "garbled": (lambda t: change(t, "layer.0.high", b"no such thing"), "is damaged"),
    "garbled low": (lambda t: change(t, "layer.0.low", b"no such thing"), "is damaged"),
    "larger than it says": (
        lambda t: change(t, "layer.0.low", zlib.compress(bytes(1 << 24))),
        "is not of shape",
    ),
    "larger, too": (
        lambda t: change(t, "layer.0.high", lzma.compress(bytes(1 << 24))),
        "is not of shape",
    ),
    "a bomb": (
        lambda t: t.update(shape=np.array([1 << 30, 1 << 10])),
        r"promises layers of shape \[1073741824, 1024\]",
    ),
    "negative": (lambda t: t.update(shape=np.array([-4, -8])), r"promises .* \[-4, -8\]"),
    "of one number": (lambda t: t.update(shape=np.array([32])), r"promises .* \[32\]"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_file_that_is_not_what_it_promises_is_refused(tmp_path, name):
    damage, reason = DAMAGE[name]
    path = tmp_path / PACKED_STATES
    pack_states([np.ones((4, 8), np.float16)], path)
    tensors = load_file(path)
    damage(tensors)
    save_file(tensors, path)
    with pytest.raises(CorruptEntryError, match=reason):
        unpack_layer(path, 0)
