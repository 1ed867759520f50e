"""Which names the app answers to: none that somebody else can point at this machine.

A page from elsewhere whose name suddenly resolves to 127.0.0.1 counts as the app's own in a
browser, and would read and start whatever the user can (DNS rebinding). The name it came by stays
in the request's `Host`, so that is checked. Rebinding needs a name: an address in numbers is right.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

import streamlit as st
from starlette.responses import PlainTextResponse

from isogloss.settings import HOSTS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

REFUSAL = (
    f"This server is not known by the name in the address: open it by its number or as localhost, "
    f"or let its owner list the name in {HOSTS.name}.\n"
)
_HOST = re.compile(r"(\[[^\]]+\]|[^:\[\]]+)(:\d*)?", re.ASCII)


class KnownNamesOnly:
    """Refuses every request and every WebSocket whose `Host` is not a name of this server."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what may come in; what may not gets 403 and a sentence."""
        if scope["type"] == "lifespan" or _names_us(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            await PlainTextResponse(REFUSAL, status_code=403)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": "unknown host"})


def _names_us(scope: Scope) -> bool:
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    return len(hosts) == 1 and is_known(hosts[0])


def is_known(host: str) -> bool:
    """Whether a request for `host`, with or without a port, is meant for this server."""
    found = _HOST.fullmatch(host.strip())
    if found is None:
        return False
    name = _plain(found[1])
    return name in _known_names() or _is_number(name)


def _known_names() -> set[str]:
    """localhost, what the environment lists, and the name that the server was told to listen at."""
    names = {
        _plain(name) for name in ("localhost", st.get_option("server.address") or "", *HOSTS.read())
    }
    return names - {""}


def _plain(name: str) -> str:
    """A name as it is compared: names differ neither by case nor by the dot of the root."""
    return name.strip().lower().removesuffix(".")


def _is_number(name: str) -> bool:
    try:
        if name.startswith("["):
            ipaddress.IPv6Address(name[1:-1])
        else:
            ipaddress.IPv4Address(name)
    except ValueError:
        return False
    return True
