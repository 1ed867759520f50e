"""Re-initialise some layers, fine-tune, and see what transfer needs."""
