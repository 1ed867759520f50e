"""One folder for each experiment; none imports another."""
