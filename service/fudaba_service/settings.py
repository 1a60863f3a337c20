"""What `fudaba serve` can be told: by option, by environment variable, or in a TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, final

__all__ = ["DEFAULT_LISTEN", "Settings", "is_address"]

DEFAULT_LISTEN: Final = "127.0.0.1:7710"
_LAST_PORT: Final = 65_535


def is_address(text: str) -> bool:
    """Whether a text is HOST:PORT, an IPv6 host in brackets. Whether this machine has the host is not looked at."""
    host, _, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if not host or (":" in host and not bracketed):
        return False
    return port.isascii() and port.isdecimal() and int(port) <= _LAST_PORT


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """How one service process runs."""

    data: Path
    """The folder of the archive and, without `redis`, of the embedded store."""
    listen: str = DEFAULT_LISTEN
    """`host:port`, or `unix:/path`."""
    redis: str | None = None
    """A Redis URL; None for an embedded server of this process."""
    appendfsync: Literal["everysec", "always"] = "everysec"
    """When the embedded server writes to disk: `everysec` or `always`."""
    metrics: str | None = None
    """`host:port` of /metrics; None for none."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    new_organiser_token: bool = False
    organiser_token_file: Path | None = None
    """Where a new organiser's token is written instead of being printed."""
    stop_seconds: float = 5.0
    """How long calls in progress may take when the service is stopped."""
    calls_per_second: float = 200.0
    """How many calls a bot, or a host without a known token, may make; ten seconds' worth at once. 0: any number."""
    calls_at_once: int = 1_000
    """How many of its calls and streams may be open."""
    messages_per_second: float = 100.0
    """How many messages a bot may send on Play besides its answers; 50 seconds' worth at once. 0: any number."""
