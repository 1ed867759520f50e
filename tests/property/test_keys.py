"""Laws of the keys: the same for equal records, different for different ones, stable in JSON."""

import json
import math
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.store import StoreError, cache_key
from isogloss.store.keys import canonical_json, is_key

# Nothing here is about time, which on a busy machine says nothing.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
records = st.dictionaries(st.text(max_size=3), values, max_size=3)


def meaning(value):
    """An independent normal form that keeps exactly the differences a key must keep."""
    if isinstance(value, Mapping):
        return ("mapping", frozenset((key, meaning(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return ("sequence", tuple(meaning(item) for item in value))
    return (type(value).__name__, value)


def reordered(value):
    """The same value with its keys in reverse order and lists and tuples exchanged."""
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return tuple(reordered(item) for item in value)
    if isinstance(value, tuple):
        return [reordered(item) for item in value]
    return value


@unhurried
@given(records)
def test_order_and_kind_of_sequence_do_not_matter(record):
    assert cache_key(reordered(record)) == cache_key(record)


@unhurried
@given(records)
def test_a_record_read_back_from_json_has_the_same_key(record):
    assert cache_key(json.loads(canonical_json(record))) == cache_key(record)
    assert cache_key(json.loads(json.dumps(record))) == cache_key(record)


@unhurried
@given(records, records)
def test_keys_are_equal_exactly_when_records_mean_the_same(one, other):
    assert (cache_key(one) == cache_key(other)) == (meaning(one) == meaning(other))


@unhurried
@given(records, st.text(), values, values)
def test_changing_one_value_changes_the_key(record, name, before, after):
    one, other = {**record, name: before}, {**record, name: after}
    assert (cache_key(one) == cache_key(other)) == (meaning(before) == meaning(after))


@unhurried
@given(st.text())
def test_a_key_is_a_safe_name(text):
    assert is_key(cache_key({"text": text}))


@unhurried
@given(st.text())
def test_only_keys_pass_as_keys(text):
    assert is_key(text) == (len(text) == 32 and set(text) <= set("0123456789abcdef"))


@unhurried
@given(
    st.dictionaries(
        st.text() | st.integers() | st.none(),
        values | st.floats() | st.binary() | st.sets(st.integers()) | st.complex_numbers(),
        max_size=2,
    )
)
def test_anything_gives_a_key_or_the_one_clear_error(record):
    fine = all(isinstance(key, str) for key in record) and all(
        not isinstance(value, bytes | set | complex)
        and not (isinstance(value, float) and not math.isfinite(value))
        for value in record.values()
    )
    if fine:
        assert is_key(cache_key(record))
    else:
        with pytest.raises(StoreError, match="record"):
            cache_key(record)
