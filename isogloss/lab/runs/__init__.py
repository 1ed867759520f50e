"""Training runs as such: plans, the context they work in, the queue and the worker."""
