"""requirements.lock: one version of everything that is asked for, and nothing of one machine."""

import re
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from packages.lock import LEFT_TO_TORCH, settled

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
ASKED = sorted(path.name for path in ROOT.glob("requirements*.txt"))
SERVED = {
    "Linux": {"sys_platform": "linux", "os_name": "posix", "platform_machine": "x86_64"},
    "Linux on ARM": {"sys_platform": "linux", "os_name": "posix", "platform_machine": "aarch64"},
    "macOS": {"sys_platform": "darwin", "os_name": "posix", "platform_machine": "arm64"},
    "Windows": {"sys_platform": "win32", "os_name": "nt", "platform_machine": "AMD64"},
}


def pins(text: str) -> list[Requirement]:
    return [Requirement(line) for line in text.splitlines() if re.match(r"\w", line)]


def version(pin: Requirement) -> str:
    (found,) = pin.specifier
    assert found.operator == "=="
    return found.version


def locked(**environment: str) -> dict[str, str]:
    """Versions by name on such a system, and by default on this one."""
    found = [pin for pin in pins(LOCK) if not pin.marker or pin.marker.evaluate(environment)]
    names = [canonicalize_name(pin.name) for pin in found]
    assert len(names) == len(set(names)), "two versions of one package"
    return {name: version(pin) for name, pin in zip(names, found, strict=True)}


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
@pytest.mark.parametrize("system", SERVED)
@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_for_is_in_the_lock_at_the_same_version(name, system, python):
    environment = {**SERVED[system], "python_version": python, "python_full_version": f"{python}.0"}
    there = locked(**environment)
    for pin in pins((ROOT / name).read_text(encoding="utf-8")):
        if not pin.marker or pin.marker.evaluate(environment):
            assert there.get(canonicalize_name(pin.name)) == version(pin), "run make lock"


def test_what_those_ask_for_is_in_the_lock_too_and_suits_them():
    there, todo, seen = locked(), [], set()
    for name in ("requirements.txt", "requirements-cluster.txt", "requirements-dev.txt"):
        todo += pins((ROOT / name).read_text(encoding="utf-8"))
    while todo:
        pin = todo.pop()
        name = canonicalize_name(pin.name)
        if (name, *pin.extras) in seen or LEFT_TO_TORCH.match(name):
            continue
        seen.add((name, *pin.extras))
        assert pin.specifier.contains(there[name], prereleases=True), f"{pin}: run make lock"
        for each in map(Requirement, requires(name) or ()):
            extras = pin.extras or {""}
            if not each.marker or any(each.marker.evaluate({"extra": extra}) for extra in extras):
                todo.append(each)
    assert len(seen) > 100


def test_it_names_packages_and_neither_places_nor_builds():
    for line in LOCK.splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; [^/@\\]+)?", line), line
    for sign in ("://", "--", "sha256", "+", ".org", ".com"):
        assert sign not in LOCK


def test_builds_of_torch_bring_what_they_need_for_gpus_themselves():
    assert locked()["torch"] == "2.13.0"
    assert "torch==2.13.0\n" in (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert not any(map(LEFT_TO_TORCH.match, locked()))
    lines = ["triton==3.7.1\n", "b==1\n", "nvidia-nccl-cu13==2\n", "a==2\n", "b==1\n"]
    assert settled([*lines, "cuda-toolkit==13\n", "nvidiary==1\n"]) == [
        "a==2\n",
        "b==1\n",
        "nvidiary==1\n",
    ]


def test_every_install_of_ours_is_held_to_it():
    for name in ("Makefile", "Dockerfile"):
        text = (ROOT / name).read_text(encoding="utf-8")
        installs = [line for line in text.splitlines() if re.search(r"pip install|INSTALL\)", line)]
        from_files = [line for line in installs if "-r " in line]
        assert from_files
        for line in from_files:
            assert "-c requirements.lock" in line or "$(INSTALL)" in line, line
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "-c requirements.lock" in re.search("^INSTALL := (.*)$", makefile, re.MULTILINE)[1]
    for stamp in re.findall(r"^\.venv/\w+\.installed: (.*) \|", makefile, re.MULTILINE):
        assert "requirements.lock" in stamp.split(), "a new lock is installed"
