"""Write docs/gallery.md: the figures of the five sources, their numbers, ours, and our command.

    python -m docs.make_gallery

Our numbers come from the studies and runs that ship, published tables from isogloss.published. It
takes seconds and no model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np

import isogloss as ig
from components.transfer.basis import costs
from components.transfer.wording import describe
from isogloss import published
from isogloss.formatting import percent
from isogloss.lab.adaptation.results import read_adaptation
from isogloss.lab.layers_needed.plan import FULL, LayersNeededPlan
from isogloss.lab.layers_needed.results import read_results
from isogloss.lab.runs.queue import SHIPPED
from isogloss.lab.runs.run import Run
from isogloss.lab.sentences.results import BOTH, read_sentence_results
from isogloss.lab.transfer.comparison import (
    check_rates,
    gains_of_freezing,
    read_judgements,
)
from isogloss.lab.transfer.results import read_transfer
from isogloss.lab.two_models.plan import TwoModelsPlan
from isogloss.lab.two_models.reading import SETUPS
from isogloss.lab.two_models.results import read_results as read_two_models
from isogloss.lab.two_models.tasks import TASKS
from isogloss.measures.correlation import correlate
from isogloss.studies.mapping import LEVELS, PAIR_SCORES, model_pair_facts, shipped_mapping
from isogloss.studies.similarity import shipped_monolingual
from isogloss.studies.study import Study

TARGET = Path(__file__).with_name("gallery.md")
TEXT = "everyday-48"
NEWS = "news-20"
MODEL = "multilingual-e5-small"
MAPPED = "precision@1"
TWO_MODELS = "two-models-three-tasks"


def main() -> None:
    TARGET.write_text(describe_gallery(), encoding="utf-8")
    print(f"wrote {TARGET}")


def describe_gallery() -> str:
    """Return the whole page."""
    sections = (
        _introduction,
        _map,
        _freezing,
        _perplexity,
        _regimes,
        _drift,
        _reinitialised,
        _errors,
        _cka,
        _retrieval,
        _mapped_pair,
        _two_models,
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
    return _section(
        "t-SNE of English and Chinese tokens at every layer",
        "Jexus, Which layer preserves the best cross-lingual representations in "
        "multilingual-BERT? (blog post)",
        "mBERT: layers 7 and 8 are aligned best; 1 to 4, 11 and 12 are not aligned nicely.",
        f"{_title(study)}: the alignment error is least at layer "
        f"{ig.alignment(study).best().layer}. {_peaks(study, _study(MODEL, NEWS))}",
        _layers(rows),
        f"python -m isogloss map {study.key[:8]} --contact-sheet layers.pdf",
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
    if news.corpus.gold is None:
        return f"{peaks}: which layer is highest depends on the text."
    return (
        f"{peaks}; the alignment error is least at layer {ig.alignment(news).best().layer} there."
    )


def _freezing() -> str:
    known = published.FREEZING_XNLI
    theirs = {f"{known.system}, {code}": known.accuracy[code] for code in ("en", "zh")}
    tables = [_table("layers frozen", known.frozen, theirs)]
    commands = []
    for name in ("multilingual-e5-small-xnli", "mini-en-zh-xnli", "gemma-3-270m-xnli"):
        run = _run(name)
        found = read_transfer(run)
        ours = {
            f"{found.model}, {code}": found.mean("selected")[:, column]
            for column, code in enumerate(found.languages)
        }
        tables.append(_table("layers frozen", found.frozen, ours))
        commands.append(run.command)
    return _section(
        "XNLI accuracy with the first N layers frozen",
        f"The same post, as a chart without numbers; {known.source.full}, {known.source.place}",
        f"{known.system}, zero-shot: the first table. -1 trains all, 0 freezes the embeddings.",
        f"Far fewer training pairs; the other tables. {_freezing_found()}",
        "\n\n".join(tables),
        "\n".join(commands),
        "transfer-light.png",
    )


def _freezing_found() -> str:
    """What our first table's sweep says, and at which N languages clearly lose."""
    names = "multilingual-e5-small-xnli", "multilingual-e5-small-xnli-one-rate"
    (first, judged), (second, again) = (
        (found, read_judgements(run, found))
        for run, found in ((_run(name), read_transfer(_run(name))) for name in names)
    )
    checks = check_rates(first, [(names[1], second, again)], "selected")
    gains = gains_of_freezing(first, judged, "selected")
    said = describe(first, judged, "selected", checks), costs(first, gains)
    return f"The first of ours: {' '.join(said)}"


