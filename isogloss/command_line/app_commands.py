"""`app`: the app in the browser, which `isogloss` alone opens, and `isogloss FILE` at its form."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from isogloss.errors import TextError
from isogloss.places import app_folder, open_with


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "app",
        help="open the app in the browser; `isogloss` alone and `isogloss FILE` do the same",
        description="Open the app in the browser. With a file of parallel text, or with two plain "
        "text files, it opens on the form for that text. It listens on this machine only.",
    )
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help="a text to begin with")
    parser.add_argument("--port", type=int, help="default: 8501, or the next that is free")
    parser.add_argument("--host", help="the address to listen at; 0.0.0.0 lets others in")
    parser.add_argument("--no-browser", action="store_true", help="only serve")
    parser.set_defaults(run=run_app)


def names_a_file(word: str) -> bool:
    """Whether a word in the place of a command is a file: none of the commands looks like one."""
    return not word.startswith("-") and ("." in word or os.sep in word)


def run_app(options: Namespace) -> int:
    """Become the server; it opens the browser itself when it is up."""
    for path in options.files:
        if not path.is_file():
            raise TextError(f"There is no file {path}: name a text, or open the app without one.")
    open_with(options.files)
    command = [sys.executable, "-m", "streamlit", "run", str(app_folder() / "app.py")]
    asked = {"--server.port": options.port, "--server.address": options.host}
    command += [word for name, value in asked.items() if value for word in (name, str(value))]
    if options.no_browser:
        command += ["--server.headless", "true"]
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.call(command)
