"""Uploaded texts: kept by their content, under safe names, and gone when nothing needs them."""

import os
import time
from pathlib import Path

import pytest

from isogloss.errors import IsoglossError
from isogloss.text.reading import GivenFile
from isogloss.text.uploads import SECONDS_KEPT, is_kept, keep_upload, keep_uploads, prune_uploads

NAMES = ["a.en-zh.tsv", "../../etc/passwd", "..", "", "x" * 500, "a\0b", "/"]


@pytest.mark.parametrize("name", NAMES)
def test_a_text_stays_below_the_root_whatever_it_is_called(tmp_path, name):
    path = Path(keep_upload(GivenFile(name, b"text"), tmp_path))
    assert path.read_bytes() == b"text"
    assert path.resolve().parent.parent == (tmp_path / "texts").resolve()
    assert name != "a.en-zh.tsv" or path.name == name


def test_the_same_name_with_another_text_is_another_file(tmp_path):
    first, second = (keep_upload(GivenFile("a.tsv", data), tmp_path) for data in (b"1", b"2"))
    assert (Path(first).read_bytes(), Path(second).read_bytes()) == (b"1", b"2")


def test_texts_that_belong_together_are_in_one_directory(tmp_path):
    files = [GivenFile("train-en.tsv", b"1"), GivenFile("dev-en.tsv", b"2")]
    place = Path(keep_uploads(files, tmp_path, "uploaded"))
    assert place.name == "uploaded"
    assert sorted(path.name for path in place.iterdir()) == ["dev-en.tsv", "train-en.tsv"]
    with pytest.raises(IsoglossError, match=r"Two of the files are called a\.tsv"):
        keep_uploads([GivenFile("a.tsv", b"1"), GivenFile("a.tsv", b"2")], tmp_path, "b")


def test_what_no_run_needs_goes_after_a_day(tmp_path):
    needed = keep_upload(GivenFile("needed.txt", b"1"), tmp_path)
    together = keep_uploads([GivenFile("dev-en.tsv", b"2")], tmp_path, "uploaded")
    used = keep_upload(GivenFile("used.txt", b"3"), tmp_path)
    old = keep_upload(GivenFile("old.txt", b"4"), tmp_path)
    for path in (needed, together, used, old):
        os.utime(Path(path).parent, (0, 0))
    assert is_kept(used)
    now = Path(used).parent.stat().st_mtime
    assert prune_uploads(tmp_path, {needed, together, "bundled", "/elsewhere"}, now) == 1
    assert [is_kept(path) for path in (needed, together, used, old)] == [True, True, True, False]
    assert prune_uploads(tmp_path, (), now + SECONDS_KEPT + 3_600) == 3
    assert prune_uploads(tmp_path / "nothing here", ()) == 0


def test_uploads_keep_within_what_the_owner_allows(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_UPLOADS_LIMIT", "1kB")
    first, second = (GivenFile(f"{name}.tsv", name.encode() * 600) for name in "ab")
    kept = keep_upload(first, tmp_path)
    sentence = (
        r"keeps at most 1.0 kB of uploads, and these 600 B do not fit.*ISOGLOSS_UPLOADS_LIMIT"
    )
    for refused in (
        lambda: keep_upload(second, tmp_path),
        lambda: keep_uploads([second], tmp_path, "together"),
    ):
        with pytest.raises(IsoglossError, match=sentence):
            refused()
    assert keep_upload(first, tmp_path) == kept, "what is there takes no more room"
    prune_uploads(tmp_path, (), now=time.time() + 10**6)
    assert Path(keep_upload(second, tmp_path)).read_bytes() == second.data
