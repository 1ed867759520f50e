"""What the transfer page shows of a run: how models were chosen, the axis, what stands beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import streamlit as st

from components.shared import query
from components.shared.runs.run_panel import run_address, run_label, runs_with_results
from components.shared.studies import study_picker as study_choice
from components.transfer.lines import PUBLISHED
from isogloss.figures.experiments.frozen_axis import FROZEN_AXES
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.lab.transfer.results import SELECTIONS

NOTHING = ""
_SELECTION = query.Choice("selection", list(SELECTIONS), next(iter(SELECTIONS)))
_AXIS = query.Choice("axis", list(FROZEN_AXES), next(iter(FROZEN_AXES)))
_PUBLISHED = query.Choice("published", list(PUBLISHED), next(iter(PUBLISHED)))


@dataclass(frozen=True)
class TransferView:
    """What the chart shows: how models were chosen, the axis, published results, a second run."""

    selection: str
    axis: str
    published: str
    other: Run | None


def choose_view(run: Run) -> TransferView:
    """The settings above the chart; what they say is in the address."""
    others = {each.id: each for each in runs_with_results(TransferPlan.KIND) if each.id != run.id}
    selections = list(SELECTIONS)
    with st.popover("Settings", icon=":material/tune:"):
        selection = cast(
            str,
            st.segmented_control(
                "Model chosen by",
                selections,
                format_func=lambda name: SELECTIONS[name].title,
                default=_SELECTION.read(),
                required=True,
                key="transfer-selection",
                help="\n\n".join(f"**{each.title}**: {each.help}" for each in SELECTIONS.values()),
            ),
        )
        axes = list(FROZEN_AXES)
        axis = cast(
            str,
            st.segmented_control(
                "Against",
                axes,
                format_func=lambda name: FROZEN_AXES[name].title,
                default=_AXIS.read(),
                required=True,
                key="transfer-axis",
                help="\n\n".join(
                    f"**{each.title}**: {each.help}." for each in FROZEN_AXES.values()
                ),
            ),
        )
        names = [NOTHING, *others]
        compared = st.selectbox(
            "Compare with",
            names,
            index=names.index(query.choice("compare", names, NOTHING)),
            format_func=lambda name: run_label(others[name]) if name else "no other run",
            key=f"transfer-compare-{run.id}",
            disabled=not others,
        )
        published = cast(
            str,
            st.segmented_control(
                "Published",
                list(PUBLISHED),
                format_func=PUBLISHED.__getitem__,
                default=_PUBLISHED.read(),
                required=True,
                key="transfer-published",
                help="Others' accuracies on XNLI, trained on some 390,000 pairs: not measurements "
                "of this page, and drawn only beside runs on XNLI. **mBERT** is the same "
                "experiment by frozen layers; beside a model of another depth than its 12 layers "
                "it can be read against the share.",
            ),
        )
    more = {
        "run": run_address(run),
        **_SELECTION.written(selection),
        **_AXIS.written(axis),
        "compare": compared,
        **_PUBLISHED.written(published),
    }
    if study_choice.current_choice() is None:
        query.write(**more)
    else:
        study_choice.write_query(**more)
    return TransferView(selection, axis, published, others.get(compared))
