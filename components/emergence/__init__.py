"""The emergence page: two languages learned from nothing, one thing taken away."""
