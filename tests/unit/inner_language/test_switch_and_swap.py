"""The swap finds at which layer what was planted is settled; the switch, where a vector works."""

import numpy as np
import pytest
import torch

from isogloss.errors import IsoglossError
from isogloss.inner_language import directions, switch
from isogloss.inner_language.directions import direction
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.swap import Swap, SwapAnswer, finding, settled
from isogloss.inner_language.switch import Steered, SteeredAnswer, Switch, add_vector
from isogloss.models.guessing import OneGuesser, Prompt, load_guesser
from isogloss.studies.extraction import extract
from isogloss.studies.questions import Steps
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText
from tests.helpers.planted_guesser import N_LAYERS, PlantedGuesser

QUIET = Steps(lambda share, message: None, lambda: False)
LANGUAGE_FROM, CONCEPT_FROM = 2, 3


class Swapped(PlantedGuesser):
    """Says the language that is put in from one layer on, and the concept from another on.

    A state is two numbers: which language is asked for, and which concept.
    """

    def __init__(self) -> None:
        super().__init__(())

    def prompt(self, text: str) -> Prompt:
        (concept,) = super().prompt(text).ids
        into = 0 if "Français" in text else 1
        return Prompt((into, concept), 0)

    def read(self, prompts, *, everywhere=False):
        states = torch.tensor([each.ids for each in prompts]).float()
        return states.expand(N_LAYERS + 1, *states.shape)

    def read_whole(self, prompts):
        return self.read(prompts).unsqueeze(2)

    def answer_from(self, layer, states, prompts):
        logits = torch.full((len(prompts), len(self.vocabulary)), -50.0)
        for row, prompt in enumerate(prompts):
            put_in = states[row, 0].int().tolist()
            into = put_in[0] if layer >= LANGUAGE_FROM else prompt.ids[0]
            concept = put_in[1] if layer >= CONCEPT_FROM else prompt.ids[1]
            word = self._concepts.of(("fr", "zh")[into])[concept]
            logits[row, self.vocabulary.index(word)] = 0
        return logits


def test_where_language_and_concept_are_settled_is_found(tmp_path):
    answer = Swap("planted", pairs=9).compute(Swapped(), None, QUIET, tmp_path)
    assert answer.mass.shape == (N_LAYERS + 1, 9, 4)
    mean = answer.mass.mean(1)
    assert mean[0] == pytest.approx([0, 0, 0, 1], abs=1e-6)
    assert mean[2] == pytest.approx([0, 0, 1, 0], abs=1e-6)
    assert mean[3] == pytest.approx([1, 0, 0, 0], abs=1e-6)
    assert settled(answer) == {"language": LANGUAGE_FROM, "concept": CONCEPT_FROM}
    assert "the language of what is said from layer 2" in finding(answer)


def test_what_is_not_settled_at_the_top_is_at_no_layer():
    mass = np.zeros((4, 5, 4))
    mass[:3, :, 0] = 1
    mass[3, :, 3] = 1
    answer = SwapAnswer(np.array(["a"] * 5), np.array(["b"] * 5), mass, 0)
    assert settled(answer) == {"language": None, "concept": None}


def test_a_swap_takes_three_languages(tmp_path):
    with pytest.raises(IsoglossError, match="three different"):
        Swap("planted", into="de").compute(Swapped(), None, QUIET, tmp_path)


@pytest.fixture
def guesser(masked_model_directory, store):
    return load_guesser(str(masked_model_directory), store)


def test_the_vector_is_the_difference_of_means(guesser, store, monkeypatch):
    pairs = (("Good morning!", "早上好！"), ("I like green tea.", "我喜欢绿茶。"))
    monkeypatch.setattr(directions, "sentence_pairs", lambda away, toward: pairs)
    found = direction(guesser, store, QUIET, "en", "zh", "")
    network, tokenizer = guesser.model.network.bert, guesser.model.tokenizer
    for layer in range(4):
        means = []
        for side in (0, 1):
            rows = []
            for pair in pairs:
                ids = tokenizer(pair[side], return_tensors="pt").input_ids
                with torch.no_grad():
                    given = network(ids, output_hidden_states=True).hidden_states[layer][0]
                rows.append(given[1:-1])
            means.append(torch.cat(rows).mean(0))
        expected = means[1] - means[0]
        assert (found[layer] - expected).abs().max() < 1e-3 * expected.abs().max()
    monkeypatch.setattr(type(guesser), "read", None)  # it is kept, so nothing is read again
    assert torch.equal(found, direction(guesser, store, QUIET, "en", "zh", ""))


