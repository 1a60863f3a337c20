"""The options for running a bot on a service, given in a program or in the environment."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final, final

from fudaba._channel import KEEPALIVE_TIME_MS, KEEPALIVE_TIMEOUT_MS, Endpoint
from fudaba.address import DEFAULT_ADDRESS
from fudaba.answers import OnError
from fudaba.errors import FudabaError

__all__ = ["PlayOptions", "options_from_environment"]

_MAX_MATCHES: Final = 1_000_000
"""The highest capacity."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOptions:
    """The options of a bot on a service."""

    address: str = DEFAULT_ADDRESS
    """The address: `HOST:PORT` or `unix:/path/to/socket`."""
    token: str = ""
    """The bot's token."""
    tls: bool = False
    ca_cert: str = ""
    """A PEM file with the authority to trust. With it, the connection uses TLS."""
    matches: int = 0
    """The number of matches after whose end the bot stops; 0 for no limit."""
    on_error: OnError = OnError.TIMEOUT
    """What happens with a decision when `choose` raises."""
    threads: int = 0
    """The number of ordinary `choose` methods that run at once; 0: four more than there are processors, at most 32."""
    capacity: int = 0
    """The number of matches that the bot plays at once; further ones wait at the service. 0: any number."""
    retry_seconds: float | None = None
    """The seconds for which the bot tries to reconnect; None: without end."""
    welcome_seconds: float = 20.0
    """The time that the service may take to answer the first message of a stream."""
    missing_seconds: float = 2.0
    """The time to wait after a lost connection for an unfinished match before asking whether it is over."""
    keepalive_time_ms: int = KEEPALIVE_TIME_MS
    keepalive_timeout_ms: int = KEEPALIVE_TIMEOUT_MS

    def endpoint(self) -> Endpoint:
        """Returns the endpoint. Raises `BadAddress`."""
        return Endpoint(
            self.address,
            self.token,
            tls=self.tls,
            ca_cert=self.ca_cert,
            keepalive_time_ms=self.keepalive_time_ms,
            keepalive_timeout_ms=self.keepalive_timeout_ms,
        )


def options_from_environment() -> PlayOptions:
    """Reads the options from the environment. Raises `FudabaError` for a capacity that is not a number."""
    return PlayOptions(
        address=os.environ.get("FUDABA_SERVER", DEFAULT_ADDRESS),
        token=os.environ.get("FUDABA_TOKEN", ""),
        tls=bool(os.environ.get("FUDABA_TLS", "")),
        ca_cert=os.environ.get("FUDABA_CA_CERT", ""),
        capacity=_capacity(os.environ.get("FUDABA_CAPACITY", "")),
    )


def _capacity(given: str) -> int:
    if not re.fullmatch("[0-9]{0,7}", given) or int(given or "0") > _MAX_MATCHES:
        raise FudabaError(f"FUDABA_CAPACITY is {given!r}; write how many matches at once, up to {_MAX_MATCHES}")
    return int(given or "0")
