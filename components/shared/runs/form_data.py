"""What the forms of runs read to tell what a run will take, each thing once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import streamlit as st

from components.shared import loading
from isogloss.models.configuration import count_layers
from isogloss.models.loading import choose_device
from isogloss.text.monolingual import read_source

if TYPE_CHECKING:  # what only one form needs is imported when it is opened
    from isogloss.lab.adaptation.costs import AdaptationTokens
    from isogloss.lab.adaptation.plan import AdaptationPlan
    from isogloss.lab.sentences.costs import SentenceTokens
    from isogloss.lab.sentences.plan import SentencesPlan
    from isogloss.lab.training.costs import Speed, TokenCounts
    from isogloss.lab.training.nli_plan import NliPlan
    from isogloss.lab.two_models.data import RunData
    from isogloss.lab.two_models.plan import TwoModelsPlan
    from isogloss.text.nli import NliData


def nli_tokens(plan: NliPlan) -> TokenCounts:
    """How much text a plan on NLI goes through; its data is read, and so are its faults."""
    data = (plan.data, plan.train, plan.languages, plan.source_language)
    sizes = (plan.train_size, plan.dev_size, plan.test_size, plan.max_tokens)
    return _nli_tokens(plan, (plan.model, data, sizes))


@st.cache_data(show_spinner="Counting tokens", max_entries=32)
def _nli_tokens(_plan: NliPlan, key: Hashable) -> TokenCounts:
    from isogloss.lab.training import costs

    data = _nli_data(_plan.data, _plan.train, _plan.languages, _plan.source_language)
    return costs.count_tokens(_plan.model, _plan.cut(data), _plan.max_tokens)


@st.cache_resource(show_spinner="Reading the pairs", max_entries=2)
def _nli_data(data: str, train: str | None, languages: tuple[str, ...], source: str) -> NliData:
    from isogloss.text.nli import load_nli

    return load_nli(data, train=train, languages=languages, source_language=source)


def sentence_tokens(plan: SentencesPlan) -> SentenceTokens:
    """How much text a plan on sentences goes through; its data is read, and so are its faults."""
    data = (plan.nli, plan.corpus, plan.sts)
    sizes = (plan.objectives, plan.examples, plan.seeds[0], plan.max_tokens)
    return _sentence_tokens(plan, (plan.model, data, sizes))


@st.cache_data(show_spinner="Counting tokens", max_entries=32)
def _sentence_tokens(_plan: SentencesPlan, key: Hashable) -> SentenceTokens:
    from isogloss.lab.sentences.costs import count_sentence_tokens

    return count_sentence_tokens(_plan, _plan.read_data())


def two_models_data(plan: TwoModelsPlan) -> RunData:
    """The treebanks and parallel words of a plan; what is wrong with them is raised."""
    text = (plan.data, plan.tasks, plan.evaluate, plan.languages, plan.parallel)
    return _two_models_data(plan, (text, plan.parallel_size, plan.train_size, plan.test_size))


@st.cache_resource(show_spinner="Reading the treebanks and aligning words", max_entries=2)
def _two_models_data(_plan: TwoModelsPlan, key: Hashable) -> RunData:
    return _plan.read_data()


@st.cache_data(show_spinner="Reading the text", max_entries=32)
def text_languages(source: str) -> tuple[str, ...]:
    """The languages of a source of text."""
    return tuple(read_source(source))


def adaptation_tokens(plan: AdaptationPlan) -> AdaptationTokens:
    """How much text an adaptation goes through; its text is read, and so are its faults."""
    sizes = (
        plan.train_sentences,
        plan.validation_sentences,
        plan.test_sentences,
        plan.multilingual_sentences,
        plan.longest,
    )
    sources = (plan.language, plan.text, plan.multilingual, plan.split_seed)
    return _adaptation_tokens(plan, (plan.model, sources, sizes))


@st.cache_data(show_spinner="Reading the text", max_entries=32)
def _adaptation_tokens(_plan: AdaptationPlan, key: Hashable) -> AdaptationTokens:
    from isogloss.lab.adaptation.costs import count_adaptation_tokens

    return count_adaptation_tokens(_plan, _plan.read_data())


@st.cache_resource(show_spinner="Timing this machine")
def machine_speed(width: int, device: str) -> Speed:
    """How fast this machine is at models of a width."""
    from isogloss.lab.training import costs

    return costs.measure_speed(width, choose_device(device))


@st.cache_resource(show_spinner="Looking at the model", max_entries=32)
def model_layers(name: str) -> int:
    """How many blocks a model has, by its preset or by its configuration, which is fetched."""
    return count_layers(name, loading.the_store())
