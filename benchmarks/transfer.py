"""Transfer against what one would write with transformers: `python -m benchmarks.transfer MODEL`.

The same model, pairs, head, N, rates, dropout and batch size, one epoch, tested in the same
languages: once as a run, once with a `Trainer` for each N, which pads each random batch to its
longest pair and passes every text through the frozen layers. Then the run again with one measure
left out at a time, which tells what each brings. Processor time is compared, so other work on the
machine counts little. Accuracies of the two ways differ by the order of the pairs alone; how close
they come depends on the size of the sets.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.arguments import read_arguments
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import Runs
from isogloss.lab.training import fine_tuning
from isogloss.lab.training.frozen_states import model_inputs
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.models.blocks import freeze
from isogloss.models.heads import new_head
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.pair_examples import PairExamples, encode_pairs, padded, share_of_padding
from isogloss.store import Store
from isogloss.text.nli import LABELS

SECONDS = dict[int, float]
ACCURACIES = dict[int, dict[str, float]]


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?", default="mini-en-zh")
    parser.add_argument("--data", default="bundled")
    parser.add_argument("--train")
    parser.add_argument("--frozen", default="-1,0,4,8", help="every N; those the model has are run")
    parser.add_argument("--train-size", type=int, default=480)
    parser.add_argument("--dev-size", type=int, default=60)
    parser.add_argument("--test-size", type=int, default=240)
    parser.add_argument("--learning-rate", type=float, default=2e-4)
    arguments = read_arguments(parser, words, frozen="6", train_size=12, dev_size=6, test_size=6)
    # Loaded once before anything is timed, so that imports and files are there for both ways.
    n_layers = load_model(arguments.model, Store(), device="cpu", precision="float32").n_layers
    plan = TransferPlan(
        model=arguments.model,
        data=arguments.data,
        train=arguments.train,
        seeds=(0,),
        frozen=tuple(n for n in map(int, arguments.frozen.split(",")) if n <= n_layers),
        n_layers=n_layers,
        epochs=1,
        checks=1,
        dropout=True,
        head="pair",
        learning_rate=arguments.learning_rate,
        train_size=arguments.train_size,
        dev_size=arguments.dev_size,
        test_size=arguments.test_size,
        device="cpu",
    )
    ours, accuracy = run_transfer(plan)
    theirs, their_accuracy = run_trainers(plan)
    show_ways(plan, ours, accuracy, theirs, their_accuracy)
    show_measures(plan, sum(ours.values()))


def run_transfer(plan: TransferPlan) -> tuple[SECONDS, ACCURACIES]:
    """Processor seconds and test accuracies of each N of a run; loading counts to the first."""
    seconds: SECONDS = {}
    accuracy: ACCURACIES = {}
    with tempfile.TemporaryDirectory() as directory:
        store = Store(Path(directory), demo=None)
        run = Runs(store, shipped=None).create(plan)
        before = time.process_time()
        for _, result in plan.carry_out(run.units, RunContext(store, run.path, len(run.units), 0)):
            seconds[result["frozen"]] = time.process_time() - before
            accuracy[result["frozen"]] = {
                language: outcome["selected"][0] / outcome["selected"][1]
                for language, outcome in result["test"].items()
            }
            before = time.process_time()
    return seconds, accuracy


def run_trainers(plan: TransferPlan) -> tuple[SECONDS, ACCURACIES]:
    """The same with transformers' Trainer."""
    import torch
    from transformers import Trainer, TrainingArguments

    seconds: SECONDS = {}
    accuracy: ACCURACIES = {}
    with tempfile.TemporaryDirectory() as directory:
        for n in plan.layers:
            before = time.process_time()
            data = plan.read_data()
            model = load_model(plan.model, Store(), device="cpu", precision="float32")
            learning = freeze(model.network, n)
            classifier = pair_classifier(model.network, model.width)
            groups = [{"params": classifier.head.parameters(), "lr": plan.head_learning_rate}]
            if learning:
                groups.append({"params": learning, "lr": plan.learning_rate})
            trainer = Trainer(
                model=classifier,
                optimizers=(torch.optim.AdamW(groups), None),
                args=TrainingArguments(
                    output_dir=directory,
                    per_device_train_batch_size=plan.batch_size,
                    per_device_eval_batch_size=plan.batch_size,
                    num_train_epochs=plan.epochs,
                    warmup_steps=0.06,
                    report_to=[],
                    save_strategy="no",
                    disable_tqdm=True,
                    use_cpu=True,
                    remove_unused_columns=False,
                    logging_strategy="no",
                    seed=plan.seeds[0],
                ),
                train_dataset=numbered(encode_pairs(model, data.train, plan.max_tokens)),
                data_collator=partial(collate, model),
            )
            trainer.train()
            accuracy[n] = {}
            for language, pairs in data.test.items():
                found = trainer.predict(numbered(encode_pairs(model, pairs, plan.max_tokens)))
                accuracy[n][language] = float(
                    np.mean(found.predictions.argmax(1) == found.label_ids)
                )
            seconds[n] = time.process_time() - before
    return seconds, accuracy


