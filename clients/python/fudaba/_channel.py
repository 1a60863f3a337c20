"""Reaches the service: handles address, TLS and token, and turns its refusals into `ServiceError`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from fudaba.address import DEFAULT_ADDRESS, check_address, is_loopback
from fudaba.errors import BadAddress, ServiceError
from fudaba.proxies import through_proxy

KEEPALIVE_TIME_MS: Final = 10_000
KEEPALIVE_TIMEOUT_MS: Final = 5_000
_ARENA: Final = "fudaba.v1.ArenaService/"


@final
@dataclass(frozen=True, slots=True)
class Endpoint:
    """Reads the address of the service and the caller's token. Raises `BadAddress` if it cannot be used.

    `address` is `HOST:PORT` or `unix:/path/to/socket`. `ca_cert` names a PEM file and means TLS.
    """

    address: str = DEFAULT_ADDRESS
    token: str = ""
    tls: bool = False
    ca_cert: str = ""
    keepalive_time_ms: int = KEEPALIVE_TIME_MS
    keepalive_timeout_ms: int = KEEPALIVE_TIMEOUT_MS

    def __post_init__(self) -> None:
        check_address(self.address)
        if not all("!" <= char <= "~" for char in self.token):
            raise BadAddress("the token has blanks or characters that no token has; copy it again")
        if self.ca_cert:
            _check_certificates(self.ca_cert)

    @property
    def secure(self) -> bool:
        """Whether TLS is used."""
        return self.tls or bool(self.ca_cert)

    @property
    def may_want_tls(self) -> bool:
        """Whether a connection that closes at once may have closed because the server expected TLS."""
        return not self.secure and not self.address.startswith("unix:")

    @property
    def exposes_token(self) -> bool:
        """Whether the token would travel over a network that others may read."""
        return bool(self.token) and not self.secure and not is_loopback(self.address)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Returns the metadata of every call."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    def options(self) -> list[tuple[str, Any]]:
        """Returns channel arguments: a dead connection is noticed within seconds, and never shared with another
        channel.
        """
        return [
            ("grpc.keepalive_time_ms", self.keepalive_time_ms),
            ("grpc.keepalive_timeout_ms", self.keepalive_timeout_ms),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.max_pings_without_data", 0),
            # This is what ends the wait for an answer; the keepalive timeout alone leaves it at a minute.
            ("grpc.http2.ping_timeout_ms", self.keepalive_timeout_ms),
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 200),
            ("grpc.max_reconnect_backoff_ms", 2_000),  # gRPC's own two minutes are no time to wait for a restart
            ("grpc.enable_retries", 0),  # the kit retries where that is safe, and says so
            # No proxy leads to this machine, whatever `http_proxy` says; gRPC itself makes no such exception.
            ("grpc.enable_http_proxy", 0 if is_loopback(self.address) else 1),
        ]

    def credentials(self) -> grpc.ChannelCredentials:
        """Reads the certificates that TLS trusts: the given file, or the authorities that gRPC ships with."""
        roots = Path(self.ca_cert).read_bytes() if self.ca_cert else None
        return grpc.ssl_channel_credentials(root_certificates=roots)

    def channel(self) -> grpc.Channel:
        """Returns a new channel for blocking calls."""
        if self.secure:
            return grpc.secure_channel(self.address, self.credentials(), options=self.options())
        return grpc.insecure_channel(self.address, options=self.options())

    def aio_channel(self) -> grpc.aio.Channel:
        """Returns a new channel for the running event loop."""
        if self.secure:
            return grpc.aio.secure_channel(self.address, self.credentials(), options=self.options())
        return grpc.aio.insecure_channel(self.address, options=self.options())


def _check_certificates(path: str) -> None:
    """Raises `BadAddress` unless the file has a certificate: gRPC would only say that no connection could be made."""
    import ssl  # noqa: PLC0415 - gRPC does not need it, and most connections have no file

    if not Path(path).is_file():
        raise BadAddress(f"there is no certificate file {path}")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except ssl.SSLError:
        raise BadAddress(
            f"{path} holds no certificate; --ca-cert wants a PEM file, with -----BEGIN CERTIFICATE----- in it"
        ) from None
    except OSError as error:
        raise BadAddress(f"the certificate file {path} cannot be read: {error.strerror}") from None


def server_of(method: str) -> str:
    """Returns which server has a method, by the method's full name: "arena" or "service"."""
    return "arena" if _ARENA in method else "service"


