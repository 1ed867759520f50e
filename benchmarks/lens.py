"""The lens of the page Inner language beside nnterp's, on the same random models, in one run.

    OMP_NUM_THREADS=1 python -m benchmarks.lens
    OMP_NUM_THREADS=1 python -m benchmarks.lens --layers 18 --width 640 --vocabulary 64000
    python -m benchmarks.lens --toy

From the texts of prompts to the probabilities of listed tokens, after every block, where a prompt
ends. All contenders read batches of ten prompts with the weights of one Llama-like and one
GPT-2-like model, and keep no gradients:

    isogloss        models/guessing.py, which reads once what the prompts of a batch begin with
    nnterp          logit_lens of nnterp, which is installed by
                    pip install --no-deps -r requirements-comparison.txt
    transformers    output_hidden_states=True of the model without its head, which is then given
                    each layer's last states

Prompts are those of the page, ten words that are asked for after the same four examples, and
prompts as long that each have examples of their own. Contenders take turns, each counts by its
fastest round, and values are compared, too. nnterp pads shorter prompts of a batch in front, which
moves them where a model counts its positions from there, as GPT-2 does: its values are therefore
compared one prompt at a time as well.
"""

from __future__ import annotations

import argparse
import copy
import importlib.util
import itertools
import json
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.arguments import read_arguments
from benchmarks.extraction import mixed_text
from benchmarks.similarity import Timing, heading, measure, report
from isogloss.inner_language.prompts import WORDS_WITH_SAME_SHOTS, word_prompts
from isogloss.models.files import quietly
from isogloss.models.guessing import Guesser, load_guesser
from isogloss.store import Store
from isogloss.text.concepts import bundled_concepts

