"""The documents that are written from the code say what the code says."""

from docs.make_measures import MEASURES, describe_measures


def test_the_list_of_measures_is_the_tables():
    assert MEASURES.read_text(encoding="utf-8") == describe_measures(), (
        "write it anew: python -m docs.make_measures"
    )
