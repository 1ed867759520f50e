"""Directories of sentence-transformers: which part is the transformer, and how it pools sentences.

`modules.json` lists the parts in their order. Only the transformer's weights are read, and none of
the code that a part may bring; how the others would make one vector of a sentence is noted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from isogloss.errors import ModelError

MODULES = "modules.json"
_TRANSFORMER, _POOLING = "Transformer", "Pooling"
_MODES = {
    "cls": "the first token",
    "cls_token": "the first token",
    "mean": "the mean of all tokens",
    "mean_tokens": "the mean of all tokens",
    "max": "the largest value of all tokens",
    "max_tokens": "the largest value of all tokens",
    "mean_sqrt_len_tokens": "the sum of all tokens by the root of their number",
    "weightedmean": "the mean of all tokens, later ones more",
    "weightedmean_tokens": "the mean of all tokens, later ones more",
    "lasttoken": "the last token",
}


@dataclass(frozen=True)
class SentenceModules:
    """The folders of the transformer and of the pooling, "" for the root, None where there is none.

    `others` are the parts behind these two.
    """

    transformer: str
    pooling: str | None
    others: tuple[str, ...]

    def pools(self, directory: Path) -> str:
        """How its makers make one vector of a sentence, in words; empty where that is not said."""
        if self.pooling is None:
            return ""
        try:
            given = json.loads((directory / self.pooling / "config.json").read_text("utf-8"))
        except (OSError, ValueError):
            return ""
        said = _pooling(given) if isinstance(given, dict) else ""
        more = f", then {' and '.join(self.others)}" if said and self.others else ""
        return f"{said}{more}"


def sentence_modules(directory: Path) -> SentenceModules | None:
    """What a directory's `modules.json` says; None where it has none."""
    path = directory / MODULES
    if not path.is_file():
        return None
    try:
        parts = [(_kind(each), _folder(each)) for each in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path} does not say which parts the model has: save it again with "
            "sentence-transformers."
        ) from error
    kinds = [kind for kind, _ in parts]
    if not parts or kinds[0] != _TRANSFORMER:
        raise ModelError(
            f"{directory} begins with {kinds[0] if kinds else 'nothing'}, not with a transformer, "
            "so it has no layers to look at: choose a model that has."
        )
    pooling = next((folder for kind, folder in parts if kind == _POOLING), None)
    others = tuple(kind for kind in kinds[1:] if kind != _POOLING)
    return SentenceModules(parts[0][1], pooling, others)


def _kind(part: Any) -> str:
    """The last word of a part's class: Transformer of sentence_transformers.models.Transformer."""
    return str(part["type"]).rpartition(".")[2]


def _folder(part: Any) -> str:
    """A part's folder, which lies within the model's."""
    folder = PurePosixPath(str(part["path"]))
    if folder.is_absolute() or ".." in folder.parts:
        raise ValueError(str(folder))
    return "" if str(folder) == "." else str(folder)


def _pooling(given: dict[str, Any]) -> str:
    named = given.get("pooling_mode")
    modes = [named] if isinstance(named, str) else list(named or ())
    modes += [
        key.removeprefix("pooling_mode_")
        for key, on in given.items()
        if key.startswith("pooling_mode_") and on is True
    ]
    return " and ".join(dict.fromkeys(_MODES.get(str(mode), str(mode)) for mode in modes))
