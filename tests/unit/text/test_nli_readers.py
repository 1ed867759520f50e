"""NLI sets: every official format, what is wrong told in one sentence, and samples that pair up."""

import gzip
import json
import os
import re
from pathlib import Path

import huggingface_hub
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError, OfflineModeIsEnabled
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.errors import NliError, TextError
from isogloss.text.nli import LABELS, XNLI_LANGUAGES, NliSet, load_nli, read_nli_file
from isogloss.text.readers import nli_files
from isogloss.text.readers.nli_files import LIMIT_LINE_BYTES
from isogloss.text.reading import read_files

# Nothing here is about time, which on a busy machine says nothing.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

XNLI_HEADER = (
    "language\tgold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\t"
    "sentence2_parse\tsentence1\tsentence2\tpromptID\tpairID\tgenre\tlabel1\tlabel2\tlabel3\t"
    "label4\tlabel5\tsentence1_tokenized\tsentence2_tokenized\tmatch"
)
MULTINLI_HEADER = (
    "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\t"
    "sentence2_parse\tsentence1\tsentence2\tpromptID\tpairID\tgenre\tlabel1\tlabel2\tlabel3\t"
    "label4\tlabel5"
)
ENGLISH = (
    ("It rains.", "It is wet.", "entailment"),
    ('"Now," he said, "or never.', "He's late.", "neutral"),
    ("She sings.", "She is silent.", "contradiction"),
)
CHINESE = (
    ("下雨了。", "地上是湿的。", "entailment"),
    ("他说：“现在，不然就算了。”", "他迟到了。", "neutral"),
    ("她在唱歌。", "她一声不吭。", "contradiction"),
)
TEXTS = {"en": ENGLISH, "zh": CHINESE}


def table(*lines: str) -> str:
    return "".join(line + "\n" for line in lines)


def three_columns(rows, header: str | None = None) -> str:
    return table(*([header] if header else []), *("\t".join(row) for row in rows))


def xnli_line(language: str, premise: str, hypothesis: str, label: str) -> str:
    rest = "1\t2\ttalk\tneutral\tneutral\tneutral\tneutral\tneutral\ta\tb\tTrue"
    return f"{language}\t{label}\t\t\t\t\t{premise}\t{hypothesis}\t{rest}"


def xnli_file(*languages: str) -> str:
    lines = [xnli_line(code, *row) for code in languages for row in TEXTS.get(code, ENGLISH)]
    return table(XNLI_HEADER, *lines)


def json_lines(rows, names=("sentence1", "sentence2", "gold_label"), **more) -> str:
    records = [dict(zip(names, row, strict=True)) | more for row in rows]
    return table(*(json.dumps(record, ensure_ascii=False) for record in records))


def write(directory: Path, **files: str | bytes) -> Path:
    """Files by name, with __ for a full stop."""
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (directory / name.replace("__", ".")).write_bytes(data)
    return directory


def read_one(directory: Path, name: str, content: str | bytes, language: str | None = None):
    write(directory, **{name: content})
    return read_nli_file(directory / name, language)


def rows_of(found: NliSet) -> tuple[tuple[str, str, str], ...]:
    names = (LABELS[label] for label in found.labels)
    return tuple(zip(found.premises, found.hypotheses, names, strict=True))


# Formats

