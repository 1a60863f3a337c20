"""`fudaba bot`."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from typing import TYPE_CHECKING

import click

from fudaba.cli._extended import ExtendedGroup
from fudaba.cli.assign import alike, assign, show
from fudaba.cli.bot_presence import pause, presence, resume
from fudaba.cli.casual import casual
from fudaba.cli.confirming import confirm
from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.enter import enter
from fudaba.cli.failures import Failure
from fudaba.cli.logs import log_to_standard_error
from fudaba.cli.naming import named_version
from fudaba.cli.output import as_dict, moment, print_json, say, say_text, table
from fudaba.cli.paging import every_page
from fudaba.cli.secret_output import output_option, secret_output
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

    from fudaba._play_options import PlayOptions
    from fudaba._stream import RunTally
    from fudaba.bot import BotFactory
    from fudaba.client import Client

log = logging.getLogger("fudaba")

_TIMEOUT_SECONDS = 30


@click.group(cls=ExtendedGroup, later={"new": "fudaba.cli.new:new"})
def bot() -> None:
    """Write, run, check and submit a bot; register bots and create their tokens."""


for command in (show, assign, casual, enter, presence, pause, resume):
    bot.add_command(command)


@bot.command(short_help="Play as a bot, on a service.")
@click.argument("spec", metavar="BOT")
@connection_options
@click.option("--matches", type=click.IntRange(min=1), help="Stop after this many matches.")
@click.option("--on-error", type=click.Choice(["timeout", "default", "resign"]), default="timeout", show_default=True,
              help="What to do when `choose` raises an exception: let time run out, play the default move at once, or "
              "resign."
              )  # fmt: skip
@click.option(
    "--threads", type=click.IntRange(1, 1000), help="How many calls of a `choose` that is not async run at once."
)
@click.option("--capacity", type=click.IntRange(1, 1_000_000), metavar="N", envvar="FUDABA_CAPACITY", show_envvar=True,
              help="Play at most N matches at once; the service makes the others wait.  [default: any number]"
              )  # fmt: skip
@click.option(
    "--games", metavar="GAME,...", help="With a built-in bot: load only these games before it connects.  [default: all]"
)
@click.option("--retry-for", type=click.FloatRange(min=0), metavar="SECONDS",
              help="Give up after the service could not be reached for this long.  [default: never]")  # fmt: skip
@click.option("--tokens", "tokens", metavar="FILE", type=click.Path(dir_okay=False, allow_dash=True),
              help="Play with the match tokens in FILE, one a line, as they arrive, each until its match is over; - "
              "is standard input. For arenas.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Print only problems and the summary.")
@click.option("-v", "--verbose", is_flag=True, help="Print more detail.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def run(
    spec: str,
    connection: Connection,
    matches: int | None,
    on_error: str,
    threads: int | None,
    capacity: int | None,
    games: str | None,
    retry_for: float | None,
    tokens: str | None,
    quiet: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Play as BOT: `file.py:Class`, `package.module:Class`, or a built-in: random, first, sensible,
    search-flat, search-tree (these two also with a budget: `search-tree:500`, in tries, or `search-tree:0.5s`).

    All matches come over one connection, any number at once; a lost connection is reopened. The command runs until it
    is interrupted, until --matches are over, or until the service refuses it for good. A signal that stops it before
    --matches are over makes its exit code 128 and the signal's number, as 143 for SIGTERM.

    To try a bot here, without a service and a token: fudaba match local.

    \b
    Example:
      FUDABA_TOKEN=... fudaba bot run mybot.py:MyBot --server play.example.org:7710 --tls
    """
    log_to_standard_error(quiet=quiet, verbose=verbose)
    from fudaba._play_options import PlayOptions
    from fudaba.answers import OnError

    options = PlayOptions(
        address=connection.server,
        token=connection.token,
        tls=connection.tls,
        ca_cert=connection.ca_cert,
        matches=matches or 0,
        on_error=OnError(on_error),
        threads=threads or 0,
        capacity=capacity or 0,
        retry_seconds=retry_for,
    )
    factory = _loaded(spec, games)
    if tokens is not None:
        _play_each(factory, options, tokens, as_json)
        return
    tally, by = asyncio.run(_play(factory, options))
    _print_tally(tally, as_json)
    if by is not None and tally.finished + tally.aborted < (matches or 0):
        sys.exit(128 + by)


