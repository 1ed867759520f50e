"""Studies that Isogloss shows beside the one that comes with it; its store finds them here."""