FORMATS = {
    "three columns": ("dev-en.tsv", three_columns(ENGLISH)),
    "a header": ("dev.en.tsv", three_columns(ENGLISH, "premise\thypothesis\tlabel")),
    "other order": (
        "dev_en.tsv",
        three_columns([row[::-1] for row in ENGLISH], "label\tHypothesis\tPremise"),
    ),
    "XNLI": ("xnli.dev.tsv", xnli_file("en")),
    "XNLI-MT": (
        "multinli.train.en.tsv",
        three_columns(ENGLISH, "premise\thypo\tlabel").replace("contradiction", "contradictory"),
    ),
    "MultiNLI table": (
        "multinli_1.0_dev.en.txt",
        table(
            MULTINLI_HEADER,
            # Four of the five annotators' columns empty, all there, and cut off.
            "entailment\t(\t(\t(\t(\tIt rains.\tIt is wet.\t1\t1e\ttalk\tentailment\t\t\t\t",
            '-\t(\t(\t(\t(\tIt "rains.\tIt may.\t1\t1n\ttalk\tneutral\tentailment\t\t\t',
            "neutral\t(\t(\t(\t(\t" + "\t".join(ENGLISH[1][:2]) + "\t2\t2n\ttalk\ta\tb\tc\td\te",
            "contradiction\t(\t(\t(\t(\tShe sings.\tShe is silent.\t3\t3c\ttalk",
        ),
    ),
    "SNLI JSON": (
        "snli.en.jsonl",
        json_lines(ENGLISH[:1]) + json_lines([("a", "b", "-")]) + json_lines(ENGLISH[1:]),
    ),
    "JSON with numbers": (
        "dev.en.jsonl",
        json_lines(
            [(p, h, LABELS.index(label)) for p, h, label in ENGLISH],
            ("premise", "hypothesis", "label"),
        ),
    ),
    "table with numbers": (
        "dev.en.txt",
        three_columns([(p, h, str(LABELS.index(label))) for p, h, label in ENGLISH]),
    ),
    "XNLI JSON": ("xnli.dev.jsonl", json_lines(ENGLISH, language="en")),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("packing", ["plain", "gzip", "byte order mark", "Windows", "blank end"])
def test_each_format_gives_the_same_rows(tmp_path, format, packing):
    name, text = FORMATS[format]
    data = text.encode()
    if packing == "gzip":
        name, data = name + ".gz", gzip.compress(data)
    elif packing == "byte order mark":
        data = b"\xef\xbb\xbf" + data
    elif packing == "Windows":
        data = data.replace(b"\n", b"\r\n")
    elif packing == "blank end":
        data += b"\n \n"
    found = read_one(tmp_path, name, data)
    assert list(found) == ["en"]
    assert found["en"].language == "en"
    assert found["en"].name == name
    assert rows_of(found["en"]) == ENGLISH


def test_an_official_file_holds_all_fifteen_languages(tmp_path):
    found = read_one(tmp_path, "xnli.test.tsv", xnli_file(*XNLI_LANGUAGES))
    assert tuple(found) == XNLI_LANGUAGES
    assert len(set(XNLI_LANGUAGES)) == 15
    assert rows_of(found["zh"]) == CHINESE
    assert rows_of(found["sw"]) == ENGLISH
    assert found["zh"].name == "xnli.test.tsv (zh)"


def test_line_separators_of_unicode_are_text(tmp_path):
    row = ("One\u2028two\x0bthree\x85four.", "e\u0301, not composed", "neutral")
    assert rows_of(read_one(tmp_path, "dev-en.tsv", three_columns([row]))["en"]) == (row,)


def test_the_language_comes_from_the_argument_before_the_name(tmp_path):
    text = three_columns(ENGLISH)
    assert list(read_one(tmp_path, "dev-zh.tsv", text)) == ["zh"]
    assert list(read_one(tmp_path, "dev-zh.tsv", text, "eng")) == ["en"]
    assert list(read_one(tmp_path, "pairs.tsv", text, "zh-CN")) == ["zh"]
    assert list(read_one(tmp_path, "test-th.tsv", xnli_file("en"), "zh")) == ["en"]
    with pytest.raises(NliError, match=r"pairs\.tsv does not tell which language"):
        read_one(tmp_path, "pairs.tsv", text)


# What is wrong, and where

GOOD = "A man.\tA person.\tentailment\n"
WRONG = {
    "unknown label": (GOOD + "a\tb\tmaybe\n", "line 2: its label is not one of entail"),
    "number too large": ("a\tb\t3\n", "line 1: its label is not one of"),
    "two columns": (GOOD + "a\tb\n", "line 2: it has 2 columns separated by tabs instead of 3"),
    "four columns": (GOOD + "a\tb\tc\tneutral\n", "line 2: it has 4 columns"),
    "more than the header": (
        "premise\thypothesis\tlabel\na\tb\tneutral\tc\n",
        "line 2: it has 4 columns",
    ),
    "cut before the texts": (
        table(XNLI_HEADER, "en\tneutral\t\t\t\t\tA man."),
        "line 2: it has 7 columns separated by tabs instead of 19",
    ),
    "no such column": (
        "premise\thypothesis\tgold\n" + GOOD,
        "line 1: the header has no column lab",
    ),
    "empty premise": (GOOD + " \tb\tneutral\n", "line 2: its premise is empty"),
    "empty hypothesis": ("a\t\tneutral\n", "line 1: its hypothesis is empty"),
    "empty language": (
        table(XNLI_HEADER, xnli_line("", *ENGLISH[0])),
        "line 2: its language is em",
    ),
    "empty line": (GOOD + "\n\n" + GOOD, "line 2: the line is empty"),
    "not UTF-8": (
        GOOD.encode() + "下雨\t湿\tneutral\n".encode("gb18030"),
        "line 2: .*not valid UTF-8",
    ),
    "UTF-16": (GOOD.encode("utf-16"), "line 1: .*not valid UTF-8"),
    "broken JSON": ('{"sentence1": "a"\n', "line 1: this is not valid JSON"),
    "no object": (json_lines(ENGLISH) + "[1]\n", "line 4: this is JSON but not an object"),
    "no label": ('{"sentence1": "a", "sentence2": "b"}\n', "line 1: it has no label"),
    "a truth": (json_lines([("a", "b", True)]), "line 1: its label is not one of"),
    "no premise": (
        '{"sentence2": "b", "gold_label": "neutral"}\n',
        "line 1: its premise is missing",
    ),
    "a number for text": (json_lines([("a", 7, "neutral")]), "line 1: its hypothesis is not text"),
    "half a character": (
        r'{"sentence1": "\ud83d", "sentence2": "b", "gold_label": "neutral"}',
        "line 1: its premise has half",
    ),
    "empty file": ("", "holds no labelled pair"),
    "a header alone": ("premise\thypothesis\tlabel\n", "holds no labelled pair"),
    "no agreement at all": (json_lines([("a", "b", "-")]), "holds no labelled pair"),
    "half a gzip file": (gzip.compress(GOOD.encode() * 99)[:-20], "damaged or cut-off gzip"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_with_file_and_line(tmp_path, case):
    content, message = WRONG[case]
    with pytest.raises(NliError, match=rf"^odd\.en\.tsv.*{message}") as caught:
        read_one(tmp_path, "odd.en.tsv", content)
    assert re.fullmatch(r"[^\n]*; [^\n]*\.", str(caught.value))


def test_no_file_and_no_directory(tmp_path):
    with pytest.raises(NliError, match=r"There is no file .*absent"):
        read_nli_file(tmp_path / "absent")
    with pytest.raises(NliError, match="is a directory; name a file in it"):
        read_nli_file(tmp_path)
    with pytest.raises(NliError, match=r"absent is no directory .* test-zh\.tsv.* bundled or hub"):
        load_nli(str(tmp_path / "absent"))


def test_what_never_ends_is_no_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (Path("/dev/zero"), pipe):
        with pytest.raises(NliError, match=f"{path} is no ordinary file"):
            read_nli_file(path, "en")
        with pytest.raises(TextError, match=f"{path} is no ordinary file"):
            read_files(path)


def test_a_file_is_read_within_bounds(tmp_path, monkeypatch):
    path = tmp_path / "train.tsv.gz"
    path.write_bytes(gzip.compress(bytes(10 * LIMIT_LINE_BYTES)))
    with pytest.raises(NliError, match="line 1: it is longer than 1 MB"):
        read_nli_file(path, "en")
    path.write_bytes(gzip.compress(b"A man.\tA person.\tentailment\n" * 100))
    monkeypatch.setattr(nli_files, "LIMIT_BYTES", 1000)
    with pytest.raises(NliError, match="larger than the limit of 1 kB"):
        read_nli_file(path, "en")


def test_carriage_returns_beside_tabs_are_white_space(tmp_path):
    path = tmp_path / "train-en.tsv"
    path.write_bytes(b"A man.\r\tA person.\r\tentailment\r\n")
    assert read_nli_file(path)["en"].premises == ("A man.",)


# The sets of a directory


def test_the_bundled_set_is_the_default():
    data = load_nli()
    assert (data.name, data.small) == ("bundled", True)
    assert (data.train.language, len(data.train)) == ("en", 744)
    assert {code: len(found) for code, found in data.dev.items()} == {"en": 171, "zh": 171}
    assert data.test["en"].labels == data.test["zh"].labels
    assert load_nli(source_language="zh").train.language == "zh"


@pytest.mark.parametrize(
    "name",
    ["train-en.tsv", "train.en.jsonl.gz", "multinli.train.en.tsv", "multinli_1.0_train.jsonl"],
)
def test_a_directory_of_single_and_official_files(tmp_path, name):
    content = json_lines(ENGLISH) if "json" in name else three_columns(ENGLISH)
    write(tmp_path, **{name: gzip.compress(content.encode()) if name.endswith("gz") else content})
    write(tmp_path, dev_en__tsv=three_columns(ENGLISH), xnli__test__tsv=xnli_file("ar", "en", "zh"))
    (tmp_path / "dev-zh.tsv.gz").write_bytes(gzip.compress(three_columns(CHINESE).encode()))
    data = load_nli(tmp_path)
    assert (data.name, data.small) == (tmp_path.name, False)
    assert (data.train.name, rows_of(data.train)) == (name, ENGLISH)
    assert {code: rows_of(found) for code, found in data.dev.items()} == TEXTS
    assert {code: rows_of(found) for code, found in data.test.items()} == TEXTS


def test_a_languages_own_file_goes_before_the_official_one(tmp_path):
    write(tmp_path, train__en__tsv=three_columns(ENGLISH), test__zh__tsv=three_columns(CHINESE[:1]))
    write(tmp_path, xnli__dev__tsv=xnli_file("en", "zh"), xnli__test__tsv=xnli_file("en", "zh"))
    test = load_nli(tmp_path).test
    assert (len(test["en"]), len(test["zh"])) == (3, 1)


def test_the_source_language_always_has_a_development_set():
    data = load_nli(languages=["zh-CN"])
    assert (list(data.dev), list(data.test)) == (["en", "zh"], ["zh"])


def test_a_training_file_of_ones_own(tmp_path):
    write(tmp_path, mine__tsv=three_columns(ENGLISH), mine__zh__tsv=three_columns(CHINESE))
    assert rows_of(load_nli(train=tmp_path / "mine.tsv").train) == ENGLISH
    assert load_nli(train=tmp_path / "mine.zh.tsv", source_language="zh").train.language == "zh"
    with pytest.raises(NliError, match=r"mine\.zh\.tsv has pairs in zh but none in en"):
        load_nli(train=tmp_path / "mine.zh.tsv")


def test_what_is_missing_is_told_with_what_was_looked_for(tmp_path):
    with pytest.raises(NliError, match=r"no training set in en in .*train\.en\.tsv.*multinli_1\.0"):
        load_nli(tmp_path)
    with pytest.raises(NliError) as caught:
        load_nli(tmp_path, source_language="de")
    assert "train.de.tsv" in str(caught.value)
    assert "multinli_1.0" not in str(caught.value)
    write(tmp_path, train__en__tsv=three_columns(ENGLISH))
    with pytest.raises(NliError, match=r"no dev set in en or zh in .*dev-en\.tsv.*xnli\.dev\.tsv"):
        load_nli(tmp_path)
    write(tmp_path, xnli__dev__tsv=xnli_file("en", "zh"), test__en__tsv=three_columns(ENGLISH))
    with pytest.raises(NliError, match=r"no test set in zh in .*test-zh\.tsv"):
        load_nli(tmp_path)
    write(tmp_path, xnli__test__tsv=xnli_file("en", "ar"))
    with pytest.raises(
        NliError, match=r"no test set in zh .* found only en, ar in xnli\.test\.tsv"
    ):
        load_nli(tmp_path)


# The hub


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub with XNLI in two languages, which notes what it is asked for or fails as told."""

    class Hub:
        asked: list[str]
        error: Exception | None = None
        languages = ("en", "zh")
        labels = (0, 1, 2)

        def download(self, hub_id, *, repo_type, allow_patterns):
            assert (hub_id, repo_type) == ("facebook/xnli", "dataset")
            if self.error:
                raise self.error
            for code in self.languages:
                (tmp_path / code).mkdir(exist_ok=True)
                for split in ("test", "train", "validation"):
                    for shard, row in enumerate(TEXTS[code]):
                        path = f"{code}/{split}-0000{shard}-of-00003.parquet"
                        columns = {"premise": [row[0]], "hypothesis": [row[1]]}
                        columns |= {"label": [self.labels[shard]]}
                        kept = huggingface_hub.utils.filter_repo_objects(
                            [path], allow_patterns=allow_patterns
                        )
                        if list(kept):
                            self.asked.append(path.split("-")[0])
                            pq.write_table(pa.table(columns), tmp_path / path)
            return str(tmp_path)

    hub = Hub()
    hub.asked = []
    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub.download)
    return hub


def test_the_hubs_sets_are_read_shard_by_shard(hub):
    data = load_nli("hub")
    assert (data.name, data.small) == ("xnli", False)
    assert rows_of(data.train) == ENGLISH
    assert {code: rows_of(found) for code, found in data.dev.items()} == TEXTS
    assert {code: rows_of(found) for code, found in data.test.items()} == TEXTS
    # Sixty megabytes a language would be for nothing.
    assert "zh/train" not in hub.asked


def test_a_training_file_of_ones_own_spares_the_hubs(hub, tmp_path):
    write(tmp_path, mine__tsv=three_columns(ENGLISH[:2]))
    data = load_nli("hub", train=tmp_path / "mine.tsv", languages=["zh"])
    assert len(data.train) == 2
    assert set(hub.asked) == {"en/validation", "zh/validation", "zh/test"}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (LocalEntryNotFoundError("offline"), "the hub cannot be reached"),
        (OfflineModeIsEnabled("offline"), "the hub cannot be reached"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
)
def test_without_the_hub_there_are_ways_out(hub, error, reason):
    hub.error = error
    with pytest.raises(NliError, match=rf"\({reason}\): choose the bundled set, or .*xnli\.test"):
        load_nli("hub")


def test_a_local_cache_without_a_language_is_not_taken_for_whole(hub):
    hub.languages = ("en",)
    with pytest.raises(NliError, match="not on this machine"):
        load_nli("hub")


def test_the_hub_is_not_asked_for_a_language_that_xnli_lacks(hub):
    with pytest.raises(NliError, match="XNLI has no nl; choose among ar, bg"):
        load_nli("hub", languages=["en", "nl"])
    assert hub.asked == []


def test_odd_and_damaged_files_of_the_hub(hub, tmp_path):
    hub.labels = (0, 1, -1)
    with pytest.raises(NliError, match="facebook/xnli/en/train has labels other than 0, 1 and 2"):
        load_nli("hub")
    (tmp_path / "en" / "train-00000-of-00003.parquet").write_bytes(b"PAR1")
    hub.labels, hub.languages = (0, 1, 2), ()
    with pytest.raises(NliError, match="facebook/xnli/en/train is damaged; delete"):
        load_nli("hub")


# Hashes and samples


def numbered(length: int, language: str = "en") -> NliSet:
    return NliSet(
        name="numbers",
        language=language,
        premises=tuple(f"{language} {row}" for row in range(length)),
        hypotheses=tuple(f"{row}" for row in range(length)),
        labels=tuple(row % 3 for row in range(length)),
    )


def test_the_hash_is_of_the_content_alone():
    base = NliSet("a", "en", ("ab", "c"), ("d", "e"), (0, 1))
    assert NliSet("b", "zh", *(base.premises, base.hypotheses, base.labels)).content_hash == (
        base.content_hash
    )
    others = [
        NliSet("a", "en", ("a", "bc"), ("d", "e"), (0, 1)),
        NliSet("a", "en", ("ab", "c"), ("d", "e"), (1, 0)),
        NliSet("a", "en", ("c", "ab"), ("e", "d"), (0, 1)),
        NliSet("a", "en", ("d", "e"), ("ab", "c"), (0, 1)),
    ]
    assert len({base.content_hash, *(other.content_hash for other in others)}) == 5


def test_a_sample_differs_by_seed_and_needs_a_size():
    everything = numbered(100)
    assert everything.sample(None) is everything.sample(100) is everything.sample(101) is everything
    assert everything.sample(10, seed=1) != everything.sample(10, seed=2)
    # Drawn from all over the set, not from its beginning.
    assert max(int(row) for row in everything.sample(10).hypotheses) > 50
    with pytest.raises(NliError, match="A sample of 0 pairs"):
        everything.sample(0)


@unhurried
@given(st.integers(2, 60), st.data(), st.integers(0, 2**32))
def test_samples_of_parallel_sets_stay_parallel(length, data, seed):
    size = data.draw(st.integers(1, length))
    english, chinese = (numbered(length, code).sample(size, seed) for code in ("en", "zh"))
    assert english.hypotheses == chinese.hypotheses
    assert english.labels == chinese.labels
    rows = [int(row) for row in english.hypotheses]
    assert rows == sorted(set(rows))
    assert len(rows) == len(english) == size
    assert english.premises == tuple(f"en {row}" for row in rows)
    assert english.labels == tuple(row % 3 for row in rows)
    larger = numbered(length).sample(data.draw(st.integers(size, length)), seed)
    assert set(rows) <= {int(row) for row in larger.hypotheses}


texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n\ufeff"), min_size=1
).filter(str.strip)
pairs = st.lists(st.tuples(texts, texts, st.sampled_from(LABELS)), min_size=1, max_size=5)


@unhurried
@given(pairs)
def test_any_text_survives_every_format(tmp_path_factory, rows):
    directory = tmp_path_factory.mktemp("nli")
    headed = three_columns(rows, "premise\thypothesis\tlabel")
    official = table(XNLI_HEADER, *(xnli_line("en", *row) for row in rows))
    for name, content in {
        "headed.en.tsv": headed,
        "official.en.tsv": official,
        "lines.en.jsonl": json_lines(rows),
        "packed.en.tsv.gz": gzip.compress(headed.encode()),
    }.items():
        assert rows_of(read_one(directory, name, content)["en"]) == tuple(rows)


@unhurried
@given(st.binary(max_size=80))
def test_any_bytes_give_pairs_or_one_sentence(tmp_path_factory, content):
    try:
        found = read_one(tmp_path_factory.mktemp("nli"), "odd.en.tsv", content)
    except NliError as error:
        told = str(error)
    else:
        told = "; ".join(f"{pairs.name} has {len(pairs)} pairs" for pairs in found.values())
    assert re.match(r"odd\.en\.tsv(, line \d+: .*;| has [1-9]| holds no| is a damaged)", told)


def test_more_lines_than_any_set_of_pairs_has_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(nli_files, "LIMIT_ROWS", 3)
    path = tmp_path / "test-en.tsv"
    path.write_text("a\tb\tneutral\n" * 3)
    assert len(read_nli_file(path)["en"]) == 3
    path.write_text("a\tb\t-\n" * 4)
    with pytest.raises(NliError, match=r"has more than 3 lines; take a part of it\."):
        read_nli_file(path)
