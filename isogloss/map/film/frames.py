"""Draws one moment of a moving map: the points, their links and names, and the panel beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from isogloss.map.film.ink import SUBPIXELS, LabelInk, make_sprites, sprite_half
from isogloss.map.film.labels import LabelBox, choose_candidates, plan_labels
from isogloss.map.film.panel import PANEL_WIDTH, PanelPainter, written_around
from isogloss.map.lettering.fonts import printable
from isogloss.map.scene import Scene
from isogloss.measures.stacks import Array

if TYPE_CHECKING:
    from PIL.Image import Image

LINK_OVERSAMPLING = 2
PINNED_OPACITY = 0.85


class FramePainter:
    """Draws a moving map at any position between its first and last stop."""

    def __init__(self, scene: Scene, size: tuple[int, int]) -> None:
        data = scene.data
        self.scene, self.size, self.theme = scene, size, scene.theme
        self.unit = min(size[0] / 1280, size[1] / 720)
        self.texts = [printable(text) for text in data.texts]
        self.sides = np.asarray(data.sides, dtype=int)
        self.shapes: list[int] = data.shapes.tolist()
        words = {point: text for point, text in enumerate(self.texts) if text}
        self.fonts = scene.fonts(words, written_around(scene))
        self.radius = self.unit * float(np.clip(120 / np.sqrt(len(self.texts)), 3.2, 7.0))
        self.panel = PanelPainter(scene, size, self.fonts, self.unit)
        self.frame = self._map_frame()
        self.places = self._to_pixels(data.positions)
        candidates = scene.named
        # Whole sentences are written where they are asked for.
        if scene.view.labels and not data.middles:
            candidates = choose_candidates(self.texts, self.sides, data.links, scene.named)
        self.labels = self._label_inks(candidates)
        boxes = {point: self._label_box(point) for point in self.labels}
        self.plan = plan_labels(self.places, boxes, self.frame, scene.named)
        self.background = self._paint_background()

    def paint(self, position: float) -> Image:
        """Return the picture (RGB) at a position from 0 to stops - 1."""
        stop = min(int(position), max(len(self.places) - 2, 0))
        following = min(stop + 1, len(self.places) - 1)
        way = position - stop
        places = (1 - way) * self.places[stop] + way * self.places[following]
        image = self.background.copy()
        shown = round(position)
        if self.scene.view.links:
            links = self.scene.data.links_of(shown)
            self._paint_links(image, places, links, self.theme.link_opacity)
        colours = self.scene.point_colors(shown)
        self._paint_points(image, places, range(self.scene.data.marked), colours)
        self._paint_pinned(image, places, colours)
        for point, opacity in self.plan.opacities(position).items():
            self._paint_label(image, point, places[point], opacity)
        self.panel.paint_moving(image, position)
        return image

    def _paint_background(self) -> Image:
        from PIL import Image as Images

        image = Images.new("RGB", self.size, self.theme.paper)
        self.panel.paint_still(image)
        return image

    def _map_frame(self) -> LabelBox:
        width, height = self.size
        gap = 20 * self.unit
        footer = gap + self.panel.provenance.height
        return LabelBox(PANEL_WIDTH * self.unit + gap, gap, width - gap, height - footer)

    def _to_pixels(self, positions: Array) -> Array:
        """The places (stops, n, 2) on the picture: one scale for all layers and both axes."""
        frame, room = self.frame, 3 * self.radius
        lowest, highest = positions.min(axis=(0, 1)), positions.max(axis=(0, 1))
        extent = np.maximum(highest - lowest, 1e-9)
        span = np.array([frame.right - frame.left, frame.bottom - frame.top]) - 2 * room
        scale = (span / extent).min()
        middle = np.array([frame.left + frame.right, frame.top + frame.bottom]) / 2
        return middle + (positions - (lowest + highest) / 2) * scale * (1, -1)

    def _paint_links(self, image: Image, places: Array, links: Array, opacity: float) -> None:
        from PIL import Image as Images
        from PIL import ImageDraw

        if len(links) == 0:
            return
        enlarged = (self.size[0] * LINK_OVERSAMPLING, self.size[1] * LINK_OVERSAMPLING)
        mask = Images.new("L", enlarged)
        draw = ImageDraw.Draw(mask)
        ends = places[links].reshape(-1, 4) * LINK_OVERSAMPLING
        width = max(1, round(LINK_OVERSAMPLING * self.unit))
        for line in ends.tolist():
            draw.line(line, fill=round(255 * opacity), width=width)
        image.paste(self.theme.ink, mask=mask.reduce(LINK_OVERSAMPLING))

    def _paint_points(
        self,
        image: Image,
        places: Array,
        points: Sequence[int],
        colours: Sequence[str],
        rim: str | None = None,
        grown: float = 0,
    ) -> None:
        """Paint points in their colours, in a ring of the paper, or all within a ring of `rim`."""
        radius = self.radius + grown
        corners = places[points] - sprite_half(radius)
        whole = np.floor(corners).astype(int)
        within = np.floor((corners - whole) * SUBPIXELS).astype(int)
        for point, (x, y), (across, down) in zip(
            points, whole.tolist(), within.tolist(), strict=True
        ):
            colour = rim or colours[point]
            around = colour if grown else self.theme.paper
            sprites = make_sprites(self.shapes[point], colour, around, radius)
            sprite = sprites[down * SUBPIXELS + across]
            image.paste(sprite, (x, y), sprite)

    def _paint_pinned(self, image: Image, places: Array, colours: Sequence[str]) -> None:
        """Pinned words and their translations: larger, in a ring of ink, and joined."""
        self._paint_links(image, places, self.scene.pinned_links, PINNED_OPACITY)
        shown = list(reversed(self.scene.named))
        grown = 0.5 * self.radius + self.unit
        if shown:
            self._paint_points(image, places, shown, colours, self.theme.ink, grown + 2 * self.unit)
            self._paint_points(image, places, shown, colours, grown=grown)

    def _label_box(self, point: int) -> LabelBox:
        gap, pad = self.radius + 3 * self.unit, 3 * self.unit
        top, right, bottom = self.labels[point].extent
        if self._is_on_the_right(point):
            return LabelBox(-gap - right - pad, top - pad, -gap + pad, bottom + pad)
        return LabelBox(gap - pad, top - pad, gap + right + pad, bottom + pad)

    def _is_on_the_right(self, point: int) -> bool:
        """Whether its word is written at the left, where there is room on that side alone.

        So is the translation of a pinned word, which it may come to lie on.
        """
        middle = (self.frame.left + self.frame.right) / 2
        room = 0.8 * (self.frame.right - middle)
        across = self.places[:, point, 0]
        if point in self.scene.named and self.sides[point] and across.min() > middle - room:
            return True
        return float(across.max()) > middle + room

    def _label_inks(self, points: Sequence[int]) -> dict[int, LabelInk]:
        """The words of the points that a font here can draw, in their order."""
        size, rim = 15 * self.unit, 2 * self.unit
        found = {p: self.fonts.of(self.texts[p], int(self.sides[p])) for p in points}
        return {
            p: LabelInk(self.texts[p], font, size, self.scene.word_color(p), self.theme.paper, rim)
            for p, font in found.items()
            if font
        }

    def _paint_label(self, image: Image, point: int, place: Array, opacity: float) -> None:
        gap = self.radius + 3 * self.unit
        flipped = self._is_on_the_right(point)
        at = (place[0] - gap if flipped else place[0] + gap, place[1])
        self.labels[point].paint(image, at, flipped, opacity)
