"""HTTP proxies on the way to a service: which one gRPC goes through, and where it goes through none."""

from __future__ import annotations

import os
from typing import Final
from urllib.parse import urlsplit

from fudaba.address import is_host_port, is_loopback, parse_host_port

__all__ = ["through_proxy"]

_VARIABLES: Final = ("grpc_proxy", "https_proxy", "http_proxy")
"""Where gRPC looks for a proxy, in this order; the same names in capitals are nothing to it."""
_EXCEPTIONS: Final = ("no_grpc_proxy", "no_proxy")
"""Where it looks for addresses that are reached without one."""


def through_proxy(address: str) -> str:
    """Which proxy `address` is reached through, and the variable that names it, for a message; empty if none.

    What is on this machine, a Unix socket or loopback, is never reached through one. The proxy's password is left out.
    """
    if not is_host_port(address) or is_loopback(address):
        return ""
    variable = next((name for name in _VARIABLES if os.environ.get(name)), "")
    if not variable or _is_excepted(parse_host_port(address).host):
        return ""
    proxy = os.environ[variable]
    host = (urlsplit(proxy).netloc or proxy).rpartition("@")[2]
    return f", through the proxy {host} (from {variable})"


def _is_excepted(host: str) -> bool:
    listed = next((os.environ[name] for name in _EXCEPTIONS if os.environ.get(name)), "")
    return any(host.endswith(end) for entry in listed.split(",") if (end := entry.strip().removeprefix("*")))
