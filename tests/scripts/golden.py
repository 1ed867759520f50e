"""A small map as Python writes it, and what Python knows of it, for the tests of the map's scripts.

`python -m tests.scripts.golden` writes it anew.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np

from isogloss.map.payload import Language, Score, ScrubberData
from isogloss.measures.projection.framing import frame_layer, lay_flat

TARGET = Path(__file__).with_suffix(".json")
SIZES = ((800, 500), (320, 640), (1000, 90), (400, 400))


def golden_map() -> ScrubberData:
    """Five words at three stops: a wide one, a high one, and one whose words lie on a line.

    They lie flat already and their places are halves, so that every machine writes the same bytes.
    """
    stops = [
        [(-4, -1), (4, -1), (-4, 1), (4, 1), (0, 0)],
        [(103, 50), (97, 50), (100, 56), (100, 44), (100, 50)],
        [(-2, 5), (-1, 5), (0, 5), (1, 5), (2, 5)],
    ]
    return ScrubberData(
        positions=np.array(stops, dtype=np.float32),
        ranks=np.array([[1, 2, 1, 3, 0], [1, 1, 1, 1, 0], [65535, 1, 2, 1, 0]], dtype=np.uint16),
        texts=["cat", "𝒟og", "猫", "狗", "…"],
        sides=[0, 0, 1, 1, 1],
        sentence_of=[0, 1, 0, 1, 1],
        links=np.array([[0, 2], [1, 3]]),
        sentences=[("a cat", "猫"), ("𝒟og \0 \ud800 dog", "狗…")],
        languages=(Language("en", "English"), Language("zh", "中文")),
        stops=["0", "1", "2"],
        scores=[Score("nearest", [0.0, 0.5, 1.0], chance=0.25, badge="by a lexicon")],
        spans=np.array([[2, 5], [0, 3], [0, 1], [0, 1], [-1, -1]]),
        notes=["", "", "on a line"],
        caption="cats & dogs",
        provenance={"model": "none"},
    )


def golden() -> str:
    """The map's bytes, its numbers, and where each size of stage has its words, as JSON."""
    data = golden_map()
    flat = lay_flat(data.positions)
    content = {
        "blob": base64.b64encode(data.blob).decode("ascii"),
        "texts": data.texts,
        "sides": data.sides,
        "links": data.links.ravel().tolist(),
        "ranks": data.ranks.tolist(),
        "positions": flat.tolist(),
        "framed": [
            {"width": width, "height": height, "stops": [_framed(s, width, height) for s in flat]}
            for width, height in SIZES
        ],
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def _framed(stop: np.ndarray, width: int, height: int) -> dict[str, object]:
    frame = frame_layer(stop, width, height)
    return {"places": frame.places.tolist(), "stretch": frame.stretch}


if __name__ == "__main__":
    TARGET.write_text(golden(), encoding="utf-8")
