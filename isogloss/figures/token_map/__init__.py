"""The map that runs in the browser: its data, its scripts, and one HTML file of both."""
