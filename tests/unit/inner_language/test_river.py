"""The river finds what is planted, says nothing of what is not, and goes on after a kill."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import IsoglossError, Stopped
from isogloss.figures.river import NOTHING, river_figure, word_figure
from isogloss.inner_language import bands
from isogloss.inner_language.random_weights import RandomRiverAnswer, with_random_weights
from isogloss.inner_language.river import River, RiverAnswer
from isogloss.studies.questions import Steps
from tests.helpers.planted_guesser import PlantedGuesser

QUIET = Steps(lambda share, message: None, lambda: False)


def river(parts: Path, *speaks: str, **settings) -> RiverAnswer:
    parts.mkdir(exist_ok=True)
    return River("planted", words=30, **settings).compute(
        PlantedGuesser(speaks), None, QUIET, parts
    )


def test_a_middle_moved_to_english_is_found(tmp_path):
    answer = river(tmp_path, "", "zh", "en", "en", "fr")
    assert answer.languages == ("zh", "fr", "en", "others")
    found = {each.language: each.layers for each in bands.leads(answer)}
    assert found == {"zh": (1,), "en": (2, 3), "fr": (4,)}
    assert answer.mass[2, :, 2] == pytest.approx(0.6, abs=1e-3)
    assert bands.finding(answer).startswith(
        "Chinese leads at layer 1 (.60 at 1, .60 to .60); English leads at layers 2 to 3"
    )
    assert answer.null.max() < 1e-6
    assert bands.finding(answer).endswith("with shuffled words at most .00.")
    random = RandomRiverAnswer(np.full((5, 4), 0.03, np.float32), 20)
    assert bands.finding(answer, random).endswith("in a random model .03.")
    assert answer.leading(2, 0)[:2] == [answer.words[0], " "]


def test_swapped_labels_are_the_mirror_image(tmp_path):
    there = river(tmp_path / "there", "", "zh", "en", "en", "fr")
    back = river(tmp_path / "back", "", "fr", "en", "en", "zh", source="fr", target="zh")
    first = {each.language: each.layers for each in bands.leads(there)}
    second = {each.language: each.layers for each in bands.leads(back)}
    assert second == {"fr": first["zh"], "en": first["en"], "zh": first["fr"]}


def test_who_says_nothing_readable_leads_nowhere(tmp_path):
    answer = river(tmp_path, "", "", "", "", "")
    assert bands.leads(answer) == []
    assert "No language leads at any layer" in bands.finding(answer)


def test_further_languages_are_others_and_count_for_no_other(tmp_path):
    answer = river(tmp_path, "de", "ru", "ja", "", "fr")
    assert answer.mass[0, :, 3] == pytest.approx(0.6, abs=1e-3)
    assert answer.mass[1, :, 3] == pytest.approx(0.6, abs=1e-3)
    shared = answer.mass[2].sum(1)  # where Japanese writes as Chinese does, it is Chinese
    assert shared == pytest.approx(0.6, abs=1e-3)
    assert answer.mass[2, :, 0].mean() > 0.1


def test_intervals_are_over_words(tmp_path):
    answer = river(tmp_path, "", "zh", "en", "en", "fr")
    mass = answer.mass.copy()
    mass[2, ::2, 2] = 0.0
    uneven = RiverAnswer(**vars(answer) | {"mass": mass})
    english = next(each for each in bands.bands(uneven) if each.name == "English")
    assert english.values[2] == pytest.approx(0.3, abs=1e-3)
    # of a mean of n independent 0s and .6s
    assert english.high[2] - english.values[2] == pytest.approx(1.96 * 0.3 / 30**0.5, rel=0.15)
    odds = next(each for each in bands.bands(answer, "log-odds") if each.name == "English")
    assert odds.values[2] == pytest.approx(np.log(0.6 / 0.4), abs=0.01)
    (entropy,) = bands.bands(answer, "entropy")
    assert entropy.values[2] == pytest.approx(-0.6 * np.log2(0.6) - 0.4 * np.log2(0.4), abs=0.01)


def test_what_was_read_before_a_stop_is_not_read_again(tmp_path, monkeypatch):
    calls = []
    read = PlantedGuesser.read
    monkeypatch.setattr(
        PlantedGuesser, "read", lambda self, given: calls.append(len(given)) or read(self, given)
    )
    steps = Steps(lambda share, message: None, lambda: len(calls) >= 2)
    question, planted = River("planted", words=30), PlantedGuesser(("", "zh", "en", "en", "fr"))
    with pytest.raises(Stopped):
        question.compute(planted, None, steps, tmp_path)
    assert calls == [10, 10]
    stopped_and_continued = question.compute(planted, None, QUIET, tmp_path)
    assert calls == [10, 10, 10]
    (tmp_path / "whole").mkdir()
    whole = question.compute(planted, None, QUIET, tmp_path / "whole")
    for name, values in vars(whole).items():
        assert np.array_equal(values, getattr(stopped_and_continued, name)), name


def test_what_cannot_be_asked_is_said(tmp_path):
    for settings, said in (
        ({"source": "fr", "target": "fr"}, "takes two languages"),
        ({"target": "sw"}, "no language sw"),
    ):
        with pytest.raises(IsoglossError, match=said):
            river(tmp_path, "", "", "", "", "", **settings)


def test_bands_add_up_to_all_there_is(tmp_path):
    answer = river(tmp_path, "", "zh", "en", "en", "fr")
    for figure in (river_figure(answer, 2), word_figure(answer, 0, 2)):
        stacked = [trace for trace in figure.data if trace.stackgroup]
        names = [trace.name for trace in stacked]
        assert names == ["Chinese", "English", "French", "Other languages", NOTHING]
        assert np.sum([trace.y for trace in stacked], axis=0) == pytest.approx(1, abs=1e-3)
        assert stacked[1].y[2] == pytest.approx(0.6, abs=1e-3)
        assert stacked[-1].y[2] == pytest.approx(0.4, abs=1e-3)
    assert river_figure(answer, 2).data[1].text[2] == "0.600 (0.600 to 0.600)"
    written = {each.text for each in river_figure(answer, 2).layout.annotations}
    assert {"Chinese", "English", "French"} <= written
    assert "Other languages" not in written  # it has nothing anywhere


def test_what_nothing_learnt_gives_is_a_quiet_line(tmp_path):
    answer = river(tmp_path, "", "zh", "en", "en", "fr")
    random = RandomRiverAnswer(np.full((5, 4), 0.01, np.float32), 20)
    for reading in ("share", "curves"):
        lines = {
            trace.name: trace for trace in river_figure(answer, 2, reading, "dark", random).data
        }
        assert lines["random model"].y == pytest.approx(0.04)
        assert lines["shuffled words"].y == pytest.approx(answer.null.sum(1))
    assert "random model" not in {trace.name for trace in river_figure(answer, 2).data}


def test_a_random_river_is_the_mean_of_a_river(tmp_path):
    asked = with_random_weights(River("planted", "zh", "fr"))
    assert asked.model == "random:planted"
    assert with_random_weights(River("random:planted")) is None
    found = asked.compute(PlantedGuesser(("", "zh", "en", "en", "fr")), None, QUIET, tmp_path)
    assert found.mass[2] == pytest.approx([0, 0, 0.6, 0], abs=1e-3)
    assert found.words == 20