def _perplexity() -> str:
    run = _run("mini-en-zh-adapted-to-chinese")
    found = read_adaptation(run)
    best = found.regimes["all"]
    theirs = _table(
        "step",
        [each.step for each in published.DUTCH_ADAPTATION],
        {
            "mBERT, Dutch": [each.target[0] for each in published.DUTCH_ADAPTATION],
            "mBERT, multilingual": [each.multilingual[0] for each in published.DUTCH_ADAPTATION],
        },
    )
    ours = _table(
        "step",
        best.steps.astype(int).tolist(),
        {
            f"{found.model}, {found.language}": best.mean(best.target),
            f"{found.model}, multilingual": best.mean(best.multilingual),
        },
    )
    crossing = best.crossing
    return _section(
        "Perplexity on the target language and on many, over training",
        f"{published.HUSSAIN_DUDEV.full}, table 1 and figure 2",
        "Dutch falls, the multilingual perplexity grows, and the two cross: the first table.",
        f"{found.model} trained on Chinese, all layers: the curves cross at step "
        f"{crossing.mean_step:.0f} in {crossing.count} of {len(best.seeds)} seeds.",
        f"{theirs}\n\n{ours}",
        run.command,
        "adaptation-light.png",
    )


def _regimes() -> str:
    run = _run("mini-en-zh-adapted-to-chinese")
    found = read_adaptation(run)
    names = [name for name in published.DUTCH_REGIMES if name in found.regimes]
    table = _table(
        "trained",
        names,
        {
            "mBERT, Dutch": [published.DUTCH_REGIMES[name] for name in names],
            f"{found.model}, {found.language}": [
                float(found.regimes[name].test.mean()) for name in names
            ],
        },
    )
    return _section(
        "Test perplexity by what is unfrozen",
        f"{published.HUSSAIN_DUDEV.full}, table 2",
        f"All layers at once are best; the native model, not trained further, reads "
        f"{published.DUTCH_NATIVE}.",
        f"{found.model}, mean of {len(found.best.seeds)} seeds; before training "
        f"{found.best.test_before:.1f}.",
        table,
        run.command,
        "adaptation-light.png",
    )


def _drift() -> str:
    run = _run("mini-en-zh-adapted-to-chinese")
    found = read_adaptation(run)
    rows = {
        name: np.nanmean(each.drift["before", "distance"][:, -1], axis=0)
        for name, each in found.regimes.items()
    }
    return _section(
        "How far each layer moves in training",
        f"{published.HUSSAIN_DUDEV.full}, figure 1",
        "A chart without numbers: mean L2 distance of chosen layers to those of a native model; "
        "layers that are unfrozen settle in a state of their own.",
        f"{found.model}: mean L2 distance of every layer to itself before training, after the "
        "last step. With `--reference MODEL` a native model is the other end, too.",
        _layers(rows),
        run.command,
        "adaptation-light.png",
    )


def _reinitialised() -> str:
    run = _run("multilingual-e5-small-layers-needed")
    plan = run.plan
    assert isinstance(plan, LayersNeededPlan)
    found = read_results(plan, run.results())
    groups = found.measured()
    costs = {
        f"cost, {code}, points": [100 * found.cost(group, code).mean for group in groups]
        for code in found.languages
    }
    kept = found.similarities[FULL].kept
    return _section(
        "Layers re-initialised before fine-tuning; what fine-tuning changes",
        f"{published.MULLER_2021.full}, {published.MULLER_2021.place}",
        "No number in the abstract: the lower layers are crucial for transfer and hardly change "
        "in fine-tuning; the upper ones can be re-initialised.",
        f"{plan.model}: accuracy lost when layers are re-initialised, mean of "
        f"{len(plan.seeds)} seeds, and debiased CKA of each layer with itself before fine-tuning.",
        _table("layers", ["–".join(map(str, group)) for group in groups], costs)
        + "\n\n"
        + _layers({f"kept, {code}": values for code, values in kept.items()}),
        run.command,
        "layers_needed-light.png",
    )


