"""Text from elsewhere within Markdown."""

import re


def in_markdown(text: str) -> str:
    """Text so that Markdown shows it as it is."""
    return re.sub(r"([\\`*_{}\[\]()<>#+!|~$:-])", r"\\\1", text)
