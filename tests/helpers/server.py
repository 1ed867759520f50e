"""A real Isogloss server on a free port, for browser tests and for the pictures in the docs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def free_port(wanted: int = 0) -> int:
    """The port `wanted`, which must be free, else any that is."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", wanted))
        return int(probe.getsockname()[1])


@contextmanager
def running_app(cache: Path, script: str = "app.py", port: int = 0) -> Iterator[str]:
    """Start `script` with its cache in `cache`, on a free port unless told; yields the address."""
    port = free_port(port)
    environment = os.environ | {
        "ISOGLOSS_CACHE": str(cache),
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.headless", "true"]
    command += ["--server.port", str(port), "--server.address", "127.0.0.1"]
    command += ["--server.fileWatcherType", "none", "--browser.gatherUsageStats", "false"]
    with serving(command, port, ROOT, environment) as address:
        yield address


@contextmanager
def serving(
    command: Sequence[str],
    port: int,
    folder: Path,
    environment: Mapping[str, str],
    asks: str = "/_stcore/health",
) -> Iterator[str]:
    """Start a server in a folder and wait until it answers what is asked; yields its address."""
    server = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_until_healthy(server, address + asks)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=240)


def _wait_until_healthy(server: subprocess.Popen[bytes], page: str) -> None:
    for _ in range(3_000):
        if server.poll() is not None:
            raise RuntimeError(f"the server ended with exit code {server.returncode}")
        try:
            with urllib.request.urlopen(page, timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start within minutes")
