"""The probe for language identity: it must know when to say nothing."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.measures.language_probe import probe_layers


def test_an_offset_gives_the_language_away_and_its_absence_hides_it() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 10))
    near = X + 0.1 * generator.normal(size=X.shape)
    apart = near + 3 * np.eye(10)[4]
    found = probe_layers([X, X, X], [apart, near, near + 0.8 * np.eye(10)[0]])
    assert found.accuracy[0] > 0.9
    assert found.accuracy[1] == pytest.approx(found.chance, abs=0.1)
    assert found.accuracy[1] < found.accuracy[2] < found.accuracy[0]
    assert (found.low <= found.accuracy).all()
    assert (found.accuracy <= found.high).all()
    assert (found.rows, found.folds) == (200, 5)


def test_a_text_and_its_translation_share_a_fold() -> None:
    """With near copies across folds, each vector would be told by its twin of the other label."""
    generator = np.random.default_rng(1)
    X = generator.normal(size=(60, 200))
    Y = X + 1e-3 * generator.normal(size=X.shape)
    found = probe_layers([X], [Y])
    assert found.accuracy[0] == pytest.approx(0.5, abs=0.15)


def test_constant_layers_read_chance() -> None:
    ones = np.ones((20, 3))
    found = probe_layers([ones], [ones])
    assert found.accuracy[0] == 0.5


def test_what_cannot_be_probed_is_said_plainly() -> None:
    X = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.raises(IsoglossError, match="same width"):
        probe_layers([X], [X[:, :2]])
    with pytest.raises(IsoglossError, match="6 pairs cannot be cut into 7 folds"):
        probe_layers([X], [X], folds=7)
    with pytest.raises(IsoglossError, match="6 and 5 rows"):
        probe_layers([X], [X[1:]])
    with pytest.raises(IsoglossError, match="NaN"):
        probe_layers([X], [X * np.nan])
