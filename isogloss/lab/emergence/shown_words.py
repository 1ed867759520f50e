"""The words that a map of a training from nothing shows, and the sentences they stand in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from isogloss.lab.training.word_maps import as_bytes, from_bytes
from isogloss.measures.stacks import Array
from isogloss.studies.study import as_tuples


@dataclass(frozen=True)
class ShownWords:
    """The words of a map; `texts`, `sides` and `sentence_of` have an entry for each of them.

    `links` joins the numbers of counterparts; there are none where the second language is no copy.
    `chance` is what the scores of words and of sentences would be by chance.
    """

    texts: tuple[str, ...]
    sides: tuple[int, ...]
    sentence_of: tuple[int, ...]
    sentences: tuple[tuple[str, str], ...]
    links: tuple[tuple[int, int], ...]
    chance: Mapping[str, float | None]

    def as_arrays(self) -> dict[str, Array]:
        """The words as arrays that a run can keep."""
        return {"words": as_bytes(asdict(self))}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> ShownWords:
        """The words as `as_arrays` gave them."""
        rest = from_bytes(arrays["words"])
        chance = rest.pop("chance")
        return cls(**{name: as_tuples(value) for name, value in rest.items()}, chance=chance)
