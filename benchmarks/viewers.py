"""Many viewers at once, without browsers: `python -m benchmarks.viewers [--toy]`.

Starts a read-only server of its own on this machine and drives it with WebSocket clients that speak
Streamlit's protocol: each opens the app and goes from page to page, as people do, with a pause
between. Browsers on the same cores would eat what they measure. Printed are the server's processor
seconds for each page change, how long viewers waited, and the server's memory before, with and
after them. Only the server that is started here is ever connected to, on the loopback interface.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from benchmarks.arguments import read_arguments
from tests.helpers.server import free_port

ROOT = Path(__file__).parents[1]
PAGES = ("", "similarity", "retrieval", "transfer", "emergence", "layers_needed", "sentences")
MOST_VIEWERS, MOST_SECONDS = 50, 300
PAUSE = 5.0
"""Seconds that a viewer looks at a page, on average."""
SETTLING, LEAVING = 10.0, 30.0
"""Seconds for what the server imports in the background, and for it to notice who has gone."""


@contextmanager
def server(cache: str) -> Iterator[tuple[str, psutil.Process]]:
    """A read-only server on a free port of the loopback interface."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.port", str(port), "--server.address", "127.0.0.1"]
    environment = {"ISOGLOSS_CACHE": cache, "ISOGLOSS_READ_ONLY": "1", "HF_HUB_OFFLINE": "1"}
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2)
                break
            except OSError:
                time.sleep(0.2)
        yield f"ws://127.0.0.1:{port}/_stcore/stream", psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(timeout=20)


async def open_page(connection: object, page: str) -> int:
    """Ask for a page and take in all of it; returns the bytes that came."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    asked = BackMsg()
    asked.rerun_script.page_name = page
    await connection.send(asked.SerializeToString())  # type: ignore[attr-defined]
    size = 0
    while True:
        received = await connection.recv()  # type: ignore[attr-defined]
        size += len(received)
        message = ForwardMsg()
        message.ParseFromString(received)
        if message.delta.new_element.HasField("exception"):
            raise SystemExit(f"Page {page!r} failed: {message.delta.new_element.exception.message}")
        if message.WhichOneof("type") == "script_finished":
            return size


async def view(
    url: str, ends: float, pause: float, seed: int, waits: list[float], sizes: list[int]
) -> None:
    """Go from page to page until the time is over, one page at the least."""
    from websockets.asyncio.client import connect

    chance = random.Random(seed)
    async with connect(url, subprotocols=["streamlit"], max_size=None) as connection:
        while not waits or time.monotonic() < ends:
            await asyncio.sleep(chance.uniform(0, 2 * pause))
            began = time.monotonic()
            sizes.append(await open_page(connection, chance.choice(PAGES)))
            waits.append(time.monotonic() - began)


async def crowd(
    url: str, viewers: int, seconds: float, pause: float
) -> tuple[list[float], list[int]]:
    waits: list[float] = []
    sizes: list[int] = []
    ends = time.monotonic() + seconds
    await asyncio.gather(*(view(url, ends, pause, seed, waits, sizes) for seed in range(viewers)))
    return waits, sizes


async def visit_once(url: str) -> None:
    """Open every page, so that what is computed or imported once is not counted for the crowd."""
    from websockets.asyncio.client import connect

    async with connect(url, subprotocols=["streamlit"], max_size=None) as connection:
        for page in (*PAGES, *PAGES):
            await open_page(connection, page)


def megabytes(process: psutil.Process) -> float:
    return process.memory_info().rss / 1e6


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--pause", type=float, default=PAUSE, help="seconds at a page, on average")
    parser.add_argument("--settling", type=float, default=SETTLING, help=argparse.SUPPRESS)
    parser.add_argument("--leaving", type=float, default=LEAVING, help=argparse.SUPPRESS)
    toy = {"viewers": 2, "seconds": 0.1, "pause": 0, "settling": 0, "leaving": 0}
    options = read_arguments(parser, words, **toy)
    if not (0 < options.viewers <= MOST_VIEWERS and 0 < options.seconds <= MOST_SECONDS):
        parser.error(f"at most {MOST_VIEWERS} viewers for {MOST_SECONDS} seconds")
    with tempfile.TemporaryDirectory() as cache, server(cache) as (url, process):
        asyncio.run(visit_once(url))
        time.sleep(options.settling)
        before, began = megabytes(process), cpu_seconds(process)
        waits, sizes = asyncio.run(crowd(url, options.viewers, options.seconds, options.pause))
        spent, among = cpu_seconds(process) - began, megabytes(process)
        time.sleep(options.leaving)
        after = megabytes(process)
    print(f"{options.viewers} viewers, {len(waits)} page changes in {options.seconds:g} s")
    print(f"server: {spent / len(waits):.3f} processor seconds a page change")
    print(f"waited: median {statistics.median(waits):.2f} s, slowest {max(waits):.2f} s")
    print(f"sent: {statistics.median(sizes) / 1e3:.0f} kB a page change at the median")
    print(f"memory: {before:.0f} MB before, {among:.0f} MB with them, {after:.0f} MB after")


if __name__ == "__main__":
    main()
