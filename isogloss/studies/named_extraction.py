"""Extraction by a model's name: found in the store before anything is loaded, else computed."""

from __future__ import annotations

from dataclasses import dataclass

from isogloss.engines.choice import LOCAL, Engine
from isogloss.engines.ray_cluster import connected, find_share
from isogloss.models.loading import expect_norm, load_model
from isogloss.models.packaged.e5 import name_here
from isogloss.models.sources.finding import ModelFiles, find_model
from isogloss.store import Entry, Store
from isogloss.studies.cluster_extraction import ClusterReading
from isogloss.studies.extraction import (
    ExtractionOptions,
    Keep,
    activation_record,
    extract,
)
from isogloss.text.reading import ParallelText


@dataclass(frozen=True)
class Extracted:
    """A study's entry, and how it came about."""

    entry: Entry
    how: str


def extract_by_name(
    model: str,
    text: ParallelText,
    store: Store,
    options: ExtractionOptions | None = None,
    device: str = "auto",
    precision: str = "auto",
    engine: Engine = LOCAL,
) -> Extracted:
    """Return a model's states on a text; the model is loaded only if they are not stored."""
    options = options or ExtractionOptions()
    files = find_model(name_here(model), store)
    # Where no precision was asked for, a stored result in any will do.
    for possible in ("float32", "float16", "bfloat16") if precision == "auto" else (precision,):
        entry = find_activations(files, text, store, possible, options.stored_as, options.keep)
        if entry is not None:
            return Extracted(entry, "found in the store")
    if engine.is_ray:
        return _extract_on_cluster(files, text, store, options, device, precision, engine)
    loaded = load_model(files, store, device=device, precision=precision)
    entry = extract(loaded, text, store, options)
    return Extracted(entry, f"computed on {loaded.device} in {loaded.precision}")


def find_activations(
    files: ModelFiles,
    text: ParallelText,
    store: Store,
    precision: str,
    stored_as: str,
    keep: Keep = "tokens",
) -> Entry | None:
    """A model's states on a text, if they are in the store as they are computed now."""
    for final_norm in (True, False):
        record = activation_record(
            files,
            text,
            precision=precision,
            stored_as=stored_as,
            final_norm=final_norm,
            keep=keep,
        )
        entry = store.find(record)
        if entry is not None and (final_norm or _is_without_norm(entry, files, store)):
            return entry
    return None


def _is_without_norm(entry: Entry, files: ModelFiles, store: Store) -> bool:
    """Whether states of whose top nothing is noted are those of a model without a final norm."""
    if "final_norm" in entry.facts:
        return True
    return not entry.facts["is_decoder"] and not expect_norm(files, store)


def _extract_on_cluster(
    files: ModelFiles,
    text: ParallelText,
    store: Store,
    options: ExtractionOptions,
    device: str,
    precision: str,
    engine: Engine,
) -> Extracted:
    with connected(engine):
        share = find_share(device)
        model = load_model(files, store, device=share.device, precision=precision, weights=False)
        entry = extract(model, text, store, options, ClusterReading(share))
    workers = f"{share.workers} worker{'s' if share.workers != 1 else ''}"
    return Extracted(entry, f"computed on Ray, {share.device} of {workers}, in {model.precision}")
