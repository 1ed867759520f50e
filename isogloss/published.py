"""Values that others have published, for comparison: never measurements of ours."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """Where a published value stands."""

    short: str
    full: str
    place: str


CONNEAU_2020 = Source(
    "Conneau et al. 2020",
    "Conneau, Wu, Li, Zettlemoyer & Stoyanov (2020), Emerging Cross-lingual Structure in "
    "Pretrained Language Models, ACL",
    "figure 7",
)
MULLER_2021 = Source(
    "Muller et al. 2021",
    "Muller, Elazar, Sagot & Seddah (2021), First Align, then Predict: Understanding the "
    "Cross-Lingual Ability of Multilingual BERT, EACL",
    "abstract",
)

WENDLER_2024 = Source(
    "Wendler et al. 2024",
    "Wendler, Veselovsky, Monea & West (2024), Do Llamas Work in English? On the Latent Language "
    "of Multilingual Transformers, ACL",
    "section 4",
)
DUMAS_2025 = Source(
    "Dumas et al. 2025",
    "Dumas, Wendler, Veselovsky, Monea & West (2025), Separating Tongue from Thought: Activation "
    "Patching Reveals Language-Agnostic Concept Representations in Transformers, arXiv 2411.08745",
    "abstract",
)


@dataclass(frozen=True)
class PublishedColumn:
    """Linear CKA by layer, L0 (embeddings) to L8, for a language pair and a kind of encoder.

    `mean` is the paper's own, of values before they were rounded.
    """

    languages: tuple[str, str]
    kind: str
    values: tuple[float, ...]
    mean: float


# fmt: off
_CKA = """
0.76 0.75 0.52  0.61 0.65 0.46  0.66 0.64 0.46  0.56 0.56 0.42  0.56 0.60 0.44
0.75 0.77 0.60  0.74 0.71 0.55  0.76 0.70 0.54  0.67 0.65 0.50  0.65 0.67 0.51
0.74 0.74 0.58  0.71 0.70 0.52  0.72 0.69 0.52  0.64 0.63 0.47  0.61 0.65 0.49
0.75 0.71 0.58  0.73 0.70 0.53  0.73 0.69 0.54  0.65 0.64 0.48  0.59 0.64 0.50
0.73 0.66 0.60  0.73 0.64 0.55  0.73 0.63 0.56  0.65 0.61 0.50  0.58 0.60 0.52
0.69 0.58 0.52  0.72 0.59 0.48  0.74 0.60 0.49  0.64 0.56 0.44  0.59 0.56 0.46
0.64 0.48 0.44  0.71 0.50 0.41  0.70 0.52 0.42  0.63 0.50 0.37  0.57 0.51 0.39
0.48 0.24 0.32  0.67 0.34 0.31  0.60 0.39 0.31  0.60 0.34 0.29  0.50 0.37 0.30
0.55 0.40 0.30  0.62 0.40 0.28  0.64 0.43 0.28  0.50 0.39 0.26  0.51 0.40 0.27
0.68 0.59 0.50  0.69 0.58 0.46  0.70 0.59 0.46  0.62 0.54 0.41  0.57 0.56 0.43
"""
# fmt: on
_PAIRS = (("en", "en′"), ("en", "fr"), ("en", "de"), ("en", "ru"), ("en", "zh"))
ENCODER_KINDS = ("bilingual", "monolingual", "random")


def published_cka() -> tuple[PublishedColumn, ...]:
    """Return the paper's table, column by column.

    Plain linear CKA of mean-pooled XNLI sentences. *Bilingual*: one masked language model of both
    languages. *Monolingual*: two models, one a language. *Random*: a random encoder reads the
    language that is not English. en′ are paraphrases of the English by translation there and back.
    """
    rows = [[float(value) for value in line.split()] for line in _CKA.split("\n") if line]
    columns = list(zip(*rows, strict=True))
    labels = [(pair, kind) for pair in _PAIRS for kind in ENCODER_KINDS]
    return tuple(
        PublishedColumn(pair, kind, values[:-1], values[-1])
        for (pair, kind), values in zip(labels, columns, strict=True)
    )


@dataclass(frozen=True)
class Task:
    """A text that others have tested on: its name, how many pairs, and `text_fingerprint` if known.

    More sentences are harder to search, so a value belongs beside ours only on the very same text.
    """

    name: str
    pairs: int
    fingerprint: str = ""

    def is_of(self, pairs: Iterable[tuple[str, str]]) -> bool:
        """Whether these are the task's sentence pairs, in any order and either direction."""
        return bool(self.fingerprint) and text_fingerprint(pairs) == self.fingerprint


