"""At which layer two languages align best: four scores, and which layers are as good."""
