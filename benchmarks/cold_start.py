"""A public demo in little memory: `python -m benchmarks.cold_start [--toy]`.

Starts the app as deploy/space does, read-only and in a store of its own, in a control group that
may take 2 GB, and opens it in Chromium, which is not in the group: how long until the server
answers, until the map is drawn, and how much of it was in memory at its highest, libraries
included, after a walk through the pages. Where no control group can be made, that is said.
The peer is a server of one line of text, started and opened the same way. `--toy` skips the walk.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.arguments import read_arguments
from benchmarks.first_open import ONE_LINE, TIMEOUT, until_shown
from isogloss.formatting import human_size
from tests.helpers.server import CHROMIUM, CHROMIUM_ARGUMENTS, running_app

LIMIT = 2 * 10**9
SPACE = {"ISOGLOSS_READ_ONLY": "1", "OMP_NUM_THREADS": "2"}
"""What deploy/space/Dockerfile sets, but for where things lie."""
PAGES = ("similarity", "best_layer", "transfer", "emergence", "two_models", "your_text")


@contextmanager
def memory_group() -> Iterator[Path | None]:
    """A control group of at most LIMIT bytes, of either version; None where none can be made."""
    root = Path("/sys/fs/cgroup")
    parent, limit = root / "memory", "memory.limit_in_bytes"
    if not parent.is_dir():
        parent, limit = root, "memory.max"
    group = parent / f"isogloss-{uuid.uuid4().hex[:8]}"
    try:
        group.mkdir()
        (group / limit).write_text(str(LIMIT))
    except OSError:
        yield None
        return
    try:
        yield group
    finally:
        for _ in range(100):  # a group goes when its last process has
            with suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)


def most_in_memory(group: Path) -> int:
    """The most that each process of the group has had in memory, in bytes, added up."""
    found = 0
    for number in (group / "cgroup.procs").read_text().split():
        status = Path(f"/proc/{number}/status").read_text()
        found += 1_024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])
    return found


def open_within(group: Path | None, script: str, walk: bool) -> tuple[float, float, str]:
    """Seconds until a new server answers, and from then until its page is shown; and memory."""
    for name, value in SPACE.items():
        os.environ[name] = value
    with tempfile.TemporaryDirectory() as cache, sync_playwright() as playwright:
        if group is not None:  # what is started from now on belongs to the group
            (group / "cgroup.procs").write_text(str(os.getpid()))
        began = time.monotonic()
        with running_app(Path(cache), script) as address:
            started = time.monotonic() - began
            if group is not None:
                (group.parent / "cgroup.procs").write_text(str(os.getpid()))
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=list(CHROMIUM_ARGUMENTS)
            )
            context = browser.new_context()
            shown = until_shown(context, address)
            for name in PAGES if walk else ():
                page = context.new_page()
                page.goto(f"{address}/{name}")
                page.locator("h1").first.wait_for(timeout=TIMEOUT)
                page.wait_for_timeout(3_000)
                page.close()
            taken = human_size(most_in_memory(group)) if group else "memory not limited"
            browser.close()
        return started, shown, taken


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    toy = read_arguments(parser, words).toy
    with memory_group() as group:
        started, shown, taken = open_within(group, "app.py", walk=not toy)
    with memory_group() as other, tempfile.TemporaryDirectory() as folder:
        line = Path(folder) / "one_line.py"
        line.write_text(ONE_LINE, encoding="utf-8")
        peer_started, peer_shown, peer_taken = open_within(other, str(line), walk=False)
    print(f"Isogloss, read-only: up after {started:.1f} s, map drawn {shown:.1f} s later; {taken}")
    print(f"one line of text: up after {peer_started:.1f} s, shown {peer_shown:.1f} s later; "
          f"{peer_taken}")  # fmt: skip
    print(f"Isogloss takes {(started + shown) / (peer_started + peer_shown):.1f} × that time")


if __name__ == "__main__":
    main()
