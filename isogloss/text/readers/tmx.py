"""TMX, the exchange format of translation memories, read without ever expanding an entity."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ErrorString, ExpatError

from isogloss.errors import TextError
from isogloss.text.parallel import MOST_SIDES
from isogloss.text.readers.decoding import UNDECODABLE
from isogloss.text.readers.files import format_bytes
from isogloss.text.readers.languages import known_tags, language_code, language_codes
from isogloss.text.readers.rows import Reading, Row, SkippedRow, TextFile, Wanted

# Elements whose text is a word processor's or a page's markup rather than a sentence's.
CODE_ELEMENTS = frozenset({"bpt", "ept", "it", "ph", "ut"})
CHUNK_CHARACTERS = 1 << 16
LIMIT_TAG_BYTES = 1_000_000
"""How long a tag or a comment may be: the parser begins anew on one with each part it is given."""


@dataclass
class _Unit:
    """A translation unit: its line in the file, and its segments by language tag."""

    line: int
    segments: dict[str, str] = field(default_factory=dict)


def read_tmx(file: TextFile, wanted: Wanted) -> Reading:
    """The units of a TMX file in all its languages, or in those that are asked for.

    Of two languages a unit must have both; of more it may lack some.
    """
    parsed = _parse(file)
    tags = _choose_tags(file.name, parsed, wanted)

    def rows() -> Iterator[Row | SkippedRow]:
        for unit in parsed.units:
            missing = [tag for tag in tags if tag not in unit.segments]
            if len(missing) == len(tags) or (missing and len(tags) == 2):
                reason = f"the unit has no {known_tags(missing)}"
                yield SkippedRow(file.name, unit.line, reason)
            else:
                first, second, *more = (unit.segments.get(tag, "") for tag in tags)
                yield Row(unit.line, first, second, more=tuple(more))

    return Reading(
        rows=rows(),
        files=(file.name,) * len(tags),
        languages=language_codes(tags),
        columns=tags,
    )


class _UnitBuilder:
    """Receives the parser's events and keeps units alone, so that no tree is ever built."""

    def __init__(self) -> None:
        self.parser: Any = None
        self.source_tag = ""
        self.units: list[_Unit] = []
        self._tag = ""
        self._text: list[str] | None = None
        self._code_depth = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = _local(name)
        if element == "header":
            self.source_tag = attributes.get("srclang", "").strip()
        elif element == "tu":
            self.units.append(_Unit(self.parser.parser.CurrentLineNumber))
        elif element == "tuv":
            tags = (v for k, v in attributes.items() if _local(k) == "lang")
            self._tag = next(tags, "").strip()
        elif element == "seg":
            self._text, self._code_depth = [], 0
        elif element in CODE_ELEMENTS:
            self._code_depth += 1

    def end(self, name: str) -> None:
        element = _local(name)
        if element == "seg":
            if self.units and self._tag and self._text is not None:
                self.units[-1].segments.setdefault(self._tag, "".join(self._text))
            self._text = None
        elif element in CODE_ELEMENTS:
            self._code_depth -= 1

    def data(self, text: str) -> None:
        if self._text is not None and self._code_depth == 0:
            self._text.append(text)

    def close(self) -> None:
        """Nothing is left to do at the end of the file."""


def _parse(file: TextFile) -> _UnitBuilder:
    from defusedxml.common import DefusedXmlException, EntitiesForbidden
    from defusedxml.ElementTree import XMLParser

    if UNDECODABLE in file.text:
        raise TextError(f"{file.name} has bytes that are not valid text; save it as UTF-8.")
    builder = _UnitBuilder()
    parser = XMLParser(target=builder, forbid_dtd=False, forbid_entities=True)
    builder.parser = parser
    text = file.text.lstrip()
    # Leading white space is not allowed before an XML declaration, but it counts as lines.
    skipped_lines = file.text[: len(file.text) - len(text)].count("\n")
    fed = 0
    try:
        for start in range(0, len(text), CHUNK_CHARACTERS):
            part = text[start : start + CHUNK_CHARACTERS]
            parser.feed(part)
            fed += len(part.encode())
            if fed - parser.parser.CurrentByteIndex > LIMIT_TAG_BYTES:
                raise TextError(
                    f"{file.name}, line {parser.parser.CurrentLineNumber + skipped_lines}: a tag "
                    f"or a comment is longer than {format_bytes(LIMIT_TAG_BYTES)}; shorten it."
                )
        parser.close()
    except EntitiesForbidden:
        raise TextError(
            f"{file.name}, line {parser.parser.CurrentLineNumber}: it declares an entity, and "
            "entities are never expanded; remove the declaration."
        ) from None
    except DefusedXmlException:
        message = f"{file.name} refers to another file, which is never read; remove the reference."
        raise TextError(message) from None
    except (ParseError, ExpatError, ValueError) as error:
        place = getattr(error, "position", (1, 0))[0] + skipped_lines
        what = ErrorString(getattr(error, "code", 0)) or "it cannot be parsed"
        message = f"{file.name}, line {place}: this is not well-formed XML ({what}); mend it."
        raise TextError(message) from None
    for unit in builder.units:
        unit.line += skipped_lines
    return builder


def _choose_tags(file: str, parsed: _UnitBuilder, wanted: Wanted) -> tuple[str, ...]:
    tags = list(dict.fromkeys(tag for unit in parsed.units for tag in unit.segments))
    if wanted.languages:
        return tuple(_find_tag(file, code, tags) for code in wanted.languages)
    if len(tags) < 2:
        found = f"only the language {known_tags(tags)}" if tags else "no translation units"
        raise TextError(f"{file} has {found}; two languages are needed.")
    # The language that the file says it was translated from comes first.
    tags.sort(key=lambda tag: tag.lower() != parsed.source_tag.lower())
    _refuse_too_many(file, tags)
    return tuple(tags)


def _refuse_too_many(file: str, tags: list[str]) -> None:
    if len(tags) > MOST_SIDES:
        raise TextError(
            f"{file} is in {len(tags)} languages, over the limit of {MOST_SIDES}; name those to "
            "read."
        )


def _find_tag(file: str, wanted: str, tags: list[str]) -> str:
    exact = [tag for tag in tags if tag.lower() == wanted.lower()]
    related = [tag for tag in tags if language_code(tag) == (language_code(wanted) or wanted)]
    if not exact and len(related) != 1:
        found = known_tags(tags) or "none"
        problem = "has no" if not related else "has more than one"
        raise TextError(f"{file} {problem} {wanted}; its languages are {found}.")
    return (exact or related)[0]


def _local(name: str) -> str:
    return name.rsplit("}", 1)[-1]
