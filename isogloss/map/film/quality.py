"""Films that fit a slide, and what one will cost in time and bytes, before it is made."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from isogloss.errors import IsoglossError
from isogloss.map.film.film import (
    Moment,
    animate,
    tags_of,
    timeline,
    write_gif,
    write_mp4,
)
from isogloss.map.film.frames import FramePainter
from isogloss.map.scene import Scene
from isogloss.tasks import OnProgress, ShouldStop

QUALITIES = {"slide": "Fits a slide", "sharp": "Sharper, any size"}
LIMITS = {"gif": 5_000_000, "mp4": 3_000_000}
"""The most bytes of a film that fits a slide."""
SAFETY = 0.85
"""Of the limit, the share that a film may be expected to take: layers differ from the first."""
SAMPLE = 5
"""Pictures drawn to see what one costs."""


@dataclass(frozen=True)
class FilmSize:
    """Pixels, pictures a second and seconds a layer."""

    size: tuple[int, int]
    frames_per_second: int
    seconds_per_layer: float = 1.4

    def moments(self, scene: Scene) -> list[Moment]:
        return list(timeline(len(scene.data.stops), self.seconds_per_layer, self.frames_per_second))


SHARP = FilmSize((1280, 720), 20)
SMALLER = {
    "mp4": (SHARP,),  # here the encoder keeps to the limit
    "gif": (
        FilmSize((960, 540), 12),
        FilmSize((800, 450), 10),
        FilmSize((640, 360), 10, 1.1),
        FilmSize((640, 360), 6, 1.0),
        FilmSize((640, 360), 5, 0.6),
    ),
}
"""What a film that is to fit may be, the best first."""


@dataclass(frozen=True)
class FilmPlan:
    """What will be made, in how many pictures, and roughly in how many seconds and bytes."""

    format: str
    quality: str
    film: FilmSize
    pictures: int
    seconds: float
    bytes: float


def plan_film(scene: Scene, format: str, quality: str = "slide") -> FilmPlan:
    """Choose the best film that is expected to fit, by drawing a few pictures of the first move."""
    if quality not in QUALITIES:
        raise IsoglossError(
            f"There is no quality {quality!r} of films: choose {' or '.join(QUALITIES)}."
        )
    if format not in LIMITS:
        raise IsoglossError(f"There is no film format {format!r}; choose {' or '.join(LIMITS)}.")
    offers = (SHARP,) if quality == "sharp" else SMALLER[format]
    for film in offers:
        plan = _sample(scene, format, quality, film)
        if quality == "sharp" or plan.bytes <= SAFETY * LIMITS[format]:
            break
    return plan


def make_film(
    scene: Scene,
    path: Path,
    quality: str = "slide",
    progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> Path:
    """Write the film of a map, GIF or MP4 by the name's ending, and return its path.

    One that fits a slide has at most 5 MB as GIF and 3 MB as MP4: an MP4's encoder is given what
    may be spent on a second, a GIF gets smaller pictures, and fewer, until it fits.
    """
    format = path.suffix.lstrip(".").lower()
    plan = plan_film(scene, format, quality)
    limit = LIMITS[format] if quality == "slide" else None
    smaller = SMALLER[format]
    films = [plan.film] if limit is None else smaller[smaller.index(plan.film) :]
    for film in films:
        animate(
            scene,
            path,
            size=film.size,
            frames_per_second=film.frames_per_second,
            seconds_per_layer=film.seconds_per_layer,
            most_bytes=limit,
            progress=progress,
            should_stop=should_stop,
        )
        written = path.stat().st_size
        if limit is None or written <= limit:
            return path
    path.unlink()
    raise IsoglossError(
        f"This map's {format.upper()} would be {written / 1e6:.1f} MB even at its smallest: show "
        "fewer words, choose MP4, or the sharper quality, which may be of any size."
    )


def _sample(scene: Scene, format: str, quality: str, film: FilmSize) -> FilmPlan:
    """What the first pictures cost, and so the whole: a still to begin with, then moves."""
    moments = film.moments(scene)
    some = moments[1 : 1 + SAMPLE] or moments[:1]
    began = time.perf_counter()
    painter = FramePainter(scene, film.size)
    ready = time.perf_counter() - began
    tags = tags_of(scene)
    sizes: list[int] = []
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as directory:
        for shown in (some[:1], some):
            path = Path(directory) / f"sample.{format}"
            pictures = ((painter.paint(moment.position), 1) for moment in shown)
            if format == "gif":
                write_gif(path, pictures, film.frames_per_second, tags)
            else:
                write_mp4(path, pictures, film.frames_per_second, tags)
            sizes.append(path.stat().st_size)
    each = (time.perf_counter() - began) / (len(some) + 1)
    growth = (sizes[1] - sizes[0]) / max(1, len(some) - 1)
    size = sizes[0] + growth * (len(moments) - 1)
    if format == "mp4" and quality == "slide":
        size = min(size, LIMITS[format])
    return FilmPlan(format, quality, film, len(moments), ready + each * len(moments), size)
