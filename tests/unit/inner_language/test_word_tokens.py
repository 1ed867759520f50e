"""Which tokens begin a word: never white space, never a token of two languages."""

from types import SimpleNamespace

from isogloss.inner_language.word_tokens import SCRIPTS, FirstTokens, script_of, scripts_of

VOCABULARY = (
    "", " ", "\n", "f", "fl", "fle", "fleur", " fleur", "Fleur", " Fl", "flower", "lower", "##fl",
    "花", " 花", "flow", "fleurs", "\ufffd",
)  # fmt: skip


def tokens() -> FirstTokens:
    class Tokenizer:
        def __call__(self, text, add_special_tokens):
            first = len(VOCABULARY) - 1 if text.strip() == "书" else VOCABULARY.index("f")
            return SimpleNamespace(input_ids=[first])

        def decode(self, ids):
            return VOCABULARY[ids[0]]

    model = SimpleNamespace(tokenizer=Tokenizer())
    return FirstTokens(SimpleNamespace(model=model, vocabulary=VOCABULARY))


def texts(ids) -> set[str]:
    return {VOCABULARY[each] for each in ids}


def test_prefixes_with_and_without_space_and_capital():
    assert texts(tokens().of("fleur")) == {
        "f", "fl", "fle", "fleur", " fleur", "Fleur", " Fl",
    }  # fmt: skip
    assert texts(tokens().of("花")) == {"花", " 花"}


def test_a_part_of_a_character_begins_a_word_if_the_tokenizer_says_so():
    assert texts(tokens().of("书")) == {"\ufffd"}


def test_what_two_languages_share_belongs_to_neither():
    own = tokens().by_language({"fr": "fleur", "en": "flower", "zh": "花"})
    assert texts(own["fr"]) == {"fle", "fleur", " fleur", "Fleur"}
    assert texts(own["en"]) == {"flow", "flower"}
    assert texts(own["zh"]) == {"花", " 花"}
    mirrored = tokens().by_language({"en": "fleur", "fr": "flower", "zh": "花"})
    assert texts(mirrored["en"]) == texts(own["fr"])


def test_scripts():
    names = [SCRIPTS[script_of(each)] for each in ("Haus", "œuf", "书", "お茶", "мост", "שלום")]
    assert names == ["Latin", "Latin", "Chinese characters", "Kana", "Cyrillic", "other"]
    assert script_of(" 12!") == script_of("Hausдом") == script_of("") == -1
    assert scripts_of(["a", "1"]).tolist() == [0, -1]
