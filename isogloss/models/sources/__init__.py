"""Where a model's weights come from: a preset, a directory, the hub, a GGUF file."""
