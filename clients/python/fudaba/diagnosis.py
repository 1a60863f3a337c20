"""Diagnoses the way from this machine to a service: tries each step, and says what to do if it fails.

A step is tried only if the steps that it needs have worked.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, final
from urllib.parse import urlsplit

import grpc

from fudaba._channel import Endpoint, service_error
from fudaba.address import parse_host_port
from fudaba.v1 import accounts_pb2, accounts_pb2_grpc, catalog_pb2, catalog_pb2_grpc, play_pb2, play_pb2_grpc

__all__ = ["DiagnosisStep", "diagnose", "diagnose_web"]

_LIST_GAMES: Final = "/fudaba.v1.CatalogService/ListGames"
_WATCH: Final = "/fudaba.v1.MatchService/WatchMatch"
_LAST_FLAG: Final = 2
"""The flag of the envelope that ends a stream of the Connect protocol."""
_NO_HTTP2: Final = (
    "something on the way lets the connection through, but no gRPC: a proxy, or a firewall that reads HTTP. Play "
    "through a gateway (`fudaba doctor --web URL`), or ask the network's operator to let HTTP/2 to this port through"
)
_NONE_BEHIND: Final = "try again soon; if that does not help, tell the service's operator"
_WANTS_TLS: Final = "TLS is spoken there: add --tls, or --ca-cert FILE where its authority is not a public one"


@final
@dataclass(frozen=True, slots=True)
class DiagnosisStep:
    """A step on the way. `finding` describes its state, and the reason if it fails; `remedy` says what to do."""

    name: str
    works: bool
    finding: str
    remedy: str = ""

    def as_dict(self) -> dict[str, object]:
        """Returns it for `fudaba doctor --json`, where the finding has the key `told`, for compatibility."""
        return {"name": self.name, "works": self.works, "told": self.finding, "remedy": self.remedy}


class _Broken(Exception):
    """A step failed: the finding and the remedy."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


def diagnose(endpoint: Endpoint, seconds: float) -> Iterator[DiagnosisStep]:
    """Tries each step on the way to a service for a limited time. Ends with the first one that fails."""
    steps: list[tuple[str, Callable[[], str]]] = []
    if not endpoint.address.startswith("unix"):
        host, port = parse_host_port(endpoint.address)
        steps += [("name", lambda: _resolved(host, port)), ("connection", lambda: _connected(host, port, seconds))]
        if endpoint.secure:
            steps.append(("TLS", lambda: _secured(endpoint, host, port, seconds)))
    steps += [("gRPC", lambda: _called(endpoint, seconds)), ("stream", lambda: _streamed(endpoint, seconds))]
    if endpoint.token:
        steps.append(("token", lambda: _known(endpoint, seconds)))
    return _taken(steps)


def diagnose_web(url: str, seconds: float) -> Iterator[DiagnosisStep]:
    """Does the same for a gateway, `http://HOST:PORT` or `https://HOST`, as a bot without gRPC uses it."""
    return _taken([
        ("web", lambda: f"{_asked(url, _LIST_GAMES, {}, seconds)} games over HTTP/1.1"),
        ("web stream", lambda: _web_stream(url, seconds)),
    ])  # fmt: skip


def _taken(steps: list[tuple[str, Callable[[], str]]]) -> Iterator[DiagnosisStep]:
    for name, take in steps:
        try:
            yield DiagnosisStep(name, works=True, finding=take())
        except _Broken as broken:
            yield DiagnosisStep(name, False, str(broken), broken.remedy)
            return


def _resolved(host: str, port: int) -> str:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise _Broken(f"{host} has no address: {error.strerror}", "check the name, and this machine's DNS") from None
    return ", ".join(dict.fromkeys(str(resolved[4][0]) for resolved in found))


def _connected(host: str, port: int, seconds: float) -> str:
    try:
        with socket.create_connection((host, port), seconds) as connection:
            return f"from {connection.getsockname()[0]}"
    except TimeoutError:
        remedy = (
            "a firewall drops it, or the machine is off; ask the service's operator whether the port is open to you"
        )
        raise _Broken(f"no answer within {seconds:g} s", remedy) from None
    except OSError as error:
        remedy = "check the port; the service may be stopped, or listen on another address of that machine"
        raise _Broken(error.strerror or str(error), remedy) from None


def _secured(endpoint: Endpoint, host: str, port: int, seconds: float) -> str:
    context = ssl.create_default_context(cafile=endpoint.ca_cert or None)
    context.set_alpn_protocols(["h2"])
    try:
        with (
            socket.create_connection((host, port), seconds) as plain,
            context.wrap_socket(plain, server_hostname=host) as secured,
        ):
            chosen, version = secured.selected_alpn_protocol(), secured.version()
    except ssl.SSLCertVerificationError as error:
        remedy = "name the authority with --ca-cert; if the name is another, use the name in the certificate"
        raise _Broken(f"the certificate is not trusted: {error.verify_message}", remedy) from None
    except (OSError, ssl.SSLError) as error:
        raise _Broken(f"no TLS there: {error}", "leave out --tls if the service has no certificate") from None
    if chosen != "h2":
        raise _Broken("the server with that certificate does not offer HTTP/2", _NO_HTTP2)
    return f"{version}, HTTP/2"


