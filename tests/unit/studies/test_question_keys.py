"""Keys of answers that stores already hold: a setting that is declared anew keeps its key."""

import pytest

from isogloss.errors import IsoglossError
from isogloss.map.maps import Layout, MapLinks, SeenInPicture
from isogloss.store import cache_key
from isogloss.studies.coordinates import RogueReport
from isogloss.studies.layer_geometry import LayerGeometry
from isogloss.studies.mapping import DictionaryTranslation, MappedRetrieval
from isogloss.studies.retrieval import LanguageIdentity, SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.word_alignment import AlignmentQuality

ONE, OTHER = "5" * 32, "6" * 32
KEYS = {
    LayerComparison(ONE): "bb03b2ed2f88555f02d8aba4a42ec9c2",
    LayerComparison(ONE, 1, OTHER, 0, "mexa", "word", "last", "raw"): (
        "a87dfdced9ff4cf545c9d80db01f45a3"
    ),
    SentenceRetrieval(ONE): "2f31f71eac4dc0c14e70fc4186311613",
    SentenceRetrieval(ONE, "cosine", "first", "centred"): "936a4a6a557d4912ed68210d828e8e05",
    LanguageIdentity(ONE): "f92169524d0e5e9702de979fba6a115a",
    MappedRetrieval(ONE): "df8a6a4d74ec32d31b9309fff6c14b9e",
    MappedRetrieval(ONE, "", "word"): "d05540aed6afad7e7b67c990f43d1ed6",
    DictionaryTranslation(ONE, (("a", "b"),)): "ab324425f103f5ba39b55506f7f0e273",
    AlignmentQuality(ONE): "1e023ea2e1221e624d46d86a5b996115",
    LayerGeometry(ONE): "a946d693ce44180e4c5fe943ecf78b62",
    RogueReport(ONE): "16d9ac67c15ddd328a6d27236f7674c7",
    Layout(ONE): "8d49c6cd0eb86e2c968924003030a6a7",
    MapLinks(ONE): "075f85475122bff28d9f90356852e30d",
    SeenInPicture(ONE): "69791fa8d5d21384aae943447d1e56bd",
}


@pytest.mark.parametrize(("question", "key"), KEYS.items(), ids=[type(q).__name__ for q in KEYS])
def test_a_kept_answer_is_found_under_the_key_it_has(question, key):
    assert cache_key(question.record()) == key, (
        "raise VERSION if the answer changed, else mend this"
    )


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: LayerComparison(ONE, measure="ckaa"), "no measure 'ckaa': choose among .*mexa"),
        (lambda: SentenceRetrieval(ONE, pooling="sum"), "no pooling 'sum': choose among mean"),
        (lambda: LayerGeometry(ONE, coordinates="own"), "no coordinates 'own'"),
    ],
)
def test_a_question_that_nobody_can_answer_is_refused_when_it_is_asked(ask, said):
    with pytest.raises(IsoglossError, match=said):
        ask()
