"""The map's numbers as a table, one row per point and layer, with how it was made inside."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.formatting import spreadsheet_cell
from isogloss.links.sources import MUTUAL, NOT_SCORED
from isogloss.map.headline import Headline, headline
from isogloss.map.maps import TokenMap
from isogloss.measures.stacks import Array
from isogloss.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd

PROVENANCE_KEY = b"isogloss"


def layout_table(
    positions: Array,
    texts: Sequence[str],
    sides: Array,
    sentences: Array,
    links: Array,
    ranks: Array,
    languages: tuple[str, str],
    states: Sequence[str] | None = None,
    links_at: Sequence[Array] | None = None,
) -> pd.DataFrame:
    """Return one row per layer and point: its text, language, sentence, place, rank and partner.

    positions is (layers, n, 2), ranks (layers, n) with 0 for points without a partner; texts,
    sides and sentences are (n,), links (m, 2), or in `links_at` those of each layer. A point's
    partners are the numbers of the points it is linked to, separated by spaces; rank and partner
    are missing where there is none. With `states`, what each layer is called stands beside its
    number.
    """
    import pandas as pd

    layers, points = np.shape(ranks)
    if np.shape(positions) != (layers, points, 2) or not (
        points == len(texts) == len(sides) == len(sentences)
    ):
        raise IsoglossError("The table needs one text, side, sentence, place and rank per point.")
    given = [links] * layers if links_at is None else links_at
    partners = [" ".join(map(str, found)) for each in given for found in _partners(each, points)]
    place = np.asarray(positions).reshape(-1, 2)
    rank = pd.Series(np.asarray(ranks).ravel(), dtype="Float32")
    called = {"state": pd.Series(np.repeat(list(states), points), dtype="str")} if states else {}
    return pd.DataFrame(
        {
            "layer": np.repeat(np.arange(layers, dtype=np.int32), points),
            **called,
            "point": np.tile(np.arange(points, dtype=np.int32), layers),
            "text": pd.Series(list(texts) * layers, dtype="str"),
            "language": pd.Series([languages[int(s)] for s in sides] * layers, dtype="str"),
            "sentence": np.tile(np.asarray(sentences, dtype=np.int32), layers),
            "x": place[:, 0],
            "y": place[:, 1],
            "rank": rank.mask(rank == 0),
            "partner": pd.Series([text or None for text in partners], dtype="str"),
        }
    )


def map_table(study: Study, token_map: TokenMap) -> pd.DataFrame:
    """Return the table of a map, with the score of each layer and whose links all of it rests on.

    `rank` is on the scored links, `partner` by the drawn ones; `score` is that of the whole layer,
    with its interval.
    """
    points, scores = token_map.table, token_map.scores
    shape = study.n_states, len(points)
    ranks = np.zeros(shape, np.float32) if scores is None else scores.ranks
    table = layout_table(
        token_map.layout.positions,
        [str(text) for text in points.text],
        points.side,
        points.sentence,
        token_map.drawn.pairs,
        ranks,
        study.languages,
        [study.states.name(layer) for layer in range(study.n_states)],
        token_map.lines,
    )
    found = headline(token_map)
    for name, values in _by_layer(found).items():
        table[name] = None if values is None else np.repeat(values, len(points))
    table["score_name"] = "" if found is None else str(found)
    table["links_scored"] = NOT_SCORED if scores is None else token_map.scored.badge
    table["links_drawn"] = MUTUAL if token_map.lines is not None else token_map.drawn.badge
    return table


def _by_layer(found: Headline | None) -> dict[str, Array | None]:
    """The score of each layer with the ends of its interval."""
    if found is None:
        return dict.fromkeys(("score", "score_low", "score_high"))
    return {"score": found.values, "score_low": found.low, "score_high": found.high}


def write_csv(table: pd.DataFrame, path: Path, provenance: Mapping[str, str]) -> None:
    """Write the table as UTF-8 CSV after one `# name: value` line for each part of its provenance.

    A text that a spreadsheet would take for a formula has an apostrophe before it. Read it back by
    pandas.read_csv(path, skiprows=len(provenance)).
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        for name, value in provenance.items():
            file.write(f"# {_as_text(' '.join(f'{name}: {value}'.split()))}\n")
        texts: list[str] = list(table.select_dtypes(exclude="number").columns)
        for_people = table.assign(**{name: table[name].map(spreadsheet_cell) for name in texts})
        for_people.to_csv(file, index=False, lineterminator="\n")


def _as_text(line: str) -> str:
    """A line without a place after a separator where a spreadsheet would see a formula begin."""
    return re.sub(r"(?<=[,;])(\s*)(?=[=+@-])", r"\1'", line)


def write_parquet(table: pd.DataFrame, path: Path, provenance: Mapping[str, str]) -> None:
    """Write the table as Parquet, its provenance as JSON under `isogloss` in the schema."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = pa.Table.from_pandas(table, preserve_index=False)
    made = json.dumps(dict(provenance), ensure_ascii=False).encode()
    pq.write_table(
        arrow.replace_schema_metadata({**(arrow.schema.metadata or {}), PROVENANCE_KEY: made}), path
    )


def _partners(links: Array, points: int) -> list[list[int]]:
    """The points that each point is linked to, in order."""
    partners: list[list[int]] = [[] for _ in range(points)]
    for source, target in sorted(map(tuple, np.asarray(links).reshape(-1, 2).tolist())):
        partners[source].append(target)
        partners[target].append(source)
    return partners
