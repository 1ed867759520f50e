"""Where work is done is asked only where the server knows a cluster, and written down."""

from isogloss.engines.choice import LOCAL, Engine
from isogloss.lab.runs import queue
from isogloss.lab.runs.queue import Runs
from tests.helpers.waiting import PATIENCE


def start_on(app, key: str, engine: str | None) -> None:
    if engine is not None:
        app.segmented_control(key=f"{key}-engine").set_value(engine).run()
    app.button(key=key).click().run()
    assert not app.exception


def page():
    from components.shared.runs import starting
    from tests.helpers.plans import CountingPlan

    starting.start_button(CountingPlan(3), lambda: "About 2 s.", "start")


def test_a_run_is_started_where_the_form_says(app_store, monkeypatch):
    from streamlit.testing.v1 import AppTest

    monkeypatch.setattr(queue, "start_worker_process", lambda store: None)
    runs = Runs(app_store, shipped=None)
    for configured, chosen, expected in (
        ("", None, LOCAL),
        ("head:6379", None, Engine("ray", "head:6379")),
        ("head:6379", "local", LOCAL),
    ):
        monkeypatch.setenv("ISOGLOSS_RAY", configured)
        app = AppTest.from_function(page, default_timeout=PATIENCE).run()
        assert bool(app.segmented_control) == bool(configured)
        start_on(app, "start", chosen)
        (run,) = runs.all("counting")
        assert run.engine == expected
        runs.stop(run)
        runs.remove(run)
