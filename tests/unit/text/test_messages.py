"""Whoever names a file on a server learns what is wrong with it, never what it says."""

import pytest

from isogloss.errors import IsoglossError
from isogloss.text.monolingual import Sizes, read_adaptation_text
from isogloss.text.nli import load_nli, read_nli_file
from isogloss.text.reading import read_files
from isogloss.text.sts import read_sts_file
from isogloss.text.treebanks import read_treebank

SECRET = "hunter2"
CONTENTS = (
    "#",
    "#\t#",
    "#\t#\t#",
    "#\t#\nb",
    "en\tzh\n#\t#\t#",
    "en\tzh\n\t#",
    "en\tfr\tzh\n#\t#\t#",
    "# ||| # ||| #",
    "#,#\n#",
    "#\t#" + "\t#" * 8,
    "1\ta\ta\t#\t_\t_\t0\troot\t_\t_",
    "1\ta\ta\tNOUN\t_\t_\t#\troot\t_\t_",
    "a #",
    "a I-#",
    '"#,#\n',
    "premise\thypothesis\tlabel\tlanguage\n#\t#\tneutral\t#",
    "sentence1\tsentence2\tscore\n#\t#\t#",
    "sentence1\tsentence2\t#\na\tb\t1",
    '{"#": "#"}',
    '{"#": 1, "en": "#"',
    '{"en": "#", "zh": ["#"]}',
    '{"en": "Hi", "zh": "#", "alignment": "#"}',
    '{"en": "Hi", "zh": "嗨", "en_words": "#"}',
    '{"en": "Hi#", "zh": "嗨", "en_words": "Hi"}',
    '{"sentence1": "a", "sentence2": "b", "gold_label": "#"}',
    '<?xml version="1.0" encoding="#"?><tmx>',
    '<!DOCTYPE tmx [<!ENTITY # "#">]><tmx>',
    "<tmx>&x#;</tmx>",
    '<tmx><tu><tuv lang="#"><seg>#</seg></tuv></tu></tmx>',
    '<tmx><tu><tuv lang="#"><seg>a</seg></tuv><tuv lang="zh"><seg>b</seg></tuv></tu><tu/></tmx>',
    '<tmx><tu><tuv lang="#"><seg>a</seg></tuv><tuv lang="x#"><seg>b</seg></tuv></tu></tmx>',
)


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "tmx", "txt", "conllu", "iob2"])
def test_no_message_quotes_a_file(tmp_path, content, ending):
    path = tmp_path / f"en_test-en.{ending}"
    path.write_text(content.replace("#", SECRET), encoding="utf-8")
    readers = (
        read_files,
        lambda path: read_files(path, languages=("en", "nl")),
        lambda path: read_files(path, columns=("a", "b")),
        read_nli_file,
        lambda path: load_nli(path.parent, train=path),
        read_sts_file,
        read_treebank,
        lambda path: read_adaptation_text("nl", [str(path)], [], Sizes(9, 9, 9, 9), 0),
    )
    refused = 0
    for read in readers:
        try:
            read(path)
        except IsoglossError as problem:
            refused += 1
            message = str(problem)
            assert SECRET not in message, message
    assert refused