def test_a_study_gives_the_sentences_and_those_to_ask_about(guesser, encoder, store):
    english = [f"I like tea number {number}." for number in range(20)]
    chinese = [f"我喜欢{number}号茶。" for number in range(20)]
    text = ParallelText("tea", ("zh", "en"), tuple(chinese), tuple(english))
    study = Study(extract(encoder, text, store))
    means, rest = directions.pairs_of(study.key[:12], "en", "zh", store)
    assert means == tuple(zip(english[:10], chinese[:10], strict=True))
    assert rest == tuple(zip(english[10:], chinese[10:], strict=True))
    found = direction(guesser, store, QUIET, "en", "zh", study.key)
    assert not torch.allclose(found, direction(guesser, store, QUIET, "en", "zh", ""), atol=1e-3)
    # the record knows the sentences, not the study, and is as ever where none is named
    asked = Switch(guesser.name, text=study.key).record(store)
    assert Switch(guesser.name, text=study.key[:12]).record(store) == asked
    assert not {"text", "sentences"} & set(Switch(guesser.name).record(store))
    with pytest.raises(IsoglossError, match="has no French"):
        directions.pairs_of(study.key, "fr", "zh", store)
    with pytest.raises(IsoglossError, match="No study begins with xyz"):
        directions.pairs_of("xyz", "en", "zh", store)
    few = ParallelText("few", ("en", "zh"), tuple(english[:9]), tuple(chinese[:9]))
    with pytest.raises(IsoglossError, match="has 9 pairs, and a direction takes 16"):
        directions.pairs_of(Study(extract(encoder, few, store)).key, "en", "zh", store)


def test_a_vector_leaves_the_first_token_alone():
    states = torch.zeros((2, 3, 4))
    changed = add_vector(states, torch.ones(4))
    assert changed[:, 0].abs().max() == 0
    assert (changed[:, 1:] == 1).all()
    assert states.abs().max() == 0


def test_strength_zero_says_the_same_bit_for_bit(guesser, store, tmp_path):
    answer = Steered("x", "I like [MASK] tea.", layer=2, strength=0.0).compute(
        guesser, store, QUIET, tmp_path
    )
    assert answer.plain == answer.steered != ""
    prompts = [guesser.prompt("I like [MASK] tea."), guesser.prompt("[MASK] morning")]
    plain = guesser.answer(prompts)
    for vector in direction(guesser, store, QUIET, "en", "zh", ""):
        for layer in range(4):
            with guesser.changed(layer, lambda states, v=vector: add_vector(states, 0.0 * v)):
                assert torch.equal(guesser.answer(prompts), plain)


def test_what_is_said_can_be_read_as_it_comes(guesser, store, tmp_path):
    shown = []
    steps = Steps(lambda share, message: None, lambda: False, shown.append)
    question = Steered("x", "I like [MASK] tea.", layer=2)
    answer = question.compute(guesser, store, steps, tmp_path)
    assert shown[0] == SteeredAnswer("", answer.steered)
    assert shown[-1] == answer
    with pytest.raises(IsoglossError, match="layers 0 to 3"):
        Steered("x", "I like", layer=9).compute(guesser, store, QUIET, tmp_path)


def test_a_planted_direction_flips_and_random_ones_do_not(guesser, monkeypatch, tmp_path):
    """The vector is the head's own direction of a Chinese token, at the top."""
    decoder = guesser.model.network.cls.predictions.decoder.weight.detach()
    number = guesser.model.tokenizer.convert_tokens_to_ids("喜")
    vector = torch.zeros((4, 32))
    vector[3] = 60 * decoder[number] / decoder[number].norm()
    monkeypatch.setattr(switch, "direction", lambda *given: vector)
    with torch.no_grad():
        guesser.model.network.cls.predictions.transform.dense.weight.copy_(torch.eye(32))
    question = Switch("x", prompts=10, directions=5)
    answer = question.compute(guesser, None, QUIET, tmp_path)
    assert answer.flipped[3].max() == 1
    assert answer.plain <= 0.3  # what so small a random model says by itself
    assert answer.random[3].mean() <= 0.7  # a third of this small vocabulary is Chinese
    assert answer.flipped[1].max() == answer.plain  # nothing was added there
    assert answer.best[0] == 3
    assert "Chinese lead at 100\u00a0%" in switch.finding(answer, "zh")


def test_an_answer_is_kept_under_its_settings(masked_model_directory, store, monkeypatch):
    from isogloss.inner_language import questions

    monkeypatch.setattr(questions, "the_guesser", OneGuesser())
    asked: ModelQuestion = Steered(str(masked_model_directory), "I like [MASK].", layer=1)
    assert asked.find(store) is None
    answer = asked.answer(store)
    assert asked.find(store) == answer
    assert Steered(str(masked_model_directory), "I like [MASK].", layer=2).find(store) is None
    packaged = Steered("gemma-3-270m", "Hello")
    assert packaged.record(store)["model"] == "gemma-3-270m"
