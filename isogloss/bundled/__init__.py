"""What ships with Isogloss: a small bilingual model and sample texts (`docs/making` made them)."""

from pathlib import Path

BUNDLED_MODEL = Path(__file__).parent / "models" / "mini-en-zh"
MODEL_PAIR = Path(__file__).parent / "model_pair"
CONTRAST_LAYER = 4  # where the training of the bundled model tells translations apart
