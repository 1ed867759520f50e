"""Imports point one way, rooms stay small, and heavy libraries wait until they are needed."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
OURS = ("app", "pages", "components", "isogloss")

# What each layer may import of ours; whatever is not listed points the wrong way.
ARROWS = {
    "app.py": {"components", "isogloss"},
    "pages": {"components", "isogloss"},
    "components": {"components", "isogloss"},
    "isogloss": {"isogloss"},
}
FORBIDDEN = {"isogloss": {"streamlit"}}

# A room of isogloss imports only rooms above it in this list, and what all may use.
ROOMS = (
    "store",
    "text",
    "models",
    "measures",
    "engines",
    "links",
    "studies",
    "inner_language",
    "map",
    "lab.runs",
    "lab.training",
    "lab",
    "figures",
    "interface",
    "command_line",
)
FOR_ALL = {
    "errors",
    "formatting",
    "hub",
    "tasks",
    "published",
    "version",
    "bundled",
    "former_names",
    "palette",
    "places",
    "settings",
    "options",
}
MOST_MODULES = 16
HEAVY = {
    "torch",
    "transformers",
    "umap",
    "scipy",
    "sklearn",
    "openTSNE",
    "pandas",
    "pyarrow",
    "plotly",
    "ray",
}
ALLOWED_IN_STORE = {"numpy", "safetensors", "filelock"} | set(sys.stdlib_module_names)


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


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every module of ours that is imported, `from package import module` too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                names.append(inner if _is_module(inner) else node.module or "")
        yield from ((node.lineno, name) for name in dict.fromkeys(names) if root(name) in OURS)


def _is_module(name: str) -> bool:
    place = REPOSITORY / name.replace(".", "/")
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def room_of(module: str) -> str:
    """The room of a module of isogloss; its own name where it lies at the top."""
    rest = module.removeprefix("isogloss").lstrip(".")
    return next((room for room in ROOMS if f"{rest}.".startswith(f"{room}.")), rest)


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


def points_down(importing: str, imported: str) -> bool:
    """Whether a module of isogloss may import another one."""
    here, there = room_of(importing), room_of(imported)
    if here in ("", "__main__", "command_line") or there in (*FOR_ALL, "store"):
        return True
    if here in FOR_ALL or there not in ROOMS:
        return False
    return ROOMS.index(there) <= ROOMS.index(here)


def test_rooms_import_only_rooms_above_them():
    wrong = [
        f"{path.relative_to(REPOSITORY)}:{line} imports {name}"
        for path in python_files("isogloss")
        for line, name in imported_modules(path)
        if root(name) == "isogloss" and not points_down(module_name(path), name)
    ]
    assert wrong == []


def test_experiments_do_not_import_each_other():
    def experiment(name: str) -> str:
        return name.split(".")[2] if room_of(name) == "lab" and name.count(".") > 1 else ""

    wrong = [
        f"{path.relative_to(REPOSITORY)}:{line} imports {name}"
        for path in python_files("isogloss/lab")
        for line, name in imported_modules(path)
        if experiment(name) not in ("", experiment(module_name(path)))
    ]
    assert wrong == []


# Outside the lab only these know of training; within isogloss, what draws its results.
KNOW_THE_LAB = ("figures.experiments", "command_line", "lab")


def test_only_who_shows_or_starts_training_knows_the_lab():
    """Names given as strings, such as a module to be started or imported late, count, too."""
    wrong = [
        f"{path.relative_to(REPOSITORY)}:{line} names {name}"
        for path in python_files("isogloss")
        if not knows_the_lab(module_name(path))
        for line, name in named_modules(path)
        if f"{name}.".startswith("isogloss.lab.")
    ]
    assert wrong == []


def knows_the_lab(module: str) -> bool:
    return f"{module}.".startswith(tuple(f"isogloss.{room}." for room in KNOW_THE_LAB))


def named_modules(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every module that is imported, or named by a string that is nothing else.

    Where a name is put together from parts, the room that the first part names counts.
    """
    yield from imported_modules(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.partition(":")[0].rstrip(".")
            if root(name) in OURS and _is_module(name):
                yield node.lineno, name


def test_a_module_named_by_a_string_is_there():
    """Plans and what is started with `-m`: nothing else misses them before they are needed."""
    named = {name for path in python_files("isogloss") for _, name in named_modules(path)}
    assert {"isogloss.lab.transfer.plan", "isogloss.lab.runs.worker"} <= named
    wrong = [
        f"{path.relative_to(REPOSITORY)}:{node.lineno} names {node.value}"
        for path in python_files("isogloss")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"isogloss(\.\w+)+:\w+", node.value)
        and not _is_module(node.value.partition(":")[0])
    ]
    assert wrong == []