def _loaded(spec: str, games: str | None) -> BotFactory:
    """Loads a bot, and for a built-in one the games that it will play."""
    from fudaba._loading import load_bot, load_games
    from fudaba.bots import BUILT_IN

    factory = load_bot(spec)
    if games and spec.partition(":")[0] not in BUILT_IN:
        raise click.UsageError("--games is for built-in bots; leave it out: your bot plays what it is asked to")
    load_games(spec, games.split(",") if games else ())
    return factory


def _play_each(factory: BotFactory, options: PlayOptions, tokens: str, as_json: bool) -> None:
    """Plays with each match token in a file."""
    from fudaba.cli._seat_tokens import play_each

    _print_tally(asyncio.run(play_each(factory, options, tokens)), as_json)


async def _play(factory: BotFactory, options: PlayOptions) -> tuple[RunTally, signal.Signals | None]:
    """Plays until a signal. Returns the signal, if there was one."""
    from fudaba._stream import play
    from fudaba._watchdog import stop_at_signal

    stop = asyncio.Event()
    signals: list[signal.Signals] = []

    def stopped(number: signal.Signals) -> None:
        log.warning("stopped by %s", number.name)
        signals.append(number)
        stop.set()

    with stop_at_signal(stopped):
        tally = await play(factory, options, stop)
    return tally, signals[0] if signals else None


def _print_tally(tally: RunTally, as_json: bool) -> None:
    total = sum(tally.scores)
    if as_json:
        print_json(
            {
                "finished": tally.finished,
                "aborted": tally.aborted,
                "score": total,
                "refused": tally.refused,
                "timed_out": tally.timed_out,
                "errors": tally.errors,
            }
        )
        return
    say(
        f"{counted(tally.finished, 'match', 'matches')} finished, score {total:+d}; {tally.aborted} aborted; "
        f"{counted(tally.refused, 'answer')} refused; {counted(tally.timed_out, 'decision')} timed out; "
        f"{counted(tally.errors, 'exception')}"
    )


@bot.command()
@click.argument("name")
@connection_options
@click.option("--author", default="", help="The author's name, for a bot without an account.")
@click.option("--account", default="", metavar="NAME", help="The account that the bot belongs to.  [default: your own]")
@click.option("--version", default="", help="The label of the bot's first version.  [default: 1]")
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(
    name: str, connection: Connection, author: str, account: str, version: str, output: Path | None, as_json: bool
) -> None:
    """Register a bot and create a token for it. Needs the organiser's token, or an author's.

    Only the bot's token goes to standard output, or to --output; it is shown only once.

    \b
    Examples:
      fudaba bot create mybot --author "me" --output mybot.token
      export BOT_TOKEN=$(fudaba bot create mybot --author "me")
    """
    from fudaba.v1 import bots_pb2

    with connection.client() as client, secret_output(output) as secret:
        request = bots_pb2.CreateBotRequest(name=name, author=author, version=version, account=account)
        made = client.bots.CreateBot(request, timeout=_TIMEOUT_SECONDS).bot
        token = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), timeout=_TIMEOUT_SECONDS)
        if as_json:
            secret.tell_json("token", token.token, {"bot": as_dict(made), "version": token.version})
        else:
            secret.tell(token.token, f"bot {name}, version {token.version}, is registered; its token")


@bot.group()
def version() -> None:
    """Add versions to a bot."""


@version.command()
@click.argument("name")
@click.argument("label")
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def add(name: str, label: str, connection: Connection, as_json: bool) -> None:
    """Add version LABEL to the bot NAME and make it the current one. Needs the organiser's token, or the author's.

    Create a token for it with `fudaba bot token NAME`: tokens of earlier versions play on as those versions.

    \b
    Example:
      fudaba bot version add mybot 2
    """
    from fudaba.v1 import bots_pb2

    with connection.client() as client:
        request = bots_pb2.CreateVersionRequest(bot=name, version=label)
        made = client.bots.CreateVersion(request, timeout=_TIMEOUT_SECONDS).bot
    if as_json:
        print_json(as_dict(made))
    else:
        say(f"bot {name} has the versions {', '.join(bot_version.label for bot_version in made.versions)}")


