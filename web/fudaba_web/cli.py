"""`fudaba web`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import click

from fudaba.address import DEFAULT_ADDRESS, DEFAULT_ARENA, DEFAULT_WEB, is_host_port, is_loopback
from fudaba.cli.failures import Failure
from fudaba.cli.output import say, say_error
from fudaba.text_files import NotText, read_text
from fudaba_web.settings import NotAWheel, Provider, Settings, Site, Wheel, is_bot_address, wheel_of

__all__ = ["web"]

_EXAMPLES: Final = """
Examples:

\b
  fudaba web
  fudaba web --server 10.0.0.5:7710 --arena 10.0.0.5:7711 --token-file gateway.token
  fudaba web --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem --bots-at https://play.example.org:7713
  curl -d '{}' -H 'content-type: application/json' http://127.0.0.1:7712/fudaba.v1.CatalogService/ListGames

Exit codes: 0 stopped, 1 cannot start, 2 wrong usage.
"""


def _listen(_: click.Context, __: click.Parameter, address: str) -> str:
    if not is_host_port(address):
        raise click.BadParameter(f"cannot listen on {address}: write HOST:PORT, for example {DEFAULT_WEB}")
    return address


def _bots_at(_: click.Context, __: click.Parameter, address: str) -> str:
    if address and not is_bot_address(address):
        raise click.BadParameter(
            f"bots cannot connect to {address}: write HOST:PORT, or :PORT of the page's own host, and https:// before "
            "it where that speaks TLS"
        )
    return address


def _parts(url: str) -> SplitResult:
    """Returns a URL's parts; empty parts for a text that is not a URL."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _link(_: click.Context, parameter: click.Parameter, url: str) -> str:
    parts = _parts(url)
    # Only the contact may read what people write to it.
    schemes = {"https"} if parameter.name == "contact" else {"http", "https"}
    linked = bool(parts.hostname) if parts.scheme in schemes else parts.scheme == "mailto" and "@" in url
    own = parameter.name == "imprint" and url.startswith("/") and not url.startswith("//")
    if url and not (url.isascii() and url.isprintable() and (linked or own)):
        raise click.BadParameter(f"{url} is no link: write https://HOST/PATH, or for mail mailto:NAME@HOST")
    return url


def _wheel(_: click.Context, __: click.Parameter, text: str) -> Wheel | None:
    if not text:
        return None
    try:
        return wheel_of(text)
    except NotAWheel as error:
        raise click.BadParameter(str(error)) from None


def _issuer(_: click.Context, __: click.Parameter, url: str) -> str:
    parts = _parts(url)
    if url and (
        not parts.hostname
        or parts.query
        or parts.fragment
        or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.netloc)))
    ):
        raise click.BadParameter(f"{url} is no issuer: write the provider's https://HOST, as it calls itself")
    return url


def _text(path: Path, content_name: str) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise Failure(f"the {content_name} file {path} cannot be read: {error.strerror}") from None
    except NotText as error:
        raise Failure(f"the {content_name} file {path} cannot be read: {error}") from None


def _secret(path: Path, secret_name: str) -> str:
    text = _text(path, secret_name).strip()
    if not text:
        raise Failure(f"the {secret_name} file {path} is empty; write the {secret_name} into it, or leave it out")
    return text


def _provider(issuer: str, client: str, secret_file: Path | None, name: str, token: str) -> Provider | None:
    """Returns the provider of logins. Raises `Failure` if a part of its settings is missing."""
    if not issuer and not client and secret_file is None:
        return None
    if not issuer or not client or secret_file is None:
        raise Failure("logins need --login-issuer, --login-client-id and --login-secret-file; give all three, or none")
    if not token:
        raise Failure("logins need --token-file: the service makes tokens for them with a gateway's token alone")
    secret = _secret(secret_file, "client secret")
    if not secret:
        raise Failure(f"the client secret file {secret_file} is empty")
    return Provider(issuer, client, secret, name or urlsplit(issuer).hostname or issuer)


@click.command(epilog=_EXAMPLES)
@click.option("--listen", default=DEFAULT_WEB, envvar="FUDABA_WEB_LISTEN", show_envvar=True, show_default=True,
              callback=_listen, metavar="HOST:PORT", help="The address that browsers and scripts use.")  # fmt: skip
@click.option("--server", default=DEFAULT_ADDRESS, envvar="FUDABA_SERVER", show_envvar=True, show_default=True,
              metavar="ADDRESS", help="The service's address: HOST:PORT, or unix:/path/to/socket.")  # fmt: skip
@click.option("--arena", default=DEFAULT_ARENA, envvar="FUDABA_ARENA", show_envvar=True, show_default=True,
              metavar="ADDRESS", help="The arena's address; empty if there is no arena.")  # fmt: skip
@click.option(
    "--tls", is_flag=True, envvar="FUDABA_TLS", show_envvar=True, help="Connect to the service and the arena with TLS."
)
@click.option("--ca-cert", default="", envvar="FUDABA_CA_CERT", show_envvar=True, metavar="FILE",
              help="A PEM file with the certificate authority to trust for both; implies --tls.")  # fmt: skip
@click.option("--token-file", type=click.Path(path_type=Path, dir_okay=False),
              envvar="FUDABA_WEB_TOKEN_FILE", show_envvar=True,
              help="A file with a token of scope gateway. Without it, all clients that have no token share the limits "
              "of this gateway's address.")  # fmt: skip
