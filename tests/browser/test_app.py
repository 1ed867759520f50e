"""The whole app in a real browser: the map, talk mode, what is taken away, and uploads."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from hands import choose, press, steady_box, wait_for_rest
from playwright.sync_api import Page, expect
from scrubber_driver import Scrubber

from isogloss.map.maps import MapOptions, make_map
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.store import Store
from isogloss.studies.extraction import extract
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText
from tests.helpers.hostile_names import MARKUP, hostile_study
from tests.helpers.server import running_app

pytestmark = pytest.mark.browser

PAIRS = [
    ("The bank closed at noon.", "银行中午关门了。"),
    ("She turned on the light.", "她打开了灯。"),
    ("Spring comes early here.", "这里的春天来得早。"),
    ("We drank green tea.", "我们喝了绿茶。"),
    ("The children play in the garden.", "孩子们在花园里玩。"),
    ("He lost the match.", "他输了比赛。"),
]


@pytest.fixture(scope="module")
def small_study(encoder, app_store: Store) -> Study:
    """A few pairs read by a tiny model."""
    source, target = zip(*PAIRS, strict=True)
    bitext = ParallelText("six pairs", ("en", "zh"), source, target)
    study = Study(extract(encoder, bitext, app_store))
    make_map(study, app_store, MapOptions(projection=ProjectionOptions()))
    return study


@pytest.fixture
def map_page(page: Page, app: str, small_study: Study) -> Scrubber:
    return Scrubber(page).open(f"{app}/?study={small_study.key[:12]}&layer=1")


def test_a_link_to_a_page_is_right_as_the_first_thing_a_server_is_asked(page, tmp_path):
    with running_app(tmp_path) as address:
        page.goto(f"{address}/your_text")
        expect(page.get_by_role("heading", name="Bring your own text")).to_be_visible()
        expect(page.get_by_role("link", name="Token map")).to_be_visible()


def test_names_full_of_markup_are_shown_as_they_are(page, app, app_store, tmp_path):
    study = hostile_study(tmp_path, app_store)
    page.goto(f"{app}/your_text?study={study.key[:12]}")
    facts = page.get_by_test_id("stSidebar").locator("p").filter(has_text="vectors from elsewhere")
    expect(facts).to_be_visible()
    assert f"Old {MARKUP}–New {MARKUP}, 12 pairs" in facts.inner_text().replace("\u2060", "")
    assert facts.locator("img, a, b, .katex, span").count() == 0
    assert facts.locator("strong").count() == 1  # the study's title, as a whole
    study.entry.store.remove(study.key)


def test_dragging_is_silent_and_its_release_moves_the_shared_cursor(map_page: Scrubber):
    wait_for_rest(map_page.page)
    map_page.settle()
    map_page.sent.clear()
    map_page.begin_drag()
    place = map_page.get("positionOf(2)")
    for step in range(1, 9):
        map_page.drag_to(step / 8)
        place = map_page.wait_until_moved(2, place)
    assert map_page.sent == []
    map_page.page.mouse.up()
    expect(map_page.page.get_by_text("At layer 3", exact=True)).to_be_visible()
    assert len(map_page.sent) == 1
    expect(map_page.page).to_have_url(re.compile(r"layer=3"))
    assert map_page.errors == []


def test_the_layer_follows_to_another_page_and_back(map_page: Scrubber):
    map_page.page.get_by_role("slider", name=re.compile("Layer")).first.press("Home")
    expect(map_page.page).to_have_url(re.compile(r"layer=0"))
    press(map_page.page.get_by_role("link", name="Studies"))
    expect(map_page.page.get_by_role("heading", name="What is kept")).to_be_visible()
    press(map_page.page.get_by_role("link", name="Token map"))
    expect(map_page.page.get_by_text("At layer 0", exact=True)).to_be_visible()


def test_talk_mode_opens_by_address_and_escape_leaves_it(page, app, small_study):
    scrubber = Scrubber(page).open(f"{app}/?study={small_study.key[:12]}&talk=1")
    expect(page.locator(".scrubber.talk")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".scrubber.talk")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("talk=1"))
    assert scrubber.errors == []


def take_away(page: Page) -> None:
    press(page.locator("summary").filter(has_text="Take it away"))


def play_tour(scrubber: Scrubber, count: int) -> list[tuple[float, list[int], str]]:
    """Go through all steps by the space bar: what each shows."""
    page, seen = scrubber.page, []
    page.get_by_role("slider", name="Layer").first.focus()
    while len(seen) < count:
        if scrubber.get("step") != len(seen):
            page.keyboard.press("Space")
        scrubber.wait(f"element.scrubber.step === {len(seen)}")
        scrubber.wait("Number.isInteger(element.scrubber.layer)")
        scrubber.settle()
        sentence = page.locator(".tour .sentence").inner_text()
        seen.append((scrubber.get("layer"), scrubber.get("pins"), sentence))
    return seen


def test_a_tour_its_link_and_its_file_play_the_same(page, app, small_study, tmp_path):
    map_page = Scrubber(page).open(f"{app}/?study={small_study.key[:12]}&layer=1&pins=0.3")
    told = [
        (0, "Apart."),
        (1, "On the way."),
        (3, "The end 终."),
        (2, "Back; again."),
        (0, "Apart"),
    ]
    press(page.locator("summary").filter(has_text="Presenter's tour"))
    slider = page.get_by_role("slider", name="Layer").first
    for number, (layer, sentence) in enumerate(told):
        slider.press("Home")
        map_page.wait("element.scrubber.layer === 0")
        for _ in range(layer):
            slider.press("ArrowRight")
        expect(page).to_have_url(re.compile(rf"layer={layer}"))
        if number == 2:
            press(page.locator(".pin button").first)
        page.get_by_label("What to say at this layer, with these pins").fill(sentence)
        press(page.get_by_role("button", name="Add this view"))
        expect(page.get_by_label(f"What to say at step {number + 1}")).to_have_value(sentence)
    expect(page).to_have_url(re.compile(r"tour="))
    link = page.url
    played = play_tour(map_page, len(told))
    assert [(layer, sentence) for layer, _, sentence in played] == told
    assert len(played[0][1]) == len(played[4][1]) + 1, "each step has its own pins"

    take_away(page)
    with page.expect_download() as waiting:
        press(page.get_by_role("button", name="HTML", exact=True))
    waiting.value.save_as(tmp_path / "tour.html")
    assert play_tour(Scrubber(page).open(link), len(told)) == played
    assert play_tour(Scrubber(page).open((tmp_path / "tour.html").as_uri()), len(told)) == played
    page.keyboard.press("PageUp")
    expect(page.locator(".tour b")).to_have_text("4 / 5")
    page.keyboard.press("Escape")
    expect(page.locator(".tour")).to_be_hidden()


def test_a_step_brings_its_view_back_over_pages_and_studies(browser, app, small_study, page):
    first = Scrubber(page).open(f"{app}/?study={small_study.key[:12]}&layer=2&color=alignment")
    press(page.locator("summary").filter(has_text="Presenter's tour"))
    page.get_by_label("What to say at this layer, with these pins").fill("Well aligned.")
    press(page.get_by_role("button", name="Add this view"))
    expect(page.get_by_label("What to say at step 1")).to_have_value("Well aligned.")
    page.get_by_label("Colour by").select_option("language")
    press(page.get_by_role("button", name="Lines between words (L)"))
    page.wait_for_url("**lines=0**")
    press(page.get_by_role("link", name="Similarity").first)
    page.get_by_label("What to say of this view").fill("So do sentences; here.")
    press(page.get_by_role("button", name="Add this view"))
    expect(page.get_by_placeholder("step 3 of the tour")).to_be_visible()
    page.wait_for_url("**/similarity?*sentences*")
    press(page.get_by_role("link", name="Token map").first)
    first.wait_until_drawn()
    page.wait_for_url(re.compile(r"/\?(?!.*similarity\?).*tour=.*sentences"))
    link = page.url

    theirs = browser.new_context(viewport={"width": 1280, "height": 860})
    theirs.set_default_timeout(240_000)
    other = Scrubber(theirs.new_page()).open(link)
    seen = other.page
    seen.get_by_role("slider", name="Layer").first.focus()
    seen.keyboard.press("PageDown")
    expect(seen.locator(".tour b")).to_have_text("1 / 2")
    expect(seen.get_by_label("Colour by")).to_have_value("alignment")
    lines = seen.get_by_role("button", name="Lines between words (L)")
    expect(lines).to_have_attribute("aria-pressed", "true")
    other.settle()
    seen.keyboard.press("PageDown")
    seen.wait_for_url("**/similarity?**step=2**")
    expect(seen.locator(".tour .sentence")).to_have_text("So do sentences; here.")
    expect(seen.get_by_placeholder("step 3 of the tour")).to_have_count(0)
    press(seen.get_by_role("button", name="Step back (Page Up)"))
    expect(seen.get_by_label("Colour by")).to_have_value("alignment")
    assert Scrubber(seen).wait_until_drawn().get("layer") == 2
    theirs.close()


def test_tables_and_the_page_can_be_taken_away(map_page: Scrubber, tmp_path, small_study):
    page = map_page.page
    take_away(page)
    for kind in ("CSV", "Parquet", "HTML"):
        with page.expect_download() as waiting:
            press(page.get_by_role("button", name=kind, exact=True))
        waiting.value.save_as(tmp_path / f"map.{kind.lower()}")
    lines = (tmp_path / "map.csv").read_text(encoding="utf-8").splitlines()
    assert any(small_study.key in line for line in lines if line.startswith("#"))
    assert any(",bank,en," in line for line in lines)

    import pyarrow.parquet as pq

    table = pq.read_table(tmp_path / "map.parquet")
    assert set(table["layer"].to_pylist()) == {0, 1, 2, 3}
    assert small_study.key in table.schema.metadata[b"isogloss"].decode()

    alone = Scrubber(page).open((tmp_path / "map.html").as_uri())
    before = alone.get("positionOf(2)")
    page.get_by_role("slider").first.press("End")
    alone.wait("element.scrubber.layer === 3")
    assert alone.get("positionOf(2)") != before


@pytest.mark.parametrize("kind", ["GIF", "MP4"])
def test_films_are_made_on_request(map_page: Scrubber, tmp_path, kind):
    page = map_page.page
    take_away(page)
    press(page.get_by_role("button", name=kind, exact=True))
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text(re.compile(r"about .* (s|min) to draw, about .*B"))).to_be_visible()
    press(dialog.get_by_role("button", name="Draw it"))
    save = page.get_by_role("button", name=f"Save {kind}")
    expect(save).to_be_visible()
    with page.expect_download() as waiting:
        press(save)
    waiting.value.save_as(tmp_path / "film")
    start = (tmp_path / "film").read_bytes()[:12]
    assert start[:6] == b"GIF89a" if kind == "GIF" else start[4:8] == b"ftyp"


def as_tmx() -> str:
    units = "".join(
        f"<tu><tuv xml:lang='en'><seg>{a}</seg></tuv><tuv xml:lang='zh'><seg>{b}</seg></tuv></tu>"
        for a, b in PAIRS
    )
    return f"<?xml version='1.0'?><tmx version='1.4'><header/><body>{units}</body></tmx>"


UPLOADS = {
    "tsv": {"t.tsv": "\n".join("\t".join(pair) for pair in PAIRS)},
    "csv": {"t.csv": "en,zh\n" + "\n".join(f'"{a}","{b}"' for a, b in PAIRS)},
    "plain": {
        "t.en": "\n".join(a for a, _ in PAIRS),
        "t.zh": "\n".join(b for _, b in PAIRS),
    },
    "fast_align": {"t.txt": "\n".join(f"{a} ||| {b}" for a, b in PAIRS)},
    "tmx": {"t.tmx": as_tmx()},
    "jsonl": {"t.jsonl": "\n".join(json.dumps({"en": a, "zh": b}) for a, b in PAIRS)},
}


def upload(page: Page, files: dict[str, bytes], directory: Path) -> None:
    paths = []
    for name, content in files.items():
        paths.append(directory / name)
        paths[-1].write_bytes(content)
    page.locator("input[type=file]").set_input_files(paths)


@pytest.mark.parametrize("form", UPLOADS)
def test_every_format_is_understood(page, app, tmp_path, form):
    page.goto(f"{app}/your_text")
    files = {name: text.encode() for name, text in UPLOADS[form].items()}
    if form == "tsv":
        files = {"t.tsv.gz": gzip.compress(files["t.tsv"])}
    upload(page, files, tmp_path)
    expect(page.get_by_text(f"Read as {form}")).to_be_visible()
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("6")


def test_a_hostile_upload_runs_nothing_and_gets_a_sentence(page, app, tmp_path):
    ran: list[str] = []
    page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: ran.append(str(error)))
    page.goto(f"{app}/your_text")
    lines = [
        "<script>alert(1)</script> \u202e \U0001f642\t<img src=x onerror=alert(2)>你好，今天好",
        "a\x00b\t甲乙丙丁",
        "x" * 10_001 + "\t长长长长",
        "",
    ]
    upload(page, {"evil.en-zh.tsv": "\n".join(lines).encode()}, tmp_path)
    expect(page.get_by_text(re.compile("line 2"))).to_be_visible()
    leave_out = page.get_by_role("switch", name="Leave bad rows out and list them")
    press(leave_out, "Space")
    expect(leave_out).to_be_checked()
    expect(page.get_by_text("rows left out")).to_be_visible()
    assert ran == []
    upload(page, {"nothing.tsv": b""}, tmp_path)
    expect(page.get_by_text(re.compile("empty")).first).to_be_visible()


def test_another_model_reads_the_text_on_show_and_becomes_the_choice(
    page: Page, app: str, small_study: Study
):
    page.goto(f"{app}/your_text?study={small_study.key[:12]}")
    press(page.get_by_role("button", name="Add another model"))
    dialog = page.get_by_role("dialog")
    extract_button = dialog.get_by_role("button", name="Read the text")
    before = steady_box(extract_button)
    choose(dialog.get_by_role("combobox", name="Model", exact=True), "mini-en-zh")
    expect(dialog.get_by_text("Tokens it will see")).to_be_visible()
    assert steady_box(extract_button)["y"] == before["y"], "a button that moves loses clicks"
    press(extract_button)
    expect(dialog).to_have_count(0)
    # While the page is drawn again, the old picker may still be there beside the new one.
    study = page.get_by_role("combobox", name="Study", exact=True).first
    expect(study).to_have_value(re.compile("mini-en-zh · six pairs"))
