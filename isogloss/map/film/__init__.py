"""Films of a map through all its layers: what they show, how they are drawn and written."""

from isogloss.map.film.film import FORMATS, animate
from isogloss.map.film.quality import QUALITIES, FilmPlan, make_film, plan_film
from isogloss.map.film.scene import FilmScene, film_scene

__all__ = [
    "FORMATS",
    "QUALITIES",
    "FilmPlan",
    "FilmScene",
    "animate",
    "film_scene",
    "make_film",
    "plan_film",
]
