"""`fudaba serve`."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from fudaba.address import is_host_port, is_loopback
from fudaba.cli.output import say, say_error
from fudaba_games.registry import GAMES
from fudaba_service.limit_options import limit_options
from fudaba_service.settings import DEFAULT_LISTEN, Settings
from fudaba_service.startup.config_file import from_file
from fudaba_serving.commands.data_folder import SERVICE, DataFolderPath
from fudaba_serving.commands.fronts import FRONTS
from fudaba_serving.commands.hung_after import hung_after_option
from fudaba_serving.commands.process_count import PROCESSES

if TYPE_CHECKING:
    from fudaba_service.startup.server import RunningService

__all__ = ["serve"]

_EXAMPLES: Final = """
Examples:

\b
  fudaba serve --data ~/fudaba
  fudaba serve --data ~/fudaba --listen 0.0.0.0:7710 --tls-cert cert.pem --tls-key key.pem
  fudaba serve --data ~/fudaba --processes auto      # every core
  fudaba serve --data ~/fudaba --redis redis://127.0.0.1:6379/0 --metrics 127.0.0.1:9090
  fudaba serve --data ~/fudaba --archive s3://bucket/fudaba
  fudaba serve --config fudaba.toml      # the same names, in a table [serve]

Exit codes: 0 stopped, 1 cannot start, 2 wrong usage.
"""


def _listen(_: click.Context, __: click.Parameter, address: str) -> str:
    """Refuses an invalid address, before the warnings about who can reach it."""
    if not is_host_port(address) and not (address.startswith("unix:") and address != "unix:"):
        raise click.BadParameter(
            f"cannot listen on {address}: write HOST:PORT, for example {DEFAULT_LISTEN}, or unix:/path"
        )
    return address


def _seats_listen(context: click.Context, parameter: click.Parameter, address: str | None) -> str | None:
    return _listen(context, parameter, address) if address else None


def _metrics(_: click.Context, __: click.Parameter, address: str | None) -> str | None:
    if address is not None and not is_host_port(address):
        raise click.BadParameter(f"cannot serve metrics on {address}: write HOST:PORT, for example 127.0.0.1:9090")
    return address


@click.command(epilog=_EXAMPLES)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    is_eager=True,
    expose_value=False,
    callback=from_file,
    envvar="FUDABA_CONFIG",
    show_envvar=True,
    help="A TOML file with these settings in a table [serve].",
)
@click.option(
    "--data",
    type=DataFolderPath(SERVICE),
    required=True,
    envvar="FUDABA_DATA",
    show_envvar=True,
    help="The data folder of the service or of `fudaba up`, which holds the archive and the embedded store.",
)
@click.option(
    "--archive",
    envvar="FUDABA_ARCHIVE",
    show_envvar=True,
    metavar="FOLDER|URL",
    help="Where to keep the records of finished matches, such as s3://bucket/prefix; needs fudaba[archive].  "
    "[default: `archive` in --data]",
)
@click.option(
    "--listen",
    default=DEFAULT_LISTEN,
    envvar="FUDABA_LISTEN",
    show_envvar=True,
    show_default=True,
    callback=_listen,
    metavar="ADDRESS",
    help="The address to listen on: HOST:PORT, or unix:/path.",
)
@click.option(
    "--seats-listen",
    envvar="FUDABA_SEATS_LISTEN",
    show_envvar=True,
    callback=_seats_listen,
    metavar="ADDRESS",
    help="An additional address that serves only tokens of seats. Bots in pods can reach no other part of the "
    "service. See docs/pods.md.",
)
@click.option(
    "--behind",
    type=FRONTS,
    default="",
    envvar="FUDABA_BEHIND",
    show_envvar=True,
    metavar="ADDRESS,…",
    help="Addresses or networks of trusted fronts, such as the one in deploy/, which report their clients' addresses; "
    "`unix` for a front that connects through a Unix socket.",
)
@click.option(
    "--processes",
    type=PROCESSES,
    default=1,
    envvar="FUDABA_PROCESSES",
    show_envvar=True,
    show_default=True,
    metavar="NUMBER|auto",
    help="Processes that share the port and the store; `auto` starts one for each core. A process that dies is "
    "started again.",
)
@click.option(
    "--redis",
    envvar="FUDABA_REDIS",
    show_envvar=True,
    metavar="URL",
    help="The URL of a Redis 7 or Valkey server. Without it the service runs a server of its own.",
)
@click.option(
    "--appendfsync",
    type=click.Choice(["everysec", "always"]),
    default="everysec",
    envvar="FUDABA_APPENDFSYNC",
    show_envvar=True,
    show_default=True,
    help="When the embedded store writes to disk: `always` loses no acknowledged move, `everysec` is faster.",
)
@click.option(
    "--metrics",
    envvar="FUDABA_METRICS",
    show_envvar=True,
    callback=_metrics,
    metavar="HOST:PORT",
    help="Serve Prometheus metrics at this address, under /metrics. [default: none]",
)
@click.option(
    "--backup-stamp",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="FUDABA_BACKUP_STAMP",
    show_envvar=True,
    help="The file in which `fudaba restore --test --stamp` notes which backup is right: the metrics tell its age.",
)
@click.option(
    "--tls-cert",
    type=click.Path(path_type=Path),
    envvar="FUDABA_TLS_CERT",
    show_envvar=True,
    help="The certificate chain, in PEM.",
)
@click.option(
    "--tls-key",
    type=click.Path(path_type=Path),
    envvar="FUDABA_TLS_KEY",
    show_envvar=True,
    help="The private key, in PEM.",
)
@click.option(
    "--insecure",
    is_flag=True,
    envvar="FUDABA_INSECURE",
    show_envvar=True,
    help="Allow connections from other machines without TLS, so that others can read tokens.",
)
# No variable for this one: left set, it would end the token at every start.
@click.option("--new-organiser-token", is_flag=True, help="Make a new organiser's token; the old one becomes invalid.")
@click.option(
    "--organiser-token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="FUDABA_ORGANISER_TOKEN_FILE",
    show_envvar=True,
    help="Write a new organiser's token to this file (mode 600) instead of printing it.",
)
@click.option(
    "--arena-token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="FUDABA_ARENA_TOKEN_FILE",
    show_envvar=True,
    help="Keep a token for an arena in this file (mode 600). A token is made if the file has no valid one.",
)
@click.option(
    "--gateway-token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="FUDABA_GATEWAY_TOKEN_FILE",
    show_envvar=True,
    help="Keep a token for a gateway, `fudaba web`, in this file (mode 600). A token is made if the file has no valid "
    "one.",
)
@click.option(
    "--grace",
    type=click.FloatRange(0, 3600),
    default=5.0,
    envvar="FUDABA_GRACE",
    show_envvar=True,
    show_default=True,
    metavar="SECONDS",
    help="How long calls in progress may take to end after a stop.",
)
@click.option(
    "--accept-risk",
    multiple=True,
    type=click.Choice(("maxmemory-policy", "replica", "empty-store", "time")),
    envvar="FUDABA_ACCEPT_RISK",
    show_envvar=True,
    help="Accept a risk and serve: Redis is set up to lose data, has lost data, or has another time. The message that "
    "refuses the start names the risk.",
)
@limit_options
# For a service that plays one game for a moment, as that of `fudaba match local` does: to load all takes longer.
@click.option("--load-game", "load_games", multiple=True, type=click.Choice(tuple(GAMES)), hidden=True)
@hung_after_option
@click.option("--verbose", is_flag=True, envvar="FUDABA_VERBOSE", show_envvar=True, help="Log more detail.")
def serve(*, insecure: bool, verbose: bool, **given: Any) -> None:
    """Run the service, which hosts games and keeps matches, until it is stopped (Ctrl-C or SIGTERM; twice: at once).

    At its first start it makes an organiser's token and prints it once.
    """
    from fudaba_serving.process.runner import log_to_stderr, runner

    log_to_stderr(logging.DEBUG if verbose else logging.INFO)
    given["grace_seconds"] = given.pop("grace")
    settings = Settings(**given)
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise click.UsageError("TLS needs both a certificate and its key: give --tls-cert and --tls-key")
    for option, address in (("--listen", settings.listen), ("--seats-listen", settings.seats_listen)):
        if address and settings.tls_cert is None and not insecure and not is_loopback(address):
            raise click.UsageError(
                f"{option} {address} can be reached from other machines: give --tls-cert and --tls-key, or --insecure"
            )
    if settings.processes > 1:
        _check_several(settings)
    with runner("fudaba_service.processes.several") as loop:
        sys.exit(loop.run(_serve(settings)))


def _check_several(settings: Settings) -> None:
    """Refuses options that several processes do not support."""
    from fudaba_service.processes.port import CAN_SHARE

    if not CAN_SHARE:
        raise click.UsageError(
            f"--processes {settings.processes}: only Linux spreads the connections to one port over several processes; "
            "start replicas with ports of their own and one --redis"
        )
    for option, address in (("--listen", settings.listen), ("--seats-listen", settings.seats_listen)):
        if address and not is_host_port(address):
            raise click.UsageError(
                f"--processes {settings.processes}: several processes cannot listen on one Unix socket; "
                f"give {option} HOST:PORT, or --processes 1"
            )


def _run(
    settings: Settings, stopped: asyncio.Event, hurry: asyncio.Event
) -> AbstractAsyncContextManager[RunningService]:
    from fudaba_service.processes.several import serve_several
    from fudaba_service.startup.server import serve as serve_one

    return serve_several(settings, stopped, hurry) if settings.processes > 1 else serve_one(settings, hurry)


def _stop_signals() -> tuple[asyncio.Event, asyncio.Event]:
    """Returns two events: one for the first stop signal, one for every further signal."""
    stopped, hurry = asyncio.Event(), asyncio.Event()

    def stop() -> None:
        (hurry if stopped.is_set() else stopped).set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    return stopped, hurry


async def _serve(settings: Settings) -> int:
    from fudaba_service.archive import ArchiveUnavailable
    from fudaba_service.processes.several import StoppedEarly
    from fudaba_service.startup.server import CannotStart
    from fudaba_service.startup.tokens import write_kept_token, write_token
    from fudaba_service.store import StoreUnavailable
    from fudaba_serving.redis.valkey import FolderError, NoServerError, ServerFailedError
    from fudaba_serving.storage.urls import what_helps

    stopped, hurry = _stop_signals()
    try:
        async with _run(settings, stopped, hurry) as running:
            if running.made.organiser is not None:
                if settings.organiser_token_file is None:
                    say(f"organiser token (shown this once): {running.made.organiser}")
                else:
                    write_token(settings.organiser_token_file, running.made.organiser)
                    say(f"organiser token written to {settings.organiser_token_file}")
            for whose, token, place in (
                ("arena", running.made.arena, settings.arena_token_file),
                ("gateway", running.made.gateway, settings.gateway_token_file),
            ):
                if token is not None and place is not None:
                    write_kept_token(place, whose, token)
                    say(f"{whose} token written to {place}")
            say(f"fudaba serves on {running.address}")
            sys.stdout.flush()
            waiting = asyncio.create_task(stopped.wait())
            await asyncio.wait((waiting, running.working), return_when=asyncio.FIRST_COMPLETED)
            if running.working.done():
                logging.getLogger(__name__).critical("a fault; stopping", exc_info=running.working.exception())
                return 1
            say("stopping")
    except StoppedEarly:
        return 0
    except ArchiveUnavailable as error:
        noun, option = ("folder", "--data") if settings.archive is None else ("place", "--archive")
        say_error(f"{error}; {what_helps(error, option, noun)}")
        return 1
    except (CannotStart, StoreUnavailable, FolderError, NoServerError, ServerFailedError) as error:
        say_error(str(error))
        return 1
    return 0
