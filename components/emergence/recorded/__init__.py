"""The recorded training of the bundled model, a part of the page Emergence."""
