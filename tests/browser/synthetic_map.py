"""A small made-up map: two languages that start apart, meet at layer 8 and part a little."""

from __future__ import annotations

from functools import cache

import numpy as np

from isogloss.map.payload import Language, Score, ScrubberData, kept_neighbours

_PAIRS = (
    ("The bank opened early today .", "银行 今天 很早 开门 。", "0-0 1-0 2-3 3-2 4-1 5-4", "money"),
    ("She reads a book every night .", "她 每天 晚上 看 书 。", "0-0 1-3 3-4 4-1 5-2 6-5", "home"),
    (
        "Our teacher speaks three languages .",
        "我们 老师 会说 三种 语言 。",
        "0-0 1-1 2-2 3-3 4-4 5-5",
        "school",
    ),
    ("The river flows to the sea .", "河水 流向 大海 。", "1-0 2-1 3-1 5-2 6-3", "nature"),
    ("I drink tea with my friends .", "我 和 朋友 喝茶 。", "0-0 1-3 2-3 3-1 5-2 6-4", "home"),
    ("Children play in the garden .", "孩子们 在 花园 里 玩 。", "0-0 1-4 2-1 4-2 5-5", "home"),
    ("The price of oil fell again .", "石油 价格 又 下跌 了 。", "1-1 3-0 4-3 5-2 6-5", "money"),
    ("Snow covered the high mountains .", "雪 覆盖 了 高山 。", "0-0 1-1 3-3 4-3 5-4", "nature"),
    (
        "Students wrote a long letter .",
        "学生 写 了 一封 长 信 。",
        "0-0 1-1 2-3 3-4 4-5 5-6",
        "school",
    ),
    ("The doctor works at night .", "医生 在 夜里 工作 。", "1-0 2-3 3-1 4-2 5-4", "home"),
)
_TOPICS = ("money", "home", "school", "nature")


@cache
def synthetic_map(points: int = 600, stops: int = 13, seed: int = 7) -> ScrubberData:
    """Return a map with at least `points` points, its ranks counted in the drawn plane."""
    generator = np.random.default_rng(seed)
    texts, sides, sentence_of, spans, topic_of, links = [], [], [], [], [], []
    sentences: list[tuple[str, str]] = []
    while len(texts) < points:
        source, target, alignment, topic = _PAIRS[len(sentences) % len(_PAIRS)]
        shown = (source.replace(" .", "."), target.replace(" ", ""))
        first = []
        for side, line in enumerate((source, target)):
            first.append(len(texts))
            at = 0
            for word in line.split():
                start = shown[side].index(word, at)
                at = start + len(word)
                texts.append(word)
                sides.append(side)
                sentence_of.append(len(sentences))
                spans.append((start, at))
                topic_of.append(_TOPICS.index(topic))
        for pair in alignment.split():
            one, other = map(int, pair.split("-"))
            links.append((first[0] + one, first[1] + other))
        sentences.append(shown)
    positions = _layout(np.array(sides), np.array(topic_of), np.array(links), stops, generator)
    ranks = _ranks(positions, np.array(sides), np.array(links))
    linked = ranks[0] > 0
    nearest = (ranks[:, linked] == 1).mean(axis=1)
    reciprocal = (1 / ranks[:, linked].astype(float)).mean(axis=1)
    return ScrubberData(
        positions=positions,
        ranks=ranks,
        texts=texts,
        sides=sides,
        sentence_of=sentence_of,
        links=np.array(links),
        sentences=sentences,
        languages=(Language("en", "English"), Language("zh", "中文")),
        stops=[str(stop) for stop in range(stops)],
        scores=(
            Score(
                "Nearest is partner",
                nearest,
                nearest * 0.9,
                np.minimum(1, nearest * 1.1),
                chance=0.02,
            ),
            Score("Mean reciprocal rank", reciprocal),
            kept_neighbours(np.linspace(0.86, 0.78, stops), len(texts)),
        ),
        topic_of=topic_of,
        topics=_TOPICS,
        spans=np.array(spans),
        caption="English and Chinese words in a made-up model: they meet near layer 8.",
        provenance={
            "model": "made-up",
            "text": "10 sentences",
            "method": "none",
            "seed": str(seed),
        },
    )


def _layout(sides, topics, links, stops, generator):
    count = len(sides)
    meaning = generator.normal(size=(count, 2)) * 1.6
    angle = topics * np.pi / 2 + 0.5
    meaning += 2.4 * np.column_stack([np.cos(angle), np.sin(angle)])
    for one, other in links:
        meaning[other] = meaning[one] + generator.normal(size=2) * 0.05
    own = generator.normal(size=(count, 2)) * 1.3 + np.column_stack(
        [sides * 7.0 - 3.5, sides * 1.5]
    )
    layers = np.arange(stops)
    distance = np.abs(layers - 8 / 12 * (stops - 1)) / max(1, stops - 1)
    share = np.clip(1.02 - 1.9 * distance**2 - 0.35 * distance, 0.02, 1)
    drift = generator.normal(size=(stops, count, 2)).cumsum(axis=0) * 0.02
    stack = share[:, None, None] * meaning + (1 - share[:, None, None]) * own + drift
    return stack.astype(np.float32)


def _ranks(positions, sides, links):
    partner = np.full(len(sides), -1)
    partner[links[::-1, 0]] = links[::-1, 1]
    partner[links[::-1, 1]] = links[::-1, 0]
    ranks = np.zeros(positions.shape[:2], dtype=np.uint16)
    for stop, plane in enumerate(positions):
        for side in (0, 1):
            own = np.flatnonzero((sides == side) & (partner >= 0))
            others = plane[sides == 1 - side]
            distance = np.linalg.norm(plane[own, None] - others, axis=2)
            mine = np.linalg.norm(plane[own] - plane[partner[own]], axis=1)
            ranks[stop, own] = 1 + (distance < mine[:, None] - 1e-6).sum(axis=1)
    return ranks
