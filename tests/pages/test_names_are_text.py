"""Names, languages, titles and notes of somebody else are text on every page, and nothing more."""

import re
import shutil
from dataclasses import replace

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from components.shared.markdown import in_markdown, in_table
from components.shared.runs.run_panel import as_csv
from isogloss.lab.runs.context import RunContext
from isogloss.map.maps import MapOptions, make_map
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.store import Store
from isogloss.studies.extraction import extract
from isogloss.studies.study import Study, open_study
from isogloss.text.parallel import ParallelText
from tests.helpers import (
    adaptations,
    hostile_names,
    layers_needed_run,
    sentence_run,
    transfer_run,
    two_models_run,
)
from tests.helpers.hostile_names import MARKUP
from tests.helpers.server import ROOT

READ = re.compile(
    r"!\[x|<img|<b>c|\*\*b\*\*|\$xyz\$|:red\[|\]\(http|(?<!\\)\[l\]|http://|:material/x:|:smile:"
)
"""What would be read as more than text."""

# What Streamlit shows as plain text, by the kind of element and the field of it.
PLAIN = {
    "selectbox": {"options", "default", "raw_value"},
    "text_input": {"default", "value", "placeholder"},
    "text_area": {"default", "value"},
    "text": {"body"},
    "code": {"code_text"},
    "Dataframe": {"columns"},
}
NEVER_SHOWN = {"id", "alt", "key", "element_id", "query_string", "form_id"}


@pytest.fixture(scope="module")
def made_hostile(tmp_path_factory):
    """A study whose every name is full of markup, with a map: made once, to be copied."""
    folder = tmp_path_factory.mktemp("hostile")
    store = Store(folder / "cache", demo=None)
    study = hostile_names.hostile_study(folder, store)
    make_map(study, store, MapOptions(projection=ProjectionOptions(method="tsne")))
    return study


@pytest.fixture
def hostile_study(made_hostile, app_store):
    """That study in the store of the app under test."""
    shutil.copytree(made_hostile.entry.store.root, app_store.root, dirs_exist_ok=True)
    return open_study(app_store, made_hostile.key)


