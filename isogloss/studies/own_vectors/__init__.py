"""States computed elsewhere as a study: layers.py and token_rows.py read them, study.py stores."""
