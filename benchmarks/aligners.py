"""Statistical aligners against the hand-made links of everyday text and of news, in one run.

    python -m benchmarks.aligners
    python -m benchmarks.aligners --text FILE
    python -m benchmarks.aligners --toy

The first command aligns these pairs with the bundled lexicon and from themselves alone. The second
adds pairs of FILE, any English–Chinese text, to see how much of it an aligner without a lexicon
needs. `linked` is the share of English and of Chinese words that have a link. `follows` is how
scores by layer on its links run with those on hand-made links: Pearson over the layers, the lowest
of the trained models whose studies of such pairs are in the cache, empty where there is none.
Peers are used when installed: `pip install systran-align eflomal`. Seconds are the processor's.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.arguments import read_arguments
from isogloss.links.aligners import Links, score_alignments
from isogloss.links.lexicons import load_lexicon
from isogloss.links.statistical_aligner import align_text
from isogloss.measures.correlation import correlate
from isogloss.store import Store
from isogloss.studies.links.points import PointLinks, point_pairs, score_links
from isogloss.studies.pooling import point_table
from isogloss.studies.study import Study, list_studies
from isogloss.text.reading import load_bundled, read_files
from isogloss.text.words import segment

Text = list[list[str]]
Align = Callable[[Text, Text], Sequence[Links]]
TEXTS = ("everyday.en-zh", "news.en-zh")
MORE_PAIRS = (500, 1_000, 2_000, 4_000, 8_000, 16_000)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.aligners")
    parser.add_argument("--text", type=Path, help="a file of English–Chinese pairs")
    parser.add_argument("--pairs", type=int, help="only so many of the hand-aligned ones")
    parser.add_argument("--more", type=int, nargs="+", default=MORE_PAIRS, help="pairs of FILE")
    arguments = read_arguments(parser, words, pairs=12, more=[8])
    others = _read_others(arguments.text) if arguments.text else ([], [])
    for name in TEXTS:
        _compare(name, others, arguments.pairs, arguments.more)


def _compare(
    name: str, others: tuple[Text, Text], pairs: int | None, more_pairs: Sequence[int]
) -> None:
    whole = load_bundled(name)
    text = whole.select([row for row, gold in enumerate(whole.gold) if gold is not None][:pairs])
    source, target = ([list(words[side]) for words in text.words] for side in (0, 1))
    studies = _studies(source)

    def report(name: str, align: Align, more: tuple[Text, Text] = ([], [])) -> None:
        began = _processor()
        links = align(source + more[0], target + more[1])[: len(source)]
        seconds = _processor() - began
        scores = score_alignments(links, text.gold)
        precision = "" if scores.precision is None else f"{scores.precision:.2f}"
        between = f"{scores.error_rate_low:.3f}–{scores.error_rate_high:.3f}"
        print(
            f"{name:<36}{scores.error_rate:>8.3f}{between:>14}{precision:>11}{scores.recall:>8.2f}"
            f"{_linked(links, source, 0):>8.0%}{_linked(links, target, 1):>5.0%}"
            f"{_follow(studies, source, links):>9}{seconds:>9.1f}",
            flush=True,
        )

    title = f"{len(text)} hand-aligned pairs of {name}"
    heads = f"{'error':>8}{'95 %':>14}{'precision':>11}{'recall':>8}{'linked':>13}"
    print(f"{title:<36}{heads}{'follows':>9}{'seconds':>9}")
    for size in (len(text), 10, 1):
        report(f"with the lexicon, {size} at a time", _with_lexicon(size))
    aligners = {"ours": align_text, **_peers()}
    for name, align in aligners.items():
        report(f"{name}, alone", align)
    for count in (count for count in more_pairs if count <= len(others[0])):
        for name, align in aligners.items():
            report(f"{name}, alone, {count:,} more", align, (others[0][:count], others[1][:count]))


def _linked(links: Sequence[Links], text: Text, side: int) -> float:
    """The share of one side's words that have a link."""
    return sum(len({link[side] for link in each}) for each in links) / sum(map(len, text))


def _processor() -> float:
    """Seconds that this process and those it started have used."""
    return sum(os.times()[:4])


