"""From bytes to text: UTF-8, UTF-16, GB18030, Big5 and Windows-1252, told apart by the bytes."""

import codecs
import re
from collections import Counter
from dataclasses import dataclass

from isogloss.errors import TextError
from isogloss.text.readers.files import GivenFile
from isogloss.text.readers.rows import TextFile, count_lines

# Stands for bytes that could not be decoded; no encoding can produce it, so rows can be checked.
UNDECODABLE = "\udcff"

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Big5 in the wild is often Microsoft's or Hong Kong's superset of it.
BIG5_CODECS = ("big5", "cp950", "big5hkscs")

# Encodings that a caller or an XML declaration may name, by Python's canonical codec name.
NAMED = re.compile(
    r"ascii|utf-8(-sig)?|utf-16(-[lb]e)?|utf-32(-[lb]e)?|gb18030|gbk|gb2312|big5(hkscs)?"
    r"|cp\d+|iso8859-\d+|koi8-[rtu]|shift_jis|euc_jp|euc_kr"
)
DECLARED = re.compile(rb"\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")

SAMPLE_BYTES = 1 << 18

# Left out is what the codes of other languages have their letters at: ý þ ð are Turkish there.
_WESTERN = frozenset(
    bytes([byte])
    for byte in (
        "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüŒœŠšŽž“”‘’„‚‹›«»–—…€£§°¿¡\xa0"
    ).encode("cp1252")
)

# The most frequent Chinese characters, simplified and traditional: about a third of running text.
FREQUENT = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发"
    "后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开"
    "這個們來為國說時會對於著過發後裡種經麼學現當沒動還進樣開與從長門無點電話書見問嗎氣車頭"
)


