"""Every chart as a figure for a paper: its width, its letters embedded and on the page."""

import importlib
import pkgutil
from functools import cache
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image
from pypdf import PdfReader

import isogloss as ig
from isogloss import figures
from isogloss.errors import IsoglossError
from isogloss.figures import languages, layer_scores, published_table, word_alignments
from isogloss.figures.curves import correlation_figure
from isogloss.figures.experiments import (
    cost_bars,
    emergence_bars,
    error_bars,
    layer_changes,
    layer_drift,
    perplexity_curves,
    regime_bars,
    transfer_companions,
    transfer_curves,
    two_models,
)
from isogloss.figures.heatmaps import difference_heatmap_figure
from isogloss.figures.paper import fewest_columns, lettering, paper_figure
from isogloss.figures.paper.canvas import POINTS_PER_PIXEL, SMALLEST
from isogloss.figures.paper.colors import read_color
from isogloss.figures.paper.drawing import Drawing
from isogloss.figures.paper.scales import round_step, say_number
from isogloss.figures.river import word_figure
from isogloss.figures.template import theme
from isogloss.figures.training_surface import training_heatmap_figure, training_surface_figure
from isogloss.lab.adaptation.results import read_adaptation
from isogloss.lab.emergence.results import read_emergence
from isogloss.lab.layers_needed.results import read_results as read_layers_needed
from isogloss.lab.runs.queue import SHIPPED
from isogloss.lab.runs.run import Run
from isogloss.lab.sentences.results import read_sentence_results
from isogloss.lab.transfer.results import read_transfer
from isogloss.lab.two_models.results import read_results as read_two_models
from isogloss.map.sheet_plan import WIDTHS
from isogloss.published import DUTCH_REGIMES
from isogloss.store import Store
from isogloss.studies.languages.listing import languages_studies
from isogloss.studies.mapping import LEVELS, PAIR_SCORES, shipped_mapping
from isogloss.studies.similarity import subtract
from isogloss.studies.training_surface import TrainingSurface
from isogloss.studies.word_alignment import align_sentence
from isogloss.text.language_names import language_name

MILLIMETRES = 25.4 / 72


@pytest.fixture(autouse=True)
def demo(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))


@cache
def study():
    return next(
        s for s in ig.list_studies() if s.model == "multilingual-e5-small" and s.bitext.gold
    )


def run(name):
    return Run(SHIPPED / name, shipped=True)


def planned(read, name):
    shipped = run(name)
    return read(shipped.plan, shipped.results())


def difference():
    one = ig.similarity(study()).scores
    return difference_heatmap_figure(subtract(one, one), study().labels, (3, 4))


def table():
    values = np.linspace(0.2, 0.9, 13)
    entries = [
        published_table.TableEntry(f"en-{k}", "text", "random", values, 0.5, ("",) * 13, k > 1)
        for k in range(4)
    ]
    return published_table.layer_table_figure(entries, "A paper, figure 7", (8, 2))


def adaptation():
    found = read_adaptation(run("mini-en-zh-adapted-to-chinese"))
    return found, found.best


def surface():
    shares = np.linspace(0.2, 0.8, 12).reshape(3, 4)
    return TrainingSurface("nearest", (0, 1_000, 9_000), shares, 200)


def transfer():
    found = read_transfer(run("multilingual-e5-small-xnli"))
    (mean, (low, high)) = found.mean("selected"), found.band("selected")
    colors = transfer_curves.language_colors(len(found.languages), "light")
    return [
        transfer_curves.TransferLine(
            language_name(code), colors[i], found.n_layers, found.frozen, mean[:, i], low[:, i],
            high[:, i], found.accuracy("selected")[:, i], [""] * len(found.frozen),
        )
        for i, code in enumerate(found.languages)
    ]  # fmt: skip


def mappings():
    found = {level: shipped_mapping(level) for level in PAIR_SCORES}
    return layer_scores.mappings_figure([(LEVELS[n], s.after) for n, s in found.items()], 3)


@cache
def many():
    return ig.languages(next(each for each in languages_studies(Store()) if each.entry.demo))


@cache
def river():
    return ig.lens("qwen2.5-coder-1.5b", source="zh", target="fr")


