"""Options of plans: declared once, and the same on the command line, in a form and in a run."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

import pytest

from isogloss.command_line import build_parser
from isogloss.command_line.arguments import WrongUsage, plan_values
from isogloss.errors import RunError
from isogloss.former_names import fields_on_disk
from isogloss.lab.adaptation.plan import AdaptationPlan
from isogloss.lab.layers_needed.plan import LayersNeededPlan
from isogloss.lab.runs.options import LEARNING_RATES, rate_option
from isogloss.lab.runs.plan import Plan, read_plan
from isogloss.lab.runs.queue import SHIPPED
from isogloss.lab.runs.run import Run
from isogloss.lab.sentences.plan import SentencesPlan
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.lab.two_models.plan import TwoModelsPlan
from isogloss.models.presets import find_preset
from isogloss.options import Option, options_of

CLASSES = (TransferPlan, LayersNeededPlan, SentencesPlan, AdaptationPlan, TwoModelsPlan)
KINDS = [each.KIND for each in CLASSES]
OLD_DEFAULTS: dict[str, dict] = {
    "transfer": {"model": "mini-en-zh", "head": "pair", "frozen": None, "n_layers": 6},
    "layers-needed": {"model": "mini-en-zh", "head": "pair", "n_layers": 6},
    "sentences": {"model": "mini-en-zh"},
    "adaptation": {"model": "mini-en-zh", "regimes": ["all", "last-3", "last-1", "gradual"]},
    "two-models": {"model": "mini-en-zh"},
}


def asked_for(plan: type[Plan], *words: str) -> dict:
    return plan_values(plan, build_parser().parse_args([plan.KIND, *words]))


@pytest.mark.parametrize("plan", CLASSES, ids=KINDS)
def test_a_command_without_options_asks_for_what_suits(plan):
    assert plan.suited(6, **asked_for(plan)) == plan.suited(6)
    assert plan.suited(6, model="mini-en-zh") == read_plan(plan.KIND, OLD_DEFAULTS[plan.KIND])


@pytest.mark.parametrize("plan", CLASSES, ids=KINDS)
@pytest.mark.parametrize(
    "words", [("--seeds", "0,4"), ("--seeds=0,4",), ("--seeds", "0", "4"), ("--seeds=0", "4")]
)
@pytest.mark.parametrize("place", [0, 1], ids=["model first", "model last"])
def test_lists_take_commas_or_spaces(plan, words, place):
    line = ("mini-en-zh", *words) if place == 0 else (*words, "mini-en-zh")
    values = asked_for(plan, *line)
    assert (values["model"], values["seeds"]) == ("mini-en-zh", (0, 4))


def test_a_list_ends_where_another_option_begins():
    values = asked_for(TransferPlan, "--frozen", "-1", "0,2", "--seeds", "3", "--epochs", "2")
    assert (values["frozen"], values["seeds"], values["epochs"]) == ((-1, 0, 2), (3,), 2)
    assert asked_for(TransferPlan, "--frozen=all")["frozen"] is None
    values = asked_for(SentencesPlan, "--objectives", "ranking", "softmax", "mini-en-zh")
    assert values["objectives"] == ("ranking", "softmax")
    values = asked_for(
        AdaptationPlan, "--regimes", "all", "last-2", "mini-en-zh", "--text", "a", "b"
    )
    assert (values["regimes"], values["text"]) == (("all", "last-2"), ("a", "b"))


@pytest.mark.parametrize("words", [["--seeds", "one"], ["--seeds"], ["--epochs", "many"]])
def test_what_is_no_number_is_refused(words):
    with pytest.raises(WrongUsage, match=words[0]):
        build_parser().parse_args(["transfer", "mini-en-zh", *words])


def another_value(option: Option):
    """Any value of an option but its default."""
    if option.choices:
        others = [name for name in option.choices if name not in (option.default, "pair")]
        return tuple(others[::-1]) if option.many else others[-1]
    if option.many:
        words = ("2:1e-05", "5:0.001") if option.name == "rates" else ("one", "two")
        return {int: (2, 5), str: words}[option.kind]
    if option.kind is bool:
        return not option.default
    if option.kind is str:
        return f"{option.default}x"
    return (option.default or 2) + 1 if option.kind is int else (option.default or 1e-3) / 2


@pytest.mark.parametrize("plan", CLASSES, ids=KINDS)
def test_a_run_prints_the_command_that_asks_for_it(plan):
    values = {option.name: another_value(option) for option in options_of(plan).values()}
    made = plan.suited(6, **values)
    for name, value in values.items():
        assert getattr(made, name) == value != getattr(plan(), name), name
    assert plan.suited(6, **asked_for(plan, *made.command()[1:])) == made


@pytest.mark.parametrize("plan", CLASSES, ids=KINDS)
def test_every_field_can_be_chosen_and_has_its_bounds(plan):
    assert {field.name for field in fields(plan)} - set(options_of(plan)) <= {"n_layers"}
    for option in options_of(plan).values():
        assert option.help
        if option.least is not None and option.kind is int:
            with pytest.raises(RunError):
                plan(**{option.name: option.least - 1})


@pytest.mark.parametrize("name", sorted(path.parent.name for path in SHIPPED.glob("*/run.json")))
def test_a_plan_that_was_written_down_is_read_as_it_was(name):
    run = Run(SHIPPED / name, shipped=True)
    written = run.description["plan"]
    read = json.loads(json.dumps(fields_on_disk(run.kind, asdict(run.plan))))
    assert {name: read[name] for name in written} == written
    # What came later than the run has the value that changes nothing.
    plain = {each.name: each.default for each in fields(run.plan)}
    defaults = fields_on_disk(run.kind, plain)
    assert {name: read[name] for name in read.keys() - written} == {
        name: json.loads(json.dumps(defaults[name])) for name in read.keys() - written
    }
    for command in run.command.splitlines():  # runs that were joined have one each
        words = command.removeprefix("python -m isogloss ").split()
        build_parser().parse_args(words)  # what it was made by is still understood


def test_the_head_is_chosen_in_one_place():
    """Where a preset says so, premise and hypothesis are read apart, whoever makes the plan."""
    for model in ("mini-en-zh", "random:mini-en-zh", "multilingual-e5-small"):
        assert TransferPlan(model=model).head == "pair"
        assert TransferPlan.suited(6, **asked_for(TransferPlan, model)).head == "pair"
    assert TransferPlan(model="xlm-roberta-base").head == "auto"
    assert TransferPlan(head="auto").head == "auto"
    old = asdict(TransferPlan(model="mini-en-zh")) | {"head": "auto"}
    assert read_plan("transfer", old).head == "auto"
    with pytest.raises(RunError, match="no head 'none'"):
        TransferPlan(head="none")


def test_large_data_starts_small():
    assert TransferPlan.suited(6, data="somewhere").train_size == 2_000
    assert TransferPlan.suited(6, data="somewhere", train_size=None).train_size is None
    assert TransferPlan.suited(6).train_size is None
    assert asked_for(TransferPlan, "--train-size=all")["train_size"] is None
    assert SentencesPlan.suited(6, nli="pairs.tsv").examples == 2_000


def test_deep_models_are_swept_at_seven_depths():
    assert TransferPlan.suited(8).layers == tuple(range(-1, 9))
    assert TransferPlan.suited(18).layers == (-1, 0, 4, 7, 11, 14, 18)
    assert TransferPlan.suited(18, frozen=(3,)).layers == (3,)


@pytest.mark.parametrize("plan", [TransferPlan, LayersNeededPlan])
def test_a_plan_has_as_many_layers_as_the_model_it_begins_with(plan):
    preset = find_preset(plan().model)
    assert preset is not None
    assert plan().n_layers == preset.n_layers


def test_a_learning_rate_is_offered_in_steps_and_never_zero():
    offered = rate_option(1e-4, "how fast").metadata["option"]
    assert all(map(offered.offers, LEARNING_RATES))
    assert not offered.offers(0)
    assert not offered.offers(3.14e-4)
