"""`map` and `methods`: what a paper takes of a study, on a machine without a display."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from isogloss import interface
from isogloss.command_line.arguments import add_command, add_option, settings_of
from isogloss.command_line.output import print_found
from isogloss.errors import IsoglossError
from isogloss.formatting import human_size
from isogloss.interface.map_result import MapResult
from isogloss.interface.results import Row
from isogloss.map.film import QUALITIES
from isogloss.map.maps import MapOptions
from isogloss.map.sheet_plan import WIDTHS
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.studies.links.points import LinkOptions
from isogloss.text.parts import TextPart

_EXPLAINED = {
    "part": "which sentence pairs",
    "seed": "of `--part random`; that of the projection is `--seed`",
    "topic": "of `--part topic`: the one shown",
    "search": "of `--part search`: what a pair must contain",
    "links": "which links are drawn: those that are scored, or what an aligner reads off this "
    "model, which is never scored",
    "linklayer": "of `--links`: the layer that an aligner reads",
}
OPTIONS = tuple(
    each.but(help=_EXPLAINED.get(each.address, each.help))
    for each in settings_of(
        ProjectionOptions, MapOptions, TextPart, LinkOptions,
        part="part", seed="part_seed", links="links", linklayer="linklayer",
    )
)  # fmt: skip
"""The settings of the first page, which this command has a flag for each of."""


def add_to(commands: Any) -> None:
    add_command(
        commands,
        "token-map",
        run_map,
        _add_settings,
        help="write a study's map as a page, a sheet or a film",
        description="Lay a study's words out at every layer, as the first page does, and write "
        "what was asked for. A layout that was computed before is found in the store.",
    )
    add_command(
        commands,
        "methods",
        run_methods,
        lambda parser: parser.add_argument(
            "study", metavar="STUDY", help="a study's key, or its beginning"
        ),
        help="a paragraph and BibTeX for a paper",
        description="Say for a paper what was read and computed: text, model, hashes, versions, "
        "the best layers with their intervals, as LaTeX, and the BibTeX entries that it cites.",
    )


def _add_settings(parser: ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="its key, or the key's beginning")
    parser.add_argument("--html", type=Path, metavar="FILE", help="one page that works offline")
    parser.add_argument("--gif", type=Path, metavar="FILE", help="a film through all layers")
    parser.add_argument("--mp4", type=Path, metavar="FILE", help="the same, smaller and smoother")
    parser.add_argument(
        "--quality",
        default="slide",
        choices=tuple(QUALITIES),
        help="of films: slide is at most 5 MB as GIF and 3 MB as MP4, sharp may be of any size",
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="a row for each word and layer")
    parser.add_argument(
        "--contact-sheet",
        type=Path,
        metavar="FILE",
        help="all layers on one sheet for a paper: .pdf, .svg or .png",
    )
    parser.add_argument(
        "--columns",
        type=int,
        default=2,
        choices=tuple(WIDTHS),
        help="how many columns of a paper the sheet fills: "
        + ", ".join(f"{columns} is {width:g} mm" for columns, width in WIDTHS.items()),
    )
    for each in OPTIONS:
        add_option(parser, each)
    parser.add_argument(
        "--layer",
        type=int,
        default=0,
        help="where the page opens: 0 are the embeddings; of a model with a final norm, the number "
        "after its last layer is what that gives",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the projection")


def run_map(options: Namespace) -> int:
    if not any((options.html, options.gif, options.mp4, options.csv, options.contact_sheet)):
        raise IsoglossError(
            "Nothing to write: name a file with --html, --gif, --mp4, --csv or --contact-sheet."
        )
    for path in (options.html, options.gif, options.mp4, options.csv, options.contact_sheet):
        if path and not path.absolute().parent.is_dir():
            raise IsoglossError(
                f"{path} cannot be written: its folder is not there; make it first."
            )
    found = interface.token_map(
        options.study,
        options.method,
        perplexity=options.perplexity,
        neighbours=options.neighbours,
        points=options.points,
        pairs=options.pairs,
        coordinates=options.coordinates,
        seed=options.seed,
        part=options.part,
        part_seed=options.part_seed,
        topic=options.topic,
        search=options.search,
        links=options.links,
        linklayer=options.linklayer,
    )
    written = []
    if options.html:
        written.append(found.to_html(options.html, options.layer))
    if options.csv:
        written.append(found.to_csv(options.csv))
    if options.contact_sheet:
        written.append(found.contact_sheet(options.contact_sheet, options.columns))
    written += [found.film(path, options.quality) for path in (options.gif, options.mp4) if path]

    def say() -> None:
        if found.score is not None:
            print(found.score.describe(found.study.states), *found.score.caveats, sep="\n")
        for path in written:
            print(f"{path}: {human_size(path.stat().st_size)}")

    return print_found(options, _document(found, written), say)


def _document(found: MapResult, written: list[Path]) -> Row:
    """What was written, and the score that stands for the map."""
    score, states = found.score, found.study.states
    best = int(score.values.argmax()) if score else 0
    return {
        "study": found.study.key,
        "caption": found.data.caption,
        "score": score
        and {
            "name": score.name,
            "rests_on": score.badge,
            "layer": best,
            "state": states.name(best),
            "value": float(score.values[best]),
            "low": float(score.low[best]),
            "high": float(score.high[best]),
            "chance": score.chance,
        },
        "caveats": list(score.caveats) if score else [],
        "files": [{"path": str(path), "bytes": path.stat().st_size} for path in written],
    }


def run_methods(options: Namespace) -> int:
    found = interface.methods(options.study)
    return print_found(options, {"text": found.text, "bibtex": found.bibtex}, str(found))