def text_fingerprint(pairs: Iterable[tuple[str, str]]) -> str:
    """The SHA-256 of sentence pairs, whatever their order and direction."""
    lines = sorted("\t".join(sorted(pair)) for pair in pairs)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class PublishedValue:
    """One number, with the system that reached it and what it was tested on."""

    system: str
    value: float
    source: Source
    task: Task


_AWESOME_ALIGN = Source(
    "Dou & Neubig 2021",
    "Dou & Neubig (2021), Word Alignment by Fine-tuning Embeddings on Parallel Texts, EACL",
    "the project's table of results",
)
_LABSE = Source(
    "Feng et al. 2022",
    "Feng, Yang, Cer, Arivazhagan & Wang (2022), Language-agnostic BERT Sentence Embedding, ACL",
    "Tatoeba, cmn-eng",
)

_ALIGNED_NEWS = Task("news aligned by hand (Liu & Sun 2015)", 450)
TATOEBA_ZH_EN = Task(
    "the Tatoeba test, cmn-eng",
    1_000,
    "ae36cd79cfcb08e3c845b94b72b60502cc8fda6c0c6944780958e8c00d058159",
)

ALIGNMENT_ERROR_ZH_EN = (
    PublishedValue("mBERT", 0.181, _AWESOME_ALIGN, _ALIGNED_NEWS),
    PublishedValue("eflomal", 0.287, _AWESOME_ALIGN, _ALIGNED_NEWS),
    PublishedValue("fast_align", 0.381, _AWESOME_ALIGN, _ALIGNED_NEWS),
)
RETRIEVAL_ZH_EN = (PublishedValue("LaBSE", 0.963, _LABSE, TATOEBA_ZH_EN),)


def elsewhere(known: Iterable[PublishedValue]) -> str:
    """Published values of another task than the one on show, in one sentence."""
    values = list(known)
    if not values:
        return ""
    task, source = values[0].task, values[0].source
    systems = ", ".join(f"{each.system} {each.value:.2f}" for each in values)
    return (
        f"Published on another text, {task.pairs:,} pairs of {task.name}, and so not drawn: "
        f"{systems} ({source.full})."
    )


@dataclass(frozen=True)
class PublishedTransfer:
    """Accuracy on the XNLI test set by language; `zero_shot` saw English training pairs alone."""

    system: str
    accuracy: Mapping[str, float]
    zero_shot: bool
    source: Source


_MULTILINGUAL_BERT = Source(
    "Devlin 2018",
    "Devlin (2018), Multilingual BERT, github.com/google-research/bert",
    "multilingual.md",
)
_LASER = Source(
    "Artetxe & Schwenk 2019",
    "Artetxe & Schwenk (2019), Massively Multilingual Sentence Embeddings for Zero-Shot "
    "Cross-Lingual Transfer and Beyond, TACL",
    "the project's table for XNLI",
)
_XLM = Source(
    "Lample & Conneau 2019",
    "Lample & Conneau (2019), Cross-lingual Language Model Pretraining, NeurIPS",
    "table 1",
)
_XLM_R = Source(
    "Conneau et al. 2020",
    "Conneau, Khandelwal, Goyal, Chaudhary, Wenzek, Guzmán, Grave, Ott, Zettlemoyer & Stoyanov "
    "(2020), Unsupervised Cross-lingual Representation Learning at Scale, ACL",
    "table 1",
)

TRANSFER_XNLI = (
    PublishedTransfer("mBERT", {"en": 0.814, "zh": 0.638}, True, _MULTILINGUAL_BERT),
    PublishedTransfer("LASER", {"en": 0.7465, "zh": 0.7138}, True, _LASER),
    PublishedTransfer("XLM-15, MLM", {"zh": 0.719}, True, _XLM),
    PublishedTransfer("XLM-15, MLM+TLM", {"zh": 0.765}, True, _XLM),
    PublishedTransfer("mBERT, translated", {"en": 0.819, "zh": 0.766}, False, _MULTILINGUAL_BERT),
    PublishedTransfer("XLM-R large, translated", {"en": 0.891, "zh": 0.837}, False, _XLM_R),
)


