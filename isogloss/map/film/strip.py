"""The score of every layer as a curve, with a cursor at the one on show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.map.film.ink import OVERSAMPLING, TextStyle, faded, text_block
from isogloss.map.film.labels import LabelBox
from isogloss.map.lettering.fonts import FontFile, printable
from isogloss.map.payload import Score
from isogloss.map.scene import Theme

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw


class StripPainter:
    """Draws a score into a box, its name above it and the first and last stop below."""

    def __init__(
        self,
        score: Score,
        ends: tuple[str, str],
        box: LabelBox,
        theme: Theme,
        font: FontFile,
        unit: float,
    ) -> None:
        self.box, self.ends, self.theme, self.font, self.unit = box, ends, theme, font, unit
        name = f"{score.name}\n{score.badge}"
        wide = 0.72 * (box.right - box.left)
        self.title = text_block(name, font, 13 * unit, theme.muted, wide, 80 * unit)
        self.top = box.top - 14 * unit - self.title.height
        values = np.asarray(score.values, dtype=float)
        across = np.linspace(0, 1, len(values)) if len(values) > 1 else np.array([0.5])
        x = box.left + across * (box.right - box.left)
        y = box.bottom - np.clip(values, 0, 1) * (box.bottom - box.top)
        self.points = np.stack([x, y], axis=1)

    def paint_still(self, image: Image, draw: ImageDraw) -> None:
        from PIL import Image as Images
        from PIL import ImageDraw as Draws

        box, theme = self.box, self.theme
        for level in (box.top, box.bottom):
            draw.line((box.left, level, box.right, level), fill=theme.hairline, width=1)
        mask = Images.new("L", (image.width * OVERSAMPLING, image.height * OVERSAMPLING))
        shape = Draws.Draw(mask)
        line = [tuple(point) for point in (self.points * OVERSAMPLING).tolist()]
        floor = box.bottom * OVERSAMPLING
        shape.polygon([(line[0][0], floor), *line, (line[-1][0], floor)], fill=36)
        shape.line(line, fill=255, width=round(2 * OVERSAMPLING * self.unit), joint="curve")
        dot = 2.6 * OVERSAMPLING * self.unit
        for x, y in line:
            shape.ellipse((x - dot, y - dot, x + dot, y + dot), fill=255)
        image.paste(theme.ink, mask=mask.reduce(OVERSAMPLING))
        self.title.paint(image, box.left, self.top)
        style = TextStyle(self.font, 13 * self.unit, theme.muted)
        below = box.bottom + 19 * self.unit
        first, last = map(printable, self.ends)
        style.write(image, (box.left, below), first)
        style.write(image, (box.right, below), last, anchor="rs")

    def paint_cursor(self, draw: ImageDraw, position: float) -> None:
        box, points, radius = self.box, self.points, 5 * self.unit
        line = float(np.interp(position, np.arange(len(points)), points[:, 0]))
        draw.line((line, box.top, line, box.bottom), fill=faded(self.theme.ink, 0.43), width=1)
        # Between two stops nothing was measured: the number is of the stop that is named.
        x, y = points[round(position)]
        score = (box.bottom - y) / (box.bottom - box.top)
        draw.ellipse(
            (x - radius, y - radius, x + radius, y + radius),
            fill=self.theme.ink,
            outline=self.theme.panel,
            width=round(2 * self.unit),
        )
        draw.text(
            (box.right, box.top - 10 * self.unit),
            f"{score:.0%}",
            font=self.font.at(27 * self.unit),
            fill=self.theme.ink,
            anchor="rb",
        )
