"""Every benchmark runs, all of it, at a size that takes seconds; what it prints means nothing."""

import importlib
import os
import re
import subprocess
import sys

import pytest

from isogloss.text.reading import BUNDLED_DIRECTORY
from tests.helpers.server import ROOT

MORE = {"aligners": ["--text", str(BUNDLED_DIRECTORY / "news.en-zh.tsv")]}
# Ray, Playwright and asyncio do not bear others of their kind in one process, and processes that
# are spawned need a main module of their own.
APART = {
    "cluster": pytest.mark.ray,
    "cold_start": pytest.mark.browser,
    "first_open": pytest.mark.browser,
    "largest_text": (),
    "scrubber": pytest.mark.browser,
    "viewers": (),
}
BENCHMARKS = sorted(
    path.stem
    for path in (ROOT / "benchmarks").glob("*.py")
    if "\ndef main(" in path.read_text(encoding="utf-8")
)


@pytest.fixture(autouse=True)
def a_cache_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path))


def output_of(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    module = importlib.import_module(f"benchmarks.{name}")
    module.main(["--toy", *MORE.get(name, [])])
    return capsys.readouterr().out


@pytest.mark.parametrize("name", [name for name in BENCHMARKS if name not in APART])
def test_a_benchmark_runs_at_toy_size(name, capsys):
    assert re.search(r"\d", output_of(name, capsys))


@pytest.mark.parametrize("name", [pytest.param(name, marks=mark) for name, mark in APART.items()])
def test_a_benchmark_of_many_processes_runs_at_toy_size(name):
    finished = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", "--toy"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2_000:]
    assert re.search(r"\d", finished.stdout)


def test_peers_of_the_similarity_benchmark_agree_with_us(capsys):
    said = output_of("similarity", capsys)
    apart = [float(each) for each in re.findall(r"differs by (?:at most )?(\S+)", said)]
    assert len(apart) >= 3, "two ways to compute CKA, and TranslationEvaluator"
    assert max(apart) < 1e-6