TOKENS = 8_000
LISTED = 200
LONGEST = 512
Batches = Sequence[Sequence[str]]
Lens = Callable[[Sequence[str]], Any]
"""From prompts to probabilities (layers, prompts, listed tokens)."""


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--vocabulary", type=int, default=32_000, help=f"at least {TOKENS}")
    parser.add_argument("--prompts", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    options = read_arguments(
        parser, words, layers=2, width=32, vocabulary=TOKENS, prompts=4, rounds=1
    )
    installed = importlib.util.find_spec("nnterp") is not None
    if not installed:
        print("nnterp is not installed, so that only a plain pass of transformers is compared with")
    listed = sorted(np.random.default_rng(0).choice(TOKENS, LISTED, replace=False).tolist())
    for kind in ("Llama", "GPT-2"):
        with tempfile.TemporaryDirectory(prefix="isogloss-benchmark-") as place:
            directory = random_model(Path(place) / "model", kind, options)
            guesser = load_guesser(str(directory), Store(Path(place) / "store", demo=None))
            guesser.model.network.requires_grad_(False)
            lenses = {"isogloss": ours(guesser, listed)}
            if installed:
                lenses["nnterp"] = of_nnterp(guesser, listed)
            lenses["transformers"] = plain(guesser, listed)
            for name, batches in (
                ("that begin alike", alike(options.prompts)),
                ("that begin differently", different(options.prompts)),
            ):
                lengths = [len(guesser.prompt(text).ids) for text in itertools.chain(*batches)]
                heading(
                    f"{kind}-like, {options.layers} layers × {options.width}, "
                    f"{options.vocabulary:,} tokens: {options.prompts} prompts {name}, "
                    f"of {min(lengths)} to {max(lengths)} tokens"
                )
                compare(lenses, batches, options.rounds)


def compare(lenses: dict[str, Lens], batches: Batches, rounds: int) -> None:
    """Print the time of each lens, and how far its values are from ours."""
    for lens in lenses.values():
        lens(batches[0])  # what is done once only is not counted
    best: dict[str, Timing] = {}
    for _ in range(rounds):
        for name, lens in lenses.items():
            now = measure(partial(all_of, lens, batches))
            best[name] = min(now, best.get(name, now), key=lambda timing: timing.clock)
    own = best["isogloss"]
    for name, timing in best.items():
        apart = furthest(timing.result, own.result)
        largest = max(float(values.max()) for values in own.result)
        note = f"values up to {largest:.0e}" if timing is own else f"differs by at most {apart:.0e}"
        report(name, timing, own, note)
    if "nnterp" in lenses:
        apart = furthest(
            [lenses["nnterp"]([text]) for text in batches[0]],
            [lenses["isogloss"]([text]) for text in batches[0]],
        )
        print(f"prompts one by one, without padding: nnterp differs by at most {apart:.0e}")


def all_of(lens: Lens, batches: Batches) -> list[Any]:
    return [lens(batch) for batch in batches]


def furthest(found: Sequence[Any], expected: Sequence[Any]) -> float:
    """The largest difference of any value."""
    return max(float((a - b).abs().max()) for a, b in zip(found, expected, strict=True))


# Contenders


def ours(guesser: Guesser, listed: list[int]) -> Lens:
    import torch

    def lens(texts: Sequence[str]) -> Any:
        states = guesser.read([guesser.prompt(text) for text in texts])[1:]
        parts = guesser.probabilities(states.flatten(0, 1))
        kept = torch.cat([part[:, listed] for _, part in parts])
        return kept.unflatten(0, states.shape[:2])

    return lens


def of_nnterp(guesser: Guesser, listed: list[int]) -> Lens:
    from nnterp import StandardizedTransformer
    from nnterp.interventions import logit_lens

    # It puts wrappers around a model's parts for good, so it gets its own, with the same weights.
    network, tokenizer = copy.deepcopy((guesser.model.network, guesser.model.tokenizer))
    tokenizer.padding_side = "left"
    model = StandardizedTransformer(network, tokenizer=tokenizer)
    return lambda texts: logit_lens(model, list(texts))[..., listed].transpose(0, 1)


def plain(guesser: Guesser, listed: list[int]) -> Lens:
    import torch

    network, tokenizer = guesser.model.network, guesser.model.tokenizer
    model, head = network.base_model, network.get_output_embeddings()
    norm = model.norm if hasattr(model, "norm") else model.ln_f

    def lens(texts: Sequence[str]) -> Any:
        given = tokenizer(list(texts), return_tensors="pt", padding=True, padding_side="right")
        rows, ends = torch.arange(len(texts)), given["attention_mask"].sum(1) - 1
        with torch.inference_mode():
            layers = model(**given, output_hidden_states=True, use_cache=False).hidden_states
            last = [states[rows, ends] for states in layers[1:]]
            # transformers has applied the norm to the last one already.
            normed = torch.stack([*(norm(states) for states in last[:-1]), last[-1]])
            return torch.softmax(head(normed), -1)[..., listed]

    return lens


# What is read


def alike(count: int) -> Batches:
    """The page's own prompts, in the groups that it reads together."""
    return batched(translations(count, seed=0))


def different(count: int) -> Batches:
    """Prompts of which each has examples of its own."""
    return batched([translations(1, seed)[0] for seed in range(count)])


def translations(count: int, seed: int) -> list[str]:
    concepts = bundled_concepts()
    asked = word_prompts("translate", "zh", "fr", concepts, count, seed, masked=False)
    return [each.text for each in asked]


def batched(texts: Sequence[str]) -> Batches:
    size = WORDS_WITH_SAME_SHOTS
    return [texts[first : first + size] for first in range(0, len(texts), size)]


def random_model(directory: Path, kind: str, options: argparse.Namespace) -> Path:
    """A causal model with random weights and a tokenizer of the bundled text."""
    import torch
    import transformers
    from tokenizers import ByteLevelBPETokenizer, Tokenizer

    tokenizer = ByteLevelBPETokenizer()
    text = mixed_text(1_000)
    tokenizer.train_from_iterator(
        [*text.source, *text.target],
        vocab_size=TOKENS,
        special_tokens=["<end>"],
        show_progress=False,
    )
    content = json.loads(tokenizer._tokenizer.to_str())
    unused = range(tokenizer.get_vocab_size(), options.vocabulary)
    content["model"]["vocab"] |= {f"<unused {number}>": number for number in unused}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(content)),
        eos_token="<end>",
        pad_token="<end>",
        model_max_length=LONGEST,
    ).save_pretrained(directory)
    shape: dict[str, Any] = {
        "vocab_size": options.vocabulary,
        "hidden_size": options.width,
        "num_hidden_layers": options.layers,
        "num_attention_heads": 4,
        "max_position_embeddings": LONGEST,
        "initializer_range": 0.1,  # so that guesses differ from each other
    }
    torch.manual_seed(0)
    with quietly():
        if kind == "Llama":
            config = transformers.LlamaConfig(**shape, intermediate_size=4 * options.width)
            network = transformers.LlamaForCausalLM(config)
        else:
            network = transformers.GPT2LMHeadModel(transformers.GPT2Config(**shape))
        with torch.no_grad():  # a norm that does nothing could be applied twice unseen
            for name, values in network.named_parameters():
                if "norm" in name or "ln_" in name:
                    values.add_(torch.rand_like(values))
        network.save_pretrained(directory)
    return directory


if __name__ == "__main__":
    main()
