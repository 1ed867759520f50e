"""What tables and charts call the two sides of an answer and its layers."""

from __future__ import annotations

from dataclasses import dataclass

from isogloss.formatting import Row
from isogloss.models.states import LayerStates


@dataclass(frozen=True)
class Labels:
    """The languages on both sides by code, what the sides are called, and the layers of each.

    A side's name is its language's, with the model's where the sides are two models.
    """

    languages: tuple[str, str]
    names: tuple[str, str]
    states: LayerStates
    other_states: LayerStates

    def stop(self, layer: int) -> Row:
        """Return a layer's number and what it is called, as every row of a table begins."""
        return {"layer": layer, "state": self.states.name(layer)}

    @property
    def directions(self) -> tuple[str, str]:
        """From which side to which is searched."""
        first, second = self.names
        return f"{first} → {second}", f"{second} → {first}"