def pairs():
    shown, names = many().every_pair, [language_name(c) for c in many().study.all_languages]
    order = list(range(len(names)))
    return languages.pairs_figure(shown.values[6], shown.rows, names, order, "Found", (0, 1), 0.0)


def by_layer():
    shares = many().every_pair.values[:, 0, 1:].T
    names = [language_name(code) for code in many().study.all_languages[1:]]
    states = many().study.states
    return languages.found_by_layer_figure(shares, names, "English", 3, states, 0.0)


def tree():
    names = [language_name(code) for code in many().study.all_languages]
    families = ["Indo-European", "Indo-European", *[""] * (len(names) - 2)]
    return languages.tree_figure(many().trees.merges[6], names, families, 1.0)


def changes():
    found = planned(read_layers_needed, "multilingual-e5-small-layers-needed")
    group, similar = next((g, s) for g, s in found.similarities.items() if s.kept)
    return layer_changes.layer_changes_figure(similar, found.source, group)


def costs():
    found = planned(read_layers_needed, "multilingual-e5-small-layers-needed")
    return cost_bars.cost_bars_figure(found, found.measured()[0])


def emergence():
    return read_emergence(run("emergence-docstrings"))


def sentence_results():
    return read_sentence_results(run("mini-en-zh-sentences"))


def two():
    return planned(read_two_models, "two-models-three-tasks")


def words():
    return align_sentence(study(), 0, 8)


CHARTS = {
    "layer_picture": lambda: ig.token_map(study()).figure(8),
    "best_layers": lambda: ig.best_layer(study()).figure(),
    "similarity_heatmap": lambda: ig.similarity(study()).figure(),
    "difference_heatmap": difference,
    "layer_table": table,
    "retrieval": lambda: ig.retrieval(study()).figure(),
    "alignment_error": lambda: ig.alignment(study()).figure(),
    "geometry": lambda: ig.geometry(study()).figure(),
    "rogue_dimensions": lambda: ig.rogue(study()).figure(),
    "mappings": mappings,
    "correlation": lambda: correlation_figure(np.arange(9) / 9, np.arange(9) / 8, 3, ("A", "B")),
    "alignment_matrix": lambda: word_alignments.alignment_matrix_figure(words(), NAMES),
    "alignment_ribbon": lambda: word_alignments.alignment_ribbon_figure(words(), NAMES),
    "company": lambda: many().figure(3),
    "similarities": lambda: languages.similarities_figure(many().company, 3, many().study.states),
    "pairs": pairs,
    "found_by_layer": by_layer,
    "tree": tree,
    "agreement": lambda: languages.agreement_figure(
        many().trees.correlation, None, 3, many().study.states
    ),
    "river": lambda: river().figure(),
    "word": lambda: word_figure(river().answer, 0, 25),
    "swap": lambda: ig.swap("gemma-3-270m").figure(),
    "switch": lambda: ig.steer("mini-en-zh").figure(),
    "transfer": lambda: transfer_curves.transfer_figure(
        transfer(), 12, 8, alignment=np.arange(13) / 13, measured_on="everyday-48"
    ),
    "difference": lambda: transfer_companions.difference_figure(
        [0, 4, 8], [("English", "#0072b2", np.array([1.0, -0.5, 2.0]))], 12
    ),
    "perplexity": lambda: perplexity_curves.perplexity_figure(
        adaptation()[1], ("Chinese", "All languages"), 60
    ),
    "regime_bars": lambda: regime_bars.regime_bars_figure(
        adaptation()[0], "all", ("Here", "Published"), DUTCH_REGIMES, ("BERTje", 23.5)
    ),
    "layer_drift": lambda: layer_drift.layer_drift_figure(
        adaptation()[1], adaptation()[0].anchors[0], "distance", 60, 3
    ),
    "layer_changes": changes,
    "cost_bars": costs,
    "emergence_bars": lambda: emergence_bars.emergence_bars_figure(
        emergence(), "words", emergence().in_order("words")[0]
    ),
    "error_bars": lambda: error_bars.error_bars_figure(sentence_results(), 6),
    "error_curves": lambda: error_bars.error_curves_figure(sentence_results(), "mean", 6),
    "setup_lines": lambda: two_models.setup_lines_figure(two(), "upos", "accuracy", 2),
    "word_curve": lambda: two_models.word_curve_figure(two(), "upos", "accuracy", 2),
    "confusion": lambda: two_models.confusion_figure(two(), "upos", 2),
    "training_heatmap": lambda: training_heatmap_figure(surface(), (1, 2), "training"),
}
NAMES = ("English", "Chinese")
LIKE_ANOTHER = {
    "layer_curves": "retrieval",
    "language_probe": "retrieval",
    "dictionary": "retrieval",
    "alignment": "correlation",
    "language_points": "correlation",
    "ties_by_layer": "retrieval",
    "read_along": "switch",
    "position": "word",
    "emergence_curves": "geometry",
    "emergence_heatmap": "training_heatmap",
}
"""Charts that are another with other values, or of nothing but what others have."""
NO_CHARTS = {"new", "paper", "save", "training_surface"}


