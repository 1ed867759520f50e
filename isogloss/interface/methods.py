r"""What a paper says of how its numbers came about: a paragraph, and the papers that it rests on.

Everything in it is read off the study and its answers, so it names what was computed and nothing
else. The paragraph is LaTeX with `\citep`, its entries are in `isogloss/references.bib`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.interface.best_layers import BestLayers
from isogloss.interface.layer_results import AlignmentResult, RetrievalResult, SimilarityResult
from isogloss.interface.map_result import MapResult
from isogloss.interface.results import LayerResult
from isogloss.measures.coordinates import COORDINATES
from isogloss.models.presets import display_name
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name

_ENTRIES = Path(__file__).parents[1] / "references.bib"
_SHOWN_OF_A_DIGEST = 16

MEASURES: dict[str, tuple[str, ...]] = {
    "debiased_cka": ("kornblith2019", "song2012"),
    "cka": ("kornblith2019", "conneau2020"),
    "rbf_cka": ("kornblith2019", "song2012"),
    "mexa": ("kargaran2024",),
    "mutual_neighbours": ("huh2024",),
    "cknna": ("huh2024",),
    "neuron_correlation": ("del2022",),
    "rsa": ("kriegeskorte2008",),
    "svcca": ("raghu2017",),
    "procrustes": ("schonemann1966",),
}
"""The papers of each similarity measure."""
RETRIEVAL: dict[str, tuple[str, ...]] = {"csls": ("lample2018",), "margin": ("artetxe2019",)}
"""The papers of each way to score a pair of sentences, where there is one."""
MODELS = {
    "multilingual-e5-small": ("wang2024",),
    "gemma-3-270m": ("gemma2025",),
    "bert-base-multilingual-cased": ("devlin2019",),
}
"""The papers of models, by what they are called."""
PROJECTIONS: dict[str, tuple[str, ...]] = {
    "pca": (),
    "tsne": ("vandermaaten2008", "policar2024"),
    "umap": ("mcinnes2018",),
}
"""The papers of each way to draw a map."""

Result = LayerResult | BestLayers | MapResult


@dataclass(frozen=True, repr=False)
class Methods:
    """A paragraph for a paper, and the BibTeX entries that it cites."""

    text: str
    bibtex: str

    def __str__(self) -> str:
        return f"{self.text}\n\n{self.bibtex}"

    __repr__ = __str__


def write_methods(study: Study, results: Sequence[Result]) -> Methods:
    """Say what was read and what was computed of it, and cite what that rests on."""
    sentences = [*_reading(study), *_coordinates(results)]
    for result in results:
        sentences += _finding(result)
    sentences.append(_software(study))
    text = " ".join(sentences)
    keys = dict.fromkeys(
        key for found in re.findall(r"\\citep\{([^}]*)\}", text) for key in found.split(",")
    )
    return Methods(text, "\n\n".join(entries(keys)))


def entries(keys: Iterable[str]) -> list[str]:
    """The BibTeX entries of these keys, as they stand in the file."""
    there = {
        found[1]: found[0]
        for found in re.finditer(r"^@\w+\{(\w+),.*?^\}", _ENTRIES.read_text("utf-8"), re.M | re.S)
    }
    return [there[key] for key in keys]


def _reading(study: Study) -> list[str]:
    facts, record = study.entry.facts, study.entry.record
    languages = "--".join(map(language_name, study.languages))
    name = display_name(study.model)
    origin = study.origin
    fetched = (
        f", {plain(f'{origin.repository} at revision {origin.revision[:12]}')}"
        f"{_cite((origin.key,) if origin.key else ())}, {plain(f'licence {origin.licence}')}"
        if origin
        else ""
    )
    cited = next((keys for model, keys in MODELS.items() if name.startswith(model)), ())
    found = [
        f"We read the {facts['pairs']} {languages} sentence pairs of {plain(facts['corpus'])} "
        f"(SHA-256 {_digest(record['corpus'])}{fetched}) with {plain(name)}{_cite(cited)} (SHA-256 "
        f"{_digest(record['model'])}), {facts['n_layers']} layers of width {facts['width']}, in "
        f"{record['precision']}, and kept the states of {facts['tokens']:,} tokens at every layer "
        f"as {record['stored_as']} with Isogloss{_cite(('isogloss',))}. Layer 0 is the embedding "
        "output, layer $i$ the output of block $i$."
    ]
    if study.states.normed:
        found.append("What the final norm makes of the last block's output is a state of its own.")
    if study.says_cut:
        found.append(plain(study.says_cut))
    return found


def _coordinates(results: Sequence[Result]) -> list[str]:
    asked = {_coordinates_of(result) for result in results}
    found = []
    for name, choice in COORDINATES.items():
        if name in asked:
            cited = _cite(("timkey2021",)) if name == "standardised" else ""
            found.append(f"Coordinates: {choice.title.lower()}{cited}. {choice.explanation}")
    return found


def _coordinates_of(result: Result) -> str | None:
    """The coordinates that a result was computed in; None where there was no choice."""
    if isinstance(result, BestLayers):
        return result.coordinates
    if isinstance(result, MapResult):
        return result.answer.options.coordinates
    return result.options().get("coordinates")


def _picture(result: MapResult) -> list[str]:
    """How a map was laid out, and the score that stands for it."""
    made, score = result.data.provenance, result.score
    cited = _cite(PROJECTIONS[result.answer.options.projection.method])
    found = [f"{plain(result.data.caption)}{cited} ({plain(made['projection'])})."]
    if score is not None:
        found += [plain(f"{score.describe(result.study.states)}."), *map(plain, score.caveats)]
    return found


def _finding(result: Result) -> list[str]:
    if isinstance(result, MapResult):
        return _picture(result)
    said = [plain(line) for line in result.describe().splitlines()]
    if isinstance(result, BestLayers):
        return [
            *(f"{line.rstrip('.')}." for line in said),
            "Differences between layers have intervals of 95 per cent that hold together for all "
            "pairs of layers, from one bootstrap over sentence pairs.",
        ]
    best, caveats = result.best(), [plain(caveat) for caveat in result.caveats()]
    sentence = said[0].rstrip(".")
    if best.low is not None and best.high is not None:
        sentence += f" (95 per cent interval over sentences {best.low:.3f} to {best.high:.3f})"
    sentence += _cite(_papers(result))
    if best.calibrated is not None:
        sentence += (
            f"; {best.calibrated:.3f} once calibrated under shuffled pairs and for having picked "
            f"the best layer{_cite(('groger2026',))}"
        )
    return [f"{sentence}.", *caveats]


def _papers(result: LayerResult) -> tuple[str, ...]:
    asked = result.options()
    if isinstance(result, SimilarityResult):
        return MEASURES[asked["measure"]]
    if isinstance(result, RetrievalResult):
        return (*RETRIEVAL.get(asked["score"], ()), "wilson1927")
    return ("jalilisabet2020",) if isinstance(result, AlignmentResult) else ()


def _software(study: Study) -> str:
    versions = study.entry.facts["versions"]
    named = [f"{name} {versions[name]}" for name in sorted(versions) if name != "transformers"]
    transformers = f"transformers {versions.get('transformers', '')}{_cite(('wolf2020',))}"
    return plain(f"Software: {', '.join(named)}") + f", {transformers}."


def _cite(keys: Sequence[str]) -> str:
    return rf" \citep{{{','.join(keys)}}}" if keys else ""


def _digest(digest: object) -> str:
    return str(digest)[:_SHOWN_OF_A_DIGEST]


def plain(text: str) -> str:
    """Text that LaTeX sets as it is.

    >>> print(plain("50 % of my_text"))
    50 \\% of my\\_text
    """
    named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return re.sub(r"[\\~^&%$#_{}]", lambda found: named.get(found[0], "\\" + found[0]), str(text))
