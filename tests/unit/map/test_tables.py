"""Tables of a map: one row per point and layer, read back whole with how they were made."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from isogloss.errors import IsoglossError
from isogloss.map.table import layout_table, write_csv, write_parquet

PROVENANCE = {"model": "tiny", "text": "日常\nsha256 12ab", "seed": "0"}
TEXTS = ["one", 'two, "too"', "一", "二\t#"]


def small_table(**changes):
    positions = np.arange(16, dtype=np.float32).reshape(2, 4, 2) / 16
    given = {
        "positions": positions,
        "texts": TEXTS,
        "sides": np.array([0, 0, 1, 1]),
        "sentences": np.array([5, 5, 5, 7]),
        "links": np.array([[0, 2], [0, 3]]),
        "ranks": np.array([[1, 0, 2, 3], [4, 0, 5, 6]], dtype=np.uint16),
        "languages": ("en", "zh"),
    }
    return layout_table(**{**given, **changes})


def test_every_point_of_every_layer_is_a_row():
    table = small_table()
    columns = ["layer", "point", "text", "language", "sentence", "x", "y", "rank", "partner"]
    assert list(table.columns) == columns
    assert table.layer.tolist() == [0] * 4 + [1] * 4
    assert table.point.tolist() == [0, 1, 2, 3] * 2
    assert table.text.tolist() == TEXTS * 2
    assert table.language.tolist() == ["en", "en", "zh", "zh"] * 2
    assert table.sentence.tolist() == [5, 5, 5, 7] * 2
    assert table.x.tolist() == (np.arange(0, 16, 2) / 16).tolist()
    assert table.y.tolist() == (np.arange(1, 16, 2) / 16).tolist()
    assert table["rank"].isna().tolist() == [False, True, False, False] * 2
    assert table["rank"].dropna().tolist() == [1, 2, 3, 4, 5, 6]
    assert table.partner.fillna("-").tolist() == ["2 3", "-", "0", "0"] * 2


def test_csv_comes_back_after_its_comment_lines(tmp_path):
    table, path = small_table(), tmp_path / "map.csv"
    write_csv(table, path, PROVENANCE)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[:3] == ["# model: tiny", "# text: 日常 sha256 12ab", "# seed: 0"]
    again = pd.read_csv(path, skiprows=len(PROVENANCE), dtype={"rank": "Int32", "partner": "str"})
    pd.testing.assert_frame_equal(again, table, check_dtype=False)


def test_parquet_comes_back_with_its_types_and_provenance(tmp_path):
    table, path = small_table(), tmp_path / "map.parquet"
    write_parquet(table, path, PROVENANCE)
    pd.testing.assert_frame_equal(pd.read_parquet(path), table)
    assert json.loads(pq.read_schema(path).metadata[b"isogloss"]) == PROVENANCE


def test_a_map_without_links_has_no_partners():
    table = small_table(links=np.empty((0, 2), dtype=int), ranks=np.zeros((2, 4), dtype=np.uint16))
    assert table["rank"].isna().all()
    assert table.partner.isna().all()


@pytest.mark.parametrize(
    "changes", [{"texts": TEXTS[:3]}, {"sentences": [1]}, {"ranks": np.zeros((3, 4))}]
)
def test_parts_that_do_not_fit_are_refused(changes):
    with pytest.raises(IsoglossError, match="one text, side, sentence"):
        small_table(**changes)


def test_a_word_that_begins_like_a_formula_is_text_in_a_spreadsheet(tmp_path):
    table = pd.DataFrame(
        {"text": pd.Series(["=1+1", "a", None, "-5", "\t+1"], dtype="str"), "x": [-1.5, 2, 3, 4, 5]}
    )
    path = tmp_path / "map.csv"
    write_csv(table, path, {"text": "a,=cmd; -b, c"})
    said, *lines = path.read_text(encoding="utf-8").splitlines()
    assert said == "# text: a,'=cmd; '-b, c"
    assert lines == ["text,x", "'=1+1,-1.5", "a,2.0", ",3.0", "'-5,4.0", "'\t+1,5.0"]