def strings(value, kind, path=()):
    """Every text that an element shows, with where it stands in it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in NEVER_SHOWN and name not in PLAIN.get(kind, ()):
                yield from strings(inner, kind, (*path, name))
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner, kind, path)
    elif isinstance(value, str):
        yield path, value


def shown(app):
    """The texts of all elements of a page, with the kind of each."""
    for node in app._tree:
        proto = getattr(node, "proto", None)
        if not isinstance(proto, Message):
            continue
        kind = type(proto).__name__
        fields = MessageToDict(proto, preserving_proto_field_name=True)
        kind = node.type if getattr(node, "type", None) in PLAIN else kind
        yield from ((f"{kind} {'.'.join(path)}", text) for path, text in strings(fields, kind))


def assert_text_alone(app):
    seen = False
    for place, text in shown(app):
        if place.startswith("BidiComponent"):
            continue  # the map writes text by textContent: tests/browser/hostile_map.py
        seen = seen or "onerror" in text
        if "plotly" in place.lower():
            assert "<img" not in text, place
            assert "<b>c" not in text, place
            continue
        unescaped = re.sub(r"\\[!-/:-@\[-`{-~]", "", text)
        found = READ.search(unescaped)
        assert found is None, f"{place}: {found[0]!r} of {text!r}"
    return seen


OF_A_STUDY = [
    ("token_map", {}),
    ("token_map", {"part": "topic"}),
    ("similarity", {}),
    ("similarity", {"view": "table"}),
    ("best_layer", {"sentence": "1", "open": "sentences.language.space"}),
    ("your_text", {}),
    ("studies", {}),
]


@pytest.mark.parametrize(("page", "query"), OF_A_STUDY)
def test_a_study_is_text_on_every_page(open_app, hostile_study, patience, page, query):
    app = open_app(page, study=hostile_study.key[:12], **query)
    assert not app.exception
    assert assert_text_alone(app), "the page does not show the study"


def test_a_text_that_was_pasted_is_text(open_app):
    app = open_app("your_text")
    app.segmented_control[0].set_value("Paste").run()
    source, target = hostile_names.hostile_sides()
    rows = [("en", "zh"), *zip(source, target, strict=True)]
    app.text_area[0].set_value("\n".join(map("\t".join, rows))).run()
    assert not app.exception
    assert app.metric[0].value == str(len(source))
    assert_text_alone(app)


MODEL, FILE = f"random:{MARKUP}", f"/texts/{MARKUP}"
TESTED = ("en", f"New {MARKUP}")


def of_transfer(runs, store):
    plan = replace(transfer_run.PLAN, model=MODEL, data=FILE, languages=TESTED)
    right = {"en": transfer_run.CORRECT["en"], TESTED[1]: transfer_run.CORRECT["zh"]}
    return transfer_run.write_transfer(runs, plan, correct=right, data={"name": MARKUP})


def of_layers_needed(runs, store):
    plan = replace(layers_needed_run.PLAN, model=MODEL, data=FILE, languages=TESTED)
    return layers_needed_run.written_run(runs, plan=plan)


def of_adaptation(runs, store):
    languages = {f"multilingual Old {MARKUP}": 10, f"multilingual New {MARKUP}": 10}
    run = adaptations.made_up_run(store, model=MODEL, language=f"New {MARKUP}", text=(FILE,))
    noted(run, store, sentences={"train": 80, "validation": 20, "test": 20, **languages})
    return run


def of_sentences(runs, store):
    shares = {"before": 0.2, "ranking": 0.5}
    files = {"nli": FILE, "text": FILE, "sts": (FILE,)}
    run = sentence_run.written_run(runs, store, shares, model=MODEL, **files)
    noted(run, store, languages=[f"Old {MARKUP}", f"New {MARKUP}"])
    return run


def of_two_models(runs, store):
    names = {"model": MODEL, "target_model": MODEL, "bilingual_model": MODEL, "data": FILE}
    languages = {"source_language": f"Old {MARKUP}", "target_language": f"New {MARKUP}"}
    return two_models_run.written_run(runs, parallel=(FILE,), **names, **languages)


def noted(run, store, **facts):
    RunContext(store, run.path, len(run.units), 0).note(**facts)


OF_RUNS = {
    "transfer": of_transfer,
    "layers_needed": of_layers_needed,
    "adaptation": of_adaptation,
    "sentences": of_sentences,
    "two_models": of_two_models,
}


@pytest.mark.parametrize("page", OF_RUNS)
def test_a_run_is_text_on_its_page(open_app, runs, app_store, patience, page):
    run = OF_RUNS[page](runs, app_store)
    (run.path / "note.md").write_text(f"Chosen {MARKUP}", encoding="utf-8")
    app = open_app(page, run=run.id)
    assert not app.exception
    assert not app.warning, app.warning[0].value
    assert assert_text_alone(app)


def test_runs_that_wait_fail_or_broke_off_are_text(open_app, runs):
    plan = replace(transfer_run.PLAN, model=MODEL, data=FILE)
    waiting, failed, _ = (runs.create(plan) for _ in range(3))
    runs.enqueue(waiting)
    failed.fail(f"It is {MARKUP}.")
    app = open_app("transfer")
    assert len(app.error) == 1
    assert f"resume-{failed.id}" in {button.key for button in app.button}
    assert assert_text_alone(app)


def test_many_languages_are_text(open_app, app_store, encoder, patience):
    names = [f"{name} {MARKUP}" for name in ("Old", "New", "Lost")]
    sides = [[f"{word} {row}" for row in range(8)] for word in ("tea", "green", "like")]
    text = ParallelText.of_sides(f"Text {MARKUP}", names, sides)
    study = Study(extract(encoder, text, app_store))
    for view in ({}, {"view": "pairs"}, {"view": "tree"}):
        app = open_app("languages", study=study.key, **view)
        assert not app.exception
        assert_text_alone(app)


def test_every_page_is_walked():
    """Emergence has a walk of its own, in test_emergence_page.py.

    Inner language shows its own words and what was typed on it.
    """
    pages = {path.stem for path in (ROOT / "pages").glob("*.py")}
    elsewhere = {"emergence", "languages", "inner_language"}
    assert pages == {page for page, _ in OF_A_STUDY} | set(OF_RUNS) | elsewhere


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a: b (c), d-e", "a: b (c), d-e"),
        ("[l](x)", r"\[l\](x)"),
        ("# x", r"\# x"),
        ("a\n- x", "a\n\\- x"),
        ("12. x", "12\u2060. x"),
        ("    x", " x"),
        ("&lt;", r"\&lt;"),
        (":smile:", "\\:\u2060smile:"),
        ("www.e.org", "www\u2060.e.org"),
        ("a -> b", "a -\u2060> b"),
    ],
)
def test_what_markdown_would_read_is_escaped(text, shown):
    assert in_markdown(text) == shown


def test_cells_that_begin_like_a_formula_are_text_in_what_is_taken_away():
    for begin in "=+-@\t\r":
        assert in_table(f"{begin}1") == f"\u2060{begin}1"
        assert as_csv([{"a": f"{begin}x", "b": -1.5}]).endswith(",-1.5\n")
        assert f"'{begin}x" in as_csv([{"a": f"{begin}x", f"{begin}b": None}])
    assert as_csv([{"=a": 1, "b": None}]) == "'=a,b\n1,\n"
    assert in_table("a=b") == "a=b"
