"""The sections of the gallery that runs tell, and how every section is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from components.transfer.basis import costs
from components.transfer.wording import describe
from isogloss import published
from isogloss.lab.adaptation.results import read_adaptation
from isogloss.lab.layers_needed.plan import FULL, LayersNeededPlan
from isogloss.lab.layers_needed.results import read_results
from isogloss.lab.runs.queue import SHIPPED
from isogloss.lab.runs.run import Run
from isogloss.lab.sentences.results import BOTH, read_sentence_results
from isogloss.lab.transfer.comparison import check_rates
from isogloss.lab.transfer.gains import gains_of_freezing, read_judgements
from isogloss.lab.transfer.results import read_transfer
from isogloss.lab.two_models.plan import TwoModelsPlan
from isogloss.lab.two_models.reading import SETUPS
from isogloss.lab.two_models.results import read_results as read_two_models
from isogloss.lab.two_models.tasks import TASKS

TWO_MODELS = "two-models-three-tasks"


def freezing() -> str:
    known = published.FREEZING_XNLI
    theirs = {f"{known.system}, {code}": known.accuracy[code] for code in ("en", "zh")}
    tables = [table_of("layers frozen", known.frozen, theirs)]
    commands = []
    for name in ("multilingual-e5-small-xnli", "mini-en-zh-xnli", "gemma-3-270m-xnli"):
        run = _run(name)
        found = read_transfer(run)
        ours = {
            f"{found.model}, {code}": found.mean("selected")[:, column]
            for column, code in enumerate(found.languages)
        }
        tables.append(table_of("layers frozen", found.frozen, ours))
        commands.append(run.command)
    return section(
        "XNLI accuracy with the first N layers frozen",
        f"The same post, as a chart without numbers; {known.source.full}, {known.source.place}",
        f"{known.system}, zero-shot: the first table. -1 trains all, 0 freezes the embeddings.",
        f"Far fewer training pairs; the other tables. {_freezing_found()}",
        "\n\n".join(tables),
        "\n".join(commands),
        "transfer-light.png",
    )


def _freezing_found() -> str:
    """What our first table's run says, and at which N languages clearly lose."""
    names = "multilingual-e5-small-xnli", "multilingual-e5-small-xnli-one-rate"
    (first, judged), (second, again) = (
        (found, read_judgements(run, found))
        for run, found in ((_run(name), read_transfer(_run(name))) for name in names)
    )
    checks = check_rates(first, [(names[1], second, again)], "selected")
    gains = gains_of_freezing(first, judged, "selected")
    said = describe(first, judged, "selected", checks), costs(first, gains)
    return f"The first of ours: {' '.join(said)}"


def perplexity() -> str:
    run = _run("mini-en-zh-adapted-to-chinese")
    found = read_adaptation(run)
    best = found.regimes["all"]
    theirs = table_of(
        "step",
        [each.step for each in published.DUTCH_ADAPTATION],
        {
            "mBERT, Dutch": [each.target[0] for each in published.DUTCH_ADAPTATION],
            "mBERT, multilingual": [each.multilingual[0] for each in published.DUTCH_ADAPTATION],
        },
    )
    ours = table_of(
        "step",
        best.steps.astype(int).tolist(),
        {
            f"{found.model}, {found.language}": best.mean(best.target),
            f"{found.model}, multilingual": best.mean(best.multilingual),
        },
    )
    crossing = best.crossing
    return section(
        "Perplexity on the target language and on many, over training",
        f"{published.HUSSAIN_DUDEV.full}, table 1 and figure 2",
        "Dutch falls, the multilingual perplexity grows, and the two cross: the first table.",
        f"{found.model} trained on Chinese, all layers: the curves cross at step "
        f"{crossing.mean_step:.0f} in {crossing.count} of {len(best.seeds)} seeds.",
        f"{theirs}\n\n{ours}",
        run.command,
        "adaptation-light.png",
    )


