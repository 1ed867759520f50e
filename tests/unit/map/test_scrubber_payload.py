"""The scrubber's binary form, its bundle of scripts and its self-contained file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from dataclasses import asdict, replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components.layer_scrubber import _Sent
from isogloss.map import bundle
from isogloss.map.bundle import script, style
from isogloss.map.payload import (
    Language,
    MapView,
    Score,
    ScrubberData,
    quantise,
    section,
)
from isogloss.map.standalone import html_document
from isogloss.measures.projection.framing import lay_flat
from tests.helpers.waiting import PATIENCE

SCRIPTS = Path(bundle.__file__).parent / "scripts"


def small_map(**changes: object) -> ScrubberData:
    data = ScrubberData(
        positions=np.arange(18, dtype=np.float32).reshape(3, 3, 2),
        ranks=np.array([[1, 0, 2], [3, 0, 1], [65535, 0, 1]], dtype=np.uint16),
        texts=["cat", "the", "猫"],
        sides=[0, 0, 1],
        sentence_of=[0, 0, 0],
        links=np.array([[0, 2]]),
        sentences=[("the cat", "猫")],
        languages=(Language("en", "English"), Language("zh", "中文")),
        stops=["0", "1", "2"],
        scores=[Score("nearest", [0.0, 0.5, 1.0])],
        spans=np.array([[4, 7], [0, 3], [0, 1]]),
        provenance={"model": "m"},
    )
    return replace(data, **changes)


def split(blob: bytes) -> tuple[dict, bytes]:
    """Read a section back, independently of the code that wrote it."""
    length = int(np.frombuffer(blob[:4], "<u4")[0])
    end = 4 + length + (-length % 4)
    assert set(blob[4 + length : end]) <= {0}
    return json.loads(blob[4 : 4 + length].decode("utf-8")), blob[end:]


def test_blob_holds_header_coordinates_and_ranks() -> None:
    data = small_map()
    header, body = split(data.blob)
    assert header["texts"] == ["cat", "the", "猫"]
    assert header["links"] == [0, 2]
    assert header["spans"] == [4, 7, 0, 3, 0, 1]
    assert header["topic_of"] == [-1, -1, -1]
    assert header["scores"][0] == {
        "name": "nearest",
        "values": [0, 0.5, 1],
        "lower": None,
        "upper": None,
        "chance": None,
        "random": None,
        "about": "",
        "drawn": True,
        "badge": "",
    }
    assert len(body) == 18 * 2 + 9 * 2
    steps = np.frombuffer(body[:36], "<u2").reshape(3, 3, 2)
    flat = lay_flat(data.positions)
    for stop, box in enumerate(header["boxes"]):
        low, high = (box["left"], box["bottom"]), (box["right"], box["top"])
        np.testing.assert_allclose(flat[stop].min(axis=0), low)
        np.testing.assert_allclose(flat[stop].max(axis=0), high)
        extent = np.subtract(high, low)
        places = low + steps[stop] / 65535 * extent
        assert (np.abs(places - flat[stop]) <= extent / 65535 / 2 + 1e-6).all()
    np.testing.assert_array_equal(np.frombuffer(body[36:], "<u2"), data.ranks.ravel())


def test_a_stop_whose_points_lie_on_a_line_or_a_dot_travels_too() -> None:
    steps, boxes = quantise(np.array([[[1, 2], [3, 2]], [[4, 4], [4, 4]]], np.float32))
    assert steps.tolist() == [[[0, 0], [65535, 0]], [[0, 0], [0, 0]]]
    assert boxes[0] == {"left": 1, "right": 3, "bottom": 2, "top": 2}


def test_what_travels_is_bounded() -> None:
    """A word takes 6 bytes a layer, and at most 60 for its text, links and sentence."""
    points = 3_000
    data = replace(
        small_map(),
        positions=np.random.default_rng(0).normal(size=(3, points, 2)).astype(np.float32),
        ranks=np.ones((3, points), np.uint16),
        texts=["wordword"] * points,
        sides=np.arange(points) % 2,
        sentence_of=[0] * points,
        links=np.arange(points).reshape(-1, 2),
        spans=np.full((points, 2), 100),
    )
    assert len(data.blob) < points * (3 * 6 + 60) + 2_000


def test_stops_are_called_by_their_axis_unless_they_have_names() -> None:
    assert split(small_map().blob)[0]["names"] == ["Layer 0", "Layer 1", "Layer 2"]
    steps = small_map(title="Step", stops=["0", "50", "100"])
    assert split(steps.blob)[0]["names"] == ["Step 0", "Step 50", "Step 100"]
    named = replace(steps, names=["Before", "50 steps", "100 steps"])
    assert split(named.blob)[0]["names"] == ["Before", "50 steps", "100 steps"]
    assert split(named.blob)[0]["stops"] == ["0", "50", "100"]
    assert named.digest != steps.digest


@pytest.mark.parametrize("length", range(8))
def test_sections_end_on_a_multiple_of_four(length: int) -> None:
    packed = section({"a": "x" * length})
    assert len(packed) % 4 == 0
    assert split(packed + b"rest") == ({"a": "x" * length}, b"rest")


def test_big_endian_and_strided_arrays_give_the_same_blob() -> None:
    data = small_map()
    turned = np.asfortranarray(data.positions.astype(">f8"))
    assert replace(data, positions=turned, ranks=data.ranks.astype(">u2")).blob == data.blob


def test_digest_changes_with_any_content() -> None:
    data = small_map()
    digests = {
        data.digest,
        replace(data, caption="other").digest,
        replace(data, positions=data.positions + 1).digest,
        replace(data, ranks=data.ranks + 1).digest,
    }
    assert len(digests) == 4
    assert small_map().digest == data.digest


def test_a_lone_surrogate_and_a_nul_survive_as_text() -> None:
    header, _ = split(small_map(texts=["\ud800", "a\0b", "猫"]).blob)
    assert header["texts"] == ["?", "a\0b", "猫"]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"positions": np.zeros((2, 3, 2))}, "positions"),
        ({"positions": np.full((3, 3, 2), np.nan)}, "finite"),
        ({"ranks": np.zeros((3, 2))}, "ranks"),
        ({"sides": [0, 0, 2]}, "sides"),
        ({"sides": [0, 1]}, "one side"),
        ({"sentence_of": [0, 0, 1]}, "sentence"),
        ({"links": np.array([[0, 3]])}, "link"),
        ({"links": np.array([[-1, 0]])}, "link"),
        ({"links": np.array([0, 2])}, "links"),
        ({"topic_of": [0, 0, 0]}, "topic"),
        ({"spans": np.zeros((2, 2))}, "spans"),
        ({"scores": [Score("s", [0.1, 0.2])]}, "score"),
        ({"scores": [Score("s", [0, 0, 0], lower=[0])]}, "score"),
        ({"notes": ["only one"]}, "notes"),
        ({"names": ["only one"]}, "names"),
        ({"texts": []}, "nothing"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        small_map(**changes)


def test_no_links_at_all_is_fine() -> None:
    header, _ = split(small_map(links=np.zeros((0, 2), dtype=int)).blob)
    assert header["links"] == []


def test_an_unknown_coloring_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="language, sentence, topic, alignment"):
        MapView(color_by="mood")


@pytest.mark.parametrize("entry", ["streamlit", "standalone", "widget", "tourbar"])
def test_bundle_is_one_script_with_distinct_names(entry: str) -> None:
    code = script(entry)  # type: ignore[arg-type]
    assert not re.search(r"^\s*import\b", code, re.MULTILINE)
    exports = re.findall(r"^export .*", code, re.MULTILINE)
    exported = {
        "streamlit": ["export default function mount"],
        "widget": ["export default { render };"],
        "tourbar": ["export default function mount"],
    }
    assert [line.split("(")[0] for line in exports] == exported.get(entry, [])
    names = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", code, re.MULTILINE)
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_every_script_is_used_and_none_writes_markup_or_calls_out() -> None:
    code = "".join(map(script, ("streamlit", "standalone", "widget", "tourbar")))
    paths = list(SCRIPTS.glob("*.js"))
    assert len(paths) > 10
    for path in paths:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first in code, f"{path.name} is not part of any bundle"
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|fetch\(|https?://(?!www\.w3\.org)"
    assert re.findall(forbidden, code) == []
    assert re.findall(r"url\(|@import", style()) == []
    assert {path.stem for path in SCRIPTS.parent.glob("styles/*.css")} == set(bundle.STYLES)


class Page(HTMLParser):
    """Collects what a browser would take for scripts, styles and the policy."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[tuple[str | None, str]] = []
        self.styles: list[str] = []
        self.policy = ""
        self.current: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.current = tag
        values = dict(attributes)
        if tag == "script":
            self.scripts.append((values.get("type"), ""))
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.current == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        if self.current == "style":
            self.styles.append(data)

    def handle_endtag(self, tag: str) -> None:
        self.current = None