def every_figure():
    for module in pkgutil.walk_packages(figures.__path__, "isogloss.figures."):
        for name in vars(importlib.import_module(module.name)):
            if name.endswith("_figure") and not name.startswith("_"):
                yield name.removesuffix("_figure")


def test_no_chart_is_forgotten():
    assert set(every_figure()) == {*CHARTS, *LIKE_ANOTHER, *NO_CHARTS}


@pytest.mark.parametrize("name", CHARTS)
def test_everything_that_is_written_is_on_the_page(name):
    figure = CHARTS[name]()
    fewest = fewest_columns(figure)
    for columns in (1, 2)[fewest - 1 :]:
        drawing = Drawing(figure.to_plotly_json(), WIDTHS[columns] / MILLIMETRES / POINTS_PER_PIXEL)
        canvas = drawing.draw()
        left, top, right, bottom = canvas.reach
        assert left >= 0
        assert top >= 0
        assert right <= canvas.width
        assert bottom <= canvas.height
        plot = drawing.plot
        assert plot[2] - plot[0] > 0.3 * canvas.width, "letters leave the chart its room"


def letter_sizes(page):
    sizes = []
    page.extract_text(visitor_text=lambda text, _, place, font, size: sizes.append(size))
    return [size for size in sizes if size]


@pytest.mark.parametrize("name", ["best_layers", "alignment_matrix", "tree", "regime_bars"])
def test_a_pdf_has_a_column_s_width_and_its_letters_in_truetype(name):
    figure = CHARTS[name]()
    for columns, width in WIDTHS.items():
        (page,) = PdfReader(BytesIO(paper_figure(figure, "pdf", columns, name))).pages
        assert float(page.mediabox.width) * MILLIMETRES == pytest.approx(width, abs=0.01)
        for font in page["/Resources"]["/Font"].values():
            (inner,) = font.get_object()["/DescendantFonts"]
            described = inner.get_object()["/FontDescriptor"].get_object()
            assert described["/FontFile2"].get_object().get_data()
        assert min(letter_sizes(page)) >= SMALLEST - 0.01


def test_titles_ticks_and_words_of_every_script_are_there():
    shown = words()
    file = paper_figure(CHARTS["alignment_matrix"](), "pdf", 1)
    text = PdfReader(BytesIO(file)).pages[0].extract_text()
    for word in (*shown.source, *shown.target, *NAMES):
        assert word in text
    file = paper_figure(CHARTS["tree"](), "pdf", 1)
    text = PdfReader(BytesIO(file)).pages[0].extract_text()
    for code in many().study.all_languages:
        assert language_name(code) in text


def test_arabic_letters_join_and_a_character_of_no_font_is_named(monkeypatch):
    figure = go.Figure(go.Scatter(x=[0], y=[0], mode="text", text=["كتاب"]))
    drawn = ElementTree.fromstring(paper_figure(figure, "svg"))
    assert drawn.tag.endswith("svg")
    monkeypatch.setattr(lettering, "fonts_covering", lambda texts: ((), "ϡ"))
    with pytest.raises(IsoglossError, match="No font on this machine can draw “ϡ”"):
        fewest_columns(figure)


def copied(words):
    figure = go.Figure(go.Scatter(x=[0, 1], y=[0, 1], mode="text", text=[words, ""]))
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    (page,) = PdfReader(BytesIO(paper_figure(figure, "pdf"))).pages
    return page.extract_text().strip()


