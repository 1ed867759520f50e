"""`--engine` and `--address`, for every command whose work can be spread over a cluster."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from isogloss.engines.choice import ENGINES, Engine


def add_engine_options(parser: ArgumentParser) -> None:
    explained = "; ".join(f"{name}: {what}" for name, what in ENGINES.items())
    parser.add_argument(
        "--engine",
        default="local",
        choices=tuple(ENGINES),
        help=f"{explained} (default: local; ray needs requirements-cluster.txt)",
    )
    parser.add_argument(
        "--address",
        default="",
        metavar="HOST:PORT",
        help="of a running Ray cluster, or auto; without one Ray is started on this machine",
    )


def engine_from(options: Namespace) -> Engine:
    """The engine that was asked for; one that is not installed is refused here."""
    engine = Engine(options.engine, options.address)
    engine.check()
    return engine
