"""Which language a model speaks in its middle: read with its own head, switched, and swapped."""
