"""The app in Streamlit's own test harness, with a small study in a cache of its own."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit import config
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from components.shared import background, loading
from isogloss.lab.runs import queue
from isogloss.lab.runs.queue import Runs
from isogloss.map.maps import MapOptions, make_map
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.store import Store
from isogloss.studies.best_layer.question import BestLayer, BestOfDiagonal
from isogloss.studies.best_layer.wording import SCORES
from isogloss.studies.coordinates import RogueReport
from isogloss.studies.extraction import extract
from isogloss.studies.layer_geometry import LayerGeometry
from isogloss.studies.retrieval import LanguageIdentity, SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study, open_study
from isogloss.studies.word_alignment import AlignmentQuality
from tests.helpers.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
UPLOADS = config.get_option("server.maxUploadSize")


@pytest.fixture(autouse=True)
def open_uploads() -> Iterator[None]:
    """What a read-only server closes for the whole process is open again for the next test."""
    yield
    config.set_option("server.maxUploadSize", UPLOADS)


@pytest.fixture(autouse=True)
def declared_pages(monkeypatch) -> None:
    """Every page by way of app.py, as on a server; the harness takes the folder for pages anew."""
    make = PagesManager.__init__

    def declared(self, *words, **options):
        make(self, *words, **options)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", declared)


@pytest.fixture
def app_store(tmp_path, monkeypatch) -> Store:
    """The store that the app under test opens; only what a test puts in is there."""
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(Store.__init__, "__kwdefaults__", {"demo": None, "limit_bytes": None})
    monkeypatch.setattr(Runs.__init__, "__defaults__", (None,))
    # Its imports would run beside those of the tests, in the same process.
    monkeypatch.setattr(loading, "warm_up", lambda: None)
    st.cache_data.clear()
    st.cache_resource.clear()
    return Store(tmp_path / "cache", demo=None)


@pytest.fixture
def patience(monkeypatch) -> None:
    """A busy machine may take longer than a user is made to wait for."""
    monkeypatch.setattr(background, "PATIENCE", 60.0)


@pytest.fixture
def runs(app_store, monkeypatch) -> Runs:
    """The app's runs; they wait until a test carries them out."""
    monkeypatch.setattr(queue, "start_worker_process", lambda store: None)
    return Runs(app_store, shipped=None)


@pytest.fixture(scope="session")
def made_study(encoder, bitext, tmp_path_factory) -> Study:
    """Ten pairs read by the tiny encoder, the default map laid out: made once, to be copied."""
    store = Store(tmp_path_factory.mktemp("made"), demo=None)
    study = Study(extract(encoder, bitext, store))
    for method in ("tsne", "pca"):
        make_map(study, store, MapOptions(projection=ProjectionOptions(method=method)))
    return study


@pytest.fixture
def study(made_study, app_store) -> Study:
    """That study in the store of the app under test."""
    return copied(made_study, app_store)


@pytest.fixture(scope="session")
def answered_study(made_study, tmp_path_factory) -> Study:
    """The same with what Best layer and Similarity ask first: answered once, to be copied."""
    study = copied(made_study, Store(tmp_path_factory.mktemp("answered"), demo=None))
    asked = (
        *(BestLayer(study.key, score) for score in SCORES),
        BestOfDiagonal(study.key, LayerComparison(study.key)),
        *(kind(study.key) for kind in (LayerComparison, SentenceRetrieval, LayerGeometry)),
        *(kind(study.key) for kind in (AlignmentQuality, LanguageIdentity, RogueReport)),
    )
    for question in asked:
        question.answer(study.entry.store)
    return study


def copied(study: Study, store: Store) -> Study:
    """A study with all that is kept with it, in another store."""
    shutil.copytree(study.entry.store.root, store.root, dirs_exist_ok=True)
    return open_study(store, study.key)


@pytest.fixture
def open_app(app_store) -> Callable[..., AppTest]:
    """Open the app, at the first page or another, with a query."""

    def open_at(page: str | None = None, **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
        for name, value in query.items():
            app.query_params[name] = value
        if page is not None:
            app.switch_page(f"pages/{page}.py")
        app.run()
        assert not app.exception, app.exception
        return app

    return open_at
