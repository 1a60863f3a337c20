"""HTTP proxies on the way to a service: which one gRPC uses, and when it uses none."""

from __future__ import annotations

import os
from typing import Final
from urllib.parse import urlsplit

from fudaba.address import is_host_port, is_loopback, parse_host_port

__all__ = ["through_proxy", "url_through_proxy"]

_VARIABLES: Final = ("grpc_proxy", "https_proxy", "http_proxy")
"""The variables in which gRPC looks for a proxy, in order. It ignores the same names in capitals."""
_EXCEPTIONS: Final = ("no_grpc_proxy", "no_proxy")
"""The variables in which it looks for addresses that need no proxy."""


def through_proxy(address: str) -> str:
    """Returns the proxy for `address`, and the variable that names it, for a message; empty if there is none.

    Addresses on this machine, a Unix socket or loopback, never use a proxy. The proxy's password is left out.
    """
    if not is_host_port(address) or is_loopback(address):
        return ""
    variable = next((name for name in _VARIABLES if os.environ.get(name)), "")
    if not variable or _is_excepted(parse_host_port(address).host):
        return ""
    return _in_words(os.environ[variable], variable)


def url_through_proxy(url: str) -> str:
    """Does the same for HTTP, whose clients use other variables than gRPC."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - it loads an HTTP client, which no bot needs

    parts = urlsplit(url)
    host = parts.hostname or ""
    found = getproxies()
    scheme = next((name for name in (parts.scheme, "all") if found.get(name)), "")
    if not scheme or is_loopback(f"[{host}]:1" if ":" in host else f"{host}:1") or proxy_bypass(host):
        return ""
    return _in_words(found[scheme], f"{scheme}_proxy")


def _in_words(proxy: str, variable: str) -> str:
    host = (urlsplit(proxy).netloc or proxy).rpartition("@")[2]
    return f", through the proxy {host} (from {variable})"


def _is_excepted(host: str) -> bool:
    listed = next((os.environ[name] for name in _EXCEPTIONS if os.environ.get(name)), "")
    return any(host.endswith(end) for entry in listed.split(",") if (end := entry.strip().removeprefix("*")))