def _errors() -> str:
    run = _run("mini-en-zh-sentences")
    found = read_sentence_results(run)
    assert found is not None
    poolings = list(published.ERROR_REDUCTION)
    rows = {
        "mBERT, at most": [published.ERROR_REDUCTION[pooling] for pooling in poolings],
        **{
            f"{found.plan.model}, {objective}": [
                float(found.reduction(objective, baseline=pooling).values[BOTH])
                for pooling in poolings
            ]
            for objective in found.after
        },
    }
    return _section(
        "How much of the Tatoeba error English fine-tuning takes away",
        f"{published.CESHINE_2019.full}, {published.CESHINE_2019.place}",
        "Against the untrained model's mean, maximum and [CLS] vectors: the first row.",
        f"{found.rows:,} pairs, both directions; the other rows.",
        _table("pooling before", poolings, rows),
        run.command,
        "sentences-light.png",
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
    return _section(
        "CKA of parallel sentences at every layer",
        f"{published.CONNEAU_2020.full}, {published.CONNEAU_2020.place}",
        "English and Chinese, eight layers: the first table.",
        f"Plain CKA, {TEXT}, which on so few sentences reads high: the second table; two models "
        "of one language each: the third. The page shows the debiased one first.",
        f"{_layers(theirs)}\n\n{_layers(ours)}\n\n{_layers(pair)}",
        f"python -m isogloss measure {studies[0].key[:8]} {studies[1].key[:8]} "
        "--what similarity --measure cka --coordinates raw",
        "similarity-light.png",
    )


def _retrieval() -> str:
    study = _study(MODEL)
    found = ig.retrieval(study, "cosine").curve()
    similar = ig.similarity(study).values.diagonal()
    pearson = correlate(similar, found).pearson
    return _section(
        "Sentence retrieval, and how CKA runs with it",
        f"{published.CONNEAU_2020.full}, figure 6 and section 5.2",
        "Over 0.9 Pearson correlation for all four language pairs.",
        f"{_title(study)}: {pearson:.2f} over its layers.",
        _layers({"sentences found first": found, "debiased CKA": similar}),
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
    return _section(
        "Words and sentences of two models that never met, after one rotation",
        f"{published.CONNEAU_2020.full}, figures 4 and 6",
        "Monolingual models, as charts: word types are found best by higher layers, sentences by "
        "lower ones.",
        f"{first} reads English, {second} Chinese; {facts['text']['name']}, "
        f"{facts['text']['pairs']:,} pairs, one half to learn the rotation from. Sentences are "
        f"found best at layer {best.argmax()}, {percent(best.max(), 0)} of them.",
        _layers(rows),
        f"python -m docs.making.model_pair {facts['text']['name']}.tsv.gz",
        "retrieval-light.png",
    )


def _two_models() -> str:
    run = _run(TWO_MODELS)
    found = read_two_models(cast(TwoModelsPlan, run.plan), run.results())
    tables = []
    for task in found.tasks:
        measure = next(iter(TASKS[task].measures))
        rows = {
            SETUPS[setup].title: found.line(task, measure, setup).mean
            for setup in found.setups(task)
        }
        title = f"{TASKS[task].title}, {TASKS[task].measures[measure]}"
        tables.append(f"{title}:\n\n{_layers(rows)}")
    best = " and ".join(
        f"{found.best_layer(task, next(iter(TASKS[task].measures)))} ({TASKS[task].title.lower()})"
        for task in found.tasks
    )
    return _section(
        "A network trained on English reads a Chinese model through a rotation",
        f"{published.CONNEAU_2020.full}, figure 5",
        "Parsing and entities, as charts: a middle layer is mapped best, a bilingual model is "
        "mostly ahead, and more so for entities than for parsing.",
        f"{run.plan.title}, {len(found.plan.seeds)} seeds; the best layers are {best}.",
        "\n\n".join(tables),
        run.command,
        "two_models-light.png",
    )


def _section(
    title: str, source: str, theirs: str, ours: str, tables: str, command: str, picture: str
) -> str:
    return (
        f"## {title}\n\n*{source}.*\n\n**Published.** {theirs}\n\n**Ours.** {ours}\n\n{tables}\n\n"
        f"```\n{command}\n```\n\n![{title}](pictures/{picture})"
    )


def _layers(rows: Mapping[str, Sequence[float]]) -> str:
    return _table("layer", range(len(next(iter(rows.values())))), rows)


def _table(head: str, columns: Sequence[object], rows: Mapping[str, Sequence[float]]) -> str:
    lines = [f"| {head} | " + " | ".join(map(str, columns)) + " |", "|---|" + "---|" * len(columns)]
    for name, values in rows.items():
        lines.append(f"| {name} | " + " | ".join(map(_number, values)) + " |")
    return "\n".join(lines)


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.1f}" if abs(value) >= 2 else f"{value:.2f}"


def _study(model: str, text: str = TEXT) -> Study:
    """The study of a model that ships, on the text that most of them share if not on another."""
    shipped = (study for study in ig.list_studies() if study.entry.demo)
    return next(s for s in shipped if (s.model, s.entry.facts["corpus"]) == (model, text))


def _title(study: Study) -> str:
    return f"{study.model} on {study.entry.facts['corpus']}, {len(study.corpus)} pairs"


def _run(name: str) -> Run:
    return Run(SHIPPED / name, shipped=True)


if __name__ == "__main__":
    main()
