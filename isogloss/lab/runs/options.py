"""Options that several plans have."""

from __future__ import annotations

from typing import Any

from isogloss.options import option

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