def pair_classifier(network: Any, width: int) -> Any:
    """The network with the head `pair` as a module that the Trainer can call."""
    import torch

    class PairClassifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network, self.head = network, new_head(3 * width, len(LABELS))

        def forward(self, segments: Any, labels: Any, **inputs: Any) -> dict[str, Any]:
            states = self.network(**inputs).last_hidden_state
            u, v = (mean_of(states, segments == part) for part in (0, 1))
            logits = self.head(torch.cat([u - v, (u - v).abs(), u * v], dim=1))
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    return PairClassifier()


def mean_of(states: Any, inside: Any) -> Any:
    weights = inside.float().unsqueeze(-1)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def numbered(examples: PairExamples) -> list[tuple[PairExamples, int]]:
    """Examples as the Trainer takes them: each with where it belongs."""
    return [(examples, row) for row in range(len(examples))]


def collate(model: LoadedModel, some: list[tuple[PairExamples, int]]) -> dict[str, Any]:
    """A batch, padded to its longest pair."""
    import torch

    examples, rows = some[0][0], [row for _, row in some]
    return {
        **model_inputs(model, examples, rows),
        "segments": torch.from_numpy(padded([examples.segments[row] for row in rows], -1)),
        "labels": torch.from_numpy(examples.labels[rows]),
    }


def show_ways(
    plan: TransferPlan,
    ours: SECONDS,
    accuracy: ACCURACIES,
    theirs: SECONDS,
    their_accuracy: ACCURACIES,
) -> None:
    print("| N | run, s | Trainer, s | ratio | accuracy, run | accuracy, Trainer |")
    print("|---|---|---|---|---|---|")
    for n in plan.layers:
        said = (
            ", ".join(f"{language} {value:.3f}" for language, value in found[n].items())
            for found in (accuracy, their_accuracy)
        )
        print(
            f"| {n} | {ours[n]:.0f} | {theirs[n]:.0f} | {theirs[n] / ours[n]:.2f} | "
            f"{' | '.join(said)} |"
        )
    total, their_total = sum(ours.values()), sum(theirs.values())
    print(f"| all | {total:.0f} | {their_total:.0f} | {their_total / total:.2f} | | |\n")


def show_measures(plan: TransferPlan, whole: float) -> None:
    """How much longer the run takes without each of the measures."""
    without: dict[str, tuple[TransferPlan, AbstractContextManager[Any]]] = {
        "frozen states shared": (replace(plan, share_frozen=False), nullcontext()),
        "only rows that occur": (
            plan,
            patch.object(fine_tuning, "only_rows", lambda network, ids: nullcontext()),
        ),
        "batches by length": (
            plan,
            patch.object(fine_tuning, "shuffled_token_batches", random_batches(plan.batch_size)),
        ),
    }
    print("| without | processor seconds | times as long |")
    print("|---|---|---|")
    for name, (other, change) in without.items():
        with change:
            seconds = sum(run_transfer(other)[0].values())
        print(f"| {name} | {seconds:.0f} | {seconds / whole:.2f} |")
    model = load_model(plan.model, Store(), device="cpu", precision="float32")
    lengths = encode_pairs(model, plan.read_data().train, plan.max_tokens).lengths
    batches = fine_tuning.training_batches(lengths, plan.options(), 0)
    plain = random_batches(plan.batch_size)(lengths, 0, 0)
    print(
        f"\nPadding: {share_of_padding(lengths, batches):.1%} of the tokens in batches by length, "
        f"{share_of_padding(lengths, plain):.1%} in random ones."
    )


def random_batches(size: int) -> Any:
    """A way to batch that looks at no lengths."""

    def batches(lengths: np.ndarray, budget: int, seed: int) -> list[np.ndarray]:
        order = np.random.default_rng(seed).permutation(len(lengths))
        return [order[i : i + size] for i in range(0, len(order) - 1, size)]

    return batches


if __name__ == "__main__":
    main()
