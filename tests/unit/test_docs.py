"""The documents that are written from the code say what the code says, and name what is there."""

import re
from argparse import SUPPRESS
from inspect import Parameter, signature
from pathlib import Path

import pytest

import hatch_build
from components.settings import PAGE_SETTINGS
from docs.make_commands import COMMANDS, describe_commands, leaves
from docs.make_measures import MEASURES, describe_measures
from docs.make_settings import FLAGGED, FUNCTIONS, SETTINGS, describe_settings, in_python
from isogloss import interface
from isogloss.command_line import build_parser
from isogloss.options import options_of
from tests.test_layering import ROOMS

ROOT = Path(__file__).parents[2]
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
ELSEWHERE = ("cache/data", "isogloss/_app", "dist/", "facebook/xnli", "/_stcore")
"""What only a used checkout, only a wheel, the hub or the server has."""
HOUSE = ("app.py", "pages", "components", "isogloss", "tests", "docs", "packages", "cache")
PATH = re.compile(r"`([\w.-]*/[\w./-]*|[\w-]+\.(?:py|js|md|json|css|txt|lock|cff|yml))`")


def test_the_list_of_measures_is_the_tables():
    assert MEASURES.read_text(encoding="utf-8") == describe_measures(), (
        "write it anew: python -m docs.make_measures"
    )


def test_the_list_of_settings_is_what_is_declared():
    assert SETTINGS.read_text(encoding="utf-8") == describe_settings(), (
        "write it anew: python -m docs.make_settings"
    )


def questions_of_pages():
    """Every setting of a question that a page asks: the page, what asks it, the setting."""
    for page, settings in PAGE_SETTINGS.items():
        for owner in settings.questions:
            for option in options_of(owner).values():
                yield pytest.param(settings.command, owner, option, id=f"{page} {option.name}")


@pytest.mark.parametrize(("command", "owner", "option"), questions_of_pages())
def test_every_setting_of_a_question_is_a_flag_and_an_argument(command, owner, option):
    named = next(each for each in FLAGGED[command] if each.address == option.address)
    parser = next(each for name, _, each in leaves(build_parser()) if name == command)
    flag = parser._option_string_actions[named.flag]
    assert flag.help
    if option.choices and flag.choices:
        assert tuple(flag.choices) == tuple(named.choices)
    if flag.default not in (None, SUPPRESS):
        assert flag.default == named.default
    written = in_python(owner, option, named)
    assert f"`{command} {named.flag}`" in describe_settings()
    assert written.split(".")[1].split("(")[0] in interface.__all__
    function, argument = FUNCTIONS[owner], written.split("(")[1].removesuffix("=…)")
    assert argument in signature(function).parameters
    default = signature(function).parameters[argument].default
    assert default in (option.default, None, Parameter.empty)


def test_the_list_of_commands_is_what_its_command_writes():
    assert COMMANDS.read_text(encoding="utf-8") == describe_commands(), (
        "write it anew: python -m docs.make_commands"
    )


def is_there(name: str) -> bool:
    """Whether a path leads somewhere; a name in capitals in it stands for any."""
    if name.startswith(ELSEWHERE):
        return True
    pattern = re.sub(r"\b[A-Z]{2,}\b(?!\.md)", "*", name).strip("/")
    if "/" in name or (ROOT / name).exists():
        return any(ROOT.glob(pattern))
    return any(found for room in HOUSE for found in (ROOT / room).rglob(pattern))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_every_path_and_command_that_is_named_is_there(path):
    text = path.read_text(encoding="utf-8")
    named = PATH.findall(text) + re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    assert [
        name for name in named if not is_there(name) and not (path.parent / name).exists()
    ] == []
    for name in re.findall(r"python -m ([\w.]+)", text):
        place = ROOT / name.replace(".", "/").replace("/NAME", "")
        assert place.is_dir() or place.with_suffix(".py").is_file(), name


def test_the_study_that_the_readme_measures_is_in_the_wheel():
    (key,) = re.findall(r"^isogloss measure (\w+)", README, re.MULTILINE)
    (entry,) = hatch_build.ENTRIES.glob(f"{key}*")
    assert hatch_build.is_carried(entry)


def test_every_benchmark_that_the_readme_names_is_there():
    (named,) = re.findall(r"python -m benchmarks\.NAME`\s*\(([^)]+)\)", README)
    for name in re.findall(r"`(\w+)`", named):
        assert (ROOT / "benchmarks" / f"{name}.py").is_file(), name


def walks() -> list[list[tuple[str, list[str]]]]:
    """The hops of each walk: a file, and what of it is named."""
    parts = re.split(r"^## Walk \d: ", ARCHITECTURE, flags=re.MULTILINE)[1:]
    found = []
    for part in parts:
        hops = re.findall(r"^\d+\. (.*(?:\n   .*)*)", part, re.MULTILINE)
        marked = [re.findall(r"`([^`]+)`", hop) for hop in hops]
        found.append([(names[0], names[1:]) for names in marked])
    return found


def test_there_are_five_walks_and_each_hop_is_a_file():
    assert len(walks()) == 5
    for walk in walks():
        assert len(walk) >= 5
        for path, _ in walk:
            assert (ROOT / path).is_file(), path


def test_what_a_hop_names_is_in_its_file():
    for walk in walks():
        for path, names in walk:
            text = (ROOT / path).read_text(encoding="utf-8")
            for name in names:
                assert re.search(rf"(\bdef |\bclass |\bfunction |^  #?){name}\b", text, re.M), (
                    f"{path} has no {name}"
                )


def test_the_picture_has_the_rooms_in_the_order_of_their_arrows():
    picture = ARCHITECTURE.partition("```\n")[2].partition("```")[0]
    places = [picture.index(f" {room} ") for room in reversed(ROOMS) if "." not in room]
    assert places == sorted(places)


def test_the_guides_tree_is_the_tree():
    block = GUIDE.partition("## Where things are\n\n```\n")[2].partition("```")[0]
    above = ROOT
    for line in block.splitlines():
        if line.startswith(" " * 20):
            continue  # goes on with what the line above says
        names = re.match(r" *(.+?)(?=  |$)", line)[1]
        below = ROOT if not line.startswith(" ") else above
        for name in names.split(", "):
            found = below / name
            assert found.exists() or found.with_suffix(".py").exists(), f"{below.name}/{name}"
        if not line.startswith(" "):
            above = ROOT / names


def test_the_tree_leaves_no_room_out():
    block = GUIDE.partition("## Where things are\n\n```\n")[2].partition("```")[0]
    for place in sorted((ROOT / "isogloss").iterdir()):
        if place.suffix == ".py" and place.stem.strip("_") not in ("init", "main"):
            assert re.search(rf"\b{place.stem}\b", block), place.name
        elif (place / "__init__.py").is_file():
            assert f"  {place.name}/" in block, place.name


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs"])
def test_nothing_is_called_by_a_path_that_it_had(name):
    former = r"isogloss[/.](experiments|runs|films|texts|activations|projection)\b|cache[/.]store"
    place = ROOT / name
    for path in [place] if place.is_file() else [*place.glob("*.md"), *place.glob("*.py")]:
        assert not re.search(former, path.read_text(encoding="utf-8")), path.name
