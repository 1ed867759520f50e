"""Where work is done: in this process, or by workers on the nodes of a Ray cluster."""
