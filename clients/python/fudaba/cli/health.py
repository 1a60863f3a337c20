"""`fudaba health`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import click

from fudaba.address import DEFAULT_ADDRESS
from fudaba.cli.failures import Failure
from fudaba.cli.output import say

_CHECK: Final = "/grpc.health.v1.Health/Check"
_SERVING: Final = b"\x08\x01"
"""A HealthCheckResponse with the status SERVING. With its two bytes, bot authors need not install the health
package.
"""
_NOT_SERVING: Final = b"\x08\x02"
_UNKNOWN: Final = b"\x08\x03"
_STORE: Final = b"\x0a\x0cfudaba.store"
"""A HealthCheckRequest for the service's store."""
_PARTS: Final = {
    _STORE: "its store is nearly full: it takes no new matches; raise maxmemory of its Redis",
    b"\x0a\x0ffudaba.restored": (
        "its store is older than its service, as a restored backup is; `fudaba arena status` and its log say what"
        " counts"
    ),
    b"\x0a\x0efudaba.standby": (
        "stands by: another arena on its store plays; `fudaba arena status` and its log say which one, and what to do"
    ),
    b"\x0a\x12fudaba.certificate": (
        "its TLS certificate has expired, or the renewed one on its disk cannot be used; its log says why"
    ),
    b"\x0a\x12fudaba.maintenance": (
        "creates no match during its maintenance; `fudaba maintenance show` says how long it lasts"
    ),
}
"""HealthCheckRequests for the parts of a service or an arena, the most important first.

Each has the text that follows `serves, but` when the part is not in order.
"""


def _as_it_is(message: bytes) -> bytes:
    return message


@click.command()
@click.option("--server", default=DEFAULT_ADDRESS, show_default=True, envvar="FUDABA_SERVER", show_envvar=True,
              metavar="ADDRESS", help="The service's address: HOST:PORT, or unix:/path/to/socket.")  # fmt: skip
@click.option("--tls", is_flag=True, envvar="FUDABA_TLS", show_envvar=True, help="Use TLS.")
@click.option("--ca-cert", default="", envvar="FUDABA_CA_CERT", show_envvar=True, metavar="FILE",
              help="A PEM file with the certificate authority to trust; implies --tls.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(0.1, 600), default=5.0, show_default=True, metavar="SECONDS",
              help="How long to wait for the answer.")  # fmt: skip
def health(server: str, tls: bool, ca_cert: str, timeout: float) -> None:
    """Ask a service whether it is serving: the exit code is 0 if it is, 1 if not. Needs no token.

    Use it for health checks of containers and supervisors. It asks the standard gRPC health service.

    \b
    Examples:
      fudaba health
      fudaba health --server play.example.org:7710 --tls
    """
    import grpc

    from fudaba._channel import Endpoint, service_error

    endpoint = Endpoint(server, tls=tls, ca_cert=ca_cert)
    with endpoint.channel() as channel:
        check = channel.unary_unary(_CHECK, request_serializer=_as_it_is, response_deserializer=_as_it_is)
        try:
            answer = check(b"", timeout=timeout)
            parts = {request: _part(check, request, timeout) for request in _PARTS}
        except grpc.RpcError as error:
            raise service_error(error, server, may_want_tls=endpoint.may_want_tls) from None
    if parts[_STORE] == _UNKNOWN:
        raise Failure(
            f"the service at {server} answers, but does not serve: its store is empty, or another one than before; its "
            "log says what to do"
        )
    if answer != _SERVING:
        raise Failure(f"the service at {server} answers, but does not serve: it is starting or stopping")
    fault = next((text for request, text in _PARTS.items() if parts[request] == _NOT_SERVING), "")
    say(f"{server} serves, but {fault}" if fault else f"{server} serves")


def _part(check: Callable[..., bytes], request: bytes, timeout: float) -> bytes:
    """Returns a text about a part. If the server lacks the part, or does not say, it reports that all is well."""
    import grpc

    try:
        return check(request, timeout=timeout)
    except grpc.RpcError as error:
        if error.code() in {grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNIMPLEMENTED}:
            return _SERVING
        raise
