"""A model on a text: extraction, pooling, links, maps and the results kept for them."""
