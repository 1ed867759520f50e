"""One table of languages: every code that is read has a name, and the name is read as the code."""

import pytest

from isogloss.text.language_names import LANGUAGES, TABLE, language_name
from isogloss.text.readers.languages import language_code

CODES = list(TABLE)


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_name_that_is_read_as_the_code(code):
    name = language_name(code)
    assert name != code
    assert name[0].isupper()
    assert language_code(code) == language_code(name) == code


def test_no_two_codes_share_a_name():
    assert len({language_name(code) for code in CODES}) == len(CODES)


def test_no_code_or_name_is_of_two_languages():
    called = [each for language in TABLE.values() for each in {language.code, *language.also}]
    assert len(set(called)) == len(called)
    assert set(LANGUAGES) < set(TABLE)
