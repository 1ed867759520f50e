"""Which language a column name, a file name or a script speaks of, as an ISO 639-1 code."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from isogloss.errors import TextError
from isogloss.text.language_names import TABLE
from isogloss.text.readers.files import plain_name

# Header cells that name a language, but more often an identifier or a number.
AMBIGUOUS_CODES = frozenset({"id", "no"})

SCRIPT_LANGUAGES = (
    ("ja", re.compile(r"[\u3041-\u30ff]")),
    ("zh", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("ko", re.compile(r"[\u1100-\u11ff\uac00-\ud7af]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("en", re.compile(r"[A-Za-z\u00c0-\u024f]")),
)

_CODE_OF: dict[str, str] = {
    called.replace("_", " "): language.code
    for language in TABLE.values()
    for called in (language.code, language.name.casefold(), *language.also)
}

_NAMES = [called for called in _CODE_OF if len(called) > 3]

# A code with a script or a region: zh-Hans-CN, zho_Hans, en_US, es-419.
_TAG = re.compile(r"([a-z]{2,3})(?:[-_](?:[a-z]{4}|[a-z]{2}|[0-9]{3}))+")


def language_code(name: str) -> str | None:
    """The code of a language by another code, tag or name: "cmn", "zh-CN" and "中文" are "zh"."""
    key = " ".join(name.casefold().split())
    if key in _CODE_OF:
        return _CODE_OF[key]
    tag = _TAG.fullmatch(key)
    return _CODE_OF.get(tag[1]) if tag else None


def nearest_language(name: str) -> str | None:
    """The language whose name is written most like this, for whoever mistyped it; or None."""
    close = get_close_matches(name.casefold().strip(), _NAMES, n=1, cutoff=0.72)
    return _CODE_OF[close[0]] if close else None


def language_codes(tags: Sequence[str]) -> tuple[str, ...]:
    """The codes of two or more languages as somebody named them; an unknown one stays as it is.

    Varieties of one language are told apart by their full tags: zh-CN and zh-TW.
    """
    if isinstance(tags, str) or len(tags) < 2 or not all(tag.strip() for tag in tags):
        raise TextError(
            f"Two languages are needed, or more, such as en and zh, but {tags!r} was given."
        )
    codes = codes_of(tags)
    return tuple(
        code if codes.count(code) == 1 else tag.strip()
        for tag, code in zip(tags, codes, strict=True)
    )


def known_languages(tags: Sequence[str]) -> tuple[str, ...]:
    """The codes of languages that somebody named; one unknown here, or named twice, is refused.

    A language of one's own is named x-something, as BCP 47 has it.
    """
    codes = language_codes(tags)
    for tag in tags:
        if language_code(tag) is None and not tag.strip().lower().startswith("x-"):
            meant = nearest_language(tag)
            hint = f"; did you mean {meant}?" if meant else ""
            raise TextError(
                f"{tag!r} is no language known here{hint}: use a code such as de or deu, or one "
                "that begins with x-, such as x-mine."
            )
    plain = codes_of(tags)
    for code in plain:
        if plain.count(code) > 1:
            twice = [tag for tag, each in zip(tags, plain, strict=True) if each == code]
            raise TextError(
                f"{' and '.join(twice)} are one language; leave one out, or name the two apart, "
                "such as pt-BR and pt-PT."
            )
    return codes


def codes_of(tags: Sequence[str]) -> list[str]:
    """The code of each tag; of several varieties of one language also which: pt-BR for por_BR."""
    codes = [language_code(tag) or tag.strip() for tag in tags]
    return [
        "-".join([code, *re.split("[-_]", tag.strip())[1:]])
        if codes.count(code) > 1 and is_variety(tag)
        else code
        for tag, code in zip(tags, codes, strict=True)
    ]


def is_variety(tag: str) -> bool:
    """Whether a tag says a script or a region, too: pt_BR, zh-Hant."""
    return language_code(tag) is not None and _TAG.fullmatch(tag.strip().casefold()) is not None


def language_of_file(name: str) -> str | None:
    """The language tag in the name of a file in one language: deu of newstest2019-ref.deu.txt.

    The part before the ending counts first, or the ending itself (train.de); then what the name
    ends in (dev-de.tsv), or all of it (deu_Latn.devtest).
    """
    stem, *parts = plain_name(name).split(".")
    for part in reversed(parts):
        if _is_tag(part):
            return part
    pieces = re.split(r"([-_\s]+)", stem)
    for first in range(0, len(pieces), 2):
        if _is_tag(rest := "".join(pieces[first:])):
            return rest
    return None


def _is_tag(part: str) -> bool:
    """Whether a part of a file's name is a language's code, perhaps with a script or a region."""
    return len(re.split("[-_]", part)[0]) in (2, 3) and part.isascii() and bool(language_code(part))


def known_tags(tags: Iterable[str]) -> str:
    """Language tags as a message lists them; what is no language is counted, not quoted.

    A file may hold anything in their place, and need not be one that its reader sent.
    """
    given = list(tags)
    known = [tag for tag in given if language_code(tag)]
    unknown = len(given) - len(known)
    return ", ".join([*known, *([f"{unknown} unknown"] if unknown else [])])


def languages_in_name(name: str) -> tuple[str, ...]:
    """The codes in a file name: `news.en-zh.tsv` gives en and zh, `train.zh` gives zh."""
    stem, *parts = re.split(r"[._\s-]+", plain_name(name).lower())
    codes = [code for part in parts if (code := _short_code(part))]
    if not codes:
        codes = [code for code in [_short_code(stem)] if code]
    return tuple(codes)


def language_by_script(texts: Iterable[str]) -> str | None:
    """A guess at the language of `texts` by the script most of them use, None without letters.

    One language stands for its whole script: Latin letters give "en", Cyrillic "ru".
    """
    votes: Counter[str] = Counter()
    for text in texts:
        counts = {code: len(letters.findall(text)) for code, letters in SCRIPT_LANGUAGES}
        # Kana is enough to tell Japanese, whose text is mostly Han characters.
        if counts["ja"] and counts["ja"] + counts["zh"] >= max(counts.values()):
            votes["ja"] += 1
        elif any(counts.values()):
            votes[max(counts, key=lambda code: counts[code])] += 1
    return votes.most_common(1)[0][0] if votes else None


def _short_code(part: str) -> str | None:
    return _CODE_OF.get(part) if part.isascii() and len(part) in (2, 3) else None
