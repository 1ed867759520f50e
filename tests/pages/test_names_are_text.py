"""Names, languages, titles and notes of somebody else are text on every page, and nothing more."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from components.shared.markdown import in_markdown, in_table
from components.shared.runs.run_panel import as_csv
from isogloss.map.maps import MapOptions, make_map
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.studies.own_vectors.study import import_vectors
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelCorpus
from tests.helpers.transfer_run import PLAN, write_transfer

MARKUP = (
    "![x](http://e/x.png) <img src=x onerror=alert(1)> **b** $xyz$ :red[x] [l](http://e) <b>c</b>"
)
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


def sides():
    words = MARKUP.split()
    first = [MARKUP, *(f"=word {word} {i}" for i, word in enumerate(words)), ":smile: a", "b b"]
    return tuple(first), tuple(f"{sentence} ." for sentence in first)


@pytest.fixture
def hostile_study(app_store, tmp_path):
    """A study whose every name is full of markup, with a map."""
    source, target = sides()
    corpus = ParallelCorpus(
        name=f"text {MARKUP}",
        languages=(f"Old {MARKUP}", f"New {MARKUP}"),
        source=source,
        target=target,
        topics=tuple(f"topic {i % 2} {MARKUP}" for i in range(len(source))),
    )
    rows = [
        {"sentence": n, "side": side, "start": m.start(), "end": m.end(), "text": m[0]}
        for side in (0, 1)
        for n, sentence in enumerate(corpus.side(side))
        for m in re.finditer(r"\S+", sentence)
    ]
    numbers = np.random.default_rng(0)
    layers = {
        f"layer.{i}": numbers.normal(size=(len(rows), 8)).astype(np.float32) for i in range(3)
    }
    np.savez(tmp_path / "states.npz", **layers)
    (tmp_path / "tokens.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    files = tmp_path / "states.npz", tmp_path / "tokens.jsonl"
    study = Study(import_vectors(*files, corpus, f"model {MARKUP}", app_store))
    make_map(study, app_store, MapOptions(projection=ProjectionOptions(method="tsne")))
    return study


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


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("token_map", {}),
        ("token_map", {"part": "topic"}),
        ("similarity", {}),
        ("similarity", {"view": "table"}),
        ("retrieval", {"pair": "1"}),
        ("corpus", {}),
        ("store", {}),
    ],
)
def test_a_study_is_text_on_every_page(open_app, hostile_study, patience, page, query):
    app = open_app(page, study=hostile_study.key[:12], **query)
    assert not app.exception
    # The cache's table is Arrow, which nothing reads as more than text.
    assert assert_text_alone(app) or page == "store", "the page does not show the study"


def test_a_run_is_text_on_its_page(open_app, runs, patience):
    run = write_transfer(runs, replace(PLAN, model=f"random:{MARKUP}"), data={"name": MARKUP})
    (run.path / "note.md").write_text(f"Chosen {MARKUP}", encoding="utf-8")
    app = open_app("transfer", run=run.id)
    assert not app.exception
    assert assert_text_alone(app)


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