@bot.command("list")
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(connection: Connection, as_json: bool) -> None:
    """List the registered bots. Needs the organiser's token, or an author's for the bots of the account.

    \b
    Examples:
      fudaba bot list
      fudaba bot list --json | jq -r '.[].name'
    """
    from fudaba.v1 import bots_pb2

    request = bots_pb2.ListBotsRequest(page_size=1000)
    with connection.client() as client:
        found = [listed_bot for page in every_page(client.bots.ListBots, request) for listed_bot in page.bots]
    if as_json:
        print_json([as_dict(listed_bot) for listed_bot in found])
        return
    rows = []
    for shown_bot in found:
        current = shown_bot.versions[-1] if shown_bot.versions else bots_pb2.Version()
        rows.append(
            [
                shown_bot.name,
                current.label,
                str(len(shown_bot.versions)),
                moment(current.create_time),
                shown_bot.author,
                alike(shown_bot),
            ]
        )
    say_text(table(("bot", "version", "versions", "since (UTC)", "author", ""), rows, "llr") or "no bots yet")


@bot.command()
@click.argument("name")
@connection_options
@click.option("--version", default="", help="The version that plays with the token.  [default: the current one]")
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def token(name: str, connection: Connection, version: str, output: Path | None, as_json: bool) -> None:
    """Create another token for the bot NAME, or NAME@VERSION. Older tokens stay valid.

    Needs the organiser's token, or the author's.

    Only the token goes to standard output, or to --output; it is shown only once.

    \b
    Examples:
      fudaba bot token mybot --output mybot-2.token
      export BOT_TOKEN=$(fudaba bot token mybot)
    """
    from fudaba.v1 import bots_pb2

    named, version = named_version(name, version)
    with connection.client() as client, secret_output(output) as secret:
        made = client.bots.CreateToken(
            bots_pb2.CreateTokenRequest(bot=named, version=version), timeout=_TIMEOUT_SECONDS
        )
        if as_json:
            secret.tell_json("token", made.token, as_dict(made))
        else:
            secret.tell(made.token, f"a token for bot {named}, version {made.version}")


@bot.command()
@click.argument("name")
@connection_options
@click.option("--version", default="", help="Revoke only the tokens of this version.")
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
def revoke(name: str, connection: Connection, version: str, yes: bool) -> None:
    """Revoke the tokens of the bot NAME, or of NAME@VERSION; its open streams end.

    Needs the organiser's token, or the author's.

    \b
    Examples:
      fudaba bot revoke mybot
      fudaba bot revoke mybot@1 --yes
    """
    from fudaba.v1 import bots_pb2

    named, version = named_version(name, version)
    with connection.client() as client:
        if not yes:
            _check_there(client, named, version)
        confirm(f"revoke the tokens of {name}?", "nothing was revoked", yes=yes)
        request = bots_pb2.RevokeTokensRequest(bot=named, version=version)
        revoked = client.bots.RevokeTokens(request, timeout=_TIMEOUT_SECONDS).revoked_count
    say(f"{counted(revoked, 'token')} of {name} {'was' if revoked == 1 else 'were'} revoked")


def _check_there(client: Client, name: str, version: str) -> None:
    """Raises `Failure` for a missing version of the bot, and `ServiceError` for a missing bot."""
    from fudaba.v1 import bots_pb2

    known = client.bots.GetBot(bots_pb2.GetBotRequest(bot=name), timeout=_TIMEOUT_SECONDS).bot
    if version and all(known_version.label != version for known_version in known.versions):
        labels = ", ".join(known_version.label for known_version in known.versions)
        raise Failure(f"bot {name} has no version {version!r}; it has: {labels}; nothing was revoked")
