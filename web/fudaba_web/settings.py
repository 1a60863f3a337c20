"""What a gateway is told when it is started."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from fudaba.address import DEFAULT_ADDRESS, DEFAULT_ARENA, DEFAULT_WEB, is_host_port

__all__ = ["Provider", "Settings", "Wheel", "is_bot_address", "wheel_of"]

_BOT_ADDRESS: Final = re.compile(r"(https?://)?(?P<host>[A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):(?P<port>[1-9][0-9]*)")
"""Nothing in it means anything to a shell: people paste it."""


_WHEEL: Final = re.compile(
    r"(?P<url>https?://[A-Za-z0-9.:\[\]-]+/[A-Za-z0-9._~/%+-]*\.whl)#sha256=(?P<sha256>[0-9a-f]{64})"
)


@final
@dataclass(frozen=True, slots=True)
class Provider:
    """Whose logins count; the page offers them under a name."""

    issuer: str
    """Its URL, as it calls itself."""
    client_id: str
    secret: str
    name: str


@final
@dataclass(frozen=True, slots=True)
class Wheel:
    """The kit, as authors install it: a wheel at a URL."""

    url: str
    sha256: str
    """In hexadecimal digits."""


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """See the options of `fudaba web`."""

    listen: str = DEFAULT_WEB
    server: str = DEFAULT_ADDRESS
    arena: str = DEFAULT_ARENA
    """Empty: there is none."""
    ca_cert: str = ""
    tls: bool = False
    token: str = ""
    """Of scope gateway. Without one the service counts the calls of people without a token as this gateway's own."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    page: Path = Path(__file__).parent / "page"
    """What `scripts/page` makes; a part of the wheel."""
    behind: str = ""
    """Addresses of reverse proxies whose word counts for where a client is."""
    bots_at: str = ""
    """Where bots connect, as `is_bot_address` reads it. Empty: nobody has said, and the page guesses."""
    wheel: Wheel | None = None
    """What authors install. Absent: the page tells them to install from a clone."""
    login: Provider | None = None
    """Absent: people sign in with tokens."""


def is_bot_address(text: str) -> bool:
    """Whether a text is `HOST:PORT`, or `:PORT` of the page's own host; with `https://` before it for TLS."""
    found = _BOT_ADDRESS.fullmatch(text)
    return found is not None and is_host_port(f"{found['host'] or 'host'}:{found['port']}")


def wheel_of(text: str) -> Wheel | None:
    """The wheel that `URL#sha256=DIGITS` names; None if it names none. Nothing in its URL means anything to a shell."""
    found = _WHEEL.fullmatch(text)
    return None if found is None else Wheel(found["url"], found["sha256"])
