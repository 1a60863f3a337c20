"""What `fudaba serve` can be told: by option, by environment variable, or in a TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, final

__all__ = ["DEFAULT_LISTEN", "Settings"]

DEFAULT_LISTEN: Final = "127.0.0.1:7710"


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
