"""What several pages use: frame, pickers, charts, loading, the panel of runs."""
