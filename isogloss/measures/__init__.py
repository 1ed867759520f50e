"""Arrays in, numbers out: nothing here knows a file, a model or a study."""
