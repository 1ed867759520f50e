"""What tables and charts call the two sides of an answer and its layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from isogloss.formatting import Row
from isogloss.measures.stacks import Array
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

    def by_layer(self, columns: Mapping[str, Array]) -> list[Row]:
        """Return a row for each of L layers, of columns (L,); None, which JSON has, for NaN."""
        cells = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [
            {
                **self.stop(layer),
                **{
                    name: None if value != value else value
                    for name, value in zip(columns, row, strict=True)
                },
            }
            for layer, row in enumerate(cells)
        ]

    @property
    def directions(self) -> tuple[str, str]:
        """From which side to which is searched."""
        first, second = self.names
        return f"{first} → {second}", f"{second} → {first}"
