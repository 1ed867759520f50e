"""Films of a map through all its layers: what they show, how they are drawn and written."""

from isogloss.map.film.film import FORMATS, animate, film_scene
from isogloss.map.film.quality import QUALITIES, FilmPlan, make_film, plan_film

__all__ = ["FORMATS", "QUALITIES", "FilmPlan", "animate", "film_scene", "make_film", "plan_film"]
