"""The look of every figure, taken from the app's theme so that charts and page are one."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from isogloss.figures.color_scales import Scale, diverging_scale, even_scale
from isogloss.formatting import percent
from isogloss.palette import PALETTES
from isogloss.places import app_folder

if TYPE_CHECKING:
    import plotly.graph_objects as go

    Figure = go.Figure

Mode = Literal["light", "dark"]

_CONFIG = app_folder() / ".streamlit" / "config.toml"

_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True)
class Theme:
    """The colours and the font of one mode of the app."""

    mode: Mode
    background: str
    surface: str
    text: str
    border: str
    accent: str
    font: str
    languages: tuple[str, str]
    sequential: Scale
    diverging: Scale

    @property
    def quiet(self) -> str:
        """The colour of what should be read second."""
        return PALETTES[self.mode].quiet


@cache
def theme(mode: Mode) -> Theme:
    """Return the theme of a mode as the app's configuration has it."""
    settings = tomllib.loads(_CONFIG.read_text(encoding="utf-8"))["theme"]
    colors, palette = settings[mode], PALETTES[mode]
    return Theme(
        mode=mode,
        background=colors["backgroundColor"],
        surface=colors["secondaryBackgroundColor"],
        text=colors["textColor"],
        border=colors["borderColor"],
        accent=colors["primaryColor"],
        font=settings["font"],
        languages=(palette.sides[0], palette.sides[1]),
        sequential=even_scale(palette.sequential),
        diverging=diverging_scale(palette.below, palette.above),
    )


@cache
def template(mode: Mode) -> go.layout.Template:
    """Return the Plotly template of a mode: the app's font and paper, a quiet grid, no frame."""
    import plotly.graph_objects as go

    look = theme(mode)
    axis: dict[str, Any] = {
        "gridcolor": look.border,
        "linecolor": look.border,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "tickfont": {"size": 12, "color": look.quiet},
        "title": {"font": {"size": 13, "color": look.text}, "standoff": 8},
        "automargin": True,
        "fixedrange": True,
    }
    return go.layout.Template(
        layout={
            "font": {"family": look.font, "size": 13, "color": look.text},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(look.languages),
            "xaxis": axis,
            "yaxis": axis,
            "margin": {"l": 8, "r": 8, "t": 8, "b": 8, "pad": 4},
            "hoverlabel": {
                "bgcolor": look.surface,
                "bordercolor": look.border,
                "align": "left",
                "font": {"family": look.font, "size": 13, "color": look.text},
            },
            "legend": {
                "orientation": "h",
                "yanchor": "bottom",
                "y": 1.02,
                "x": 0,
                "font": {"size": 12},
                "itemclick": False,
                "itemdoubleclick": False,
            },
            "dragmode": False,
            "hovermode": "closest",
        }
    )


def new_figure(mode: Mode, **layout: Any) -> go.Figure:
    """Return an empty figure in the look of the app."""
    # Plotly uses pandas once it finds it loaded, even while another thread is still loading it.
    import pandas  # noqa: F401
    import plotly.graph_objects as go

    return go.Figure(layout={"template": template(mode), **layout})


def unfaded(opacity: float = 1) -> dict[str, Any]:
    """How a trace's markers look once one is clicked: as before, where Plotly fades the others."""
    look = {"marker": {"opacity": opacity}}
    return {"selected": look, "unselected": look}


def percent_ticks(top: float, most: int) -> dict[str, list[Any]]:
    """Ticks in per cent from 0 up to the share `top`, at round numbers, `most` steps of them."""
    step = next(step for step in _STEPS if top <= most * step)
    shares = [i * step for i in range(int(top / step + 1e-9) + 1)]
    return {
        "tickvals": shares,
        "ticktext": [percent(share, 0 if step >= 0.01 else 1) for share in shares],
    }


def faded(color: str, opacity: float) -> str:
    """Return a colour like #0072b2 as rgba with an opacity."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def plain(text: str) -> str:
    """Return text so that Plotly, which reads some HTML, shows it as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
