"""When do the languages meet? The bundled model's training, layer by layer."""

from components.shared import frame
from components.training.panel import training_panel

frame.title(
    "When do the languages meet?",
    "A small model learns English and Chinese. Follow one layer through its training, "
    "or stop at a moment and go through its layers.",
)
training_panel()
