"""An animated GIF or an MP4 of a map through all its layers, with how it was made inside."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.errors import IsoglossError, Stopped
from isogloss.map.film.frames import FramePainter
from isogloss.map.payload import MapView, ScrubberData
from isogloss.map.scene import THEMES, Scene
from isogloss.tasks import OnProgress, ShouldStop

if TYPE_CHECKING:
    from PIL.Image import Image

    Pictures = Iterator[tuple[Image, int]]

Tags = Mapping[str, str]
FORMATS = ("gif", "mp4")
SMALLEST, LARGEST = (640, 360), (3840, 2160)
# Of a layer's time, the share it rests in place before moving on; the last one rests twice.
REST = 0.35
COLOURS = 256


@dataclass(frozen=True)
class Moment:
    """A picture of the film: a position from 0 to stops - 1 and for how many frames it stays."""

    position: float
    frames: int


def animate(
    scene: Scene,
    path: Path,
    format: str | None = None,
    size: tuple[int, int] = (1280, 720),
    seconds_per_layer: float = 1.4,
    frames_per_second: int = 20,
    most_bytes: int | None = None,
    progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> Path:
    """Write the film of a map as `path`, from its first layer to its last, and return the path.

    `format` is gif or mp4, by default what the path's name ends in. A GIF's clock counts hundredths
    of a second, so its frames last the nearest number of these. The provenance is in the picture
    and in the file: a GIF comment, or the comment tag of an MP4. The file appears when complete.
    `most_bytes` is what an MP4 may take; a GIF takes what its pictures need.
    """
    format = format or path.suffix.lstrip(".").lower()
    _require_settings(format, size, seconds_per_layer, frames_per_second)
    film = list(timeline(len(scene.data.stops), seconds_per_layer, frames_per_second))
    painter = FramePainter(scene, size)

    def pictures() -> Pictures:
        for number, moment in enumerate(film):
            if should_stop is not None and should_stop():
                raise Stopped("The film was stopped; ask again to start it over.")
            if progress is not None:
                progress(number / len(film), f"Drawing picture {number + 1} of {len(film)}")
            yield painter.paint(moment.position), moment.frames

    length = sum(moment.frames for moment in film) / frames_per_second
    rate = most_bytes / length if most_bytes else None
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=f".{format}")
    os.close(handle)
    try:
        if format == "gif":
            write_gif(Path(temporary), pictures(), frames_per_second, tags_of(scene))
        else:
            write_mp4(Path(temporary), pictures(), frames_per_second, tags_of(scene), rate)
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    if progress is not None:
        progress(1.0, "Done")
    return path


def film_scene(data: ScrubberData, view: MapView | None = None, theme: str = "light") -> Scene:
    """The map that the scrubber shows, as films take it, with the view's pins and colours."""
    if theme not in THEMES:
        raise IsoglossError(f"There is no theme {theme!r}; choose {' or '.join(THEMES)}.")
    return Scene(data, view or MapView(), THEMES[theme])


def tags_of(scene: Scene) -> Tags:
    """What a film's file says of itself."""
    return {"title": scene.data.caption, "comment": scene.provenance_line}


def timeline(stops: int, seconds_per_layer: float, frames_per_second: int) -> Iterator[Moment]:
    """Yield the moments of a film: each stop at rest, then on to the next, gently off and on."""
    per_layer = max(2, round(seconds_per_layer * frames_per_second))
    rest = max(1, round(REST * per_layer))
    moves = per_layer - rest
    for stop in range(stops - 1):
        yield Moment(stop, rest)
        for move in range(1, moves + 1):
            yield Moment(stop + ease(move / (moves + 1)), 1)
    yield Moment(stops - 1, 2 * rest)


def ease(way: float) -> float:
    """Return 3 w² - 2 w³: from 0 to 1, at rest at both ends."""
    return way * way * (3 - 2 * way)


def write_gif(path: Path, pictures: Pictures, frames_per_second: int, tags: Tags) -> None:
    """Write pictures, each with how many frames it stays, as a GIF that repeats for ever."""
    from PIL import Image as Images

    delay = 10 * max(2, round(100 / frames_per_second))
    palette: Image | None = None
    indexed, durations = [], []
    for picture, frames in pictures:
        # One palette for all keeps colours from flickering and the differences small.
        palette = palette or picture.quantize(COLOURS, method=Images.Quantize.MEDIANCUT)
        indexed.append(picture.quantize(palette=palette, dither=Images.Dither.NONE))
        durations.append(delay * frames)
    indexed[0].save(
        path,
        save_all=True,
        append_images=indexed[1:],
        duration=durations,
        loop=0,
        optimize=False,
        comment=tags["comment"].encode(),
    )


def write_mp4(
    path: Path,
    pictures: Pictures,
    frames_per_second: int,
    tags: Tags,
    bytes_per_second: float | None = None,
) -> None:
    """Write pictures, each with how many frames it stays, as H.264 that every browser plays.

    `bytes_per_second` caps what is spent; the container and the encoder's buffer come on top, for
    which a tenth is kept back.
    """
    import imageio_ffmpeg

    cap: list[str] = []
    if bytes_per_second is not None:
        bits = str(round(0.9 * 8 * bytes_per_second))
        cap = ["-maxrate", bits, "-bufsize", bits]
    first = next(pictures)
    writer = imageio_ffmpeg.write_frames(
        str(path),
        first[0].size,
        fps=frames_per_second,
        codec="libx264",
        quality=None,
        macro_block_size=2,
        ffmpeg_log_level="error",
        output_params=[
            *("-crf", "19", *cap, "-threads", "1", "-movflags", "+faststart"),
            *(part for tag in tags.items() for part in ("-metadata", "=".join(tag))),
        ],
    )
    writer.send(None)
    try:
        for picture, frames in chain([first], pictures):
            for _ in range(frames):
                writer.send(picture.tobytes())
    finally:
        writer.close()


def _require_settings(
    format: str, size: tuple[int, int], seconds_per_layer: float, frames_per_second: int
) -> None:
    if format not in FORMATS:
        raise IsoglossError(f"There is no film format {format!r}; choose {' or '.join(FORMATS)}.")
    width, height = size
    fits = SMALLEST[0] <= width <= LARGEST[0] and SMALLEST[1] <= height <= LARGEST[1]
    if not fits or width % 2 or height % 2:
        raise IsoglossError(
            f"A film of {width} by {height} pixels cannot be made; choose even numbers "
            f"from {SMALLEST[0]} by {SMALLEST[1]} to {LARGEST[0]} by {LARGEST[1]}."
        )
    if not 0.2 <= seconds_per_layer <= 20:
        raise IsoglossError(f"A layer may take 0.2 to 20 seconds, not {seconds_per_layer}.")
    if not 5 <= frames_per_second <= 50:
        raise IsoglossError(f"A film may have 5 to 50 frames a second, not {frames_per_second}.")
