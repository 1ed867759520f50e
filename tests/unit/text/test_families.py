"""Families of languages: known codes only, and distances that are a tree's."""

import numpy as np

from isogloss.text.families import family_of, genealogical_distances, path_of
from isogloss.text.language_names import TABLE

PATHS = {code: language.path for code, language in TABLE.items() if language.path}


def test_every_path_has_three_levels():
    assert len(PATHS) > 100
    for path in PATHS.values():
        assert len(path) == 3
        assert all(path)


def test_a_branch_is_in_one_family_and_a_group_in_one_branch():
    for level in (1, 2):
        above = {}
        for path in PATHS.values():
            assert above.setdefault(path[level], path[:level]) == path[:level]


def test_distances_are_levels_apart():
    found = genealogical_distances(["en", "de", "sv", "ru", "zh", "xx"])
    np.testing.assert_array_equal(found[0], [0, 1, 2, 3, 4, np.nan])
    np.testing.assert_array_equal(found, found.T)


def test_distances_are_ultrametric():
    codes = sorted(PATHS)
    found = genealogical_distances(codes)
    for k in range(len(codes)):
        assert (found <= np.maximum(found[:, [k]], found[[k]])).all()


def test_a_region_does_not_change_the_family():
    assert path_of("pt-BR") == path_of("pt")
    assert family_of("xx") == ""
