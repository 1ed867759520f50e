"""The states file: official safetensors, allocated at once, written and read by memory map."""

import errno
import os

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from isogloss.store import StatesWriter, Store, StoreError, create_states_file, open_states_file
from isogloss.store.states import open_tensor, read_header


def random_states(shape, dtype):
    return np.random.default_rng(0).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_the_official_library_reads_what_was_streamed_into_place(tmp_path, dtype):
    path = tmp_path / "states.safetensors"
    expected = random_states((12, 7, 5), dtype)
    states = create_states_file(path, n_states=12, rows=7, width=5, dtype=dtype)
    for row in (3, 0, 6, 1, 2, 5, 4):
        states[:, row, :] = expected[:, row, :]
    del states
    tensors = load_file(path)
    assert sorted(tensors) == sorted(f"layer.{layer}" for layer in range(12))
    for layer in range(12):
        assert tensors[f"layer.{layer}"].dtype == np.dtype(dtype)
        np.testing.assert_array_equal(tensors[f"layer.{layer}"], expected[layer])


def test_a_fresh_file_is_zero_allocated_and_aligned(tmp_path):
    path = tmp_path / "states.safetensors"
    create_states_file(path, n_states=3, rows=1000, width=64, dtype="float32")
    assert not np.any(open_states_file(path))
    assert read_header(path)["layer.0"].offset % 64 == 0
    assert os.stat(path).st_blocks * 512 >= 3 * 1000 * 64 * 4
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_rows_are_written_to_their_place_and_a_second_writer_continues(tmp_path, dtype):
    path = tmp_path / "states.safetensors"
    create_states_file(path, n_states=3, rows=7, width=5, dtype=dtype)
    expected = random_states((3, 7, 5), dtype)
    for parts in ([(4, 7), (0, 1)], [(1, 4)]):
        writer = StatesWriter(path)
        for start, end in parts:
            writer.write(start, expected[:, start:end])
        writer.sync()
        writer.close()
    np.testing.assert_array_equal(open_states_file(path), expected)
    np.testing.assert_array_equal(load_file(path)["layer.2"], expected[2])


def test_a_layer_is_a_read_only_map_and_not_a_copy(tmp_path):
    expected = random_states((3, 4, 2), "float32")

    def build(workspace):
        states = create_states_file(
            workspace / "states.safetensors", n_states=3, rows=4, width=2, dtype="float32"
        )
        states[:] = expected

    entry = Store(tmp_path, demo=None).get_or_create({"a": 1}, build)
    layer = entry.layer(2)
    assert entry.n_states == 3
    assert isinstance(layer, np.memmap)
    assert not layer.flags.writeable
    np.testing.assert_array_equal(layer, expected[2])
    with pytest.raises(StoreError, match=r"no tensor layer\.3"):
        entry.layer(3)


def test_layers_written_by_the_official_library_in_any_order_are_read(tmp_path):
    expected = random_states((12, 3, 2), "float16")

    def build(workspace):
        layers = {f"layer.{layer}": expected[layer] for layer in range(12)}
        save_file({**layers, "flags": np.array([True])}, workspace / "states.safetensors")

    entry = Store(tmp_path, demo=None).get_or_create({"a": 1}, build)
    assert entry.n_states == 12
    for layer in range(12):
        np.testing.assert_array_equal(entry.layer(layer), expected[layer])
    with pytest.raises(StoreError, match="in order"):
        open_states_file(entry.file("states.safetensors"))


def test_an_empty_tensor_has_its_shape(tmp_path):
    save_file({"a": np.zeros((0, 4), np.float32)}, tmp_path / "empty.safetensors")
    assert open_tensor(tmp_path / "empty.safetensors", "a").shape == (0, 4)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "its header is cut"),
        (bytes(7), "its header is cut"),
        (bytes(8), "unreadable safetensors header"),
        (b"\1" + bytes(7), "its header is cut"),
    ],
)
def test_what_has_no_room_for_a_header_is_told_from_an_empty_one(tmp_path, content, sentence):
    path = tmp_path / "states.safetensors"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=sentence):
        read_header(path)


def test_any_cut_is_noticed(tmp_path):
    path = tmp_path / "states.safetensors"
    create_states_file(path, n_states=1, rows=2, width=3, dtype="float16")
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(StoreError):
            read_header(path)
    path.write_bytes(content + b"\0")
    with pytest.raises(StoreError, match="promises"):
        read_header(path)


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b'{"a": 1}',
        b'{"a": {"dtype": "F16", "shape": [2], "data_offsets": [0, 2]}}',
        b'{"a": {"dtype": "F16", "shape": [-1], "data_offsets": [0, -2]}}',
        b'{"a": {"dtype": "F16", "shape": [1], "data_offsets": [2, 4]}}',
        b'{"a": {"dtype": "F16", "shape": [1.0], "data_offsets": [0, 2]}}',
        b"[" * 100_000,
    ],
)
def test_a_nonsensical_header_is_refused(tmp_path, header):
    path = tmp_path / "states.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(StoreError):
        read_header(path)


@pytest.mark.parametrize(
    ("changed", "sentence"), [({"dtype": "int8"}, "float16 or float32"), ({"rows": 0}, "nothing")]
)
def test_what_cannot_be_stored_is_said(tmp_path, changed, sentence):
    wanted = {"n_states": 2, "rows": 3, "width": 4, "dtype": "float16"} | changed
    with pytest.raises(StoreError, match=sentence):
        create_states_file(tmp_path / "states.safetensors", **wanted)


def test_without_fallocate_the_file_is_the_same(tmp_path, monkeypatch):
    wanted = {"n_states": 2, "rows": 3, "width": 4, "dtype": "float16"}
    create_states_file(tmp_path / "one", **wanted)

    def unsupported(*_):
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr(os, "posix_fallocate", unsupported, raising=False)
    create_states_file(tmp_path / "other", **wanted)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_the_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "states.safetensors"

    def killed_on_the_way(stream, size):
        stream.write(bytes(size))
        stream.flush()
        assert not path.exists()
        raise KeyboardInterrupt

    monkeypatch.setattr("isogloss.store.states._allocate", killed_on_the_way)
    with pytest.raises(KeyboardInterrupt):
        create_states_file(path, n_states=2, rows=3, width=4, dtype="float16")
    assert not path.exists()
    monkeypatch.undo()
    create_states_file(path, n_states=2, rows=3, width=4, dtype="float16")
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