@click.option("--tls-cert", type=click.Path(path_type=Path, dir_okay=False), envvar="FUDABA_WEB_TLS_CERT",
              show_envvar=True, help="The certificate chain, in PEM, to serve https.")  # fmt: skip
@click.option("--tls-key", type=click.Path(path_type=Path, dir_okay=False), envvar="FUDABA_WEB_TLS_KEY",
              show_envvar=True, help="The private key, in PEM.")  # fmt: skip
@click.option("--behind", default="", envvar="FUDABA_WEB_BEHIND", show_envvar=True, metavar="ADDRESS,…",
              help="Reverse proxies whose X-Forwarded-For header the gateway trusts.")  # fmt: skip
@click.option("--bots-at", default="", envvar="FUDABA_WEB_BOTS_AT", show_envvar=True, metavar="ADDRESS",
              callback=_bots_at, help="The address at which bots connect, as the page shows it to authors: HOST:PORT, "
              "or :PORT on the page's own host; with https:// before it if the service speaks TLS there.  [default: "
              "this host, with the port of --server]")  # fmt: skip
@click.option("--wheel", default="", envvar="FUDABA_WEB_WHEEL", show_envvar=True, metavar="URL#sha256=DIGITS|FILE",
              callback=_wheel, help="The wheel that the page tells authors to install; the gateway serves a file "
              "itself.  [default: the page tells them to install from a clone]")  # fmt: skip
@click.option("--site-name", default="", envvar="FUDABA_WEB_SITE_NAME", show_envvar=True, metavar="NAME",
              help="The name of this site on the page.")  # fmt: skip
@click.option("--contact", default="", envvar="FUDABA_WEB_CONTACT", show_envvar=True, metavar="URL", callback=_link,
              help="A contact, mailto: or https:, for the page and security.txt.")  # fmt: skip
@click.option("--imprint", default="", envvar="FUDABA_WEB_IMPRINT", show_envvar=True, metavar="URL", callback=_link,
              help="The page that names whoever is responsible for the site.")  # fmt: skip
@click.option("--robots-file", type=click.Path(path_type=Path, dir_okay=False), envvar="FUDABA_WEB_ROBOTS_FILE",
              show_envvar=True, help="The rules that robots.txt gives.  [default: look at what is public]")  # fmt: skip
@click.option("--login-issuer", default="", envvar="FUDABA_WEB_LOGIN_ISSUER", show_envvar=True, metavar="URL",
              callback=_issuer, help="The issuer URL of an OpenID provider at which authors sign in.")  # fmt: skip
@click.option("--login-client-id", default="", envvar="FUDABA_WEB_LOGIN_CLIENT_ID", show_envvar=True, metavar="ID",
              help="The client id that the provider gave this gateway.")  # fmt: skip
@click.option("--login-secret-file", type=click.Path(path_type=Path, dir_okay=False), show_envvar=True,
              envvar="FUDABA_WEB_LOGIN_SECRET_FILE", help="A file with the client secret that the provider gave."
              )  # fmt: skip
@click.option("--login-name", default="", envvar="FUDABA_WEB_LOGIN_NAME", show_envvar=True, metavar="NAME",
              help="The provider's name on the page.  [default: its host]")  # fmt: skip
@click.option("--insecure", is_flag=True, envvar="FUDABA_WEB_INSECURE", show_envvar=True,
              help="Allow connections from other machines without TLS, so that others can read tokens.")  # fmt: skip
def web(
    *,
    insecure: bool,
    token_file: Path | None,
    login_issuer: str,
    login_client_id: str,
    login_secret_file: Path | None,
    login_name: str,
    site_name: str,
    contact: str,
    imprint: str,
    robots_file: Path | None,
    **given: Any,
) -> None:
    """Run a gateway: the contract for browsers and scripts, over HTTP/1.1, until it is stopped (Ctrl-C or SIGTERM).

    It speaks Connect, gRPC-Web and plain JSON, and passes every call except Play on to the service or the arena. It
    keeps no state, so any number of gateways can run.
    """
    from fudaba_serving.grpc.binding import CannotStart
    from fudaba_serving.process.runner import runner
    from fudaba_web.page import how_to_build, is_built

    token = "" if token_file is None else _secret(token_file, "token")
    login = _provider(login_issuer, login_client_id, login_secret_file, login_name, token)
    robots = None if robots_file is None else _text(robots_file, "robots")
    site = Site(site_name, contact, imprint, robots)
    settings = Settings(**given, token=token, login=login, site=site)
    if settings.tls_cert is None and not insecure and not is_loopback(settings.listen):
        say(
            f"error: {settings.listen} can be reached by other machines, and tokens would be sent in the clear; give "
            "--tls-cert and --tls-key, or --insecure if a proxy in front of it speaks TLS",
            err=True,
        )
        sys.exit(1)

    def ready(address: str) -> None:
        missing = "" if is_built(settings.page) else f", but not the page: {how_to_build()}"
        say(f"fudaba web serves on {address}{missing}")
        sys.stdout.flush()

    try:
        with runner("fudaba_web.server") as loop:
            from fudaba_web.server import serve

            loop.run(serve(settings, ready, lambda: say("stopping")))
    except CannotStart as error:
        say_error(str(error))
        sys.exit(1)
