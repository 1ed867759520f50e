"""What pages read, each thing once: the only file with st.cache_*."""

from __future__ import annotations

import gc
import importlib
import threading
import time
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import streamlit as st
from streamlit import runtime

from cache import Store
from components.shared.read_only import is_read_only
from isogloss.figures.token_map.payload import ScrubberData
from isogloss.films import FilmPlan, film_scene, plan_film
from isogloss.measures.coordinates import Coordinates
from isogloss.models.loading import choose_device, count_layers
from isogloss.models.tokenisation_preview import TokenisationPreview, preview_tokenisation
from isogloss.runs.queue import Runs
from isogloss.runs.run import Run
from isogloss.studies.paired_rows import PairedRows
from isogloss.studies.retrieval import ConfusedSentences, SentenceRetrieval, confused_sentences
from isogloss.studies.similarity import CellAgreements, LayerComparison, explain_cell
from isogloss.studies.stored_results import StoredResult
from isogloss.studies.study import Study, list_studies, open_study
from isogloss.studies.token_map.maps import MapOptions, TokenMap, find_map
from isogloss.studies.training_trajectory import Trajectory, read_trajectory
from isogloss.studies.word_alignment import SentenceAlignment, align_sentence
from isogloss.tasks import TaskBoard
from isogloss.text.corpora import (
    CorpusFile,
    CorpusStatistics,
    ParallelCorpus,
    ReadResult,
    read_corpus,
)
from isogloss.text.monolingual import read_source
from isogloss.text.uploads import prune_uploads

if TYPE_CHECKING:  # what only the forms of runs need is imported when one is opened
    from isogloss.experiments.adaptation.costs import AdaptationTokens
    from isogloss.experiments.adaptation.plan import AdaptationPlan
    from isogloss.experiments.contextual_transfer.data import RunData
    from isogloss.experiments.contextual_transfer.plan import ContextualPlan
    from isogloss.experiments.sentences.costs import SentenceTokens
    from isogloss.experiments.sentences.plan import SentencePlan
    from isogloss.figures.template import Figure
    from isogloss.text.nli import NliData
    from isogloss.training.costs import Speed, TokenCounts
    from isogloss.training.nli_plan import NliPlan

Answer = TypeVar("Answer")

WARM_UP_DELAY = 4.0
"""Seconds that the first page has the server to itself."""


@st.cache_resource(show_spinner=False)
def the_store() -> Store:
    """The store of this server."""
    return Store()


def the_runs() -> Runs:
    """The training runs of this server's store, as every process sees them."""
    return Runs(the_store(), read_only=is_read_only())


@st.cache_resource(show_spinner=False)
def the_tasks() -> TaskBoard:
    """What this server has under way, shared by all sessions."""
    runs = the_runs()
    return TaskBoard(elsewhere=lambda: int(runs.at_work()), is_there=_has_page_open)


def _has_page_open(session: str) -> bool:
    return not runtime.exists() or runtime.get_instance().is_active_session(session)


@st.cache_resource(show_spinner=False)
def warm_up() -> threading.Thread:
    """Import what extraction and projection need while the user looks at the first page.

    It takes seconds that someone who brings a text would otherwise wait for.
    """

    def import_slow_libraries() -> None:
        time.sleep(WARM_UP_DELAY)
        drop_old_uploads()
        # scipy.stats cannot be imported while torch is being imported, so it comes first.
        for name in ("scipy.stats", "torch", "transformers.models.bert.modeling_bert", "openTSNE"):
            importlib.import_module(name)
        # Streamlit collects garbage after every run, and would look through all of these objects
        # each time: seconds of work that holds up everything else.
        gc.collect()
        gc.freeze()

    thread = threading.Thread(target=import_slow_libraries, name="warm-up", daemon=True)
    thread.start()
    return thread


def drop_old_uploads() -> None:
    """Delete the uploaded texts that neither a run nor anybody here needs."""
    prune_uploads(the_store().root, the_runs().named_files())


def studies() -> tuple[Study, ...]:
    """Every study in the store; listing is quick and always current."""
    return list_studies(the_store())


@st.cache_resource(show_spinner=False, max_entries=8)
def study(key: str) -> Study:
    """One study, its text and token table read once."""
    return open_study(the_store(), key)


@st.cache_resource(show_spinner=False, max_entries=16)
def _stored_map(key: str, options: MapOptions) -> TokenMap:
    found = find_map(study(key), options)
    if found is None:
        raise LookupError(key)
    return found


def stored_map(key: str, options: MapOptions) -> TokenMap | None:
    """The map of a study if it has been computed before."""
    try:
        return _stored_map(key, options)
    except LookupError:
        return None


@st.cache_data(show_spinner="Reading the text", max_entries=4)
def read_files(
    files: tuple[CorpusFile | str, ...],
    columns: tuple[str, str] | None,
    languages: tuple[str, str] | None,
    skip_bad_rows: bool,
) -> ReadResult:
    """What a text says, read once for each set of choices; an upload's path tells its content."""
    return read_corpus(files, columns=columns, languages=languages, skip_bad_rows=skip_bad_rows)


@st.cache_data(
    show_spinner="Counting words",
    max_entries=8,
    hash_funcs={ParallelCorpus: lambda c: c.content_hash},
)
def statistics(corpus: ParallelCorpus) -> CorpusStatistics:
    """A text in numbers; a long one takes a while to cut into words."""
    return corpus.statistics()


@st.cache_data(
    show_spinner=False, max_entries=16, hash_funcs={ParallelCorpus: lambda c: c.content_hash}
)
def tokenisation_preview(
    directory: Path, corpus: ParallelCorpus
) -> tuple[TokenisationPreview, TokenisationPreview]:
    """What a model will see of a text."""
    return preview_tokenisation(directory, corpus)


