"""Options that several plans have, and the command that asks for a plan."""

from __future__ import annotations

from typing import Any

from isogloss.errors import RunError
from isogloss.options import check_options, option, options_of

LEARNING_RATES = (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 3e-4, 5e-4, 1e-3, 2e-3)
"""What a slider of learning rates offers; the command line takes any."""


def model_option(default: str) -> Any:
    """The option that names the model."""
    return option(default, "a preset, a hub id or a directory", models=True)


def seeds_option(help: str) -> Any:
    """The option that names the seeds, each of which repeats the work."""
    return option((0, 1, 2), help, title="Seeds")


def rate_option(
    default: float, help: str, title: str = "Learning rate", most: float | None = None
) -> Any:
    """The option of a learning rate."""
    return option(default, help, title=title, least=1e-9, most=most, values=LEARNING_RATES)


def device_option() -> Any:
    """The option that names the device to compute on."""
    return option("auto", "auto, cuda, mps or cpu")


def check_plan(plan: Any) -> None:
    """Refuse a plan with an option out of bounds or not among its choices."""
    check_options(plan, RunError)


def command_words(plan: Any) -> list[str]:
    """The words after the command that ask for `plan`: the model first, defaults left out."""
    options = options_of(plan.__class__)
    words = [plan.model] if "model" in options else []
    for each in options.values():
        value = getattr(plan, each.name)
        if each.name != "model" and (each.suited or value != each.default):
            words += each.words(value)
    return words
