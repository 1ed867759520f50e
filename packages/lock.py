"""Write requirements.lock, the one version of each package that `make run` and `make test` install.

`make lock` runs this. What is there keeps its version as long as requirements*.txt allow it;
`make lock UPGRADE=--upgrade` takes the newest of everything that they leave open.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
RESOLVED = ("requirements-dev.txt", "requirements-models.txt", "requirements-qwen.txt")
ALONE = ("requirements-comparison.txt", "requirements-monolingual.txt")
"""What is installed with --no-deps: it stands in the lock as it is."""
LEFT_TO_TORCH = re.compile(r"(nvidia|cuda|triton)\b")
HEADER = """\
# Every package that Isogloss asks for, or that those ask for, on Linux, macOS and Windows alike:
# written by `make lock`. Given to pip with -c, so that only what is asked for is installed.
# Not in it: what torch brings for GPUs (nvidia-*, cuda-*, triton). Builds of torch differ in this:
# one for CPUs asks for none of it, the others say which they need.
"""


def main(options: Sequence[str]) -> None:
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11"]
    command += ["--no-annotate", "--no-header", *options, "--output-file", LOCK.name, *RESOLVED]
    for name in ALONE:
        command += ["--constraint", name]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    alone = [line for name in ALONE for line in pins(ROOT / name)]
    LOCK.write_text(HEADER + "".join(settled([*pins(LOCK), *alone])), encoding="utf-8")


def pins(path: Path) -> list[str]:
    """The lines of a file that name a package."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [line for line in lines if re.match(r"\w", line)]


def settled(lines: Iterable[str]) -> list[str]:
    """Each line once, in order, without what builds of torch settle themselves."""
    return sorted({line for line in lines if not LEFT_TO_TORCH.match(line)})


if __name__ == "__main__":
    main(sys.argv[1:])
