"""Write docs/gallery.md: the figures of the five sources, their numbers, ours, and our command.

    python -m docs.make_gallery

Our numbers come from the studies and runs that ship, published tables from isogloss.published. It
takes seconds and no model.
"""

from __future__ import annotations

from pathlib import Path

import isogloss as ig
from docs.gallery_of_runs import (
    drift,
    errors,
    freezing,
    layers_needed,
    perplexity,
    regimes,
    section,
    table_of_layers,
    two_models,
)
from isogloss import published
from isogloss.formatting import percent
from isogloss.measures.correlation import correlate
from isogloss.studies.mapping import LEVELS, PAIR_SCORES, model_pair_facts, shipped_mapping
from isogloss.studies.similarity import shipped_monolingual
from isogloss.studies.study import Study

TARGET = Path(__file__).with_name("gallery.md")
TEXT = "everyday-48"
NEWS = "news-20"
MODEL = "multilingual-e5-small"
MAPPED = "precision@1"


def main() -> None:
    TARGET.write_text(describe_gallery(), encoding="utf-8")
    print(f"wrote {TARGET}")


def describe_gallery() -> str:
    """Return the whole page."""
    sections = (
        _introduction,
        _map,
        freezing,
        perplexity,
        regimes,
        drift,
        layers_needed,
        errors,
        _cka,
        _retrieval,
        _mapped_pair,
        two_models,
    )
    return "\n\n".join(section() for section in sections) + "\n"


def _introduction() -> str:
    return (
        "# Gallery\n\n"
        "The figures that Isogloss grew from: what was published, what the studies and runs that "
        "ship with it read, and the command that makes ours. The models and texts differ, so "
        "compare shapes and not heights; `bert-base-multilingual-cased` in place of a model's "
        "name asks the published one. Made by `python -m docs.make_gallery` from what ships and "
        "from isogloss/published.py."
    )


def _map() -> str:
    study = _study(MODEL)
    token_map = ig.token_map(study)
    rows = {
        "words whose translation is nearest": token_map.answer.scores.nearest_share,
        "the same, in the picture": token_map.answer.seen,
        "alignment error": ig.alignment(study).values,
    }
    return section(
        "t-SNE of English and Chinese tokens at every layer",
        "Jexus, Which layer preserves the best cross-lingual representations in "
        "multilingual-BERT? (blog post)",
        "mBERT: layers 7 and 8 are aligned best; 1 to 4, 11 and 12 are not aligned nicely.",
        f"{_title(study)}: the alignment error is least at layer "
        f"{ig.alignment(study).best().layer}. {_peaks(study, _study(MODEL, NEWS))}",
        table_of_layers(rows),
        f"python -m isogloss token-map {study.key[:8]} --contact-sheet layers.pdf",
        "token_map-light.png",
    )


def _peaks(everyday: Study, news: Study) -> str:
    """Where words are nearest most often depends on the text; say it for two."""
    first, second = (ig.token_map(study).answer.scores.nearest_share for study in (everyday, news))
    peaks = (
        f"Words are nearest most often at layer {first.argmax()} there, and at layer "
        f"{second.argmax()} ({second.max():.3f}) on {news.entry.facts['corpus']}, whose layer "
        f"{first.argmax()} reads {second[first.argmax()]:.3f}"
    )
    if news.text.gold is None:
        return f"{peaks}: which layer is highest depends on the text."
    return (
        f"{peaks}; the alignment error is least at layer {ig.alignment(news).best().layer} there."
    )


def _cka() -> str:
    studies = _study(MODEL), _study(f"random:{MODEL}")
    theirs = {
        f"{column.kind}, {'–'.join(column.languages)}": column.values
        for column in published.published_cka()
        if column.languages == ("en", "zh")
    }
    ours = {
        study.model: ig.similarity(study, "cka", coordinates="raw").values.diagonal()
        for study in studies
    }
    shipped = shipped_monolingual(studies[0])
    assert shipped is not None
    column, comparison = shipped
    pair = {" and ".join(column.models): comparison.similarity.values.diagonal()}
    return section(
        "CKA of parallel sentences at every layer",
        f"{published.CONNEAU_2020.full}, {published.CONNEAU_2020.place}",
        "English and Chinese, eight layers: the first table.",
        f"Plain CKA, {TEXT}, which on so few sentences reads high: the second table; two models "
        "of one language each: the third. The page shows the debiased one first.",
        f"{table_of_layers(theirs)}\n\n{table_of_layers(ours)}\n\n{table_of_layers(pair)}",
        f"python -m isogloss measure {studies[0].key[:8]} {studies[1].key[:8]} "
        "--what similarity --measure cka --coordinates raw",
        "similarity-light.png",
    )


def _retrieval() -> str:
    study = _study(MODEL)
    found = ig.retrieval(study, "cosine").curve()
    similar = ig.similarity(study).values.diagonal()
    pearson = correlate(similar, found).pearson
    return section(
        "Sentence retrieval, and how CKA runs with it",
        f"{published.CONNEAU_2020.full}, figure 6 and section 5.2",
        "Over 0.9 Pearson correlation for all four language pairs.",
        f"{_title(study)}: {pearson:.2f} over its layers.",
        table_of_layers({"sentences found first": found, "debiased CKA": similar}),
        f"python -m isogloss measure {study.key[:8]} --what similarity,retrieval --score cosine",
        "retrieval-light.png",
    )


def _mapped_pair() -> str:
    facts = model_pair_facts()
    first, second = (model["name"] for model in facts["models"])
    found = {level: shipped_mapping(level) for level in PAIR_SCORES}
    rows = {
        f"{LEVELS[level].lower()}, {each.tested_on:,} tested": each.after.curve(MAPPED)
        for level, each in found.items()
    }
    best = found["sentence"].after.curve(MAPPED)
    return section(
        "Words and sentences of two models that never met, after one rotation",
        f"{published.CONNEAU_2020.full}, figures 4 and 6",
        "Monolingual models, as charts: word types are found best by higher layers, sentences by "
        "lower ones.",
        f"{first} reads English, {second} Chinese; {facts['text']['name']}, "
        f"{facts['text']['pairs']:,} pairs, one half to learn the rotation from. Sentences are "
        f"found best at layer {best.argmax()}, {percent(best.max(), 0)} of them.",
        table_of_layers(rows),
        f"python -m docs.making.model_pair {facts['text']['name']}.tsv.gz",
        "retrieval-light.png",
    )


def _study(model: str, text: str = TEXT) -> Study:
    """The study of a model that ships, on the text that most of them share if not on another."""
    shipped = (study for study in ig.list_studies() if study.entry.demo)
    return next(s for s in shipped if (s.model, s.entry.facts["corpus"]) == (model, text))


def _title(study: Study) -> str:
    return f"{study.model} on {study.entry.facts['corpus']}, {len(study.bitext)} pairs"


if __name__ == "__main__":
    main()
