"""A pool of workers on a Ray cluster: pieces of work go out, results come back in any order.

A worker that dies, with its node or alone, costs what it had at hand: those pieces go to others,
and a new worker takes its place as soon as there is room for one.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from isogloss.engines.ray_cluster import Share
from isogloss.errors import EngineError

TICK_SECONDS = 0.5
MOST_LOSSES = 3
"""So many workers may die of one piece before it is held to be the cause."""


class Worker(Protocol):
    """What a pool's workers are made of: they begin once, then do one piece after the other.

    `told`, which runs beside the work, says how it goes.
    """

    def begin(self) -> None: ...

    def do(self, piece: Any) -> Any: ...

    def told(self) -> Any: ...


Piece = TypeVar("Piece")
_BEGIN = object()
_TALK = "talk"


@dataclass(eq=False)
class _Hired:
    handle: Any
    alive: bool = True
    begun: bool = False
    at_hand: int = 0
    talk: Any = None


@dataclass(frozen=True)
class Done(Generic[Piece]):
    """A piece and what came of it: a value, or the problem that its worker raised."""

    piece: Piece
    value: Any = None
    problem: Exception | None = None


class Pool:
    """Up to `share.workers` workers of a kind, each with the same arguments.

    Each has at most `at_once` pieces: one to do and some to go on with, which is also what bounds
    the memory that results wait in.
    """

    def __init__(self, kind: type[Worker], arguments: Sequence[Any], share: Share) -> None:
        import ray

        self._make = ray.remote(concurrency_groups={_TALK: 1})(kind).options(
            num_cpus=share.cpus, num_gpus=share.gpus, max_restarts=0
        )
        self._arguments = arguments
        self._size = share.workers
        self._workers: list[_Hired] = []
        self._under_way: dict[Any, tuple[_Hired, Any]] = {}

    def work(
        self,
        pieces: Sequence[Piece],
        tick: Callable[[list[Any]], None],
        at_once: int = 1,
    ) -> Iterator[Done[Piece]]:
        """Have all pieces done; `tick` is called now and then with what workers have told.

        What `tick` raises, or leaving the loop, ends all workers at once.
        """
        waiting, losses = deque(pieces), Counter[int]()
        left, ticked = len(waiting), 0.0
        for _ in range(min(self._size, left)):
            self._hire()
        try:
            while left:
                for ref in self._wait():
                    worker, piece = self._under_way.pop(ref)
                    worker.at_hand -= 1
                    done = self._collect(ref, piece)
                    if done is None:
                        losses[id(piece)] += 1
                        self._check_losses(losses[id(piece)], piece)
                        self._replace(worker)
                        if piece is not _BEGIN:
                            waiting.appendleft(piece)
                        continue
                    if piece is _BEGIN and done.problem is not None:
                        raise done.problem
                    if piece is _BEGIN:
                        worker.begun = True
                    else:
                        left -= 1
                        yield done
                self._hand_out(waiting, at_once)
                if time.monotonic() - ticked >= TICK_SECONDS:
                    ticked = time.monotonic()
                    tick(self._listen())
        finally:
            self._dismiss()

    def _wait(self) -> list[Any]:
        import ray

        ready, _ = ray.wait(list(self._under_way), timeout=TICK_SECONDS)
        return list(ready)

    def _collect(self, ref: Any, piece: Any) -> Done[Any] | None:
        """What came of a piece; None where the worker or the result is lost."""
        import ray
        from ray.exceptions import RayError, RayTaskError

        try:
            return Done(piece, ray.get(ref))
        except RayTaskError as error:
            cause = error.cause if isinstance(error.cause, Exception) else error
            return Done(piece, problem=cause)
        except RayError:
            return None

    def _hire(self) -> None:
        worker = _Hired(self._make.remote(*self._arguments))
        self._workers.append(worker)
        self._send(worker, worker.handle.begin.remote(), _BEGIN)

    def _send(self, worker: _Hired, ref: Any, piece: Any) -> None:
        worker.at_hand += 1
        self._under_way[ref] = (worker, piece)

    def _replace(self, worker: _Hired) -> None:
        """Take a worker for lost, though it may only be out of reach, and look for another."""
        import ray

        if worker.alive:
            worker.alive = False
            self._workers.remove(worker)
            with suppress(Exception):
                ray.kill(worker.handle)
            self._hire()

    def _check_losses(self, count: int, piece: Any) -> None:
        begins = piece is _BEGIN
        if count >= MOST_LOSSES * (self._size if begins else 1):
            of_what = "as they began" if begins else "of the same piece of work"
            raise EngineError(
                f"{count} workers died {of_what}, most likely for want of memory: give them more, "
                "or make the work smaller."
            )

    def _hand_out(self, waiting: deque[Any], at_once: int) -> None:
        """Give every worker something to do first, and something to go on with then."""
        for depth in range(1, at_once + 1):
            for worker in self._workers:
                if waiting and worker.begun and worker.at_hand < depth:
                    piece = waiting.popleft()
                    self._send(worker, worker.handle.do.remote(piece), piece)

    def _listen(self) -> list[Any]:
        """What workers have told since they were asked; a silent one is not waited for."""
        import ray
        from ray.exceptions import RayError

        heard = []
        for worker in self._workers:
            if not worker.begun:
                continue
            if worker.talk is not None:
                ready, _ = ray.wait([worker.talk], timeout=0)
                if not ready:
                    continue
                with suppress(RayError):
                    heard.append(ray.get(worker.talk))
            worker.talk = worker.handle.told.options(concurrency_group=_TALK).remote()
        return heard

    def _dismiss(self) -> None:
        import ray

        for worker in self._workers:
            with suppress(Exception):
                ray.kill(worker.handle)
        self._workers.clear()
        self._under_way.clear()
