"""What the transfer page shows of a run: how models were chosen, the axis, what stands beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import streamlit as st

from components.shared import query
from components.shared.runs.run_panel import run_address, run_label, runs_with_results
from components.shared.settings import setting_widget
from components.shared.studies import study_picker as study_choice
from components.transfer.lines import MOST_LINES, PUBLISHED
from isogloss.figures.experiments.frozen_axis import FROZEN_AXES, signed
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.closeness import CLOSENESS, CLOSENESS_MEASURES
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.lab.transfer.results import SELECTIONS
from isogloss.options import option, options_of, titled, to_query
from isogloss.text.language_names import language_name
from isogloss.text.nli import XNLI_LANGUAGES

NOTHING = ""


@dataclass(frozen=True)
class TransferView:
    """What the charts show: how models were chosen, the axis, published results, a second run.

    Of many languages, also which have a line of their own; and for whether closer ones are
    transferred to better, the N and what closeness is.
    """

    selection: str = option("selected", "", title="Model chosen by", choices=SELECTIONS)
    axis: str = option("n", "", title="Against", choices=FROZEN_AXES)
    compare: str = option(NOTHING, "", title="Compare with")
    published: str = option(
        "mbert",
        "Others' accuracies on XNLI, trained on some 390,000 pairs: not measurements of this page, "
        "and drawn only beside runs on XNLI. **mBERT** is the same experiment by frozen layers; "
        "beside a model of another depth than its 12 layers it can be read against the share.",
        title="Published",
        choices=titled(PUBLISHED),
    )

    languages: tuple[str, ...] = option(
        (),
        f"Those with a line of their own. With none chosen, of more than {MOST_LINES} there is the "
        "mean over all that were not trained on, between the lowest and the highest.",
        title="Languages",
        choices=titled({code: language_name(code) for code in XNLI_LANGUAGES}),
        explain=False,
    )
    frozen: int = option(
        -1, "Accuracy is taken from the models with so many layers frozen.", title="N", least=-1
    )
    closeness: str = option(
        "debiased_cka",
        "How close a language lies to the one trained on, before any training.",
        title="Closeness",
        choices=CLOSENESS_MEASURES,
    )

    @property
    def other(self) -> Run | None:
        """The run beside the one on show."""
        known = runs_with_results(TransferPlan.KIND) if self.compare else ()
        return next((each for each in known if each.id == self.compare), None)


_SETTINGS = options_of(TransferView)


def choose_view(run: Run, layer: int | None) -> TransferView:
    """The settings of the charts; what they say is in the address.

    So is the `layer`, where it is the run's own and not that of a study.
    """
    others = {each.id: each for each in runs_with_results(TransferPlan.KIND) if each.id != run.id}
    titles = {NOTHING: "no other run"} | {id: run_label(each) for id, each in others.items()}
    compare = _SETTINGS["compare"].but(choices=titled(titles))
    with st.popover("Settings", icon=":material/tune:", width="stretch"):
        view = TransferView(
            setting_widget(_SETTINGS["selection"], "transfer", buttons=True),
            setting_widget(_SETTINGS["axis"], "transfer", buttons=True),
            setting_widget(compare, f"transfer-{run.id}", disabled=not others),
            setting_widget(_SETTINGS["published"], "transfer", buttons=True),
            **_of_many_languages(run),
        )
    more = {"run": run_address(run)} | to_query(view)
    if layer is not None:
        more["layer"] = str(layer)
    if study_choice.current_choice() is None:
        query.write(**more)
    else:
        study_choice.write_query(**more)
    return view


def _of_many_languages(run: Run) -> dict[str, Any]:
    """The settings that only a run in many languages has."""
    plan = cast(TransferPlan, run.plan)
    chosen: dict[str, Any] = {}
    if len(plan.languages) > MOST_LINES:
        known = {code: language_name(code) for code in plan.languages}
        languages = _SETTINGS["languages"].but(choices=titled(known))
        chosen["languages"] = setting_widget(languages, f"transfer-{run.id}")
    if run.has_kept(CLOSENESS):
        frozen = _SETTINGS["frozen"].but(
            choices=titled({n: signed(n) for n in plan.layers}), default=plan.layers[0]
        )
        chosen["frozen"] = setting_widget(frozen, f"transfer-{run.id}", buttons=True)
        chosen["closeness"] = setting_widget(_SETTINGS["closeness"], "transfer", buttons=True)
    return chosen
