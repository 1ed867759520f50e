"""Which layers does transfer need? Forget some of them, fine-tune on English, test everywhere.

The layer ablation of Muller et al. (2021), First align, then predict
(https://aclanthology.org/2021.eacl-main.189): a block of layers is set back to random weights, the
model is fine-tuned, and what that costs is compared with the full model. Alongside, how alike every
layer is before and after fine-tuning, and how alike two languages are in it. They fine-tune the
whole model; here the embeddings stay frozen unless asked otherwise, as the transfer page has it.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isogloss.errors import ModelError, RunError
from isogloss.lab.runs.context import RunContext
from isogloss.lab.training.drift import similarities
from isogloss.lab.training.nli_plan import NliPlan, Part
from isogloss.lab.training.nli_task import EncodedTask, describe
from isogloss.measures.stacks import Array
from isogloss.models.blocks import find_blocks
from isogloss.models.forward import ForwardPasses, sort_by_length
from isogloss.models.loading import LoadedModel
from isogloss.models.presets import display_name
from isogloss.models.tokens import tokenise
from isogloss.options import option
from isogloss.text.reading import ParallelText, load_bundled

LayerGroup = tuple[int, ...]
"""The layers that are re-initialised together; none of them for the full model."""

FULL: LayerGroup = ()
PROBE = "everyday.en-zh"
PROBE_PAIRS = 100
_TOKENS_AT_ONCE = 4_096


@dataclass(frozen=True)
class LayerGrouping:
    """A way to cut the layers 1 to L into blocks."""

    title: str
    explanation: str
    cut: Callable[[int], tuple[LayerGroup, ...]]


def _singles(n_layers: int) -> tuple[LayerGroup, ...]:
    return tuple((layer,) for layer in range(1, n_layers + 1))


def _pairs(n_layers: int) -> tuple[LayerGroup, ...]:
    """Layers 1–2, 3–4 and so on, as in the paper; of an odd number the last stays alone."""
    layers = range(1, n_layers + 1)
    return tuple(tuple(layers[start : start + 2]) for start in range(0, n_layers, 2))


def _thirds(n_layers: int) -> tuple[LayerGroup, ...]:
    parts = np.array_split(np.arange(1, n_layers + 1), 3)
    return tuple(tuple(map(int, part)) for part in parts if len(part))


def _all(n_layers: int) -> tuple[LayerGroup, ...]:
    return tuple(dict.fromkeys((*_singles(n_layers), *_pairs(n_layers), *_thirds(n_layers))))


LAYER_GROUPINGS = {
    "single": LayerGrouping("Each layer", "one layer at a time", _singles),
    "pairs": LayerGrouping("Pairs", "layers 1–2, 3–4 and so on", _pairs),
    "thirds": LayerGrouping("Thirds", "the lower, the middle and the upper third", _thirds),
    "all": LayerGrouping("All of these", "single layers, pairs and thirds", _all),
}
"""Every way to cut; each is measured against the full model."""


def layer_groups(name: str, n_layers: int) -> tuple[LayerGroup, ...]:
    """The blocks of a set for a model of `n_layers`, the full model first."""
    if name not in LAYER_GROUPINGS:
        raise RunError(f"There are no blocks called {name}: choose {', '.join(LAYER_GROUPINGS)}.")
    return (FULL, *LAYER_GROUPINGS[name].cut(n_layers))


def group_name(group: LayerGroup) -> str:
    """A block as people say it: full model, layer 3, layers 3–4."""
    if not group:
        return "full model"
    return f"layer {group[0]}" if len(group) == 1 else f"layers {group[0]}–{group[-1]}"


def layers_needed_unit(group: LayerGroup, seed: int) -> str:
    return f"{group_name(group)}, seed {seed}"


def reinitialise(network: Any, layers: Sequence[int], seed: int) -> None:
    """Give some blocks (1 to L) of a network fresh weights and leave everything else as it is.

    They are taken from a new network of the same configuration, so the rule is the pretrained
    model's own, whatever it says of normalisation and depth. A layer's fresh weights depend on
    the seed alone, not on which others are drawn with it.
    """
    import torch
    from transformers import AutoModel

    blocks = find_blocks(network)
    wrong = [layer for layer in layers if not 1 <= layer <= len(blocks)]
    if wrong:
        raise ModelError(f"There is no block {wrong[0]} to re-initialise: it has {len(blocks)}.")
    if not layers:
        return
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        config = copy.deepcopy(network.config)
        fresh = find_blocks(AutoModel.from_config(config, dtype=torch.float32))
    for layer in layers:
        blocks[layer - 1].load_state_dict(fresh[layer - 1].state_dict())


@dataclass(frozen=True)
class LayersNeededPlan(NliPlan):
    """Fine-tune the full model and each of `blocks`' re-initialised ones, with every seed."""

    blocks: str = option(
        "single",
        "which layers are re-initialised together",
        title="Re-initialise",
        choices=LAYER_GROUPINGS,
    )
    train_embeddings: bool = option(
        False,
        "train the embeddings too, as Muller et al. do; they are most of a multilingual model's "
        "parameters, so on a CPU it takes longer",
        title="Train the embeddings, too",
    )

    KIND: ClassVar[str] = "layers-needed"
    SUMMARY: ClassVar[str] = "fine-tune on NLI with some layers set back to random weights"
    DESCRIPTION: ClassVar[str] = (
        "Every group of layers in turn is given fresh weights by the model's own initialiser "
        "before fine-tuning; the full model is the reference (Muller et al. 2021)."
    )

    def __post_init__(self) -> None:
        layer_groups(self.blocks, self.n_layers)
        super().__post_init__()

    @property
    def title(self) -> str:
        data = self.data.rstrip("/").rpartition("/")[2]
        which = LAYER_GROUPINGS[self.blocks].explanation
        return f"{display_name(self.model)} on {data}, {which} re-initialised"

    @property
    def frozen(self) -> int:
        """How many layers are frozen, as everywhere: -1 none, 0 the embeddings."""
        return -1 if self.train_embeddings else 0

    def fine_tunings(self, tokens: float, width: int) -> tuple[Part, ...]:
        return (Part(self.frozen, len(self.units())),)

    def parts(self) -> dict[str, tuple[LayerGroup, int]]:
        """Every block with every seed; all blocks have their first seed before any its second."""
        blocks = layer_groups(self.blocks, self.n_layers)
        return {
            layers_needed_unit(group, seed): (group, seed)
            for seed in self.seeds
            for group in blocks
        }

    def carry_out(
        self, todo: Sequence[str], context: RunContext
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        context.report(0.0, "loading the model and the data")
        task = EncodedTask(self, context)
        probe = SentenceProbe.of(
            task.model, load_bundled(PROBE), self.languages, self.source_language
        )
        context.note(probe=probe.facts)
        parts = self.parts()
        for unit in todo:
            yield unit, self._run_unit(*parts[unit], task, probe, context)

    def _run_unit(
        self,
        group: LayerGroup,
        seed: int,
        task: EncodedTask,
        probe: SentenceProbe,
        context: RunContext,
    ) -> dict[str, Any]:
        began = time.monotonic()
        task.restore()
        reinitialise(task.model.network, group, seed)
        before = probe.vectors()
        found = task.fine_tune(
            self.frozen,
            seed,
            self.options(),
            lambda share, message: context.report(
                share, f"{group_name(group)}, seed {seed}: {message}"
            ),
        )
        return {
            "block": group,
            "seed": seed,
            **describe(found),
            "similarity": probe.compare(before, probe.vectors()),
            "seconds": round(time.monotonic() - began, 1),
        }


@dataclass(frozen=True, eq=False)
class SentenceProbe:
    """Sentence pairs that a model reads before and after fine-tuning, by language.

    Only languages that are tested and that the pairs have; `source` comes first if it is there.
    """

    model: LoadedModel
    source: str
    texts: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, Any]

    @classmethod
    def of(
        cls, model: LoadedModel, text: ParallelText, languages: Sequence[str], source: str
    ) -> SentenceProbe:
        """The first pairs of a text as a probe."""
        sides = dict(zip(text.languages, (text.source, text.target), strict=True))
        wanted = [code for code in dict.fromkeys((source, *languages)) if code in sides]
        facts = {
            "name": text.name,
            "pairs": min(PROBE_PAIRS, len(text)),
            "sha256": text.content_hash,
        }
        return cls(model, source, {code: sides[code][:PROBE_PAIRS] for code in wanted}, facts)

    def vectors(self) -> dict[str, Array]:
        """Every layer's mean-pooled sentence vectors by language, (L + 1, n, width), float32."""
        return {code: _sentence_vectors(self.model, texts) for code, texts in self.texts.items()}

    def compare(self, before: Mapping[str, Array], after: Mapping[str, Array]) -> dict[str, Any]:
        """Debiased linear CKA of each layer with itself before, and of two languages in it.

        `kept` holds L + 1 values a language, `across` those between the source and each other
        language, before and after; none of these if the pairs are not in the source language.
        """
        source = self.source
        others = [code for code in before if code != source] if source in before else []
        return {
            "kept": {code: _rounded(similarities(before[code], after[code])) for code in before},
            "across": {
                code: {
                    "before": _rounded(similarities(before[source], before[code])),
                    "after": _rounded(similarities(after[source], after[code])),
                }
                for code in others
            },
        }


def _sentence_vectors(model: LoadedModel, texts: Sequence[str]) -> Array:
    """The mean of each text's ordinary tokens at every layer, dropout off.

    The top layer is what the model hands on to the head: of one with a final norm, what that gives.
    """
    model.network.eval()
    sentences = tokenise(model, list(texts))
    ids = [np.array(sentence.ids) for sentence in sentences]
    lengths = np.array(list(map(len, ids)))
    order, kept = sort_by_length(lengths, range(len(texts))), model.states.handed_on
    vectors = np.zeros((len(kept), len(texts), model.width), np.float32)
    passes = ForwardPasses(model, "float32", states=kept)
    for rows, states in passes.read(ids, order, _TOKENS_AT_ONCE):
        for row, end in zip(rows, np.cumsum(lengths[rows]), strict=True):
            ordinary = ~np.array(sentences[row].special)
            vectors[:, row] = states[:, end - lengths[row] : end][:, ordinary].mean(axis=1)
    return vectors


def _rounded(values: Array) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), 5) for value in values]
