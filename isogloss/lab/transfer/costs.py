"""How many fine-tunings a run is, and which of them share frozen work."""

from __future__ import annotations

from isogloss.lab.training.costs import Part, TokenCounts
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.models.preview import ModelSize


def transfer_parts(plan: TransferPlan, size: ModelSize, tokens: TokenCounts) -> tuple[Part, ...]:
    """The fine-tunings of a run; they share frozen work where its states fit the budget."""
    # Two layers of states in full precision, as `isogloss.lab.training.frozen_states` keeps them.
    fits = plan.share_frozen and 8 * tokens.all * size.width <= plan.budget_gb * 1e9
    return tuple(Part(n, len(plan.seeds), shared=fits and n > 0) for n in plan.layers)