def _mark_undecodable(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return UNDECODABLE, error.end


codecs.register_error("isogloss.mark", _mark_undecodable)


@dataclass(frozen=True)
class _Plausibility:
    damage: float
    likeness: float


def decode_file(
    file: GivenFile, encoding: str | None = None, *, keep_undecodable: bool = False
) -> TextFile:
    """The file's text in the encoding named, declared, or else found by looking at the bytes.

    A byte order mark decides; then UTF-16 shows by its zero bytes, UTF-8 by being valid, and
    GB18030 and Big5 by how frequent the characters they give are in Chinese. Undecodable bytes
    raise, or become `UNDECODABLE` if they are to be kept for the rows to be skipped one by one.
    """
    codec, start = _find_codec(file, encoding)
    data = file.data[start:]
    try:
        return TextFile(file.name, data.decode(codec), label(codec))
    except UnicodeDecodeError as error:
        if keep_undecodable:
            return TextFile(file.name, data.decode(codec, "isogloss.mark"), label(codec))
        line = count_lines(data[: error.start].decode(codec, "replace") + ".")
        tried = label(codec) if encoding else f"{label(codec)}, nor any other known encoding"
        raise TextError(
            f"{file.name}, line {line}: byte {start + error.start} is not valid {tried}; "
            "save the file as UTF-8 or skip the bad rows."
        ) from None


def label(codec: str) -> str:
    """An encoding's usual name, whatever the codec's: GB18030 for gbk, Big5 for cp950."""
    if codec in BIG5_CODECS:
        return "Big5"
    if codec in ("gbk", "gb2312"):
        return "GB18030"
    if codec == "cp1252":
        return "Windows-1252"
    return codec.upper().removesuffix("-LE").removesuffix("-BE").removesuffix("-SIG")


def _find_codec(file: GivenFile, encoding: str | None) -> tuple[str, int]:
    """The codec, and where the text begins after a byte order mark."""
    data = file.data
    if encoding is not None:
        codec = _named_codec(encoding, f"The encoding asked for, {encoding!r},")
        return codec, _mark_length(data, codec)
    for mark, codec in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return codec, len(mark)
    if codec_found := _utf16_without_mark(data):
        return codec_found, 0
    declared = DECLARED.match(data)
    # A declaration that can be read byte by byte is not in UTF-16, whatever it says of itself.
    if declared and not declared[1].lower().startswith(b"utf"):
        said = f"The encoding that {file.name} declares"
        return _named_codec(declared[1].decode("ascii"), said), 0
    if _is_valid(data, "utf-8"):
        return "utf-8", 0
    codec = _likeliest_codec(data)
    return ("cp1252" if codec == "utf-8" and _is_western(data) else codec), 0


def _mark_length(data: bytes, codec: str) -> int:
    family = label(codec)
    return max(
        (len(m) for m, c in BYTE_ORDER_MARKS if data.startswith(m) and label(c) == family),
        default=0,
    )


def _named_codec(name: str, subject: str) -> str:
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        codec = ""
    if not NAMED.fullmatch(codec):
        raise TextError(f"{subject} is not known; save the file as UTF-8.")
    # Files that call themselves GB2312 or GBK often hold a little more, and GB18030 holds both.
    return "gb18030" if codec in ("gb2312", "gbk") else codec


def _utf16_without_mark(data: bytes) -> str | None:
    """UTF-16 by its zero bytes: line ends and ASCII give one in every such unit, on one side."""
    units = len(data) // 2
    if len(data) % 2 or not units:
        return None
    first, second = data[0::2].count(0), data[1::2].count(0)
    if max(first, second) < 0.02 * units or max(first, second) < 2 * min(first, second):
        return None
    codec = "utf-16-le" if second > first else "utf-16-be"
    return codec if _is_valid(data, codec) else None


def _is_western(data: bytes) -> bool:
    """Whether a text that is not UTF-8 reads as Windows' Western European one, as Excel saves it.

    Every byte beyond ASCII must be a letter or a mark of these languages, never four letters in a
    row, and fewer than plain ones; bytes that belong together are of damaged UTF-8.
    """
    beyond = re.findall(rb"[\x80-\xff]", data)
    if not set(beyond) <= _WESTERN or re.search(rb"[\xc2-\xf4][\x80-\xbf]|[\xc0-\xff]{4}", data):
        return False
    return len(beyond) < len(re.findall(rb"[A-Za-z]", data))


def _is_valid(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _likeliest_codec(data: bytes) -> str:
    """Of UTF-8 with damage, GB18030 and Big5, the one that reads a sample with least damage."""
    sample = _sample(data)
    scores = {"utf-8": _Plausibility(_damage(sample.decode("utf-8", "isogloss.mark")), 0.0)}
    for codec in ("gb18030", *BIG5_CODECS):
        text = sample.decode(codec, "isogloss.mark")
        likeness = _likeness_to_chinese(text, codec)
        if likeness > 0:
            scores[codec] = _Plausibility(_damage(text), likeness)
    # A few damaged bytes weigh less than text that looks like nothing ever written.
    return max(scores, key=lambda codec: scores[codec].likeness - 5 * scores[codec].damage)


def _sample(data: bytes) -> bytes:
    """Whole lines of the file from the first that is not plain ASCII."""
    first = re.search(rb"[\x80-\xff]", data)
    start = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    sample = data[start : start + SAMPLE_BYTES]
    cut = sample.rfind(b"\n")
    return sample[:cut] if len(sample) == SAMPLE_BYTES and cut > 0 else sample


def _damage(text: str) -> float:
    """The share of undecodable bytes among all that is not ASCII."""
    beyond_ascii = sum(character > "\x7f" for character in text)
    return text.count(UNDECODABLE) / beyond_ascii if beyond_ascii else 0.0


def _likeness_to_chinese(text: str, codec: str) -> float:
    """How much `text` looks like Chinese: 0 for not at all, else up to 2.

    The share of characters in the standard's first level, where both GB2312 and Big5 keep the
    frequent ones, plus the share of very frequent ones; a longer text without those is no Chinese.
    """
    levels: Counter[str] = Counter()
    frequent = 0
    for character, count in Counter(text).items():
        if character > "\x7f" and character != UNDECODABLE:
            levels[_level(character, codec)] += count
            frequent += count if character in FREQUENT else 0
    characters = levels["first"] + levels["other"]
    if not characters:
        return 0.5 if levels["symbol"] else 0.0
    first_share, frequent_share = levels["first"] / characters, frequent / characters
    enough = frequent_share >= 0.04 if characters >= 20 else first_share >= 0.6
    return first_share + frequent_share if enough else 0.0


def _level(character: str, codec: str) -> str:
    code = character.encode(codec, "replace")
    lead, trail = code[0], code[-1]
    if codec in BIG5_CODECS:
        symbols, first_level, lowest_trail = range(0xA1, 0xA4), range(0xA4, 0xC7), 0x40
    else:
        symbols, first_level, lowest_trail = range(0xA1, 0xAA), range(0xB0, 0xD8), 0xA1
    if len(code) != 2 or trail < lowest_trail:
        return "other"
    return "symbol" if lead in symbols else "first" if lead in first_level else "other"
