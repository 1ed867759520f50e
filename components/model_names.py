"""A study's model as people call it."""

from __future__ import annotations

from isogloss.presets import find_preset
from isogloss.studies import Study
from isogloss.study_similarity import RANDOM_PREFIX


def model_name(study: Study) -> str:
    """The preset's name, or the last part of a path or hub id; random weights are said so."""
    name = study.model.removeprefix(RANDOM_PREFIX)
    preset = find_preset(name)
    short = preset.name if preset else name.rstrip("/").rpartition("/")[2]
    return f"{short}, random" if study.model.startswith(RANDOM_PREFIX) else short
