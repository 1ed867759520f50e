"""Every setting of every page, and values it can have."""

from typing import Any

from hypothesis import strategies as st

from components.settings import PAGE_SETTINGS
from isogloss.options import Option, options_of

KEYS = {name * 16: None for name in ("ab", "cd", "ef")}
"""Keys of studies and runs, where a setting is one of them."""


def declared() -> dict[type, tuple[Option, ...]]:
    """The settings of every question and every view that a page shows."""
    return {
        owner: tuple(
            option.but(choices=KEYS) if option.digits else option
            for option in options_of(owner).values()
        )
        for page in PAGE_SETTINGS.values()
        for owner in (*page.questions, *page.views)
    }


def values(option: Option) -> st.SearchStrategy[Any]:
    """Any value that an option can have."""
    if option.kind is bool:
        return st.booleans()
    if option.choices or option.values:
        one = st.sampled_from([*option.choices, *option.values])
    elif option.kind is str:
        return st.text(min_size=1 if option.default else 0, max_size=20)
    else:
        least, most = (None if end is None else int(end) for end in (option.least, option.most))
        one = st.integers(least, 999_999 if most is None else most)
    return st.lists(one, unique=True, max_size=5).map(tuple) if option.many else one
