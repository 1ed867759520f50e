"""What is there for whoever takes part: how to cite, what to tell, what runs before a commit."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import isogloss

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_citation_is_of_this_version():
    citation = read(ROOT / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == isogloss.__version__
    assert citation["title"] == isogloss.__doc__.partition(".\n")[0]
    assert citation["title"].lower() == f"{PROJECT['name']}: {PROJECT['description'].lower()}"
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == [{"name": "Isogloss contributors"}]
    assert citation["type"] == "software"
    assert citation["message"]
    known = {"abstract", "keywords", "cff-version", "version", "title", "license", "authors"}
    assert set(citation) <= known | {"type", "message"}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_form_for_an_issue_is_short_and_can_be_filled_in(path):
    form = read(path)
    assert {"name", "description", "body"} <= set(form)
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert 1 <= len(fields) <= 5
    names = [field["id"] for field in fields]
    assert len(set(names)) == len(names)
    for field in fields:
        assert field["type"] in ("textarea", "input", "dropdown", "checkboxes")
        assert field["attributes"]["label"]
        assert (field["type"] == "dropdown") == ("options" in field["attributes"])
    assert any(field.get("validations", {}).get("required") for field in fields)


def test_there_is_a_form_for_each_thing_to_tell():
    assert [path.stem for path in TEMPLATES] == ["bug", "idea", "wrong_number"]


def test_before_a_commit_run_the_tools_that_make_runs():
    (local,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local", "nothing is fetched"
    tools = [hook["entry"].split() for hook in local["hooks"]]
    assert [tool[:2] for tool in tools] == [
        [".venv/bin/ruff", "check"],
        [".venv/bin/ruff", "format"],
        [".venv/bin/mypy"],
    ]
    assert all(hook["language"] == "system" for hook in local["hooks"])
    for tool in tools:
        assert " ".join(tool[:2]).replace(".venv/bin", "$(BIN)") in MAKEFILE


def test_continuous_integration_calls_make_test():
    workflow = read(ROOT / ".github" / "workflows" / "test.yml")
    (job,) = workflow["jobs"].values()
    assert job["runs-on"].startswith("ubuntu")
    assert any(step.get("with", {}).get("python-version") == "3.11" for step in job["steps"])
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert commands[-1] == "make test"
    assert workflow["permissions"] == {"contents": "read"}


def test_the_guide_names_what_there_is():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):.*##", MAKEFILE, re.MULTILINE))
    said = set(
        re.findall(r"\bmake ([a-z]+)\b", " ".join(re.findall(r"`[^`]+`|^make .*$", guide, re.M)))
    )
    assert said <= targets
    assert {"test", "lint", "lock"} <= said
