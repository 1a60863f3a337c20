"""`fudaba arena serve`."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fudaba.address import DEFAULT_ARENA, is_host_port, is_loopback
from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.output import say, say_error
from fudaba_arena.commands.options import accept_risk_option
from fudaba_serving.commands.data_folder import ARENA, DataFolderPath
from fudaba_serving.commands.fronts import FRONTS

if TYPE_CHECKING:
    from fudaba_arena.api.server import RunningArena

__all__ = ["serve"]


def _listen(_: click.Context, __: click.Parameter, address: str) -> str:
    if not is_host_port(address) and not (address.startswith("unix:") and address != "unix:"):
        raise click.BadParameter(
            f"cannot listen on {address}: write HOST:PORT, for example {DEFAULT_ARENA}, or unix:/path"
        )
    return address


def _place(_: click.Context, __: click.Parameter, place: str) -> str:
    """Returns a URL, or a folder as an absolute path, so that readers in other folders find it."""
    return place if "://" in place or not place else str(Path(place).absolute())


def _limits(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> Any:
    """Parses the limits of submissions, given as `NAME=NUMBER`."""
    from fudaba_arena.limits import BadLimit
    from fudaba_arena.submissions.limits import SubmissionLimits

    values: dict[str, object] = {}
    for setting in given:
        name, number = setting.partition("=")[::2]
        if not number.isdecimal():
            raise click.BadParameter(f"{setting} is not a limit; write NAME=NUMBER, for example packed=100000000")
        values[name] = int(number[:30])
    try:
        return SubmissionLimits.parse(values)
    except BadLimit as error:
        raise click.BadParameter(str(error)) from error


@click.command(epilog="Exit codes: 0 stopped, 1 cannot start, 2 wrong usage.", short_help="Run a standing arena.")
@connection_options
@click.option("--data", type=DataFolderPath(ARENA), default=Path("fudaba-arena"),
              show_default=True, envvar="FUDABA_ARENA_DATA", show_envvar=True,
              help="The data folder of the arena or of `fudaba up`, which holds the store and the bots' logs."
              )  # fmt: skip
@click.option("--redis", envvar="FUDABA_ARENA_REDIS", show_envvar=True, metavar="URL",
              help="The URL of a Redis 7 or Valkey server for the results. Without it the arena runs a server of its "
              "own."
              )  # fmt: skip
@accept_risk_option
@click.option("--service-id", default="", envvar="FUDABA_ARENA_SERVICE_ID", show_envvar=True, metavar="ID",
              help="The id of the new service, if the service has lost its data; the arena then plays on the new one. "
              "An arena that finds another service names its id.")  # fmt: skip
@click.option("--archive", default="", envvar="FUDABA_ARENA_ARCHIVE", show_envvar=True, metavar="FOLDER|URL",
              callback=_place, help="Where to archive the blocks of finished seasons, such as s3://bucket/prefix; "
              "needs fudaba[archive].  [default: `archive` in --data]")  # fmt: skip
@click.option("--archive-after", type=click.IntRange(0), default=0, show_default=True, metavar="DAYS",
              envvar="FUDABA_ARENA_ARCHIVE_AFTER", show_envvar=True,
              help="How long these blocks stay in the store after the season's end.")  # fmt: skip
@click.option("--listen", default=DEFAULT_ARENA, envvar="FUDABA_ARENA_LISTEN", show_envvar=True, show_default=True,
              callback=_listen, metavar="ADDRESS", help="The address to listen on: HOST:PORT, or unix:/path."
              )  # fmt: skip
@click.option("--behind", type=FRONTS, default="", envvar="FUDABA_ARENA_BEHIND", show_envvar=True, metavar="ADDRESS,…",
              help="Addresses or networks of trusted fronts, such as the one in deploy/, which report their clients' "
              "addresses; `unix` for a front that connects through a Unix socket.")  # fmt: skip
@click.option("--metrics", envvar="FUDABA_ARENA_METRICS", show_envvar=True, metavar="HOST:PORT",
              help="Serve Prometheus metrics at this address, under /metrics.")  # fmt: skip
@click.option("--commands", type=click.Path(path_type=Path, file_okay=False, exists=True, resolve_path=True),
              envvar="FUDABA_ARENA_COMMANDS", show_envvar=True, metavar="FOLDER",
              help="Start the bots that tournaments give as commands, in this folder. Anyone with the organiser's "
              "token can then run programs here with your rights. Without this option, such bots are "
              "refused.")  # fmt: skip
@click.option("--workers", is_flag=True, envvar="FUDABA_ARENA_WORKERS", show_envvar=True,
              help="Leave all matches to `fudaba arena worker`, on this machine or others; play none here."
              )  # fmt: skip
@click.option("--tls-cert", type=click.Path(path_type=Path), envvar="FUDABA_ARENA_TLS_CERT", show_envvar=True,
              help="The certificate chain, in PEM.")  # fmt: skip
@click.option("--tls-key", type=click.Path(path_type=Path), envvar="FUDABA_ARENA_TLS_KEY", show_envvar=True,
              help="The private key, in PEM.")  # fmt: skip
@click.option("--insecure", is_flag=True, envvar="FUDABA_ARENA_INSECURE", show_envvar=True,
              help="Allow connections from other machines without TLS, so that others can read tokens.")  # fmt: skip
@click.option("--grace", type=click.FloatRange(0, 3600), default=10.0, show_default=True, metavar="SECONDS",
              help="How long matches in play may take to end after a stop or a pause.")  # fmt: skip
@click.option("--calls-per-second", type=click.FloatRange(0), default=200.0, show_default=True,
              envvar="FUDABA_ARENA_CALLS_PER_SECOND", show_envvar=True,
              help="Calls a second allowed to a host, in bursts of up to ten seconds' worth; 0: no limit. The "
              "organiser has no limits.")  # fmt: skip
@click.option("--concurrent-calls", type=click.IntRange(1), default=200, show_default=True,
              envvar="FUDABA_ARENA_CONCURRENT_CALLS", show_envvar=True,
              help="Open calls and streams allowed to a host.")  # fmt: skip
@click.option("--streams-per-host", type=click.IntRange(1), default=100, show_default=True,
              envvar="FUDABA_ARENA_STREAMS_PER_HOST", show_envvar=True,
              help="Open streams that follow tournaments, allowed to a host.")  # fmt: skip
@click.option("--challenge-blocks-per-day", type=click.IntRange(0, 1_000_000), default=200, show_default=True,
              envvar="FUDABA_ARENA_CHALLENGE_BLOCKS_PER_DAY", show_envvar=True, metavar="BLOCKS",
              help="Blocks of challenges that an account may request in 24 hours; 0: none.")  # fmt: skip
@click.option("--challenges-at-once", type=click.IntRange(1, 1_000), default=2, show_default=True,
              envvar="FUDABA_ARENA_CHALLENGES_AT_ONCE", show_envvar=True, metavar="CHALLENGES",
              help="Challenges played at once while no rated block waits for room.")  # fmt: skip
@click.option("--challenge-hours", type=click.IntRange(1, 168), default=24, show_default=True,
              envvar="FUDABA_ARENA_CHALLENGE_HOURS", show_envvar=True, metavar="HOURS",
              help="How long a challenge may take before it expires.")  # fmt: skip
@click.option("--submissions", default="", envvar="FUDABA_ARENA_SUBMISSIONS", show_envvar=True,
              metavar="FOLDER|URL", callback=_place, help="Where to keep authors' submissions, such as "
              "s3://bucket/prefix; needs fudaba[archive].  [default: `submissions` in --data]")  # fmt: skip
@click.option("--submission-limit", "submission_limits", multiple=True, metavar="NAME=NUMBER", callback=_limits,
              help="A limit on the size of a submission; repeatable. docs/authors.md lists the names.")  # fmt: skip
@click.option("--uploads-per-day", type=click.IntRange(0, 1_000_000), default=20, show_default=True,
              envvar="FUDABA_ARENA_UPLOADS_PER_DAY", show_envvar=True, metavar="UPLOADS",
              help="Submissions that an account may upload in 24 hours; 0: none.")  # fmt: skip
@click.option("--upload-megabytes-per-day", type=click.IntRange(0, 1_000_000), default=1_000, show_default=True,
              envvar="FUDABA_ARENA_UPLOAD_MEGABYTES_PER_DAY", show_envvar=True, metavar="MEGABYTES",
              help="Bytes that an account may upload and build in 24 hours.")  # fmt: skip
@click.option("--build-minutes-per-day", type=click.IntRange(0, 1_000_000), default=60, show_default=True,
              envvar="FUDABA_ARENA_BUILD_MINUTES_PER_DAY", show_envvar=True, metavar="MINUTES",
              help="How long the builds of an account may run in 24 hours; 0: none.")  # fmt: skip
@click.option("--upload-hours", type=click.IntRange(1, 168), default=24, show_default=True,
              envvar="FUDABA_ARENA_UPLOAD_HOURS", show_envvar=True, metavar="HOURS",
              help="How long an upload may stay incomplete before it expires.")  # fmt: skip
def serve(connection: Connection, insecure: bool, **given: Any) -> None:
    """Run a standing arena: it plays the tournaments that it is given, and shows everybody their standings.

    Needs a token of scope arena of the service on which it plays (`fudaba serve --arena-token-file`). Stop it with
    Ctrl-C or SIGTERM (twice: at once); started again, it resumes every tournament.

    \b
    Example:
      fudaba arena serve --data ~/fudaba-arena --token-file ~/arena.token
    """
    from fudaba_arena.api.settings import Settings
    from fudaba_serving.process.runner import log_to_stderr, runner

    log_to_stderr(logging.INFO)
    given["grace_seconds"] = given.pop("grace")
    settings = Settings(**given)
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise click.UsageError("TLS needs both a certificate and its key: give --tls-cert and --tls-key")
    if settings.tls_cert is None and not insecure and not is_loopback(settings.listen):
        raise click.UsageError(
            f"--listen {settings.listen} can be reached from other machines:"
            " give --tls-cert and --tls-key, or --insecure"
        )
    if not connection.token:
        raise click.UsageError("an arena needs a token of scope arena: give --token-file, or set FUDABA_TOKEN")
    with runner("fudaba_arena.api.server") as loop:
        sys.exit(loop.run(_serve(settings, connection)))


async def _serve(settings: Any, connection: Connection) -> int:
    from fudaba.client import Endpoint
    from fudaba.errors import FudabaError
    from fudaba.safe_text import safe_quoting
    from fudaba_arena.api.server import serve as run
    from fudaba_arena.errors import ArenaError
    from fudaba_arena.store.store import StoreUnavailable
    from fudaba_serving.grpc.binding import CannotStart

    log = logging.getLogger("fudaba_arena")
    stopped, hurry = asyncio.Event(), asyncio.Event()

    def stop() -> None:
        (hurry if stopped.is_set() else stopped).set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    endpoint = Endpoint(connection.server, connection.token, tls=connection.tls, ca_cert=connection.ca_cert)
    try:
        async with run(settings, endpoint, lambda line: log.info("%s", safe_quoting(line))) as running:
            say(f"fudaba arena serves on {running.address}")
            sys.stdout.flush()
            waiting = asyncio.create_task(stopped.wait())
            hurrying = asyncio.create_task(_hurry(hurry, running))
            ends = waiting, running.working, running.same_service
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if running.same_service.done():
                running.same_service.result()
            if running.working.done():
                log.critical("a fault; stopping", exc_info=running.working.exception())
                return 1
            say("stopping")
            sys.stdout.flush()
    except (ArenaError, CannotStart, FudabaError, StoreUnavailable) as error:
        say_error(str(error))
        return 1
    else:
        hurrying.cancel()
    return 0


async def _hurry(hurry_wanted: asyncio.Event, running: RunningArena) -> None:
    """Stops waiting for matches in play, after a second signal."""
    await hurry_wanted.wait()
    running.hurry()
