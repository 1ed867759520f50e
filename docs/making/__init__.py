"""How what ships with Isogloss is made: the small model, the demo cache, shipped runs."""
