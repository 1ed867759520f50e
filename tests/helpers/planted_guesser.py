"""A model whose layers say what a test has them say: states are one-hot over the vocabulary."""

from types import SimpleNamespace

import torch

from isogloss.models.guessing import Prompt
from isogloss.text.concepts import bundled_concepts

N_LAYERS = 4


class PlantedGuesser:
    """Says the word of a language that `speaks` names for each layer, with so much probability."""

    masked, name, n_layers = False, "planted", N_LAYERS

    def __init__(self, speaks: tuple[str, ...], share: float = 0.6) -> None:
        concepts = bundled_concepts()
        words = [word for language in concepts.languages for word in concepts.of(language)]
        self.vocabulary = ("", " ", *dict.fromkeys(words))
        self.width_of_vocabulary = len(self.vocabulary)
        self.model = SimpleNamespace(tokenizer=self)
        self._speaks, self._share = speaks, share
        self._concepts = concepts

    def __call__(self, text, add_special_tokens):
        return SimpleNamespace(input_ids=[1])

    def decode(self, ids):
        return self.vocabulary[ids[0]]

    def prompt(self, text: str) -> Prompt:
        """The concept that is asked for, in the place of token ids."""
        given = text.rsplit(': "', 2)[1].partition('"')[0]
        language = next(w for w, words in self._concepts.words.items() if given in words)
        return Prompt((self._concepts.of(language).index(given),), 0)

    def read(self, prompts, *, everywhere=False):
        states = torch.full((N_LAYERS + 1, len(prompts), len(self.vocabulary)), 1e-9)
        for layer, language in enumerate(self._speaks):
            for row, prompt in enumerate(prompts):
                if language:
                    word = self._concepts.of(language)[prompt.ids[0]]
                    states[layer, row, self.vocabulary.index(word)] = self._share
        states[:, :, 1] += 1 - states.sum(-1)
        return states

    def probabilities(self, states):
        half = len(states) // 2
        yield 0, states[:half]
        yield half, states[half:]
