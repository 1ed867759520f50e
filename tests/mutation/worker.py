"""Tries mutants in a copy of the code, asked by lines of JSON.

    python -m tests.mutation.worker LIBRARY …

Each line names a file, its new content, the tests and how many seconds they may take; the answer
says whether they passed. Libraries are imported once and every trial is a fork of this process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path


def try_tests(tests: list[str], seconds: float | None) -> tuple[str, float]:
    """Run tests in a fork until one fails: "passed", "failed" or "hung", and the seconds."""
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        _run(tests)
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if seconds is not None and time.monotonic() - began > seconds:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "hung", time.monotonic() - began
        time.sleep(0.05)
    return ("failed" if ended[1] else "passed"), time.monotonic() - began


def _run(tests: list[str]) -> None:
    """Be the fork: a group of its own, so that whatever it starts goes with it."""
    os.setsid()
    with open("log.txt", "wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    import pytest

    options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=line"]
    code = pytest.main([*options, "--hypothesis-profile", "mutation", *tests])
    sys.stdout.flush()
    os._exit(int(code != 0))


def main() -> None:
    for name in sys.argv[1:]:
        __import__(name)
    import hypothesis

    # That an example fails is enough; the smallest that does takes minutes to find.
    hypothesis.settings.register_profile(
        "mutation",
        deadline=None,
        derandomize=True,
        database=None,
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        asked = json.loads(line)
        path = Path(asked["path"]) if asked["path"] else None
        before = path.read_bytes() if path else b""
        if path:
            path.write_bytes(asked["content"].encode())
        outcome, seconds = try_tests(asked["tests"], asked["seconds"])
        if path:
            path.write_bytes(before)
        failed = Path("log.txt").read_text(errors="replace")
        print(json.dumps([outcome, seconds, failed[-3_000:]]), file=answers, flush=True)


if __name__ == "__main__":
    main()
