"""Own vectors of somebody who wishes ill: one sentence each, and no more memory than is due."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks import hostile as benchmark
from isogloss.studies.own_vectors.token_rows import read_token_rows
from tests.helpers import hostile

ROOT = Path(__file__).parents[3]

SAID = {
    "numbers far apart.npz": "has an array 'layer.400000000'",
    "numbers somewhat apart.npz": "has no layer.1: name the arrays",
    "a digit of another script.npz": "has an array 'layer.1١'",
    "a number of 5,000 digits.npz": "has an array 'layer.999",
    "a deflate bomb.npz": "would unpack from 1.6 MB to 372.0 MB",
    "very many columns.npz": "claims to be (24, 100000000000) of float32 but has 64 bytes",
    "an npy by another name.npz": "is not a whole npz file",
    "encrypted.npz": "is encrypted",
    "packed by bzip2.npz": "is packed in a way that numpy does not write",
    "very many members.npz": "is not a whole npz file",
    "a long header.safetensors": "has a header of 5.0 MB",
    "forty million rows.parquet": "has more rows than the text can have tokens",
    "a text of 100 MB.parquet": "would unpack a part of piece to 100.0 MB",
    "a text within a text.parquet": "text is struct<a: string>, but that column holds texts",
    "a number beyond all.jsonl": "row 3: sentence is 1000000",
    "half a character.jsonl": "row 3: piece is",
    "rows without end.jsonl": "has more rows than the text can have tokens",
    "half a character as a name": "The name of your vectors is no text",
}


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What one process, which may have little memory, says of all that is made by hand."""
    place = tmp_path_factory.mktemp("hostile")
    command = [sys.executable, "-m", "tests.helpers.hostile", str(place)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by what Linux has")
@pytest.mark.parametrize("name", hostile.HANDMADE)
def test_each_is_refused_in_one_sentence_within_the_memory(said, name):
    sentence = said[name]
    assert sentence is not None, "it became a study"
    assert "Traceback" not in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert len(sentence) < 400
    assert SAID.get(name, "") in sentence


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by what Linux has")
def test_what_is_as_it_should_be_is_taken_by_the_same_process(said):
    assert said["as it should be"] is None


@pytest.mark.parametrize("seed", [1, 2])
def test_files_changed_at_random_are_taken_or_refused_in_a_sentence(seed, capsys):
    assert benchmark.main(["60", "--seed", str(seed)]) == 0
    told = capsys.readouterr().out
    assert "60 changed pairs of files" in told
    assert "0 tracebacks" in told
    assert ": 0 taken" not in told
    assert " 0 refused" not in told


def test_mutations_are_the_same_for_the_same_seed():
    first, again, other = (list(hostile.mutations(seed, 20)) for seed in (3, 3, 4))
    assert first == again != other


@pytest.mark.parametrize("codec", ["snappy", "gzip", "zstd", "brotli", "lz4", "none"])
@pytest.mark.parametrize(
    "options",
    [
        {"data_page_version": "1.0"},
        {"data_page_version": "2.0", "use_dictionary": False},
        {"data_page_size": 64, "write_page_index": True, "write_page_checksum": True},
        {"row_group_size": 5, "write_statistics": False, "store_schema": False},
    ],
)
def test_parquet_however_it_was_written(tmp_path, codec, options):
    rows = hostile.good_rows()
    path = tmp_path / "tokens.parquet"
    path.write_bytes(hostile.parquet(rows, compression=codec, **options))
    read = read_token_rows(path, 1_000)
    for name in rows[0]:
        assert read.columns[name] == [row[name] for row in rows]


def test_parquet_with_categories_and_other_columns(tmp_path):
    rows = hostile.good_rows()
    table = pa.Table.from_pylist([row | {"more": {"a": [1.5, None]}} for row in rows])
    place = table.schema.get_field_index("text")
    table = table.set_column(place, "text", table["text"].dictionary_encode())
    file = io.BytesIO()
    pq.write_table(table, file)
    path = tmp_path / "tokens.parquet"
    path.write_bytes(file.getvalue())
    assert read_token_rows(path, 1_000).columns["text"] == [row["text"] for row in rows]
