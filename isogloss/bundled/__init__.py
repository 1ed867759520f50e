"""What ships with Isogloss: a small bilingual model, sample texts, and the recipe of the model."""

from pathlib import Path

BUNDLED_MODEL = Path(__file__).parent / "models" / "mini-en-zh"
MODEL_PAIR = Path(__file__).parent / "model_pair"
