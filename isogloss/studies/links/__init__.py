"""The links of a study: which of its words translate each other, which points of a map do."""
