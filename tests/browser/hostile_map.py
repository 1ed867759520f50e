"""A map whose texts try everything: markup, control characters, emoji, very long lines."""

from __future__ import annotations

import numpy as np

from isogloss.map.payload import Language, Score, ScrubberData

HOSTILE_TEXTS = (
    "<script>window.attacked=1</script>",
    "<img src=x onerror=window.attacked=1>",
    "</script><script>window.attacked=1</script>",
    "\u202egnp.exe\u202c",
    "👩‍👩‍👧‍👦",
    "nul\x00bell\x07",
    "x" * 10_000,
    "",
    "\ud800",
    "'\"&amp;<b>bold</b>",
)


def hostile_map() -> ScrubberData:
    count = len(HOSTILE_TEXTS)
    angle = np.linspace(0, 2 * np.pi, 2 * count, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return ScrubberData(
        positions=np.stack([circle, circle * 1.1]).astype(np.float32),
        ranks=np.ones((2, 2 * count), dtype=np.uint16),
        texts=HOSTILE_TEXTS * 2,
        sides=[0] * count + [1] * count,
        sentence_of=[*range(count)] * 2,
        links=np.column_stack([np.arange(count), np.arange(count) + count]),
        sentences=[(text, text) for text in HOSTILE_TEXTS],
        languages=(Language("en", HOSTILE_TEXTS[0]), Language("zh", HOSTILE_TEXTS[1])),
        stops=["0", HOSTILE_TEXTS[1]],
        scores=(Score(HOSTILE_TEXTS[0], [0.2, 0.4]),),
        topics=(HOSTILE_TEXTS[1],),
        topic_of=[0] * 2 * count,
        title=HOSTILE_TEXTS[1],
        caption=HOSTILE_TEXTS[2],
        provenance={HOSTILE_TEXTS[0]: HOSTILE_TEXTS[2]},
    )