def _with_lexicon(size: int) -> Align:
    """Align so many pairs at a time, as if each part were a text of its own."""
    lexicon = load_lexicon(("en", "zh"))

    def align(source: Text, target: Text) -> list[Links]:
        parts = [slice(start, start + size) for start in range(0, len(source), size)]
        return [x for part in parts for x in align_text(source[part], target[part], lexicon)]

    return align


def _read_others(path: Path) -> tuple[Text, Text]:
    """The words of other pairs in simplified Chinese, shuffled with a fixed seed."""
    from opencc import OpenCC

    simplify = OpenCC("t2s").convert
    text = read_files(path, languages=("en", "zh"), skip_bad_rows=True).text
    rows = np.random.default_rng(0).permutation(len(text))[: max(MORE_PAIRS)]
    return (
        [[word.text for word in segment(text.source[row], "en")] for row in rows],
        [[word.text for word in segment(simplify(text.target[row]), "zh")] for row in rows],
    )


def _peers() -> dict[str, Align]:
    peers = {"systran-align": ("systran_align", _systran), "eflomal": ("eflomal", _eflomal)}
    return {
        name: align for name, (package, align) in peers.items() if importlib.util.find_spec(package)
    }


def _systran(source: Text, target: Text) -> list[Links]:
    """fast_align with its recommended options, both directions put together by itself."""
    import systran_align

    source, target = _lower(source), _lower(target)
    with tempfile.TemporaryDirectory() as directory:
        text, forward, backward = (f"{directory}/{name}" for name in ("text", "there", "back"))
        lines = (f"{' '.join(s)} ||| {' '.join(t)}" for s, t in zip(source, target, strict=True))
        Path(text).write_text("\n".join(lines) + "\n", encoding="utf-8")
        options = ("favor_diagonal", "optimize_tension", "variational_bayes")
        systran_align.generate_alignment_probabilities(
            text, forward, backward, **dict.fromkeys(options, True)
        )
        found = systran_align.Aligner(forward, backward).align_batch(source, target)
    return [frozenset(map(tuple, pair["alignments"])) for pair in found]


def _eflomal(source: Text, target: Text) -> list[Links]:
    """What eflomal's two directions agree on: its lowest error here."""
    import eflomal

    with tempfile.TemporaryDirectory() as directory:
        files = [f"{directory}/{name}" for name in ("there", "back")]
        texts = [[" ".join(words) for words in _lower(side)] for side in (source, target)]
        eflomal.Aligner().align(*texts, links_filename_fwd=files[0], links_filename_rev=files[1])
        lines = [Path(file).read_text().splitlines() for file in files]
    there, back = ([_pharaoh(line) for line in side] for side in lines)
    return [one & other for one, other in zip(there, back, strict=True)]


def _pharaoh(line: str) -> Links:
    return frozenset((int(i), int(j)) for i, j in (link.split("-") for link in line.split()))


def _lower(text: Text) -> Text:
    return [["".join(word.lower().split()) for word in words] for words in text]


def _studies(source: Text) -> list[Study]:
    """The studies of trained models of nothing but these pairs."""
    known = set(map(tuple, source))
    return [
        study
        for study in list_studies(Store())
        if study.bitext.gold and None not in study.bitext.gold
        if known.issuperset(words[0] for words in study.bitext.words)
        if not study.model.startswith("random:")
    ]


def _follow(studies: Sequence[Study], source: Text, links: Sequence[Links]) -> str:
    found = dict(zip(map(tuple, source), links, strict=True))
    lowest: list[float] = []
    for study in studies:
        text = study.bitext
        table = point_table(study, "word", np.arange(len(text)))
        by_hand = {row: gold.sure for row, gold in enumerate(text.gold)}
        by_aligner = {row: found[words[0]] for row, words in enumerate(text.words)}
        expected, curve = (
            score_links(study, table, PointLinks(point_pairs(study, table, chosen), {}))
            for chosen in (by_hand, by_aligner)
        )
        agreement = correlate(expected.nearest_share, curve.nearest_share).pearson
        if agreement is not None:
            lowest.append(agreement)
    return f"{min(lowest):.3f}" if lowest else ""


if __name__ == "__main__":
    main()
