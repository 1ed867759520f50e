"""Keys by example; tests/property/test_keys.py holds the general laws."""

from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from isogloss.store import StoreError, cache_key


def test_the_key_of_a_known_record_never_changes():
    """Every cache in the world is addressed by this function."""
    record = {"model": "example", "layers": (1, 2), "centred": True, "scale": 0.5, "note": "é"}
    # printf '%s' '{"format":1,"record":{"centred":true,"layers":[1,2],"model":"example",'\
    #   '"note":"\u00e9","scale":0.5}}' | sha256sum
    assert cache_key(record) == "e0a5945292e8b877ee0093030ea3e5f9"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": (1, (2,))}, {"a": [1, [2]]}),
        ({"a": 0.0}, {"a": -0.0}),
        ({"a": {"b": 1}}, MappingProxyType({"a": MappingProxyType({"b": 1})})),
        ({"a": 0.1}, {"a": np.float64(0.1)}),
    ],
)
def test_equal_records_have_one_key(one, other):
    assert cache_key(one) == cache_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": "1"}),
        ({"a": None}, {}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": [[1], 2]}, {"a": [1, [2]]}),
        ({"a": 0.1}, {"a": 0.1 + 2**-56}),
        ({"a": "\u00e9"}, {"a": "e\u0301"}),
    ],
)
def test_different_records_have_different_keys(one, other):
    assert cache_key(one) != cache_key(other)


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"a": [0, {"b": float("nan")}]}, r"^record\.a\[1\]\.b is nan"),
        ({"a": float("inf")}, "is inf"),
        ({"a": Path("x")}, "Path"),
        ({"a": np.int64(1)}, "int64"),
        ({"a": np.zeros(2)}, "ndarray"),
        ({"a": {1, 2}}, "is a set"),
        ({"a": b"x"}, "is a bytes"),
        ({1: "a"}, "has the key 1"),
    ],
)
def test_what_has_no_canonical_form_is_refused_by_name(record, sentence):
    with pytest.raises(StoreError, match=sentence):
        cache_key(record)
