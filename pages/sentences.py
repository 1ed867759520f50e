"""Can English alone bring translations together? Sentence embeddings, before and after."""

from components.sentences.form import sentences_form
from components.sentences.panel import sentences_panel
from components.shared import frame
from components.shared.runs import run_panel
from isogloss.lab.sentences.plan import SentencesPlan

frame.title(
    "Can English alone bring translations together?",
    "Train a model to compare English sentences, and nothing else. Do sentences of another "
    "language, which this training never shows it, find their translations more often?",
)
run = run_panel.open_runs(SentencesPlan.KIND, "sentences", sentences_form)
if run is not None:
    sentences_panel(run)
    run_panel.run_facts(run)