def test_file_carries_the_same_blob_and_a_policy_that_names_its_own_code() -> None:
    data = small_map(caption="</script><script>alert(1)</script>", provenance={"<b>": "<i>"})
    page = Page(html_document(data, layer=1, pins=(2,)))
    assert [kind for kind, _ in page.scripts] == ["application/json", "text/plain", "module"]
    view, payload, code = (text for _, text in page.scripts)
    assert base64.b64decode(payload) == data.blob
    assert json.loads(view)["layer"] == 1
    assert json.loads(view)["pins"] == [2]
    for text in (code, page.styles[0]):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in page.policy
    assert "default-src 'none'" in page.policy
    assert "unsafe" not in page.policy
    assert "connect-src" not in page.policy


def report(view: MapView, revision: int) -> dict:
    return {"view": asdict(view) | {"selection": [1], "revision": revision}}


def test_the_browser_is_told_only_what_it_does_not_know() -> None:
    data = small_map()
    first, dragged, asked = MapView(layer=0), MapView(layer=2), MapView(layer=1)
    sent = _Sent(4, data.digest, (600, "", ""), view=first, wanted=first, returned=first)
    seen = report(dragged, revision=4)
    assert sent.still_holds(data, first, (600, "", ""), seen), (
        "a page that always asks for the same"
    )
    assert sent.still_holds(data, dragged, (600, "", ""), seen), (
        "a page that asks for what is shown"
    )
    assert not sent.still_holds(data, asked, (600, "", ""), seen), (
        "a page that asks for something new"
    )
    assert not sent.still_holds(data, first, (700, "", ""), seen)
    assert not sent.still_holds(small_map(caption="new"), first, (600, "", ""), seen)
    assert not sent.still_holds(data, first, (600, "", ""), None), (
        "the component was not on the last page"
    )
    lagging = replace(sent, returned=asked)
    assert lagging.still_holds(data, asked, (600, "", ""), seen), "a page that is one run behind"


def test_a_report_from_before_a_new_view_is_not_taken_for_an_answer() -> None:
    data = small_map()
    sent = _Sent(
        5,
        data.digest,
        (600, "", ""),
        view=MapView(layer=1),
        wanted=MapView(layer=1),
        returned=MapView(),
    )
    assert sent.state(report(MapView(layer=2), revision=4)).layer == 1
    assert sent.state(report(MapView(layer=2), revision=5)).layer == 2
    assert sent.state(report(MapView(layer=2), revision=5)).selection == (1,)


def test_the_wrapper_returns_the_wanted_view_until_the_browser_speaks() -> None:
    def page() -> None:
        import streamlit as st
        from test_scrubber_payload import small_map

        from components.layer_scrubber import MapView, layer_scrubber

        view = MapView(layer=2, pins=(0,), color_by="topic")
        state = layer_scrubber(small_map(), view, key="map")
        seen = state.view
        st.text(f"{state.layer:g} {seen.pins} {seen.color_by} {seen.talk} {state.selection}")

    app = AppTest.from_function(page, default_timeout=PATIENCE).run()
    assert not app.exception
    assert app.text[0].value == "2 (0,) topic False ()"
    assert app.run().text[0].value == "2 (0,) topic False ()"
