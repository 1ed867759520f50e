"""English without a network: the sentences in the docstrings of Python and of what is installed.

Only read, never imported nor copied: which packages, which versions and a hash of the sentences go
into a run's provenance, so that two machines can tell whether they learned from the same.
"""

from __future__ import annotations

import ast
import platform
import re
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("numpy", "scipy", "sklearn", "pandas", "torch", "transformers", "matplotlib")
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}
_MARKUP = re.compile(r"[`*{}<>|\\=_\[\]/@#~^\"()]|::|>>>|\d")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def read_docstrings(say: Callable[[str], None]) -> dict[str, tuple[str, ...]]:
    """The sentences by package, each once, in the order of files and lines.

    It takes half a minute or more: `say` hears of each package as it begins.
    """
    found: dict[str, tuple[str, ...]] = {}
    known: set[str] = set()
    for package, directory in _directories():
        say(package)
        new = dict.fromkeys(
            sentence
            for path in sorted(directory.rglob("*.py"))
            if "site-packages" not in path.relative_to(directory).parts
            for sentence in sentences_of_file(path)
        )
        found[package] = tuple(sentence for sentence in new if sentence not in known)
        known.update(new)
    return found


def sentences_of_file(path: Path) -> Iterator[str]:
    """The plain English sentences of a file's docstrings."""
    try:
        source = path.read_text(encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other people's escapes
            tree = ast.parse(source)
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return  # not every installed file is meant to be read by this Python
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from sentences_of(ast.get_docstring(node) or "")


def sentences_of(docstring: str) -> Iterator[str]:
    """The sentences of a docstring that begin with a capital, end with a mark and hold no code."""
    for paragraph in _paragraphs(docstring):
        for sentence in _END.split(paragraph):
            plain = sentence[:1].isupper() and sentence[-1:] in {".", "!", "?"}
            if plain and not _MARKUP.search(sentence):
                yield sentence


def _paragraphs(docstring: str) -> Iterator[str]:
    """Lines that belong together, joined; a new indentation, bullet or prompt begins another."""
    lines: list[str] = []
    indent = 0
    for line in docstring.splitlines():
        text = line.strip().lstrip("-*+•> ")
        here = len(line) - len(line.lstrip())
        if lines and (not text or here != indent or text != line.strip()):
            yield " ".join(lines)
            lines = []
        if text:
            lines.append(text)
        indent = here
    if lines:
        yield " ".join(lines)


def docstring_versions() -> dict[str, str]:
    """The packages that are read and their versions."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(_DISTRIBUTIONS.get(package, package))
        except PackageNotFoundError:
            continue
    return found


def _directories() -> Iterator[tuple[str, Path]]:
    yield "python", Path(sysconfig.get_path("stdlib"))
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            yield package, Path(spec.origin).parent
