"""Texts in many languages, in every shape that they come in: read right the first time."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isogloss.errors import TextError
from isogloss.text.language_names import language_name
from isogloss.text.readers.languages import language_code, language_of_file
from isogloss.text.reading import GivenFile, read_files

NTREX = {  # as the files of NTREX-128 are called
    "newstest2019-src.eng.txt": ["The bank closed.", "She sat down.", "It rained."],
    "newstest2019-ref.deu.txt": ["Die Bank schloss.", "Sie setzte sich.", "Es regnete."],
    "newstest2019-ref.zho-CN.txt": ["银行关门了。", "她坐下了。", "下雨了。"],
    "newstest2019-ref.srp-Latn.txt": ["Banka se zatvorila.", "Sela je.", "Padala je kiša."],
    "newstest2019-ref.ckb-Arab.txt": ["بانکەکە داخرا.", "دانیشت.", "باران باری."],
    "newstest2019-ref.tha.txt": ["ธนาคารปิด", "เธอนั่งลง", "ฝนตก"],
}
XNLI = {  # premise, hypothesis and label, as in the split of XNLI by language
    "dev-en.tsv": ["He said, I'm in.\tHe spoke.\tentailment", "He said, I'm in.\tNo.\tneutral"],
    "dev-de.tsv": ["Er sagte, hier.\tEr sprach.\tentailment", "Er sagte, hier.\tNein.\tneutral"],
    "dev-sw.tsv": ["Alisema, hapa.\tAlisema.\tentailment", "Alisema, hapa.\tHapana.\tneutral"],
}
TAGS = ("en-US", "de", "fr-FR", "es", "ru", "bg", "el", "ar", "hi", "ja", "th", "sw")


def folder(path, files):
    for name, lines in files.items():
        (path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(*files, **options):
    given = [GivenFile(name, text.encode()) for name, text in files]
    return read_files(given, **options)


def fails(message, *files, **options):
    with pytest.raises(TextError, match=message):
        read(*files, **options)


def test_a_folder_like_ntrex(tmp_path):
    bitext = read_files(folder(tmp_path, NTREX)).text
    assert bitext.languages == ("en", "ckb", "de", "sr", "th", "zh")
    assert bitext.name == tmp_path.name, "a folder's text has the folder's name"
    assert bitext.source == tuple(NTREX["newstest2019-src.eng.txt"])
    assert bitext.side(bitext.side_of("sr")) == tuple(NTREX["newstest2019-ref.srp-Latn.txt"])
    assert language_name("ckb") == "Central Kurdish"
    chosen = read_files(tmp_path, languages=("th", "zho", "eng")).text
    assert chosen.languages == ("th", "zh", "en")
    assert chosen.more == (bitext.source,)


def test_varieties_of_a_language_are_told_apart():
    files = [
        (f"news.{tag}.txt", f"{tag}\n") for tag in ("por", "por-BR", "eng-US", "eng-GB", "deu")
    ]
    bitext = read(*files).text
    assert dict(zip(bitext.languages, bitext.sides, strict=True)) == {
        "de": ("deu",),
        "en-GB": ("eng-GB",),
        "en-US": ("eng-US",),
        "pt": ("por",),
        "pt-BR": ("por-BR",),
    }


def test_a_folder_like_xnli(tmp_path):
    result = read_files(folder(tmp_path, XNLI))
    assert result.text.languages == ("en", "de", "sw")
    # Premises come three times each: of two sentences a row, those that do not repeat.
    assert result.text.source == ("He spoke.", "No.")
    assert result.text.more == (("Alisema.", "Hapana."),)
    assert result.columns == ("2",) * 3
    premises = read_files(tmp_path, columns=(1,)).text
    assert premises.target == ("Er sagte, hier.",) * 2
    headed = {name: ["premise\thypothesis\tlabel", *lines] for name, lines in XNLI.items()}
    named = read_files(folder(tmp_path, headed), columns=("premise",)).text
    assert named.content_hash == premises.content_hash
    assert read_files(tmp_path).text.content_hash == result.text.content_hash
    two = read_files([tmp_path / "dev-en.tsv", tmp_path / "dev-de.tsv"]).text
    assert (two.languages, two.target) == (("en", "de"), ("Er sprach.", "Nein."))


def test_a_memory_of_twelve_languages():
    def unit(row, tags):
        variants = (f'<tuv xml:lang="{tag}"><seg>{tag} {row}</seg></tuv>' for tag in tags)
        return f"<tu>{''.join(variants)}</tu>"

    body = unit(0, TAGS[::-1]) + unit(1, [tag for tag in TAGS if tag not in ("fr-FR", "sw")])
    memory = f'<tmx><header srclang="en-US"/><body>{body}</body></tmx>'
    bitext = read(("a.tmx", memory)).text
    assert set(bitext.languages) == {"en", "fr", *(tag for tag in TAGS if len(tag) == 2)}
    assert bitext.languages[0] == "en"
    assert bitext.side(bitext.side_of("fr")) == ("fr-FR 0", "")
    assert bitext.pair("sw", "th").source == ("sw 0",)
    assert read(("a.tmx", memory), languages=("ja", "en")).text.source == ("ja 0", "ja 1")


@pytest.mark.parametrize("format", ["tsv", "jsonl", "parquet", "translation"])
def test_one_table_of_many_languages_with_missing_cells(format):
    rows = [
        {"deu": "Ja.", "English": "Yes.", "fr": "Oui."},
        {"deu": "Nein.", "English": "No.", "fr": None},
        {"deu": None, "English": None, "fr": "Peut-être."},
    ]
    data = "\n".join(map(json.dumps, rows)).encode()
    if format == "tsv":
        lines = ["\t".join(row.get(key) or "" for key in rows[0]) for row in rows]
        data = "\n".join(["\t".join(rows[0]), *lines]).encode()
    elif format != "jsonl":
        table = rows if format == "parquet" else [{"translation": row} for row in rows]
        buffer = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(table), buffer)
        data = buffer.getvalue()
    result = read_files(GivenFile("many", data))
    assert result.format == {"translation": "parquet"}.get(format, format)
    assert result.text.languages == ("de", "en", "fr")
    assert result.text.sides == (
        ("Ja.", "Nein.", ""),
        ("Yes.", "No.", ""),
        ("Oui.", "", "Peut-être."),
    )


def test_a_column_in_no_known_language_is_said_and_not_read():
    table = ("a", "en\tde\tqqq\tidx\ttopic\tGenre\na\tb\tc\t1\tx\ty\n")
    found = read(table)
    assert found.text.languages == ("en", "de")
    assert found.not_languages == ("qqq",), "idx and topic are not taken for languages"
    assert "qqq is no language known here, and that column was not read" in found.says_not_languages
    assert read(("a", "en\tde\na\tb\n")).says_not_languages == ""
    assert read(table, columns=("en", "qqq"), languages=("en", "de")).not_languages == ()
    both = read(("a", "en\tde\tqqq\tzz-Latn\na\tb\tc\td\n")).says_not_languages
    assert both.startswith("qqq, zz-Latn are no languages known here")


def test_the_parts_of_a_data_set_are_told_apart(tmp_path):
    """XNLI by language has a dev and a test file for each: one of them is the text."""
    inside = folder(tmp_path, XNLI | {name.replace("dev", "test"): XNLI[name] for name in XNLI})
    with pytest.raises(TextError, match=r"those of one part: dev-\*\.tsv or test-\*\.tsv\."):
        read_files(inside)
    chosen = read_files(sorted(tmp_path.glob("test-*.tsv"))).text
    assert set(chosen.languages) == {name[4:6] for name in XNLI}


def test_what_cannot_be_read_is_said_in_a_sentence(tmp_path):
    a, b, c = ("a.en.txt", "a\nb\n"), ("a.de.txt", "c\nd\n"), ("a.fr.txt", "e\nf\n")
    fails("a.de.txt and b.deu.txt are both in de; give one file", a, b, ("b.deu.txt", "x\ny\n"))
    fails("The name of a.qqq.txt has no language code that is known", a, b, ("a.qqq.txt", "x\ny\n"))
    fails("a.sw.txt has 3 lines but a.en.txt has 2", a, b, c, ("a.sw.txt", "x\ny\nz\n"))
    fails("No file is in sw; they are in", a, b, c, languages=("en", "sw"))
    fails("a has two columns for de; rename", ("a", "en\tde\tGerman\na\tb\tc\n"))
    fails("a has two columns for pt-br; rename", ("a", "en\tpt-BR\tpt-BR\na\tb\tc\n"))
    fails("these files have lines and no columns|These files", a, b, c, columns=(1,))
    nothing = '{"en": "a", "de": "b", "fr": "c"}\n{"en": " ", "de": null}'
    assert [row.line for row in read(("a", nothing)).skipped] == [2]
    fails("sentence 3 has 10,001 characters", ("a", f"en\tde\tfr\na\tb\t{'x' * 10_001}\n"))
    with pytest.raises(TextError, match="is a directory without files"):
        read_files(tmp_path)
    with pytest.raises(TextError, match="x is a damaged Parquet file"):
        read_files(GivenFile("x", b"PAR1 and no more"))
    many = "\t".join(f"{code}" for code in ("en", "de", "fr", "es")) + "\na\tb\tc\td" * 51
    fails("more rows than the limit of 50", ("a", many), limit_pairs=100)


def test_files_named_one_by_one_need_no_names_that_tell():
    files = [("one.txt", "a\n"), ("two.txt", "b\n"), ("three.txt", "c\n")]
    bitext = read(*files, languages=("en", "de", "sw")).text
    assert (bitext.languages, bitext.more) == (("en", "de", "sw"), (("c",),))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("newstest2019-ref.deu.txt", "de"),
        ("newstest2019-ref.fra-CA.txt", "fr"),
        ("newstest2019-ref.por-BR.txt", "pt"),
        ("NAME.de.txt.gz", "de"),
        ("deu_Latn.devtest", "de"),
        ("test-zh.tsv", "zh"),
        ("flores_zho_Hans.txt", "zh"),
        ("train.sw", "sw"),
        ("news.txt", None),
    ],
)
def test_the_language_in_a_files_name(name, code):
    tag = language_of_file(name)
    assert (tag and language_code(tag)) == code