@st.cache_data(
    show_spinner=False, max_entries=16, hash_funcs={ScrubberData: lambda data: data.digest}
)
def film_plan(data: ScrubberData, kind: str, quality: str, theme: str) -> FilmPlan:
    """What a film of a map will be and cost; a few of its pictures are drawn to see."""
    return plan_film(film_scene(data), kind, quality, theme)


@st.cache_resource(show_spinner=False, max_entries=128)
def drawn_figure(key: str, _draw: Callable[[], Figure]) -> Figure:
    """The figure of everybody who asks with this key, which none of them may change."""
    return _draw()


def findings(run: Run, read: Callable[[Run], Answer]) -> Answer:
    """What `read` makes of a run, which it does again once there are more results."""
    return _findings(str(run.path), run.stamp, f"{read.__module__}.{read.__qualname__}", run, read)


@st.cache_resource(show_spinner=False, max_entries=32)
def _findings(
    path: str, stamp: Hashable, reader: str, _run: Run, _read: Callable[[Run], Answer]
) -> Answer:
    return _read(_run)


@st.cache_resource(show_spinner=False)
def trajectory() -> Trajectory:
    """The bundled model's training, seen at some moments."""
    return read_trajectory()


def nli_tokens(plan: NliPlan) -> TokenCounts:
    """How much text a plan on NLI goes through; its data is read, and so are its faults."""
    data = (plan.data, plan.train, plan.languages, plan.source_language)
    sizes = (plan.train_size, plan.dev_size, plan.test_size, plan.max_tokens)
    return _nli_tokens(plan, (plan.model, data, sizes))


@st.cache_data(show_spinner="Counting tokens", max_entries=32)
def _nli_tokens(_plan: NliPlan, key: Hashable) -> TokenCounts:
    from isogloss.training import costs

    data = _nli_data(_plan.data, _plan.train, _plan.languages, _plan.source_language)
    return costs.count_tokens(_plan.model, _plan.cut(data), _plan.max_tokens)


@st.cache_resource(show_spinner="Reading the pairs", max_entries=2)
def _nli_data(data: str, train: str | None, languages: tuple[str, ...], source: str) -> NliData:
    from isogloss.text.nli import load_nli

    return load_nli(data, train=train, languages=languages, source_language=source)


def sentence_tokens(plan: SentencePlan) -> SentenceTokens:
    """How much text a plan on sentences goes through; its data is read, and so are its faults."""
    data = (plan.nli, plan.corpus, plan.sts)
    sizes = (plan.objectives, plan.examples, plan.seeds[0], plan.max_tokens)
    return _sentence_tokens(plan, (plan.model, data, sizes))


@st.cache_data(show_spinner="Counting tokens", max_entries=32)
def _sentence_tokens(_plan: SentencePlan, key: Hashable) -> SentenceTokens:
    from isogloss.experiments.sentences.costs import count_sentence_tokens

    return count_sentence_tokens(_plan, _plan.read_data())


def contextual_data(plan: ContextualPlan) -> RunData:
    """The treebanks and parallel words of a plan; what is wrong with them is raised."""
    text = (plan.data, plan.tasks, plan.evaluate, plan.languages, plan.parallel)
    return _contextual_data(plan, (text, plan.parallel_size, plan.train_size, plan.test_size))


@st.cache_resource(show_spinner="Reading the treebanks and aligning words", max_entries=2)
def _contextual_data(_plan: ContextualPlan, key: Hashable) -> RunData:
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
    from isogloss.experiments.adaptation.costs import count_adaptation_tokens

    return count_adaptation_tokens(_plan, _plan.read_data())


@st.cache_resource(show_spinner="Timing this machine")
def machine_speed(width: int, device: str) -> Speed:
    """How fast this machine is at models of a width."""
    from isogloss.training import costs

    return costs.measure_speed(width, choose_device(device))


@st.cache_resource(show_spinner="Looking at the model", max_entries=32)
def model_layers(name: str) -> int:
    """How many blocks a model has, by its preset or by its configuration, which is fetched."""
    return count_layers(name, the_store())


def kept_answer(question: StoredResult[Answer]) -> Answer | None:
    """The answer if it has been computed before; nothing is started."""
    # Streamlit's hash of a dataclass leaves its type out, so the kind is given beside it.
    try:
        return _kept_answer(question.KIND, question)
    except LookupError:
        return None


@st.cache_resource(show_spinner=False, max_entries=256)
def _kept_answer(kind: str, question: StoredResult[Answer]) -> Answer:
    found = question.find(the_store())
    if found is None:
        raise LookupError(kind)
    return found


@st.cache_resource(show_spinner=False, max_entries=8)
def _paired_rows(comparison: LayerComparison) -> PairedRows:
    return comparison.rows(study(comparison.study), the_store())


@st.cache_data(show_spinner="Looking behind the cell", max_entries=64)
def cell_agreements(comparison: LayerComparison, layer: int, other_layer: int) -> CellAgreements:
    """The pairs that agree most and least behind one cell of a comparison."""
    rows = _paired_rows(comparison)
    return explain_cell(rows, comparison.measure, layer, other_layer)


@st.cache_data(show_spinner="Searching", max_entries=64)
def confused(question: SentenceRetrieval, layer: int, direction: str) -> ConfusedSentences:
    """The sentences that found something else than their translation at a layer."""
    return confused_sentences(study(question.study), layer, question, direction)


@st.cache_data(show_spinner="Aligning words", max_entries=64)
def sentence_alignment(
    key: str, sentence: int, layer: int, method: str, coordinates: Coordinates
) -> SentenceAlignment:
    """The words of one sentence pair, aligned at one layer."""
    return align_sentence(study(key), sentence, layer, method, coordinates)