@pytest.mark.parametrize(
    "words",
    [
        "كتاب",
        "كِتَابٌ",
        "שָׁלוֹם",
        "हिन्दी",
        "हिहि पहिला",
        "वाक्यों के लिए स्कूल",
        "น้ำ",
        "น้ำน้ำ",
        "ทำที่ไทย",
        "中文",
        "Ünïcode",
    ],
)
def test_shaped_words_are_copied_letter_by_letter(words):
    """Each of the glyphs of a cluster would else stand for all of it."""
    assert copied(words) == words


def test_words_both_ways_lose_no_letter():
    assert set(copied("हिन्दी كتاب हि")) == set("हिन्दी كتاب हि")


def test_paper_is_white_whatever_the_page():
    dark = ig.best_layer(study()).figure(mode="dark")
    light = ig.best_layer(study()).figure(mode="light")
    with Image.open(BytesIO(paper_figure(dark, "png"))) as picture:
        corner = picture.convert("RGB").getpixel((2, 2))
        assert corner == (255, 255, 255)
        assert picture.width == pytest.approx(84 / 25.4 * 600, abs=1)
    for mode in ("light", "dark"):
        assert read_color(theme(mode).background) == (1, 1, 1, 1)
        assert read_color(theme(mode).accent) == read_color(theme("light").accent)
    assert paper_figure(dark, "svg") == paper_figure(light, "svg")


def test_what_does_not_fit_or_turns_is_said():
    wide = CHARTS["layer_drift"]()
    assert fewest_columns(wide) == 2
    with pytest.raises(IsoglossError, match="side by side, too many for one column"):
        paper_figure(wide, "pdf", 1)
    with pytest.raises(IsoglossError, match="turns"):
        fewest_columns(training_surface_figure(surface(), (1, 2)))
    with pytest.raises(IsoglossError, match="1 or 2 columns wide, not 3"):
        paper_figure(wide, "pdf", 3)
    with pytest.raises(IsoglossError, match="end its name in pdf, svg or png"):
        ig.save_figure(wide, "figure.docx", 2)


def test_an_answer_is_saved_from_python(tmp_path):
    path = ig.save_figure(ig.retrieval(study()), tmp_path / "found.pdf", columns=2)
    reader = PdfReader(path)
    assert "Found first" in reader.pages[0].extract_text()
    assert reader.metadata.title == ig.retrieval(study()).describe()


def test_values_stand_where_plotly_puts_them():
    figure = go.Figure(go.Scatter(x=[0, 10], y=[1, 100], mode="lines"))
    figure.update_layout(template=None, yaxis={"type": "log", "range": [0, 2]}, xaxis_range=[0, 10])
    drawing = Drawing(figure.to_plotly_json(), 400)
    drawing.draw()
    left, top, right, bottom = drawing.plot
    x, y = drawing._scale("x"), drawing._scale("y")
    assert (x.place(0), x.place(10)) == pytest.approx((left, right))
    assert (y.place(1), y.place(100)) == pytest.approx((bottom, top))
    assert y.place(10) == pytest.approx((top + bottom) / 2)
    assert [text for _, text in y.ticks()] == ["1", "2", "5", "10", "20", "50", "100"]


def test_bands_lie_upon_each_other():
    figure = go.Figure()
    for share in (0.2, 0.3):
        figure.add_scatter(x=[0, 1], y=[share, share], stackgroup="one", fillcolor="#123456")
    first, second = Drawing(figure.to_plotly_json(), 400).traces
    assert list(first["y"]) == [0.2, 0.2]
    assert list(second["y"]) == [0.5, 0.5]
    assert second["_below"] == [0.2, 0.2]


@pytest.mark.parametrize(
    ("value", "pattern", "said"),
    [
        (0.061, ".2~g", "0.061"),
        (1.0, ".0%", "100%"),
        (-0.5, ".1f", "−0.5"),
        (12345, ",d", "12,345"),
    ],
)
def test_numbers_are_written_as_d3_writes_them(value, pattern, said):
    assert say_number(value, pattern) == said


def test_steps_of_ticks_are_round():
    assert [round_step(least) for least in (0.03, 0.11, 3, 7)] == [0.05, 0.2, 5, 10]
