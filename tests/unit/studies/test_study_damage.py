"""A study whose text or tokens were altered is never read; the sentence says which file it is."""

import re

import pytest

from isogloss.errors import IsoglossError
from isogloss.store import CorruptEntryWarning, Store
from isogloss.studies.extraction import extract
from isogloss.studies.study import list_studies, open_study
from tests.helpers.damage import damaged_copies, read_entries, write_study


@pytest.mark.parametrize("name", ["corpus.json", "tokens.parquet"])
@pytest.mark.parametrize("listed", [False, True])
def test_a_changed_byte_is_a_sentence(encoder, bitext, store, name, listed):
    entry = extract(encoder, bitext, store)
    path = entry.file(name)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    (study,) = list_studies(store)
    sentence = rf"{re.escape(name)} does not match its checksum; its files are kept in .*aside"
    with pytest.warns(CorruptEntryWarning), pytest.raises(IsoglossError, match=sentence):
        _ = (study.bitext, study.tokens) if listed else open_study(store, study.key)
    assert list_studies(store) == ()


@pytest.mark.filterwarnings("ignore::isogloss.store.CorruptEntryWarning")
def test_damaged_entries_are_read_without_a_traceback(tmp_path):
    """`python -m tests.helpers.damage entries --count 2000` is the same, longer."""
    whole = Store(tmp_path / "whole", demo=None)
    write_study(whole)
    most = read_entries(whole)
    found = [read_entries(Store(copy, demo=None)) for copy, _ in damaged_copies(whole.root, 60)]
    assert max(found) == most == 2
    assert sum(each < most for each in found) > 20, "what is damaged is found"
