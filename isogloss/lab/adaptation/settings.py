"""What an adaptation is asked for: model, language, text, regimes and training, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from isogloss.errors import RunError
from isogloss.lab.adaptation.language_training import Schedule
from isogloss.lab.adaptation.regimes import REGIMES, find_regime, regimes_for
from isogloss.lab.runs.options import device_option, model_option, rate_option, seeds_option
from isogloss.lab.runs.plan import Plan, check_seeds
from isogloss.models.presets import display_name, find_preset
from isogloss.options import option
from isogloss.text.monolingual import AdaptationText, Sizes, read_adaptation_text
from isogloss.text.reading import BUNDLED_NAMES


@dataclass(frozen=True)
class AdaptationSettings(Plan):
    """What to adapt, to what, and how; see `REGIMES` for the regimes.

    `text` and `multilingual` are sources as `isogloss.text.monolingual` reads them, None for the
    bundled ones. Training stops after `patience` evaluations without a better validation
    perplexity, never if it is 0. `reference` names a native model to measure the distance to.
    """

    KIND: ClassVar[str] = "adaptation"
    SUMMARY: ClassVar[str] = (
        "train a model on text of one language and measure what moves and what is forgotten"
    )
    DESCRIPTION: ClassVar[str] = (
        "A source of text is a bundled text (see `text ls`), a file of parallel text or of "
        "labelled pairs, or a plain text with one sentence per line."
    )

    model: str = model_option("mini-en-zh")
    language: str = option("zh", "the language to adapt to", title="Language")
    text: tuple[str, ...] = option(
        (), "sources to learn from, the bundled ones by default", paths=True, known=BUNDLED_NAMES
    )
    multilingual: tuple[str, ...] = option(
        (),
        "sources that show what is forgotten, the bundled ones by default",
        paths=True,
        known=BUNDLED_NAMES,
    )
    regimes: tuple[str, ...] = option(
        ("all", "last-3", "last-1", "gradual"),
        f"{', '.join(REGIMES)} or last-k",
        title="Layers that learn",
        suited="all that differ in the model",
        choices=REGIMES,
        word="|".join((*REGIMES, r"last-\d+")),
    )
    seeds: tuple[int, ...] = seeds_option("one training of each regime for each")
    epochs: int = option(
        3,
        "passes through the text; gradual unfreezing adds a group of layers in each",
        title="Epochs",
        least=1,
    )
    batch_size: int = option(8, "sentences per step", title="Sentences per step", least=1)
    learning_rate: float = rate_option(2e-4, "of the first step; it falls linearly to 0")
    evaluate_every: int = option(
        10, "steps from one measurement to the next", title="Measure every", least=1
    )
    patience: int = option(
        0,
        "measurements without a better one after which a training stops; 0 for never",
        title="Patience",
        least=0,
    )
    train_embeddings: bool = option(
        False, "let the embeddings learn with the lowest block", title="Embeddings"
    )
    dropout: bool = option(True, "dropout in the layers that learn", title="Dropout")
    train_sentences: int = option(
        1_000, "how many sentences to learn from, at most", title="Train on", least=1
    )
    validation_sentences: int = option(
        150, "held-out sentences of the language, at most", title="Validate on", least=1
    )
    test_sentences: int = option(
        300, "sentences for the final test, at most", title="Test on", least=1
    )
    multilingual_sentences: int = option(
        200,
        "held-out sentences of all languages together, at most",
        title="Several languages",
        least=2,
    )
    # Shorter sentences have hardly anything to hide or to predict.
    longest: int = option(
        64, "tokens after which a sentence is cut", title="Tokens per sentence", least=8
    )
    split_seed: int = option(0, "the seed by which text is split into its parts", least=0)
    reference: str = option(
        "", "a native model to measure the distance to", title="Native model", models=True
    )
    device: str = device_option()

    def __post_init__(self) -> None:
        for regime in self.regimes:
            find_regime(regime)
        if not self.regimes or len(set(self.regimes)) != len(self.regimes):
            raise RunError("Give at least one regime, and each only once.")
        check_seeds(self.seeds)
        preset = find_preset(self.model)
        if preset is not None and not preset.language_head:
            raise RunError(
                f"{self.model} comes without the head that guesses tokens, which adapting needs: "
                "choose another model, such as mini-en-zh."
            )
        super().__post_init__()

    @classmethod
    def suited(cls, n_layers: int, **values: Any) -> Self:
        regimes = tuple(regime.name for regime in regimes_for(n_layers))
        return cls(**{"regimes": regimes} | values)

    @property
    def title(self) -> str:
        text = ", ".join(source.rpartition("/")[2] for source in self.text) or "bundled text"
        return f"{display_name(self.model)} adapted to {self.language} on {text}"

    @property
    def schedule(self) -> Schedule:
        """How a regime is trained."""
        return Schedule(
            self.epochs, self.batch_size, self.learning_rate, self.train_embeddings, self.dropout
        )

    def parts(self) -> dict[str, tuple[str, int]]:
        """Every regime with every seed; all have their first seed before any its second."""
        return {
            f"{regime} seed {seed}": (regime, seed)
            for seed in self.seeds
            for regime in self.regimes
        }

    def read_data(self) -> AdaptationText:
        """The text, split into its parts."""
        sizes = Sizes(
            self.train_sentences,
            self.validation_sentences,
            self.test_sentences,
            self.multilingual_sentences,
        )
        return read_adaptation_text(
            self.language, self.text, self.multilingual, sizes, self.split_seed
        )
