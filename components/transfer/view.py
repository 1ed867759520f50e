"""What the transfer page shows of a run: how models were chosen, the axis, what stands beside."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from components.shared import query
from components.shared.runs.run_panel import run_address, run_label, runs_with_results
from components.shared.settings import setting_widget
from components.shared.studies import study_picker as study_choice
from components.transfer.lines import PUBLISHED
from isogloss.figures.experiments.frozen_axis import FROZEN_AXES
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.lab.transfer.results import SELECTIONS
from isogloss.options import option, options_of, titled, to_query

NOTHING = ""


@dataclass(frozen=True)
class TransferView:
    """What the chart shows: how models were chosen, the axis, published results, a second run."""

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

    @property
    def other(self) -> Run | None:
        """The run beside the one on show."""
        known = runs_with_results(TransferPlan.KIND) if self.compare else ()
        return next((each for each in known if each.id == self.compare), None)


_SETTINGS = options_of(TransferView)


def choose_view(run: Run) -> TransferView:
    """The settings of the chart; what they say is in the address."""
    others = {each.id: each for each in runs_with_results(TransferPlan.KIND) if each.id != run.id}
    titles = {NOTHING: "no other run"} | {id: run_label(each) for id, each in others.items()}
    compare = _SETTINGS["compare"].but(choices=titled(titles))
    with st.popover("Settings", icon=":material/tune:", width="stretch"):
        view = TransferView(
            setting_widget(_SETTINGS["selection"], "transfer", buttons=True),
            setting_widget(_SETTINGS["axis"], "transfer", buttons=True),
            setting_widget(compare, f"transfer-{run.id}", disabled=not others),
            setting_widget(_SETTINGS["published"], "transfer", buttons=True),
        )
    more = {"run": run_address(run)} | to_query(view)
    if study_choice.current_choice() is None:
        query.write(**more)
    else:
        study_choice.write_query(**more)
    return view
