"""Models out of Python packages, which carry weights and are read, not run."""
