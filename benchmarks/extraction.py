"""Extraction side by side: tokens per second, memory, and what a cache hit saves.

    OMP_NUM_THREADS=1 python -m benchmarks.extraction
    python -m benchmarks.extraction --model bert-base-multilingual-cased --device cuda
    python -m benchmarks.extraction --toy

Every contender reads the same sentences, of mixed lengths, with the same model. Isogloss stores
the states of all layers; the peers return those of the last one; the limit keeps nothing:

    pipeline                 transformers' feature-extraction at its best batch size
    sentence-transformers    encode(output_value="token_embeddings") at its best batch size
    limit                    bare forward passes over the batches that Isogloss makes

Contenders take turns, and each counts by its best round, so that other work on the machine does
as little as possible to the ratios. On a busy machine without a GPU, `--clock cpu` counts
processor time instead of time.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.arguments import read_arguments
from isogloss.models.files import quietly
from isogloss.models.forward import next_batch, sort_by_length
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.tokens import tokenise
from isogloss.store import Store
from isogloss.studies.extraction import TOKEN_BUDGET, extract
from isogloss.text.parallel import ParallelText
from isogloss.text.reading import bundled_texts, load_bundled

REPOSITORY = Path(__file__).resolve().parents[1]
BATCH_SIZES = (1, 8, 32, 128)
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="any name; by default a random BERT of 6 layers × 384")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--pairs", type=int, default=1_000, help="two sentences each")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--layers", type=int, default=6, help="of the random BERT")
    parser.add_argument("--memory-of", type=int, metavar="PAIRS", help=argparse.SUPPRESS)
    options = read_arguments(parser, words, pairs=8, rounds=1, layers=1)
    with tempfile.TemporaryDirectory(prefix="isogloss-benchmark-") as place:
        name = options.model or str(random_bert(Path(place) / "model", options.layers))
        model = load_model(name, Store(Path(place) / "models", demo=None), device=options.device)
        if options.memory_of:
            print(json.dumps(memory_here(model, options.memory_of)))
            return
        print_speed(model, mixed_text(options.pairs), options.rounds, CLOCKS[options.clock])
        measure = partial(memory_in_subprocess, name, model)
        if options.toy:  # a process is slow to start
            measure = partial(memory_here, model)
        print_memory(options.pairs // 4, measure)


def mixed_text(pairs: int) -> ParallelText:
    """Pairs of one to eight bundled ones in a row: from a word to a paragraph."""
    parts = [
        pair
        for bundled in bundled_texts()
        if bundled.languages == ("en", "zh")
        for text in [load_bundled(bundled.name)]
        for pair in zip(text.source, text.target, strict=True)
    ]
    chance = random.Random(1)
    chosen = [chance.sample(parts, chance.choice((1, 1, 1, 2, 2, 3, 4, 8))) for _ in range(pairs)]
    return ParallelText(
        name=f"{pairs} mixed pairs",
        languages=("en", "zh"),
        source=tuple(" ".join(source for source, _ in some) for some in chosen),
        target=tuple("".join(target for _, target in some) for some in chosen),
    )


def random_bert(directory: Path, layers: int) -> Path:
    """A BERT of width 384 with random weights and a tokenizer of the bundled text."""
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    tokenizer = BertWordPieceTokenizer()
    text = mixed_text(1_000)
    tokenizer.train_from_iterator(
        [*text.source, *text.target], vocab_size=8_000, show_progress=False
    )
    special = ("[CLS]", "[SEP]")
    tokenizer.post_processor = _bert_template(*(tokenizer.token_to_id(each) for each in special))
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer._tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=512,
    ).save_pretrained(directory)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=384,
        num_hidden_layers=layers,
        num_attention_heads=12,
        intermediate_size=1_536,
    )
    with quietly():
        BertModel(config).save_pretrained(directory)
    return directory


def _bert_template(cls: int, sep: int) -> object:
    from tokenizers.processors import BertProcessing

    return BertProcessing(("[SEP]", sep), ("[CLS]", cls))


# Speed


def print_speed(
    model: LoadedModel, text: ParallelText, rounds: int, clock: Callable[[], float]
) -> None:
    sentences = [*text.source, *text.target]
    ids = [each.ids for each in tokenise(model, sentences)]
    n_tokens = sum(map(len, ids))
    print(
        f"{model.name} on {model.device} in {model.precision}: {len(sentences):,} sentences of "
        f"{min(map(len, ids))} to {max(map(len, ids))} tokens, {n_tokens:,} in all\n"
    )
    contenders: dict[str, Callable[[], object]] = {
        "isogloss (all layers, stored)": lambda: run_isogloss(model, text),
        "limit (forward passes alone)": bare_passes(model, ids),
        "pipeline": pipeline(model, sentences, clock),
    }
    if importlib.util.find_spec("sentence_transformers"):
        contenders["sentence-transformers"] = sentence_transformer(model, sentences, clock)
    else:
        print("sentence-transformers is not installed and left out\n")
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, run in contenders.items():
            best[name] = min(best[name], seconds(run, clock))
    ours = best["isogloss (all layers, stored)"]
    print(f"{'':32}{'tokens/s':>10}{'isogloss is':>14}")
    for name, taken in best.items():
        print(f"{name:32}{n_tokens / taken:>10,.0f}{taken / ours:>13.2f}×")
    peers = [taken for name, taken in best.items() if "(" not in name]
    print(f"\nagainst the better peer {min(peers) / ours:.2f}×, of the limit ", end="")
    print(f"{best['limit (forward passes alone)'] / ours:.2f}")
    print_cache_hit(model, text, clock)


def run_isogloss(model: LoadedModel, text: ParallelText) -> None:
    with tempfile.TemporaryDirectory(prefix="isogloss-benchmark-") as place:
        extract(model, text, Store(Path(place), demo=None))


def bare_passes(model: LoadedModel, ids: list[tuple[int, ...]]) -> Callable[[], None]:
    """The batches that Isogloss makes, padded beforehand."""
    import numpy as np
    import torch

    lengths = np.array([len(each) for each in ids])
    order = sort_by_length(lengths, range(len(ids)))
    budget = TOKEN_BUDGET[model.device.partition(":")[0]]
    batches, first = [], 0
    while first < len(order):
        chosen = next_batch(order, lengths, first, budget)
        first += len(chosen)
        longest = int(lengths[chosen[0]])
        padded = [[*ids[index], *[0] * (longest - len(ids[index]))] for index in chosen]
        mask = [[1] * len(ids[index]) + [0] * (longest - len(ids[index])) for index in chosen]
        inputs = {"input_ids": torch.tensor(padded)}
        if not all(map(all, mask)):
            inputs["attention_mask"] = torch.tensor(mask)
        batches.append(inputs)

    def run() -> None:
        with torch.inference_mode():
            for inputs in batches:
                model.network(**{name: each.to(model.device) for name, each in inputs.items()})
            if model.device.startswith("cuda"):
                torch.cuda.synchronize()

    return run


def pipeline(
    model: LoadedModel, sentences: list[str], clock: Callable[[], float]
) -> Callable[[], object]:
    from transformers import pipeline

    peer = pipeline(
        "feature-extraction", model=model.network, tokenizer=model.tokenizer, device=model.device
    )
    truncation = {"truncation": True, "max_length": model.max_tokens}

    def run(size: int, texts: list[str] = sentences) -> None:
        # As tensors: the lists that it returns otherwise cost it more than the model does.
        peer(texts, batch_size=size, return_tensors=True, tokenize_kwargs=truncation)

    return at_best_batch_size("pipeline", run, sentences, clock)


def sentence_transformer(
    model: LoadedModel, sentences: list[str], clock: Callable[[], float]
) -> Callable[[], object]:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Transformer

    with quietly():
        module = Transformer(str(model.files.directory), max_seq_length=model.max_tokens)
    peer = SentenceTransformer(modules=[module], device=model.device)

    def run(size: int, texts: list[str] = sentences) -> None:
        peer.encode(
            texts, batch_size=size, output_value="token_embeddings", show_progress_bar=False
        )

    return at_best_batch_size("sentence-transformers", run, sentences, clock)


def at_best_batch_size(
    name: str, run: Callable[..., None], sentences: list[str], clock: Callable[[], float]
) -> Callable[[], None]:
    """`run` with the batch size that is fastest on a quarter of the sentences."""
    sample = random.Random(2).sample(sentences, len(sentences) // 4)
    taken = {size: seconds(lambda size=size: run(size, sample), clock) for size in BATCH_SIZES}
    best = min(taken, key=lambda size: taken[size])
    print(f"{name}: batches of {best} sentences are best among {BATCH_SIZES}")
    return lambda: run(best)


def print_cache_hit(model: LoadedModel, text: ParallelText, clock: Callable[[], float]) -> None:
    with tempfile.TemporaryDirectory(prefix="isogloss-benchmark-") as place:
        store = Store(Path(place), demo=None)
        computed = seconds(lambda: extract(model, text, store), clock)
        found = min(seconds(lambda: extract(model, text, store), clock) for _ in range(5))
    print(f"computed in {computed:.1f} s, found in the cache in {1e3 * found:.1f} ms: ", end="")
    print(f"{computed / found:,.0f} times sooner")


def seconds(run: Callable[[], object], clock: Callable[[], float]) -> float:
    gc.collect()
    began = clock()
    run()
    return clock() - began


# Memory


def print_memory(pairs: int, measure: Callable[[int], dict[str, int]]) -> None:
    """Peak memory for a text and for one eight times as large, each in a fresh process."""
    peaks = [measure(count) for count in (pairs, 8 * pairs)]
    print(f"\n{'':32}{'states':>10}{'own memory':>14}{'with mapped files':>20}")
    for count, peak in zip((pairs, 8 * pairs), peaks, strict=True):
        row = [f"{peak[what] / 1e6:,.0f} MB" for what in ("stored", "own", "resident")]
        print(f"{f'{2 * count:,} sentences':32}{row[0]:>10}{row[1]:>14}{row[2]:>20}")
    grown = {what: (peaks[1][what] - peaks[0][what]) / 1e6 for what in ("stored", "own")}
    print(
        f"8 times the text: {grown['stored']:,.0f} MB more states, {grown['own']:+,.0f} MB memory"
    )


def memory_in_subprocess(name: str, model: LoadedModel, pairs: int) -> dict[str, int]:
    command = [sys.executable, "-m", "benchmarks.extraction", "--memory-of", str(pairs)]
    command += ["--model", name, "--device", model.device]
    finished = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return json.loads(finished.stdout.splitlines()[-1])


def memory_here(model: LoadedModel, pairs: int) -> dict[str, int]:
    with tempfile.TemporaryDirectory(prefix="isogloss-benchmark-") as place:
        return peak_memory(model, mixed_text(pairs), Path(place))


def peak_memory(model: LoadedModel, text: ParallelText, place: Path) -> dict[str, int]:
    """Highest memory above that of the loaded, warm model, in bytes.

    The operating system counts pages of a mapped file as the process's although it can take them
    back at any moment, so they are told apart: `own` is without, `resident` is with them.
    """
    extract(model, text.select(range(min(20, len(text)))), Store(place / "warm", demo=None))
    with sampled_memory() as peak:
        entry = extract(model, text, Store(place / "store", demo=None))
    return {**peak, "stored": entry.size_bytes}


@contextmanager
def sampled_memory() -> Iterator[dict[str, int]]:
    import psutil

    process, stop = psutil.Process(), threading.Event()

    def now() -> dict[str, int]:
        facts = process.memory_info()
        return {"own": facts.rss - getattr(facts, "shared", 0), "resident": facts.rss}

    peak, base = dict.fromkeys(("own", "resident"), 0), now()

    def watch() -> None:
        while not stop.wait(0.01):
            for what, used in now().items():
                peak[what] = max(peak[what], used - base[what])

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        stop.set()
        watcher.join()


if __name__ == "__main__":
    main()
