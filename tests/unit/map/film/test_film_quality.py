"""Films that fit a slide: never larger than they may be, and told before they are made."""

import pytest
from PIL import Image

from isogloss.errors import IsoglossError
from isogloss.map.film import film_scene, make_film, plan_film, quality
from isogloss.map.film.quality import FilmSize
from tests.browser.synthetic_map import synthetic_map

LARGE, SMALL = FilmSize((640, 360), 6, 0.5), FilmSize((640, 360), 5, 0.2)


@pytest.fixture
def twelve_layers():
    return film_scene(synthetic_map(80))


def test_the_limits_are_those_of_a_slide_and_offers_get_smaller():
    assert quality.LIMITS == {"gif": 5_000_000, "mp4": 3_000_000}
    for offers in quality.SMALLER.values():
        work = [film.size[0] * film.size[1] * film.frames_per_second for film in offers]
        assert work == sorted(work, reverse=True)


@pytest.mark.parametrize("format", ["gif", "mp4"])
def test_what_does_not_fit_is_made_smaller_until_it_does(
    twelve_layers, tmp_path, monkeypatch, format
):
    monkeypatch.setitem(quality.SMALLER, "gif", (LARGE, SMALL))
    monkeypatch.setitem(quality.SMALLER, "mp4", (LARGE,))
    monkeypatch.setitem(quality.LIMITS, format, 10**9)
    whole = make_film(twelve_layers, tmp_path / f"whole.{format}").stat().st_size
    limit = round(0.8 * whole)
    monkeypatch.setitem(quality.LIMITS, format, limit)
    small = make_film(twelve_layers, tmp_path / f"small.{format}")
    assert 0.1 * whole < small.stat().st_size <= limit


def test_a_film_that_cannot_fit_is_not_left_lying_there(twelve_layers, tmp_path, monkeypatch):
    monkeypatch.setitem(quality.SMALLER, "gif", (SMALL,))
    monkeypatch.setitem(quality.LIMITS, "gif", 20_000)
    with pytest.raises(IsoglossError, match="MB even at its smallest: show fewer words"):
        make_film(twelve_layers, tmp_path / "map.gif")
    assert not list(tmp_path.iterdir())


def test_a_plan_tells_pictures_time_and_bytes(twelve_layers, tmp_path, monkeypatch):
    monkeypatch.setattr(quality, "SHARP", SMALL)
    plan = plan_film(twelve_layers, "gif", "sharp")
    assert plan.film == SMALL
    assert plan.seconds > 0
    written = make_film(twelve_layers, tmp_path / "map.gif", "sharp")
    with Image.open(written) as film:
        assert film.n_frames == plan.pictures
    assert plan.bytes == pytest.approx(written.stat().st_size, rel=0.5)


def test_a_quality_or_format_that_does_not_exist_is_said(twelve_layers):
    with pytest.raises(IsoglossError, match="no quality 'best' of films: choose slide or sharp"):
        plan_film(twelve_layers, "gif", "best")
    with pytest.raises(IsoglossError, match="no film format 'avi'"):
        plan_film(twelve_layers, "avi")
