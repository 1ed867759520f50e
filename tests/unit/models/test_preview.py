"""What a model will see of a text: tokens and unknown ones are counted as its tokenizer does."""

from tokenizers import Tokenizer, models, pre_tokenizers

from isogloss.models.preview import preview_tokenisation
from isogloss.models.tokens import tokenise
from isogloss.text.parallel import ParallelText


def test_tokens_are_counted_as_the_model_will_see_them(encoder, encoder_directory, bitext):
    for side, found in enumerate(preview_tokenisation(encoder_directory, bitext)):
        sentences = tokenise(encoder, bitext.side(side))
        assert found.tokens == sum(sum(not mark for mark in each.special) for each in sentences)
        assert found.unknown_share == 0


def test_pieces_unknown_to_a_unigram_model_are_counted_though_they_are_not_called_so(tmp_path):
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁", -2.0), ("a", -1.0)], unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    bitext = ParallelText("two", ("en", "zh"), ("a a",), ("a 猫",))
    first, second = preview_tokenisation(tmp_path, bitext)
    assert (first.tokens, first.unknown_share) == (4, 0)
    assert (second.tokens, second.unknown_share) == (4, 0.25)
