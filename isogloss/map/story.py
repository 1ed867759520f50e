"""What a map has to tell: the pairs of words whose meeting is worth watching, and a tour."""

from __future__ import annotations

import numpy as np

from isogloss.map.payload import ScrubberData
from isogloss.map.tour import TourStep
from isogloss.text.content_words import find_content_words

MOST_PINS, FEWEST_PINS = 4, 3


def meeting_stop(data: ScrubberData) -> int:
    """The stop at which most linked points have their partner as their nearest."""
    nearest = (np.asarray(data.ranks) == 1).sum(axis=1)
    return int(nearest.argmax())


def best_stop(data: ScrubberData) -> int:
    """The stop at which the first score is highest; the first of them, and the last without one."""
    return int(np.argmax(data.scores[0].values)) if data.scores else len(data.stops) - 1


def opening_pins(data: ScrubberData) -> tuple[int, ...]:
    """Choose the pairs that a map opens with: far apart at the first stop, nearest at the meeting.

    Of the links whose two points are each other's nearest at the meeting stop and were not at the
    first, those with the highest ranks there are taken, one for each sentence and word; others than
    content words only until there are 3. Returns points of side 0; none where no rank is known.
    """
    links, ranks = np.asarray(data.links), np.asarray(data.ranks).astype(np.int64)
    if len(links) == 0 or not ranks.any():
        return ()
    meets = (ranks[meeting_stop(data)][links] == 1).all(axis=1)
    apart = np.log2(np.maximum(ranks[0][links], 1)).sum(axis=1)
    content = np.asarray(find_content_words(data.texts, [int(side) for side in data.sides]))
    good = np.asarray(content[links].all(axis=1))
    candidates = np.flatnonzero(meets & (apart > 0))
    order = sorted(candidates.tolist(), key=lambda link: (not good[link], -apart[link], link))
    chosen: list[int] = []
    sentences: set[int] = set()
    words: set[str] = set()
    for link in order:
        point = int(links[link, 0])
        sentence = int(data.sentence_of[point])
        pair = {data.texts[end].casefold() for end in links[link]}
        wanted = MOST_PINS if good[link] else FEWEST_PINS
        if len(chosen) < wanted and sentence not in sentences and not pair & words:
            chosen.append(point)
            sentences.add(sentence)
            words |= pair
    return tuple(chosen)


def suggest_tour(data: ScrubberData) -> tuple[TourStep, ...]:
    """A tour of up to five steps: the start, the way, the steepest rise, the meeting, the end.

    Every sentence says the first score as it is at that stop, what it rests on, and how the opening
    pairs rank.
    """
    score = data.scores[0]
    values = np.asarray(score.values)
    meeting = int(values.argmax())
    tops = int(np.isclose(values, values[meeting]).sum())
    steepest = int(np.diff(values).argmax()) + 1 if len(values) > 1 else 0
    stops = {
        0: "is where they start",
        meeting // 2: "is half of the way",
        steepest: "brings the most",
        len(values) - 1: "is the end",
        meeting: "is where most meet" if tops == 1 else f"is the first of {tops} where most meet",
    }
    pins = opening_pins(data)
    names = data.stop_names
    return tuple(
        TourStep(
            stop,
            pins,
            f"{names[stop]} {stops[stop]}: {score.title} {values[stop]:.2f}."
            f"{_pairs_at(data, pins, stop)}",
        )
        for stop in sorted(stops)
    )


def _pairs_at(data: ScrubberData, pins: tuple[int, ...], stop: int) -> str:
    """How many of the pinned words have their translation as their nearest."""
    nearest = sum(int(data.ranks[stop, pin]) == 1 for pin in pins)
    return f" Pinned words whose translation is nearest: {nearest} of {len(pins)}." if pins else ""
