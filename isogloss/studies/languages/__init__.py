"""A study in all its languages at once, where others are looked at through a pair."""
