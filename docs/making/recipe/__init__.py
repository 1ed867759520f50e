"""How `mini-en-zh` is made: clean text, carry the embeddings over, train, measure, export."""
