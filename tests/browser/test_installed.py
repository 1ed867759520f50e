"""The wheels: what is in them, and that they are all one needs beside what they depend on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from playwright.sync_api import Page, expect

from components.shared.studies.study_picker import showpiece
from isogloss.interface import retrieval
from isogloss.store import DEMO_ROOT, Store
from isogloss.studies.study import list_studies, open_study
from tests.helpers.server import ROOT, free_port, serving

pytestmark = pytest.mark.browser

MOST_BYTES = 95_000_000
"""Package indexes take 100 MB a file."""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> dict[str, Path]:
    """Both wheels, by the name of the package."""
    place = tmp_path_factory.mktemp("wheels")
    for project in (ROOT, ROOT / "packages" / "demo"):
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir"]
        subprocess.run([*command, str(place), str(project)], check=True, capture_output=True)
    return {path.name.partition("-")[0]: path for path in place.glob("*.whl")}


@pytest.fixture(scope="module")
def installed(wheels, tmp_path_factory) -> Path:
    """The wheel `isogloss` alone, without the network and without what else there is here."""
    return install(tmp_path_factory.mktemp("prefix"), wheels["isogloss"])


@pytest.fixture
def elsewhere(installed, tmp_path) -> dict[str, str]:
    """The environment of somebody who has no checkout; what they keep is in `tmp_path`."""
    return environment(installed, tmp_path)


def install(target: Path, *packages: Path) -> Path:
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*command, "--target", target, *packages], check=True, capture_output=True)
    return target


def environment(installed: Path, home: Path) -> dict[str, str]:
    ours = ("ISOGLOSS_", "STREAMLIT_")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return plain | {
        "PYTHONPATH": str(installed),
        "XDG_DATA_HOME": str(home / "share"),
        "HF_HUB_OFFLINE": "1",
    }


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return set(opened.namelist())


def test_wheels_are_small_enough_and_have_one_name_each_at_the_top(wheels):
    assert set(wheels) == {"isogloss", "isogloss_demo"}
    for package, wheel in wheels.items():
        assert wheel.stat().st_size <= MOST_BYTES
        tops = {name.partition("/")[0] for name in names(wheel)}
        assert {re.sub(r"-.*\.dist-info$", "", top) for top in tops} == {package}


def test_the_wheel_has_the_study_that_the_app_opens_on_and_every_run(wheels, tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path))
    st.cache_resource.clear()  # pages that were tested before had a store of their own
    shipped = {study.key: study for study in list_studies(Store(tmp_path))}
    opening = showpiece(shipped).key
    here, there = studies_in(wheels["isogloss"]), studies_in(wheels["isogloss_demo"])
    assert opening in here
    assert here | there == {path.name for path in (DEMO_ROOT / "entries").iterdir()}
    assert set(shipped) <= here | there
    assert not here & there
    carried = names(wheels["isogloss"])
    runs = {path.relative_to(DEMO_ROOT) for path in (DEMO_ROOT / "runs").rglob("*.*")}
    assert {f"isogloss/_app/cache/demo/{run}" for run in runs} <= carried
    assert not any("__pycache__" in name for name in carried)


def studies_in(wheel: Path) -> set[str]:
    """The keys of the studies in a wheel."""
    return set(re.findall(r"/entries/(\w+)/manifest\.json", " ".join(names(wheel))))


@pytest.fixture
def opened(installed, elsewhere, tmp_path) -> Iterator[tuple[str, Path]]:
    """The command `isogloss my.tsv` in a folder that has nothing else; the folder is given, too."""
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "my.tsv").write_text("en\tnl\nGood morning!\tGoedemorgen!\n", encoding="utf-8")
    port = free_port()
    script = [sys.executable, str(installed / "bin" / "isogloss"), "my.tsv", "--no-browser"]
    with serving([*script, "--port", str(port)], port, folder, elsewhere) as address:
        yield address, folder


def test_the_command_opens_the_app_on_the_map_and_on_a_text(page: Page, opened, installed):
    address, folder = opened
    page.goto(address)
    expect(page.get_by_role("heading", name="Where do translations meet?")).to_be_visible()
    expect(page.locator("canvas").first).to_be_visible()
    expect(page.locator("[data-testid$=Logo]").first).to_be_visible()
    ground = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert ground == "rgb(253, 252, 249)", "the theme is not the package's"
    page.goto(f"{address}/your_text")
    expect(page.get_by_text("which Isogloss was started with")).to_be_visible()
    expect(page.get_by_text("Read as tsv")).to_be_visible()
    page.goto(f"{address}/transfer")
    run = page.get_by_role("combobox", name="Run", exact=True)
    expect(run).to_have_value(re.compile("comes with Isogloss"))
    assert [path.name for path in folder.iterdir()] == ["my.tsv"]
    assert not (installed / "isogloss" / "_app" / "cache" / "data").exists()


def isogloss(*words: str, env: dict[str, str], folder: Path) -> str:
    script = Path(env["PYTHONPATH"]) / "bin" / "isogloss"
    command = [sys.executable, str(script), *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_command_measures(elsewhere, tmp_path):
    listed = json.loads(isogloss("studies", "ls", "--json", env=elsewhere, folder=tmp_path))
    studies = {study.key for study in list_studies(Store(tmp_path / "here"))}
    first = next(entry for entry in listed if entry["key"] in studies)
    words = ("measure", first["key"][:12], "--what", "retrieval", "--json")
    (found,) = json.loads(isogloss(*words, env=elsewhere, folder=tmp_path))
    here = retrieval(open_study(Store(tmp_path / "here"), first["key"]))
    assert found["retrieval"]["rows"] == json.loads(json.dumps(here.rows()))
    runs = isogloss("runs", "ls", env=elsewhere, folder=tmp_path)
    assert runs.count("shipped") == len(list((DEMO_ROOT / "runs").iterdir()))


def test_the_other_wheel_adds_its_studies(wheels, tmp_path):
    both = install(tmp_path / "both", *wheels.values())
    env = environment(both, tmp_path)
    listed = json.loads(isogloss("studies", "ls", "--json", env=env, folder=tmp_path))
    assert len(listed) == len(list((DEMO_ROOT / "entries").iterdir()))
    assert all(entry["demo"] for entry in listed)
