"""A word of warning where a model does not know a language of the text it read."""

from __future__ import annotations

import numpy as np
import streamlit as st

from components.shared.markdown import in_markdown, language_name
from isogloss.formatting import percent
from isogloss.models.presets import display_name, unknown_languages
from isogloss.studies.study import Study

WORRYING_SHARE = 0.05
"""Of so many unknown tokens, a study warns: their words are all the same to the model."""
MOSTLY_COPIES = 0.5
"""Where so many rows are the same on both sides, a study warns: copies are found by any model."""
_UNKNOWN = ("[UNK]", "<unk>")


def warn_of_languages(study: Study) -> None:
    """Say which language the model never learned, or of which it knows too few tokens."""
    unlearned = unknown_languages(study.model, study.languages)
    for side, code in enumerate(study.languages):
        if code in unlearned:
            st.warning(
                f"{in_markdown(display_name(study.model))} never learned {language_name(code)}: "
                "what it shows of it is shared spelling or chance.",
                icon=":material/translate:",
            )
        elif (share := unknown_share(study, side)) > WORRYING_SHARE:
            st.warning(
                f"{percent(share, 0)} of the {language_name(code)} tokens are unknown to this "
                "model and all look the same to it.",
                icon=":material/translate:",
            )
    if len(study.bitext) and (share := study.bitext.same_share) >= MOSTLY_COPIES:
        st.warning(
            f"{percent(share, 0)} of the sentences are the same in both languages: what finds "
            "their translation finds a copy.",
            icon=":material/content_copy:",
        )


def unknown_share(study: Study, side: int) -> float:
    """The share of a side's tokens that stand for text the tokenizer does not know."""
    tokens = study.tokens
    mine = (tokens.side == side) & ~tokens.special
    return float(np.isin(tokens.piece[mine], _UNKNOWN).mean()) if mine.any() else 0.0
