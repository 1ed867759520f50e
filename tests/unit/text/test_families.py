"""Families of languages: known codes only, and distances that are a tree's."""

import numpy as np

from isogloss.text.families import _paths, family_of, genealogical_distances, path_of
from isogloss.text.language_names import language_name


def test_every_code_is_one_that_is_read_and_has_three_levels():
    for code, path in _paths().items():
        assert language_name(code) != code, code
        assert len(path) == 3
        assert all(path)


def test_a_branch_is_in_one_family_and_a_group_in_one_branch():
    for level in (1, 2):
        above = {}
        for path in _paths().values():
            assert above.setdefault(path[level], path[:level]) == path[:level]


def test_distances_are_levels_apart():
    found = genealogical_distances(["en", "de", "sv", "ru", "zh", "xx"])
    np.testing.assert_array_equal(found[0], [0, 1, 2, 3, 4, np.nan])
    np.testing.assert_array_equal(found, found.T)


def test_distances_are_ultrametric():
    codes = sorted(_paths())
    found = genealogical_distances(codes)
    for k in range(len(codes)):
        assert (found <= np.maximum(found[:, [k]], found[[k]])).all()


def test_a_region_does_not_change_the_family():
    assert path_of("pt-BR") == path_of("pt")
    assert family_of("xx") == ""
