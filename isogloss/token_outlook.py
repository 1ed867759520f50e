"""What a model will see of a text before it is extracted: how many tokens, how many unknown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.corpora import ParallelCorpus
from isogloss.model_files import bundled_directory
from isogloss.presets import find_preset

UNKNOWN_TOKENS = ("[UNK]", "<unk>")
SAMPLE = 2_000


@dataclass(frozen=True)
class SideOutlook:
    """One language: tokens in all (estimated from a sample of a long text), share unknown."""

    language: str
    tokens: int
    unknown_share: float


def local_directory(name: str) -> Path | None:
    """Where a model's files are, if that can be told without a download."""
    name = name.removeprefix("random:").partition("#")[0]
    preset = find_preset(name)
    if preset is not None:
        return bundled_directory(preset) if preset.where == "bundled" else None
    directory = Path(name).expanduser()
    return directory if (directory / "tokenizer.json").is_file() else None


def look_ahead(directory: Path, corpus: ParallelCorpus) -> tuple[SideOutlook, SideOutlook]:
    """Tokenise the first sentences of each side and count."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    model = json.loads((directory / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    unknown = {*UNKNOWN_TOKENS, model.get("unk_token")}
    first, second = (
        _count(tokenizer, corpus.side(side), corpus.languages[side], unknown) for side in (0, 1)
    )
    return first, second


def _count(
    tokenizer: Any, sentences: tuple[str, ...], language: str, unknown: set[str]
) -> SideOutlook:
    sample = list(sentences[:SAMPLE])
    encoded = tokenizer.encode_batch(sample, add_special_tokens=False)
    tokens = [token for encoding in encoded for token in encoding.tokens]
    share = sum(token in unknown for token in tokens) / max(len(tokens), 1)
    total = round(len(tokens) * len(sentences) / max(len(sample), 1))
    return SideOutlook(language, total, share)