def service_error(
    error: grpc.RpcError, address: str = "", *, may_want_tls: bool = False, server: str = "service"
) -> ServiceError:
    """Explains a failed call. The text names `address` and `server` (see `server_of`) if the server could not be
    reached.

    `may_want_tls` as in `Endpoint`, for a call on a connection that never worked.
    """
    code, details = error.code().name, error.details() or ""
    reason, rule, retry_after = "", "", None
    violations: tuple[tuple[str, str], ...] = ()
    status = _status(error)
    for detail in status.details if status is not None else ():
        info, retry, bad = (
            error_details_pb2.ErrorInfo(),
            error_details_pb2.RetryInfo(),
            error_details_pb2.BadRequest(),
        )
        if detail.Unpack(info) and info.domain == "fudaba":
            reason, rule = info.reason, info.metadata.get("rule", "")
        elif detail.Unpack(retry):
            retry_after = retry.retry_delay.ToTimedelta().total_seconds()
        elif detail.Unpack(bad):
            violations = tuple(
                (field_violation.field, field_violation.description) for field_violation in bad.field_violations
            )
    if code in _NO_ANSWER and status is None:
        hint = _hint(details) if may_want_tls else ""
        details = f"cannot reach the {server} at {address}{through_proxy(address)}: {_plain(details)}{hint}"
    elif code == "DEADLINE_EXCEEDED" and status is None:
        details = f"the {server} at {address}{through_proxy(address)} did not answer in time; try again"
    return ServiceError(code, details or code, reason=reason, rule=rule, retry_after=retry_after, violations=violations)


def _status(error: grpc.RpcError) -> status_pb2.Status | None:
    """Returns the google.rpc.Status of a failed call, if it has a readable one."""
    trailing: Any = error.trailing_metadata()  # pairs; the type stubs say otherwise
    for key, value in trailing or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            try:
                return status_pb2.Status.FromString(value)
            except DecodeError:  # written by something between here and the service: then only the code counts
                return None
    return None


def _hint(details: str) -> str:
    """Guesses what may be wrong with a connection without TLS that never worked."""
    if "Socket closed" in details or "Connection reset" in details:
        return "; does it want --tls? Or it has as many connections as it takes"
    # So does an nginx refuse those who do not speak TLS to it, in HTTP/1.1.
    return "; does it want --tls?" if "HTTP status 400" in details else ""


def _plain(details: str) -> str:
    """Returns the part of gRPC's message that is useful to people."""
    if "CERTIFICATE_VERIFY_FAILED" in details:
        return "its certificate is not trusted; give the authority's certificate with --ca-cert"
    for sign, text in _SIGNS.items():
        if sign in details:
            return text
    return details.splitlines()[0] if details else "no answer"


_NO_ANSWER: Final = frozenset({"UNAVAILABLE", "UNKNOWN"})
_SIGNS: Final = {
    "ping timeout": "it does not answer any more",
    "Connection refused": "connection refused; does `fudaba serve` or `fudaba arena serve` run there?",
    "No such file or directory": "there is no such socket; does `fudaba serve` or `fudaba arena serve` run there?",
    "DNS resolution failed": "the host name is not known",
    "errors resolving": "the host name is not known",
    "Name or service not known": "the host name is not known",
    "http2 header with status: 50": "a front answers there, but not the service behind it, which may be starting",
    "Trying to connect an http1.x server": "the server there speaks HTTP/1.1, and no gRPC",
    "Ssl handshake failed": "TLS failed; does the service use TLS?",
    "WRONG_VERSION_NUMBER": "the service does not use TLS there",
}
