"""Where word links come from, what is said beside every number on them, and which are evidence.

This is the one place with the wording: pages, files and scripts show what stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

LinkSource = Literal["gold", "aligner", "other model", "own"]
OTHER_MODEL = "multilingual-e5-small"
OTHER_MODEL_LAYER = 8
"""Where that model aligns well: see its alignment error by layer in docs/evidence.md."""


@dataclass(frozen=True)
class LinkOrigin:
    """How links came about: `badge` stands beside a number, `how` in a sentence.

    Scores are only ever computed on links that are `evidence`.
    """

    badge: str
    how: str
    evidence: bool = True


LINK_SOURCES: Mapping[str, LinkOrigin] = {
    "gold": LinkOrigin("links by hand", "made by hand"),
    "aligner": LinkOrigin(
        "links by an aligner", "found by a statistical aligner that saw no model"
    ),
    "other model": LinkOrigin(
        "links of another model", f"read off layer {OTHER_MODEL_LAYER} of {OTHER_MODEL}"
    ),
    "own": LinkOrigin(
        "links of this model: not evidence", "read off this model itself", evidence=False
    ),
}
PAIRED_WORDS_VERSION = 2
"""Raised when other words are paired; answers on paired words have it in their address."""
NO_LINKS_NEEDED = "needs no links"
"""The badge of a score that stands in for one on links."""
NOT_SCORED = "none: words are not scored"
"""What stands where the source of scored links is asked for and there are none."""
MUTUAL = "each other's nearest at the layer shown"
"""What lines join where there is nothing but the model's own opinion to go by."""

LEXICON_ERROR = (
    "Against hand-made links this aligner errs by .10 on everyday text and by .26 on news (40 "
    "pairs); on a third party's news (450 pairs) by .38, more than the middle layers of "
    "multilingual-e5-small (.24 at layer 7)."
)
ALONE_ERROR = (
    "Without a lexicon this aligner errs by .31 when it learns from 2,000 everyday pairs, by .25 "
    "from 4,000; on other kinds of text it was not measured."
)
"""How far to believe it: bundled/texts/ALIGNMENT.md and measures/statistical_alignment.py."""


def is_evidence(sources: Mapping[str, int]) -> bool:
    """Whether any sentence pair has links that the model on show did not make."""
    return any(count and LINK_SOURCES[source].evidence for source, count in sources.items())


def badge_of(sources: Mapping[str, int]) -> str:
    """What to write beside a number on links of so many pairs by source; "" where there are none.

    >>> badge_of({"gold": 3, "aligner": 7})
    'links by hand and by an aligner'
    >>> badge_of({"own": 20})
    'links of this model: not evidence'
    """
    there = [source for source in LINK_SOURCES if sources.get(source)]
    if is_evidence(sources):  # the other pairs are not scored
        there = [source for source in there if LINK_SOURCES[source].evidence]
    badges = [LINK_SOURCES[source].badge for source in there]
    return " and ".join([*badges[:1], *(badge.removeprefix("links ") for badge in badges[1:])])


def describe_sources(sources: Mapping[str, int], *, links: bool) -> str:
    """Where links come from, in a sentence or two; `links` tells whether there are any."""
    counts = {source: count for source, count in sources.items() if count}
    own = counts.get("own", 0)
    if not links:
        if own:
            return (
                "No links but this model's own are to be had, which are no evidence: words are "
                "not scored."
            )
        return "There are no links."
    if not is_evidence(counts):
        return f"Links were {LINK_SOURCES['own'].how} ({own} pairs): not evidence."
    said = " and ".join(
        f"{LINK_SOURCES[source].how} ({count} pairs)"
        for source, count in counts.items()
        if LINK_SOURCES[source].evidence
    )
    rest = f" {own} pairs have none but this model's own and are not scored." if own else ""
    return f"Links were {said}.{rest}"
