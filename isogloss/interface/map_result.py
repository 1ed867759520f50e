"""The token map in scripts and notebooks: the scrubber, pictures, a film, a table."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.errors import IsoglossError
from isogloss.formatting import shorten
from isogloss.map.film import FORMATS
from isogloss.map.headline import Headline, headline
from isogloss.map.maps import TokenMap
from isogloss.map.payload import ScrubberData
from isogloss.map.table import map_table, write_csv
from isogloss.models.states import AFTER_NORM
from isogloss.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd

    from isogloss.figures.template import Figure, Mode
    from isogloss.interface.map_widget import MapWidget

NOTEBOOK_HEIGHT = 760


@dataclass(repr=False, eq=False)
class MapResult:
    """Words of two languages laid out at every layer, with their links and scores.

    A notebook shows it as the page does. There `layer`, `pins` and `selection` say what is on show,
    and setting them moves the map; for that anywidget is needed.
    """

    study: Study
    answer: TokenMap

    @cached_property
    def widget(self) -> MapWidget:
        """The map as notebooks show it, with traits that can be observed."""
        if not find_spec("anywidget"):
            raise IsoglossError(
                "A map that Python can look at and move needs anywidget: "
                "pip install 'isogloss[notebook]', or pip install anywidget."
            )
        from isogloss.interface.map_widget import MapWidget

        return MapWidget(self.data)

    @property
    def layer(self) -> int:
        """The layer that the notebook shows."""
        return round(self.widget.layer)

    @layer.setter
    def layer(self, layer: int) -> None:
        self._require_layer(layer)
        self.widget.layer = layer

    @property
    def pins(self) -> Selection:
        """The words that are pinned; set it to the numbers of points."""
        return Selection(self, tuple(self.widget.pins))

    @pins.setter
    def pins(self, points: Iterable[int]) -> None:
        self.widget.pins = self._points(points)

    @property
    def selection(self) -> Selection:
        """The words inside the lasso; set it to the numbers of points."""
        return Selection(self, tuple(self.widget.selection))

    @selection.setter
    def selection(self, points: Iterable[int]) -> None:
        self.widget.selection = self._points(points)

    def _points(self, points: Iterable[int]) -> list[int]:
        found = [int(point) for point in points]
        last = len(self.data.texts) - 1
        if wrong := [point for point in found if not 0 <= point <= last]:
            raise IsoglossError(f"There is no point {wrong[0]}: this map has 0 to {last}.")
        return found

    @cached_property
    def data(self) -> ScrubberData:
        """What the scrubber shows."""
        from isogloss.map.data import scrubber_data

        return scrubber_data(self.study, self.answer)

    def frame(self) -> pd.DataFrame:
        """Return one row per point and layer: text, language, sentence, place, rank and partner.

        Beside them the score of the layer, what it is of, and whose links ranks and partners are.
        """
        return map_table(self.study, self.answer)

    @property
    def score(self) -> Headline | None:
        """The score that stands for the map: of its words, or of sentences where links are none."""
        return headline(self.answer)

    def figure(self, layer: int = 0, mode: Mode = "light") -> Figure:
        """Return one layer's picture as a Plotly figure."""
        from isogloss.figures.layer_picture import layer_picture_figure

        self._require_layer(layer)
        return layer_picture_figure(self.data, layer, mode)

    def html(self, layer: int = 0) -> str:
        """Return the scrubber as one page that works offline."""
        from isogloss.map.standalone import html_document

        self._require_layer(layer)
        return html_document(self.data, layer=layer)

    def _require_layer(self, layer: int) -> None:
        states = self.study.states
        if not 0 <= layer <= states.last:
            top = f", {states.last} being {AFTER_NORM}" if states.normed else ""
            raise IsoglossError(
                f"There is no layer {layer}: this model has 0 to {states.last}{top}."
            )

    def to_html(self, path: str | PathLike[str], layer: int = 0) -> Path:
        """Write the scrubber as one file that works offline by double click; returns its path."""
        target = Path(path)
        target.write_text(self.html(layer), encoding="utf-8")
        return target

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Write the table, after lines that say how it was made; returns its path."""
        target = Path(path)
        write_csv(self.frame(), target, self.data.provenance)
        return target

    def film(self, path: str | PathLike[str], quality: str = "slide", **settings: Any) -> Path:
        """Write a film through all layers, GIF or MP4 by the name's ending; returns its path.

        By default it fits a slide, with at most 5 MB as GIF and 3 MB as MP4; the quality "sharp"
        may be of any size. With `settings` such as size=(1280, 720) it is exactly as they say.
        """
        from isogloss.map.film import animate, film_scene, make_film

        target = Path(path)
        if target.suffix.lstrip(".").lower() not in FORMATS:
            raise IsoglossError(
                f"{target.name} is no film: end its name in {' or '.join(FORMATS)}."
            )
        exact = bool(settings)
        scene = film_scene(self.data, theme=settings.pop("theme", "light"))
        return animate(scene, target, **settings) if exact else make_film(scene, target, quality)

    def contact_sheet(self, path: str | PathLike[str], columns: int = 2) -> Path:
        """Write every layer's picture on one sheet, PDF, SVG or PNG by the name's ending.

        For a paper: one column is 84 mm wide, two are 175 mm; fonts are embedded.
        """
        from isogloss.map.contact_sheet import write_contact_sheet

        return write_contact_sheet(self.data, Path(path), columns)

    def __repr__(self) -> str:
        return f"<{self.data.caption}>"

    def _repr_html_(self) -> str:
        return self._page("")

    def _page(self, name: str) -> str:
        page = html.escape(self.html(), quote=True)
        return (
            f'<iframe srcdoc="{page}" style="width:100%;height:{NOTEBOOK_HEIGHT}px;border:0" '
            f'title="{html.escape(self.data.caption, quote=True)}" data-isogloss="{name}"></iframe>'
        )

    def _ipython_display_(self) -> None:
        """Show the page, and the widget, which takes its place where there is a kernel.

        A saved notebook keeps both, and without a kernel the page still scrubs.
        """
        from IPython.display import display

        widget = self._widget_if_installed()
        page = self._page(widget.name if widget else "")
        display({"text/plain": repr(self), "text/html": page}, raw=True)
        if widget:
            display(widget)

    def _display_(self) -> Any:
        """What marimo shows."""
        from marimo import Html

        return self._widget_if_installed() or Html(self._repr_html_())

    def _widget_if_installed(self) -> MapWidget | None:
        return self.widget if find_spec("anywidget") else None


@dataclass(frozen=True)
class Selection:
    """Some points of a map, by their numbers."""

    map: MapResult
    points: tuple[int, ...]

    def frame(self) -> pd.DataFrame:
        """Return their rows of the map's table: at every layer where they lie and who is near."""
        table = self.map.frame()
        return table[table["point"].isin(self.points)].reset_index(drop=True)

    @property
    def texts(self) -> tuple[str, ...]:
        """The words themselves."""
        return tuple(self.map.data.texts[point] for point in self.points)

    def __iter__(self) -> Iterator[int]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"<{len(self)} points: {shorten(', '.join(self.texts), 200)}>"