def test_only_figures_know_plotly():
    wrong = [
        f"{path.relative_to(REPOSITORY)}:{line} imports {name}"
        for path in python_files("isogloss")
        for line, name in imports(path)
        if root(name) == "plotly" and room_of(module_name(path)) != "figures"
    ]
    assert wrong == []


def test_no_module_imports_itself_by_way_of_others():
    """Imports that only type checkers or functions run count, too.

    Only within the store an entry knows the store that it is kept in.
    """
    graph = {
        module_name(path): {name for _, name in imported_modules(path)}
        for layer in ("isogloss", "components", "pages")
        for path in python_files(layer)
        if room_of(module_name(path)) != "store"
    }
    assert list(cycles(graph)) == []


def cycles(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    """Every cycle that a depth-first walk over the imports meets."""
    finished: set[str] = set()

    def walk(module: str, way: list[str]) -> Iterator[list[str]]:
        if module in way:
            yield [*way[way.index(module) :], module]
        elif module not in finished:
            for name in sorted(graph.get(module, ())):
                yield from walk(name, [*way, module])
            finished.add(module)

    for module in sorted(graph):
        yield from walk(module, [])


@pytest.mark.parametrize("layer", ["isogloss", "components", "pages"])
def test_no_folder_is_crowded(layer):
    folders = {path.parent for path in python_files(layer)}
    crowded = {
        str(folder.relative_to(REPOSITORY)): count
        for folder in folders
        if (count := sum(1 for _ in folder.glob("*.py"))) > MOST_MODULES
    }
    assert crowded == {}


def test_the_store_stands_on_almost_nothing():
    wrong = [
        f"{path.relative_to(REPOSITORY)}:{line} imports {name}"
        for path in python_files("isogloss/store")
        for line, name in imports(path)
        if root(name) not in ALLOWED_IN_STORE
        and room_of(name) not in ("store", "places", "settings")
    ]
    assert wrong == []


@pytest.mark.parametrize("layer", ["app.py", "pages", "components", "isogloss"])
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
    modules = [module_name(path) for path in python_files("isogloss") if path.name != "__main__.py"]
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
    late = tmp_path / "late.py"
    late.write_text(
        "PLAN = 'isogloss.lab.transfer.plan:TransferPlan'\nimport_module(f'isogloss.lab.{kind}')\n"
        "run('-m', 'isogloss.lab.runs.worker')\nabout = 'isogloss.lab.transfer.plan has more'\n"
    )
    assert {name for _, name in named_modules(late)} == {
        "isogloss.lab.transfer.plan",
        "isogloss.lab",
        "isogloss.lab.runs.worker",
    }
    assert knows_the_lab("isogloss.figures.experiments.cost_bars")
    assert not knows_the_lab("isogloss.labels")
    assert not knows_the_lab("isogloss.figures.curves")
    assert everything == {"torch.nn", "pandas", "umap", "sklearn", "pyarrow"}
    assert {name for _, name in imports(path, top_level=True)} == {"torch.nn", "pandas", "pyarrow"}
    assert all(python_files(layer) for layer in ("pages", "isogloss", "components"))
    assert list(cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == [["a", "b", "c", "a"]]
    assert points_down("isogloss.studies.links.points", "isogloss.measures.nearest_neighbours")
    assert not points_down("isogloss.measures.nearest_neighbours", "isogloss.studies.links.points")