def regimes() -> str:
    run = _run("mini-en-zh-adapted-to-chinese")
    found = read_adaptation(run)
    names = [name for name in published.DUTCH_REGIMES if name in found.regimes]
    table = table_of(
        "trained",
        names,
        {
            "mBERT, Dutch": [published.DUTCH_REGIMES[name] for name in names],
            f"{found.model}, {found.language}": [
                float(found.regimes[name].test.mean()) for name in names
            ],
        },
    )
    return section(
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


def drift() -> str:
    run = _run("mini-en-zh-adapted-to-chinese")
    found = read_adaptation(run)
    rows = {
        name: np.nanmean(each.drift["before", "distance"][:, -1], axis=0)
        for name, each in found.regimes.items()
    }
    return section(
        "How far each layer moves in training",
        f"{published.HUSSAIN_DUDEV.full}, figure 1",
        "A chart without numbers: mean L2 distance of chosen layers to those of a native model; "
        "layers that are unfrozen settle in a state of their own.",
        f"{found.model}: mean L2 distance of every layer to itself before training, after the "
        "last step. With `--reference MODEL` a native model is the other end, too.",
        table_of_layers(rows),
        run.command,
        "adaptation-light.png",
    )


def layers_needed() -> str:
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
    return section(
        "Layers re-initialised before fine-tuning; what fine-tuning changes",
        f"{published.MULLER_2021.full}, {published.MULLER_2021.place}",
        "No number in the abstract: the lower layers are crucial for transfer and hardly change "
        "in fine-tuning; the upper ones can be re-initialised.",
        f"{plan.model}: accuracy lost when layers are re-initialised, mean of "
        f"{len(plan.seeds)} seeds, and debiased CKA of each layer with itself before fine-tuning.",
        table_of("layers", ["–".join(map(str, group)) for group in groups], costs)
        + "\n\n"
        + table_of_layers({f"kept, {code}": values for code, values in kept.items()}),
        run.command,
        "layers_needed-light.png",
    )


def errors() -> str:
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
    return section(
        "How much of the Tatoeba error English fine-tuning takes away",
        f"{published.CESHINE_2019.full}, {published.CESHINE_2019.place}",
        "Against the untrained model's mean, maximum and [CLS] vectors: the first row.",
        f"{found.rows:,} pairs, both directions; the other rows.",
        table_of("pooling before", poolings, rows),
        run.command,
        "sentences-light.png",
    )


def two_models() -> str:
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
        tables.append(f"{title}:\n\n{table_of_layers(rows)}")
    best = " and ".join(
        f"{found.best_layer(task, next(iter(TASKS[task].measures)))} ({TASKS[task].title.lower()})"
        for task in found.tasks
    )
    return section(
        "A network trained on English reads a Chinese model through a rotation",
        f"{published.CONNEAU_2020.full}, figure 5",
        "Parsing and entities, as charts: a middle layer is mapped best, a bilingual model is "
        "mostly ahead, and more so for entities than for parsing.",
        f"{run.plan.title}, {len(found.plan.seeds)} seeds; the best layers are {best}.",
        "\n\n".join(tables),
        run.command,
        "two_models-light.png",
    )


def section(
    title: str, source: str, theirs: str, ours: str, tables: str, command: str, picture: str
) -> str:
    return (
        f"## {title}\n\n*{source}.*\n\n**Published.** {theirs}\n\n**Ours.** {ours}\n\n{tables}\n\n"
        f"```\n{command}\n```\n\n![{title}](pictures/{picture})"
    )


def table_of_layers(rows: Mapping[str, Sequence[float]]) -> str:
    return table_of("layer", range(len(next(iter(rows.values())))), rows)


def table_of(head: str, columns: Sequence[object], rows: Mapping[str, Sequence[float]]) -> str:
    lines = [f"| {head} | " + " | ".join(map(str, columns)) + " |", "|---|" + "---|" * len(columns)]
    for name, values in rows.items():
        lines.append(f"| {name} | " + " | ".join(map(_number, values)) + " |")
    return "\n".join(lines)


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.1f}" if abs(value) >= 2 else f"{value:.2f}"


def _run(name: str) -> Run:
    return Run(SHIPPED / name, shipped=True)