def _speaks_tls(address: str, seconds: float) -> bool:
    """Returns whether the address speaks TLS, with any certificate. Nothing is sent over the connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection(parse_host_port(address), seconds) as plain,
            context.wrap_socket(plain) as secured,
        ):
            return secured.version() is not None
    except OSError:
        return False


def _called(endpoint: Endpoint, seconds: float) -> str:
    with endpoint.channel() as channel:
        try:
            stub = catalog_pb2_grpc.CatalogServiceStub(channel)
            answer = stub.ListGames(catalog_pb2.ListGamesRequest(), timeout=seconds)
        except grpc.RpcError as error:
            failure = service_error(error, endpoint.address, may_want_tls=endpoint.may_want_tls)
            if "http2 header with status: 50" in (error.details() or ""):
                raise _Broken(failure.message, _NONE_BEHIND) from None
            tls = endpoint.may_want_tls and _speaks_tls(endpoint.address, seconds)
            raise _Broken(failure.message, _WANTS_TLS if tls else _NO_HTTP2) from None
    return f"{len(answer.games)} games"


def _streamed(endpoint: Endpoint, seconds: float) -> str:
    """Opens a Play stream without a token, and waits for the refusal, which shows that both directions work."""
    with endpoint.channel() as channel:
        hello = iter([play_pb2.PlayRequest(hello=play_pb2.Hello())])
        try:
            for _ in play_pb2_grpc.PlayServiceStub(channel).Play(hello, timeout=seconds):
                break
        except grpc.RpcError as error:
            failure = service_error(error, endpoint.address)
            if failure.reason == "TOKEN_MISSING":
                return "messages go both ways"
            remedy = "a proxy that keeps streams back cannot be played through; see `fudaba doctor --web URL`"
            raise _Broken(failure.message, remedy) from None
    raise _Broken("it was let in without a token", "the server there is not a service of Fudaba; check the address")


def _known(endpoint: Endpoint, seconds: float) -> str:
    with endpoint.channel() as channel:
        try:
            answer = accounts_pb2_grpc.AccountServiceStub(channel).WhoAmI(
                accounts_pb2.WhoAmIRequest(), timeout=seconds, metadata=endpoint.metadata
            )
        except grpc.RpcError as error:
            remedy = "create another one, or copy it again: `fudaba token create`, `fudaba bot token`"
            raise _Broken(service_error(error, endpoint.address).message, remedy) from None
    scope = accounts_pb2.TokenScope.Name(answer.token.scope).removeprefix("TOKEN_SCOPE_").lower()
    return f"of scope {scope}"


def _answer(
    url: str, path: str, body: bytes, kind: str, seconds: float, read: Callable[[http.client.HTTPResponse], bytes]
) -> bytes:
    where = urlsplit(url)
    if where.scheme not in {"http", "https"} or where.hostname is None:
        raise _Broken(f"{url} is no URL of a gateway", "write http://HOST:PORT, or https://HOST")
    kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
    connection = kinds[where.scheme](where.hostname, where.port, timeout=seconds)
    try:
        connection.request("POST", where.path.rstrip("/") + path, body, {"content-type": kind})
        answer = connection.getresponse()
        if answer.status != http.HTTPStatus.OK:
            remedy = "if that is not the address of a gateway (`fudaba web`), check it; a proxy may answer in its place"
            raise _Broken(f"status {answer.status} {answer.reason}", remedy)
        return read(answer)
    except http.client.BadStatusLine:
        raise _Broken(
            "the server there does not speak HTTP/1.1", "give the address of a gateway, not the service's"
        ) from None
    except (OSError, http.client.HTTPException) as error:
        remedy = "check the address; if a browser on this machine opens it, a proxy has to be named to programs, too"
        raise _Broken(str(error) or type(error).__name__, remedy) from None
    finally:
        connection.close()


def _asked(url: str, path: str, message: object, seconds: float) -> int:
    raw = _answer(url, path, json.dumps(message).encode(), "application/json", seconds, lambda answer: answer.read())
    try:
        return len(json.loads(raw)["games"])
    except (ValueError, LookupError, TypeError):
        raise _Broken(
            "the server there is not a gateway", "check the address; a proxy may answer in its place"
        ) from None


def _web_stream(url: str, seconds: float) -> str:
    """Follows a match that does not exist. The refusal is the stream's last message."""
    body = json.dumps({"matchId": "none"}).encode()
    framed = b"\0" + len(body).to_bytes(4, "big") + body
    first = _answer(url, _WATCH, framed, "application/connect+json", seconds, lambda answer: answer.read(1))
    if first != bytes([_LAST_FLAG]):
        raise _Broken("streams do not arrive as they are sent", "ask the proxy's operator not to change answers")
    return "messages come as they are sent"
