"""The files that others deploy with, as far as that goes without an engine or a cluster."""

import fnmatch
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
GUIDE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")


def instructions(name: str) -> list[str]:
    return re.findall(rf"^{name}\s+(.*)$", DOCKERFILE, re.MULTILINE)


def test_all_that_the_image_copies_is_there_and_goes_to_the_engine():
    for copied in instructions("COPY"):
        *sources, _ = shlex.split(copied)
        for source in sources:
            found = sorted(ROOT.glob(source)) if source != "." else [ROOT / "app.py"]
            assert found, f"nothing to copy: {source}"
            names = [path.relative_to(ROOT).as_posix() for path in found]
            assert not any(fnmatch.fnmatch(name, each) for name in names for each in IGNORED)


def test_what_the_app_needs_is_not_left_out_of_the_image():
    """A module that is imported, and the theme, which figures read."""
    needed = ("app.py", "pages", "components", "isogloss", "cache/demo", ".streamlit", "assets")
    for name in needed:
        assert (ROOT / name).exists()
        assert not any(fnmatch.fnmatch(name, each) for each in IGNORED)


def test_requirements_that_images_are_built_with_are_there():
    asked = [COMPOSE["x-isogloss"]["build"]["args"]["REQUIREMENTS"]]
    asked += [match for each in instructions("ARG") for match in re.findall('"(.+)"', each)]
    for name in " ".join(asked).split():
        assert (ROOT / name).is_file(), name


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_service_has_an_image_volumes_that_are_declared_and_a_command_that_parses(name):
    service = COMPOSE["services"][name]
    assert service["image"] == "isogloss"
    assert {volume.split(":")[0] for volume in service.get("volumes", ())} <= set(
        COMPOSE["volumes"]
    )
    words = shlex.split(service.get("command", "").replace("$$", "$"))
    if words[:2] == ["sh", "-c"]:
        subprocess.run(["sh", "-n", "-c", words[2]], check=True)
    for profile in service.get("profiles", ()):
        assert f"--profile {profile}" in GUIDE


def test_the_base_image_is_named_by_digest_and_none_is_made_up():
    """Whoever builds gives it; a tag alone, which moves, is not to be had by forgetting."""
    assert instructions("FROM") == ["${BASE}"]
    assert "BASE" in instructions("ARG"), "without a default"
    assert "@sha256:" in DOCKERFILE
    assert not re.search(r"sha256:[0-9a-f]{64}", DOCKERFILE)
    base = COMPOSE["x-isogloss"]["build"]["args"]["BASE"]
    assert re.fullmatch(r"\$\{ISOGLOSS_BASE:\?.+\}", base)
    assert "RepoDigests" in GUIDE


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_service_has_no_more_rights_and_memory_than_it_needs(name):
    service = COMPOSE["services"][name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert re.fullmatch(r"\$\{ISOGLOSS_MEMORY:-\d+gb\}", service["mem_limit"])
    assert service["pids_limit"] > 0
    assert not {"privileged", "cap_add"} & set(service)
    # A worker of a cluster keeps more in its temporary directory than fits into memory.
    assert service["read_only"] is (name != "ray-worker")
    assert any(place.startswith("/tmp:") for place in service["tmpfs"]) is service["read_only"]
    assert service["read_only"] or not service.get("ports"), "reached from outside"


def test_nothing_in_the_image_runs_as_root():
    assert instructions("USER") == ["isogloss"]
    assert "/home/isogloss" in " ".join(COMPOSE["x-isogloss"]["tmpfs"])


def test_the_licence_of_the_packaged_ffmpeg_is_named_where_it_is():
    asked = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert "imageio-ffmpeg" in asked
    (labels,) = instructions("LABEL")
    assert "GPL" in labels
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Licence")[2]
    for text in (DOCKERFILE, GUIDE, readme):
        assert "imageio-ffmpeg" in text
        assert "GPL" in text


def test_variables_of_ours_that_the_files_set_are_in_the_guide():
    files = ("Dockerfile", "compose.yaml", "docs/ray.sbatch")
    texts = " ".join((ROOT / name).read_text(encoding="utf-8") for name in files)
    for name in set(re.findall(r"ISOGLOSS_[A-Z_]+", texts)):
        assert f"`{name}" in GUIDE, name


def test_the_sbatch_example_is_a_script_that_parses():
    parsed = subprocess.run(["bash", "-n", str(ROOT / "docs" / "ray.sbatch")], check=False)
    assert parsed.returncode == 0


def test_a_first_start_asks_for_nothing_and_reports_nothing():
    options = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert options["server"]["showEmailPrompt"] is False
    assert options["browser"]["gatherUsageStats"] is False


def test_a_public_space_is_read_only_and_listens_where_its_front_matter_says():
    folder = ROOT / "deploy" / "space"
    image = (folder / "Dockerfile").read_text(encoding="utf-8")
    _, front, _ = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    facts = yaml.safe_load(front)
    assert facts["sdk"] == "docker"
    assert f"EXPOSE {facts['app_port']}" in image
    assert f"--port {facts['app_port']}" in image
    assert "ISOGLOSS_READ_ONLY=1" in image
    assert 'ISOGLOSS_HOSTS=\\"${SPACE_HOST:-}\\"' in image, "or it answers to any name"
    assert not re.search(r"^USER root", image, re.MULTILINE)
    assert "USER user" in image
