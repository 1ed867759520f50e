"""Films of a map through all its layers: what they show, how they are drawn and written."""

from isogloss.animation.film import FORMATS, animate
from isogloss.animation.moving_map import MovingMap

__all__ = ["FORMATS", "MovingMap", "animate"]
