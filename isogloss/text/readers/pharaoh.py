"""Word alignments in the Pharaoh format: `0-0 1-2 3p4`, source index first, counted from 0."""

import re
from collections.abc import Iterable

from isogloss.text.parallel import Link

# Some aligners append a confidence to each link, as in 0-0:0.98; it is read over.
LINK = re.compile(r"([0-9]{1,6})([-p])([0-9]{1,6})(?::[0-9.eE+-]+)?")
LINE = re.compile(rf"\s*(?:{LINK.pattern}(?:\s+|$))*")


def parse_links(text: str) -> tuple[frozenset[Link], frozenset[Link]]:
    """The sure links, and the possible ones, which include the sure.

    Raises ValueError saying which item is the first that is no link.
    """
    sure: set[Link] = set()
    possible: set[Link] = set()
    for number, item in enumerate(text.split(), start=1):
        match = LINK.fullmatch(item)
        if match is None:
            raise ValueError(f"has an item, number {number}, that is not like 0-1")
        link = (int(match[1]), int(match[3]))
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return frozenset(sure), frozenset(possible)


def looks_like_alignments(lines: Iterable[str]) -> bool:
    """Whether every line is a Pharaoh line, and one at least holds a link."""
    links_seen = False
    for line in lines:
        if not LINE.fullmatch(line):
            return False
        links_seen = links_seen or bool(line.strip())
    return links_seen
