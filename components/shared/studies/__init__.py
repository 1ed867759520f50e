"""What the pages about a study share: the picker, coordinates, names, warnings."""
