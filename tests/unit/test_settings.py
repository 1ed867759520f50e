"""The environment's variables: one table, read in one place, and as the guide has it."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from components import server
from components.shared.read_only import is_read_only
from isogloss import settings
from isogloss.errors import USER_ERRORS
from isogloss.settings import SETTINGS, SettingError

ROOT = Path(__file__).parents[2]
LAYERS = ("pages", "components", "isogloss")
SOURCES = [ROOT / "app.py", *(path for each in LAYERS for path in (ROOT / each).rglob("*.py"))]
OF_THE_COMPOSE_FILE = {"ISOGLOSS_BASE", "ISOGLOSS_MEMORY"}
PASS_ON_ALL_OF_IT = {
    "isogloss/settings.py",
    "isogloss/engines/ray_cluster.py",
    "isogloss/lab/runs/queue.py",
    "isogloss/measures/projection/fitting_process.py",
}
"""Modules that look at the environment; all but the first at no variable of ours."""


def test_the_guide_has_the_table():
    guide = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    assert settings.table() in guide
    in_tables = re.findall(r"^\| `(ISOGLOSS_\w+|OMP_\w+)`", guide, re.MULTILINE)
    assert in_tables == [each.name for each in SETTINGS]


def test_every_setting_of_the_module_is_in_the_table():
    declared = [each for each in vars(settings).values() if isinstance(each, settings.Setting)]
    assert set(declared) == set(SETTINGS)
    assert len({each.name for each in SETTINGS}) == len(SETTINGS)


def test_nothing_else_reads_a_variable_of_ours():
    """Neither by a name of its own nor by looking at the environment."""
    look, name = set(), set()
    for path in SOURCES:
        place = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute | ast.Name | ast.alias):
                word = getattr(node, "attr", None) or getattr(node, "id", None) or node.name
                look |= {place} if word in ("environ", "getenv", "environb") else set()
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                name |= {place} if re.fullmatch(r"ISOGLOSS_[A-Z_]+", node.value) else set()
    assert look == PASS_ON_ALL_OF_IT
    assert name == {"isogloss/settings.py"}


def test_what_is_named_anywhere_is_declared():
    ours = {each.name for each in SETTINGS if each.name.startswith("ISOGLOSS_")}
    known = ours | OF_THE_COMPOSE_FILE
    files = ["README.md", "Dockerfile", "compose.yaml", "Makefile", "docs/ray.sbatch"]
    paths = [*SOURCES, *(ROOT / "docs").glob("*.md"), *(ROOT / name for name in files)]
    text = " ".join(path.read_text(encoding="utf-8") for path in paths)
    assert set(re.findall(r"ISOGLOSS_[A-Z_]+", text)) == known


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("ISOGLOSS_CACHE", "~/kept", Path.home() / "kept"),
        ("ISOGLOSS_CACHE_LIMIT", " 20GB ", 20 * 10**9),
        ("ISOGLOSS_RUNS_LIMIT", "1.5 GiB", 3 * 2**29),
        ("ISOGLOSS_UPLOADS_LIMIT", "0", 0),
        ("ISOGLOSS_HOSTS", " a.example ,Lab.example.,", ("a.example", "Lab.example.")),
        ("ISOGLOSS_FILES", "/texts", Path("/texts")),
        ("ISOGLOSS_READ_ONLY", "1", True),
        ("ISOGLOSS_READ_ONLY", "0", False),
        ("ISOGLOSS_OPEN", "/a.tsv:/b.tsv", ("/a.tsv", "/b.tsv")),
        ("ISOGLOSS_RAY", " ray-head:6379 ", "ray-head:6379"),
        ("OMP_NUM_THREADS", " 2 ", 2),
        ("OMP_NUM_THREADS", "3,1", 3),
        ("OMP_NUM_THREADS", "many", None),
    ],
)
def test_a_value_is_read(monkeypatch, name, text, value):
    (setting,) = (each for each in SETTINGS if each.name == name)
    monkeypatch.setenv(name, text)
    assert setting.read() == value
    for nothing in ("", "  "):
        monkeypatch.setenv(name, nothing)
        assert setting.read() == setting.default
    monkeypatch.delenv(name)
    assert setting.read() == setting.default


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("ISOGLOSS_CACHE", "~nobody-of-that-name/x", "is no path here: write it out"),
        ("ISOGLOSS_FILES", "~nobody-of-that-name/x", "is no path here: write it out"),
        ("ISOGLOSS_CACHE_LIMIT", "lots", "'lots' is not a size: write for example 500MB"),
        ("ISOGLOSS_RUNS_LIMIT", "-1GB", "'-1GB' is not a size"),
        ("ISOGLOSS_UPLOADS_LIMIT", "9" * 500, "99…' is not a size"),
        ("ISOGLOSS_HOSTS", "a.example,https://b.example", "'https://b.example' is not a name: "),
        ("ISOGLOSS_HOSTS", "b.example:8501", "'b.example:8501' is not a name: "),
        ("ISOGLOSS_HOSTS", "*", "is not a name: "),
        ("ISOGLOSS_HOSTS", "a.example b.example", "commas between several"),
        ("ISOGLOSS_READ_ONLY", "no", "'no' is neither 1, for yes, nor 0, for no"),
        ("ISOGLOSS_READ_ONLY", "true", "'true' is neither 1"),
    ],
)
def test_a_bad_value_is_said_with_its_variable(monkeypatch, name, text, said):
    monkeypatch.setenv(name, text)
    with pytest.raises(USER_ERRORS) as raised:
        settings.check()
    assert isinstance(raised.value, SettingError)
    assert str(raised.value).startswith(f"{name} is not right: ")
    assert said in str(raised.value)
    with pytest.raises(SystemExit, match="is not right"):
        server.check_settings()


def test_a_read_only_server_is_not_opened_by_a_word_that_cannot_be_read(monkeypatch):
    monkeypatch.setenv("ISOGLOSS_READ_ONLY", "off")
    with pytest.raises(SettingError):
        is_read_only()


def test_the_command_line_says_what_is_wrong(monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", "~nobody-of-that-name/x")
    done = subprocess.run(
        [sys.executable, "-m", "isogloss", "cache", "ls"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "ISOGLOSS_CACHE is not right" in done.stderr
