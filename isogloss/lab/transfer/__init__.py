"""Fine-tune on one language with the first N layers frozen, test on others."""
