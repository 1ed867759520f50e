"""Whether a model fits into memory, told before it is loaded."""

from __future__ import annotations

from pathlib import Path

from isogloss.errors import ModelError
from isogloss.formatting import human_size
from isogloss.models.presets import base_of, find_preset

_MEMINFO = Path("/proc/meminfo")


def memory_needed(name: str) -> int | None:
    """Bytes that a model takes in memory with its head, where that is known and much."""
    preset = find_preset(base_of(name))
    return round(preset.gigabytes_in_memory * 1e9) or None if preset else None


def memory_available() -> int | None:
    """Bytes that a program can have now; None where the system does not tell."""
    try:
        lines = _MEMINFO.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def require_memory(name: str) -> None:
    """Raise a ModelError where a model is known to need more memory than there is."""
    needed, available = memory_needed(name), memory_available()
    if needed and available is not None and available < needed:
        raise ModelError(
            f"{name} needs {human_size(needed)} of memory and {human_size(available)} are free: "
            "close other programs, or look at the answers that ship with Isogloss."
        )
