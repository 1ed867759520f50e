"""What others found when they took the same things away, of other models: directions, no figures.

Each is stated as the paper's abstract or its list of elements has it. Conditions without an entry
were not found there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isogloss.published import Source

DUFTER_2020 = Source(
    "Dufter & Schütze 2020",
    "Dufter & Schütze (2020), Identifying Elements Essential for BERT's Multilinguality, EMNLP, "
    "aclanthology.org/2020.emnlp-main.358",
    "abstract and section 2",
)
K_2020 = Source(
    "K et al. 2020",
    "K, Wang, Mayhew & Roth (2020), Cross-Lingual Ability of Multilingual BERT: An Empirical "
    "Study, ICLR",
    "abstract",
)
WU_2020 = Source(
    "Wu, Conneau et al. 2020",
    "Conneau, Wu, Li, Zettlemoyer & Stoyanov (2020), Emerging Cross-lingual Structure in "
    "Pretrained Language Models, ACL, aclanthology.org/2020.acl-main.536",
    "abstract",
)


@dataclass(frozen=True)
class PublishedEffect:
    """Whether a condition was found to keep languages from meeting, and by whom."""

    harms: bool
    source: Source

    @property
    def short(self) -> str:
        """The finding as it stands beside a bar."""
        return f"{'found to harm' if self.harms else 'found to matter little'}, {self.source.short}"


PUBLISHED_EFFECTS: Mapping[str, PublishedEffect] = {
    "positions": PublishedEffect(True, DUFTER_2020),
    "specials": PublishedEffect(True, DUFTER_2020),
    "no-random": PublishedEffect(True, DUFTER_2020),
    "order": PublishedEffect(True, DUFTER_2020),
    "width": PublishedEffect(True, DUFTER_2020),
    "first": PublishedEffect(False, WU_2020),
    "last": PublishedEffect(True, WU_2020),
    "blocks": PublishedEffect(True, WU_2020),
    "domains": PublishedEffect(False, WU_2020),
    "anchors": PublishedEffect(False, K_2020),
    "depth": PublishedEffect(True, K_2020),
}
"""By the word of a condition. Wider and shallower models are what was found to harm."""
_ONLY = {"width": lambda percent: percent > 100, "depth": lambda percent: percent < 100}


def published_effect(condition: str) -> PublishedEffect | None:
    """What was published of a condition; of several things at once, of the most harmful."""
    found = [effect for part in condition.split("+") if (effect := _effect_of(part)) is not None]
    return max(found, key=lambda effect: effect.harms, default=None)


def _effect_of(part: str) -> PublishedEffect | None:
    name, _, number = part.rpartition("-")
    if not number.isdecimal():
        return PUBLISHED_EFFECTS.get(part)
    applies = _ONLY.get(name)
    return PUBLISHED_EFFECTS.get(name) if applies is None or applies(int(number)) else None


def disagreements(ordered: Sequence[str]) -> list[tuple[str, str]]:
    """Conditions that stand here in another order than published, given from best to worst.

    Each is (one that was found to matter little, the best one above it that was found to harm).
    """
    found = []
    harmful = ""
    for condition in ordered:
        effect = published_effect(condition)
        if effect is None:
            continue
        if effect.harms:
            harmful = harmful or condition
        elif harmful:
            found.append((condition, harmful))
    return found
