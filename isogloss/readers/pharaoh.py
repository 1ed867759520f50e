"""Word alignments in the Pharaoh format: `0-0 1-2 3p4`, source index first, counted from 0."""

import re
from collections.abc import Iterable

from isogloss.parallel import Link

# Some aligners append a confidence to each link, as in 0-0:0.98; it is read over.
LINK = re.compile(r"([0-9]{1,6})([-p])([0-9]{1,6})(?::[0-9.eE+-]+)?")
LINE = re.compile(rf"\s*(?:{LINK.pattern}(?:\s+|$))*")


def parse_links(text: str) -> tuple[frozenset[Link], frozenset[Link]]:
    """The sure links, and the possible ones, which include the sure.

    Raises ValueError naming the first item that is no link.
    """
    sure: set[Link] = set()
    possible: set[Link] = set()
    for item in text.split():
        match = LINK.fullmatch(item)
        if match is None:
            raise ValueError(item)
        link = (int(match[1]), int(match[3]))
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return frozenset(sure), frozenset(possible)


def format_links(sure: frozenset[Link], possible: frozenset[Link]) -> str:
    """The links as one Pharaoh line, in order."""
    return " ".join(f"{i}{'-' if (i, j) in sure else 'p'}{j}" for i, j in sorted(possible))


def looks_like_alignments(lines: Iterable[str]) -> bool:
    """Whether every line is a Pharaoh line, and one at least holds a link."""
    links_seen = False
    for line in lines:
        if not LINE.fullmatch(line):
            return False
        links_seen = links_seen or bool(line.strip())
    return links_seen
