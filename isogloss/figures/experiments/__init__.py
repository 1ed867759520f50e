"""Figures of what training runs found."""
