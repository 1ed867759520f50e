"""What to train and to measure: the form that starts a run on sentence embeddings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import streamlit as st

from components import loading
from components.extraction import choose_model
from components.layout import control_row
from components.panels import panel
from components.run_panel import start_button
from isogloss.corpora import bundled_corpora
from isogloss.costs import size_of_model
from isogloss.errors import ModelError
from isogloss.formatting import human_time
from isogloss.sentence_costs import SentenceTokens, estimate_sentence_seconds
from isogloss.sentence_encoder import POOLINGS
from isogloss.sentence_runs import SentencePlan
from isogloss.sentence_training import OBJECTIVES

_KEY = "sentences"
BUNDLED, FILE, HUB = "bundled", "file", "hub"
SOURCES = {BUNDLED: "Bundled", FILE: "A file", HUB: "XNLI from the hub"}
# All of the bundled set; of a large one so much that a first run ends within reasonable time.
EXAMPLES: dict[str, int | None] = {BUNDLED: None, FILE: 2_000, HUB: 2_000}


@panel
def sentences_form() -> None:
    """What to train on, how, and what to measure; and the button that starts it."""
    model = choose_model()
    if model is None:
        st.info("Name a model.", icon=":material/info:")
        return
    n_layers = loading.model_layers(model)
    training = _choose_training(n_layers)
    data = _choose_data()
    if not training["objectives"]:
        st.info("Choose at least one objective.", icon=":material/info:")
        return
    if not data["nli"] or not data["corpus"]:
        st.info("Name the file.", icon=":material/info:")
        return
    plan = SentencePlan(model=model, **training, **data)
    tokens = loading.sentence_tokens(plan)
    start_button(plan, lambda: _time_needed(plan, tokens), f"start-{_KEY}")


def _choose_training(n_layers: int) -> dict[str, Any]:
    with control_row():
        objectives = st.multiselect(
            "Train to",
            list(OBJECTIVES),
            default=list(SentencePlan.objectives),
            format_func=lambda name: OBJECTIVES[name].title.lower(),
            key=f"{_KEY}-objectives",
            help="\n\n".join(
                f"**{each.title}**: {each.explanation} ({each.paper})"
                for each in OBJECTIVES.values()
            ),
        )
        pooling = cast(
            str,
            st.segmented_control(
                "Pooling",
                list(POOLINGS),
                format_func=lambda name: POOLINGS[name].title,
                default=SentencePlan.pooling,
                required=True,
                key=f"{_KEY}-trained-pooling",
                help="\n\n".join(
                    f"**{each.title}**: {each.explanation}" for each in POOLINGS.values()
                ),
            ),
        )
        seeds = st.number_input(
            "Seeds", 1, 20, 3, key=f"{_KEY}-seeds", help="One training for each.", width=110
        )
    left, middle, right = st.columns(3)
    layer = left.selectbox(
        "Layer that is pooled",
        range(n_layers, 0, -1),
        format_func=lambda number: _layer_name(number, n_layers),
        key=f"{_KEY}-trained-layer-{n_layers}",
        help="Blocks above it are left as they are.",
    )
    frozen = middle.selectbox(
        "Frozen",
        range(-1, layer),
        index=1,
        format_func=_frozen_name,
        key=f"{_KEY}-frozen-{n_layers}-{layer}",
        help="Were the embeddings trained, only those of English words would move.",
    )
    epochs = right.number_input(
        "Epochs",
        1,
        100,
        SentencePlan.epochs,
        key=f"{_KEY}-epochs",
        help="Passes through the pairs.",
    )
    return {
        "objectives": tuple(name for name in OBJECTIVES if name in objectives),
        "pooling": pooling,
        "seeds": tuple(range(seeds)),
        "layer": layer - n_layers - 1,
        "frozen": frozen,
        "epochs": epochs,
    }


def _layer_name(layer: int, n_layers: int) -> str:
    names = {n_layers: "the last", n_layers - 1: "the second-to-last"}
    return f"{layer}, {names[layer]}" if layer in names else str(layer)


def _frozen_name(frozen: int) -> str:
    if frozen < 0:
        return "nothing"
    return f"embeddings and blocks 1 to {frozen}" if frozen else "the embeddings"


def _choose_data() -> dict[str, Any]:
    with control_row():
        source = cast(
            str,
            st.segmented_control(
                "English pairs to train on",
                list(SOURCES),
                format_func=SOURCES.__getitem__,
                default=BUNDLED,
                required=True,
                key=f"{_KEY}-source",
                help="**Bundled**: a few hundred pairs that come with Isogloss, for a first look. "
                "**A file** of SNLI, MultiNLI or XNLI, or of three columns with tabs between them. "
                "**The hub**: facebook/xnli, downloaded.",
            ),
        )
        examples = st.number_input(
            "Examples",
            min_value=2,
            value=EXAMPLES[source],
            placeholder="all",
            key=f"{_KEY}-examples-{source}",
            help="How many pairs, or triples to rank, each seed draws.",
            width=150,
        )
    nli = source
    if source == FILE:
        nli = _path(st, "File of English pairs", "~/multinli/multinli_1.0_train.jsonl", "nli")
    titles = {bundled.name: bundled.title for bundled in bundled_corpora()} | {FILE: "A file …"}
    left, right = st.columns([2, 1])
    corpus = left.selectbox(
        "Translations to find",
        list(titles),
        format_func=titles.__getitem__,
        index=list(titles).index(SentencePlan.corpus),
        key=f"{_KEY}-corpus",
    )
    if corpus == FILE:
        corpus = _path(left, "File of translations", "~/tatoeba.en-zh.tsv.gz", "corpus-file")
    sts = _path(
        right,
        "STS file, if another than the bundled ones",
        "~/stsbenchmark/sts-test.csv",
        "sts",
        help="Sentence pairs with the similarity people gave them: sentence1, sentence2 and score "
        "with tabs between them, or the STS Benchmark's own layout.",
    )
    return {"nli": nli, "examples": examples, "corpus": corpus, "sts": (sts,) if sts else ()}


def _path(place: Any, label: str, example: str, key: str, help: str | None = None) -> str:
    """A file on this machine by its whole path, empty while none is named."""
    text = place.text_input(label, placeholder=example, key=f"{_KEY}-{key}", help=help).strip()
    return str(Path(text).expanduser().absolute()) if text else ""


def _time_needed(plan: SentencePlan, tokens: SentenceTokens) -> str:
    """How much it trains on and how long it will take on this machine."""
    try:
        size = size_of_model(plan.model)
    except ModelError as error:
        return str(error)
    speed = loading.machine_speed(size.width, plan.device)
    seconds = estimate_sentence_seconds(plan, size, tokens, speed)
    counts = " and ".join(
        f"{count:,} examples to {OBJECTIVES[name].title.lower()}"
        for name, count in tokens.examples.items()
    )
    return f"{counts}; about {human_time(seconds)} on this machine, if it does nothing else."
