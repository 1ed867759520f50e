"""The house stands: arrows point one way, and heavy libraries wait until they are needed."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
OURS = ("app", "pages", "components", "isogloss", "cache")

# What each layer may import of ours; whatever is not listed points the wrong way.
ARROWS = {
    "app.py": {"components", "isogloss", "cache"},
    "pages": {"components", "isogloss", "cache"},
    "components": {"components", "isogloss", "cache"},
    "isogloss": {"isogloss", "cache"},
    "cache": {"cache"},
}
FORBIDDEN = {
    "isogloss": {"streamlit", "plotly"},
    "components/figures": {"streamlit"},
}
HEAVY = {"torch", "transformers", "umap", "sklearn", "openTSNE", "pandas", "pyarrow"}
ALLOWED_IN_CACHE = {"numpy", "safetensors", "filelock"} | set(sys.stdlib_module_names)


def python_files(layer: str) -> list[Path]:
    place = REPOSITORY / layer
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


def imports(path: Path, *, top_level: bool = False) -> Iterator[tuple[int, str]]:
    """Line and full name of every import; of those that run on import, if only they are asked."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in _run_on_import(tree) if top_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: import by full name"
            yield node.lineno, node.module or ""


def _run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """Every node outside of functions and of what only type checkers read."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from _run_on_import(child)


def root(name: str) -> str:
    return name.partition(".")[0]


@pytest.mark.parametrize("layer", ARROWS)
def test_arrows_point_one_way(layer):
    wrong = [
        f"{path.relative_to(REPOSITORY)}:{line} imports {name}"
        for path in python_files(layer)
        for line, name in imports(path)
        if root(name) in OURS and root(name) not in ARROWS[layer]
    ]
    assert wrong == []


@pytest.mark.parametrize("layer", FORBIDDEN)
def test_what_a_layer_must_not_know(layer):
    wrong = [
        f"{path.relative_to(REPOSITORY)}:{line} imports {name}"
        for path in python_files(layer)
        for line, name in imports(path)
        if root(name) in FORBIDDEN[layer]
    ]
    assert wrong == []


def test_the_store_stands_on_almost_nothing():
    wrong = [
        f"{path.relative_to(REPOSITORY)}:{line} imports {name}"
        for path in python_files("cache")
        for line, name in imports(path)
        if root(name) not in ALLOWED_IN_CACHE | {"cache"}
    ]
    assert wrong == []


@pytest.mark.parametrize("layer", ["app.py", "pages", "components", "isogloss", "cache"])
def test_heavy_libraries_are_imported_where_they_are_used(layer):
    wrong = [
        f"{path.relative_to(REPOSITORY)}:{line} imports {name}"
        for path in python_files(layer)
        for line, name in imports(path, top_level=True)
        if root(name) in HEAVY
    ]
    assert wrong == []


def test_importing_isogloss_loads_nothing_heavy():
    """What no reading of the source shows: imports by way of other libraries."""
    modules = [
        ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
        for path in (REPOSITORY / "isogloss").glob("*.py")
        if path.name not in ("__init__.py", "__main__.py")
    ]
    code = f"""
import importlib, sys
for name in {modules!r}:
    importlib.import_module(name)
    found = {HEAVY!r} & set(sys.modules)
    assert not found, f"{{name}} loads {{found}}"
"""
    finished = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr.strip().splitlines()[-1]


def test_the_readers_of_imports_can_see(tmp_path):
    """The tests above would also pass if they read nothing."""
    path = tmp_path / "module.py"
    path.write_text(
        "import torch.nn\nclass A:\n    import pandas\n    def f(self):\n        import umap\n"
        "if TYPE_CHECKING:\n    import sklearn\ntry:\n    from pyarrow import parquet\n"
        "except ImportError: pass\n"
    )
    everything = {name for _, name in imports(path)}
    assert everything == {"torch.nn", "pandas", "umap", "sklearn", "pyarrow"}
    assert {name for _, name in imports(path, top_level=True)} == {"torch.nn", "pandas", "pyarrow"}
    assert all(python_files(layer) for layer in ("cache", "isogloss", "components"))
