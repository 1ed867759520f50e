"""A chart of the pages as a figure of a paper: PDF, SVG or PNG, as wide as one or two columns."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.errors import IsoglossError
from isogloss.map.sheet_plan import WIDTHS

if TYPE_CHECKING:
    from isogloss.figures.paper.drawing import Drawing
    from isogloss.figures.template import Figure

FORMATS = ("pdf", "svg", "png")
INCH, POINTS = 25.4, 72
MOST_PANELS = 3
"""Charts side by side that one column has room for."""


def paper_figure(figure: Figure, format: str, columns: int = 1, title: str = "") -> bytes:
    """Return a chart as a file, one column (84 mm) or two (175 mm) wide, on white.

    Letters of a PDF are in embedded TrueType, of every script that a font on this machine has;
    those of an SVG are outlines. What the page writes in 12 pixels has 7 points, nothing has less
    than 6. Height follows from the chart. `title` stands in the file's properties.
    """
    if format not in FORMATS:
        raise IsoglossError(
            f"A figure for a paper cannot be a {format or 'file without an ending'}; end its name "
            f"in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}."
        )
    if columns not in WIDTHS:
        raise IsoglossError(f"A figure for a paper is 1 or 2 columns wide, not {columns}.")
    drawing = _drawing(figure, columns)
    if columns == 1 and drawing.panels_across > MOST_PANELS:
        raise IsoglossError(
            f"This figure has {drawing.panels_across} charts side by side, too many for one "
            "column: make it two columns wide."
        )
    canvas = drawing.draw()
    return canvas.write(format, _properties(format, title or "Isogloss"))


def fewest_columns(figure: Figure) -> int:
    """Return how wide a chart must be: 1 column or 2.

    Raises where it cannot be drawn: a chart that turns, or a character that no font has.
    """
    return 1 if _drawing(figure, 1).panels_across <= MOST_PANELS else 2


def _drawing(figure: Figure, columns: int) -> Drawing:
    from isogloss.figures.paper.canvas import POINTS_PER_PIXEL
    from isogloss.figures.paper.drawing import Drawing

    width = WIDTHS[columns] / INCH * POINTS / POINTS_PER_PIXEL
    return Drawing(figure.to_plotly_json(), width)


def save_figure(
    figure: Figure, path: str | PathLike[str], columns: int = 1, title: str = ""
) -> Path:
    """Write a chart for a paper, PDF, SVG or PNG by the name's ending; returns its path."""
    target = Path(path)
    target.write_bytes(paper_figure(figure, target.suffix.lstrip(".").lower(), columns, title))
    return target


def _properties(format: str, title: str) -> dict[str, Any]:
    if format == "pdf":
        return {"Title": title, "Creator": "Isogloss", "CreationDate": None}
    if format == "svg":
        return {"Title": title, "Creator": "Isogloss", "Date": None}
    return {"Title": title, "Software": "Isogloss"}
