"""Values that others have published, for comparison: never measurements of ours."""

from __future__ import annotations

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
class PublishedValue:
    """One number, on another text than ours, with the system that reached it."""

    system: str
    value: float
    source: Source


_AWESOME_ALIGN = Source(
    "Dou & Neubig 2021",
    "Dou & Neubig (2021), Word Alignment by Fine-tuning Embeddings on Parallel Corpora, EACL",
    "the project's table of results",
)
_LABSE = Source(
    "Feng et al. 2022",
    "Feng, Yang, Cer, Arivazhagan & Wang (2022), Language-agnostic BERT Sentence Embedding, ACL",
    "Tatoeba, cmn-eng",
)

ALIGNMENT_ERROR_ZH_EN = (
    PublishedValue("mBERT", 0.181, _AWESOME_ALIGN),
    PublishedValue("eflomal", 0.287, _AWESOME_ALIGN),
    PublishedValue("fast_align", 0.381, _AWESOME_ALIGN),
)
RETRIEVAL_ZH_EN = (PublishedValue("LaBSE", 0.963, _LABSE),)
