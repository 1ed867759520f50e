"""Training: runs, what several experiments train with, and one folder for each experiment."""