_FIFTEEN = "en   fr   es   de   el   bg   ru   tr   ar   vi   th   zh   hi   sw   ur"
_MBERT_FIFTEEN = "82.1 73.8 74.3 71.1 66.4 68.9 69.0 61.6 64.9 69.5 55.8 69.3 60.0 50.4 58.0"
_XLM_R_FIFTEEN = "85.8 79.7 80.7 78.7 77.5 79.6 78.1 74.2 73.8 76.5 74.6 76.7 72.4 66.5 68.3"


def _by_language(row: str) -> dict[str, float]:
    """A row of the table, in per cent there, by language."""
    return {
        code: float(value) / 100 for code, value in zip(_FIFTEEN.split(), row.split(), strict=True)
    }


ZERO_SHOT_XNLI = (
    PublishedTransfer(
        "mBERT",
        _by_language(_MBERT_FIFTEEN),
        True,
        Source(
            "Wu & Dredze 2019",
            "Wu & Dredze (2019), Beto, Bentz, Becas: The Surprising Cross-Lingual Effectiveness of "
            "BERT, EMNLP, as Conneau et al. (2020) repeat it",
            "table 1 there",
        ),
    ),
    PublishedTransfer("XLM-R base", _by_language(_XLM_R_FIFTEEN), True, _XLM_R),
)
"""All fifteen languages, trained on English alone."""


@dataclass(frozen=True)
class PublishedFreezing:
    """Zero-shot accuracy on the XNLI test set by how many layers are frozen, each (N,)."""

    system: str
    n_layers: int
    frozen: tuple[int, ...]
    accuracy: Mapping[str, tuple[float, ...]]
    source: Source


FREEZING_XNLI = PublishedFreezing(
    system="mBERT",
    n_layers=12,
    frozen=(-1, 0, 3, 6, 9, 12),
    accuracy={
        "en": (0.821, 0.818, 0.819, 0.820, 0.794, 0.782),
        "fr": (0.738, 0.736, 0.740, 0.746, 0.716, 0.706),
        "de": (0.711, 0.711, 0.712, 0.720, 0.690, 0.664),
        "ru": (0.690, 0.692, 0.683, 0.698, 0.669, 0.655),
        "zh": (0.693, 0.700, 0.693, 0.704, 0.680, 0.662),
        "sw": (0.504, 0.489, 0.494, 0.499, 0.492, 0.477),
    },
    source=Source(
        "Wu & Dredze 2019",
        "Wu & Dredze (2019), Beto, Bentz, Becas: The Surprising Cross-Lingual Effectiveness of "
        "BERT, EMNLP, aclanthology.org/D19-1077",
        "the table of frozen layers",
    ),
)
"""The experiment of the transfer page, done with all of MultiNLI."""

CESHINE_2019 = Source(
    "Ceshine Lee 2019",
    "Ceshine Lee (2019), Zero Shot Cross-Lingual Transfer with Multilingual BERT, "
    "blog.ceshine.net/post/zero-shot-bert-sent-emb",
    "Results, Tatoeba",
)
ERROR_REDUCTION: Mapping[str, float] = {"mean": 0.27, "max": 0.50, "cls": 0.61}
"""The post's largest relative error reductions over its languages, by the baseline's pooling."""

HUSSAIN_DUDEV = Source(
    "Hussain & Dudev",
    "Hussain & Dudev, Evolution of Representations in Cross-Lingual Fine-tuning, University of "
    "Amsterdam",
    "tables 1 and 2",
)


@dataclass(frozen=True)
class PublishedStep:
    """Mean and standard deviation over three runs of two perplexities at a step of training."""

    step: int
    target: tuple[float, float]
    multilingual: tuple[float, float]


DUTCH_ADAPTATION = (
    PublishedStep(1, (11.54, 1.28), (6.08, 0.33)),
    PublishedStep(501, (7.76, 0.86), (10.39, 0.69)),
    PublishedStep(1_501, (5.56, 0.56), (22.45, 1.60)),
)
"""Multilingual BERT, all layers trained on Dutch; their curves cross at about step 200."""

DUTCH_REGIMES: Mapping[str, float] = {
    "all": 7.342,
    "last-6": 9.045,
    "last-3": 14.159,
    "last-1": 16.110,
    "gradual": 8.950,
}
"""Test perplexity on Dutch by regime; the paper calls the last six layers 6-12."""
DUTCH_NATIVE = 23.547
"""BERTje, trained on Dutch alone and not adapted, on the same text with its own vocabulary."""
