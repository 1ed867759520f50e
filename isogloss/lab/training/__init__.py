"""What several experiments train with: fine-tuning, frozen states, drift, costs."""
