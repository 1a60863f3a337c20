"""`fudaba challenge`: a bot plays an entry of a ladder, unrated."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, final

import click

from fudaba._backoff import delays
from fudaba.cli import _challenge_words as words
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.failures import INTERRUPTED_STATUS, Failure
from fudaba.cli.naming import named_version
from fudaba.cli.output import as_dict, print_json, say, say_text
from fudaba.cli.paging import every_page
from fudaba.cli.progress import progress
from fudaba.errors import ServiceError

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import arena_pb2

__all__ = ["challenge", "compare"]

_TIMEOUT_SECONDS: Final = 60.0
_DELAYS: Final = partial(delays, first=0.5, longest=2.0)
_CREATE: Final = "create"
_POLICIES: Final = {"anyone": "ANYONE", "list": "LISTED", "off": "OFF", "default": "UNSPECIFIED"}


@final
class _Challenges(click.Group):
    """A group with an optional first argument: `fudaba challenge NAME` is `fudaba challenge create NAME`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Inserts `create` before options that are not the group's."""
        own = {option for parameter in self.get_params(ctx) for option in parameter.opts}
        return super().parse_args(ctx, [_CREATE, *args] if args and args[0][:1] == "-" and args[0] not in own else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command named by the first argument, or `create` if it is not a command."""
        return super().resolve_command(ctx, args if args[0] in self.commands else [_CREATE, *args])


@click.group(cls=_Challenges, options_metavar="[OPTIONS] NAME[@VERSION] |")
def challenge() -> None:
    """Let your bot play an entry of a ladder, unrated, on fresh deals, when rated play leaves room.

    `fudaba challenge NAME` is short for `fudaba challenge create NAME`. Needs an author's token, or the organiser's.

    \b
    Examples:
      fudaba challenge ada --with bob --blocks 20 --wait
      fudaba challenge ada@1 --with ada@2 --game naga
      fudaba challenge list
    """


@challenge.command()
@click.argument("name", metavar="NAME[@VERSION]")
@click.option("--with", "with_bot", default="", metavar="BOT[@VERSION]",
              help="The bot that challenges.  [default: your only bot in the ladder]")  # fmt: skip
@click.option("--game", default="", metavar="GAME", help="The game.  [default: the only game that the entry plays]")
@click.option("--blocks", type=click.IntRange(1, 100), default=10, show_default=True, metavar="N",
              help="The number of blocks in which the bots meet.")  # fmt: skip
@click.option("--ladder", default="", metavar="LADDER", help="The ladder.  [default: the only ladder that NAME is in]")
@click.option("--id", "challenge_id", default="", metavar="ID",
              help="The challenge's id; the same command can then be repeated safely.")  # fmt: skip
@click.option("--wait", is_flag=True, help="Wait until the challenge is over, and print the result.")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(
    name: str,
    with_bot: str,
    game: str,
    blocks: int,
    ladder: str,
    challenge_id: str,
    connection: Connection,
    wait: bool,
    as_json: bool,
) -> None:
    """Challenge NAME, an entry of a ladder: its current version, or NAME@VERSION, which was entered before.

    Standard output gets the challenge's id at once, and with --wait also the result. With --wait the exit code is 1 if
    not all blocks were played; Ctrl-C stops waiting, and the challenge goes on.

    \b
    Examples:
      fudaba challenge create ada --with bob@3 --ladder open --game naga --blocks 30
      fudaba challenge ada --with bob --wait
    """
    from fudaba.v1 import arena_pb2

    bot, version = named_version(name)
    own, own_version = named_version(with_bot)
    request = arena_pb2.CreateChallengeRequest(
        challenge_id=challenge_id,
        bot=bot,
        version=version,
        with_bot=own,
        with_version=own_version,
        ladder=ladder,
        game=game,
        blocks=blocks,
    )
    _play(request, connection, wait=wait, as_json=as_json)


@challenge.command(short_help="Test whether a version is better than another one.")
@click.argument("new", metavar="NEW[@VERSION]")
@click.argument("old", metavar="OLD[@VERSION]")
@click.option("--bounds", metavar="LOW,HIGH", default="0,30", show_default=True,
              help="The bounds of the test, in normalised Elo.")  # fmt: skip
@click.option("--game", default="", metavar="GAME", help="The game.  [default: the only game that the entry plays]")
@click.option("--blocks", type=click.IntRange(1, 1000), default=100, show_default=True, metavar="N",
              help="The number of blocks after which the test ends if it is not decided. All of them count towards the "
              "blocks that your account may ask for in a day.")  # fmt: skip
@click.option("--ladder", default="", metavar="LADDER", help="The ladder.  [default: the only ladder that OLD is in]")
@click.option("--id", "challenge_id", default="", metavar="ID",
              help="The test's id; the same command can then be repeated safely.")  # fmt: skip
@click.option("--no-wait", is_flag=True, help="Print the id, and do not wait for the verdict.")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(
    new: str,
    old: str,
    bounds: str,
    game: str,
    blocks: int,
    ladder: str,
    challenge_id: str,
    connection: Connection,
    no_wait: bool,
    as_json: bool,
) -> None:
    """Test whether NEW, a bot of yours, is better than OLD, an entry of a ladder, and stop as soon as that is decided.

    Both are commonly versions of one bot; OLD must have been entered in the ladder this season. They meet in a
    challenge: unrated, on the same deals, with the arena's clock and sandbox. `fudaba challenge show` and
    `fudaba challenge cancel` take its id. docs/ratings.md says what the verdict promises.

    The exit code is 1 if the test ended before it was decided and before all blocks were played. Ctrl-C stops waiting,
    and the test goes on.

    \b
    Examples:
      fudaba arena compare ada@4 ada@3
      fudaba challenge compare ada@4 ada@3 --ladder open --game naga --bounds 0,60
    """
    from fudaba.sequential import BadBounds, SequentialTest
    from fudaba.v1 import arena_pb2

    try:
        test = SequentialTest.parse(bounds)
    except BadBounds as error:
        raise click.UsageError(f"--bounds: {error}") from None
    bot, version = named_version(old)
    own, own_version = named_version(new)
    request = arena_pb2.CreateChallengeRequest(
        challenge_id=challenge_id,
        bot=bot,
        version=version,
        with_bot=own,
        with_version=own_version,
        ladder=ladder,
        game=game,
        blocks=blocks,
        sequential=arena_pb2.SequentialBounds(low=test.low, high=test.high),
    )
    _play(request, connection, wait=not no_wait, as_json=as_json)


def _play(request: arena_pb2.CreateChallengeRequest, connection: Connection, *, wait: bool, as_json: bool) -> None:
    """Creates a challenge, and with `wait` waits for its result; prints both."""
    with connection.client() as client:
        made = client.arena.CreateChallenge(request, timeout=_TIMEOUT_SECONDS).challenge
        if request.HasField("sequential") and not made.HasField("sequential_test"):
            with _left_waiting(made.challenge_id, connection):
                _cancel(client, made.challenge_id)
            raise Failure(
                "this arena is of an earlier release, which has no sequential tests; update the arena first; the "
                "challenge is cancelled"
            )
        if not as_json:
            say(made.challenge_id)
        if wait:
            with _left_waiting(made.challenge_id, connection):
                made = _await(client, made)
    if as_json:
        print_json(as_dict(made))
    elif wait:
        _show(made)
    else:
        _say_next(made, connection)
    if wait and words.cut_short(made):
        raise click.exceptions.Exit(1)


def _say_next(made: arena_pb2.Challenge, connection: Connection) -> None:
    """Prints the state of a new challenge, and the command that shows it again."""
    look = connection.command("challenge", "show", made.challenge_id, to="arena", own=True)
    say(*words.story(made), "to see how it stands:", f"  {look}", err=True)


@challenge.command("list")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(connection: Connection, as_json: bool) -> None:
    """List the challenges in which your bots play, newest first; the organiser's token lists all.

    \b
    Example:
      fudaba challenge list
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.ListChallengesRequest()
    with connection.client() as client:
        found = [
            listed_challenge
            for page in every_page(client.arena.ListChallenges, request)
            for listed_challenge in page.challenges
        ]
    if as_json:
        print_json([as_dict(listed_challenge) for listed_challenge in found])
        return
    say_text(words.challenges_table(found))


@challenge.command()
@click.argument("challenge_id", metavar="ID")
@click.option("--wait", is_flag=True, help="Wait until the challenge is over.")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(challenge_id: str, wait: bool, connection: Connection, as_json: bool) -> None:
    """Show a challenge: its progress, and the result so far.

    With --wait the exit code is 1 if not all blocks were played.

    \b
    Example:
      fudaba challenge show 3b1f8a90c2d4e6f7 --wait
    """
    with connection.client() as client:
        found = _get(client, challenge_id)
        if wait:
            with _left_waiting(challenge_id, connection):
                found = _await(client, found)
    if as_json:
        print_json(as_dict(found))
    else:
        _show(found)
    if wait and words.cut_short(found):
        raise click.exceptions.Exit(1)


@challenge.command()
@click.argument("challenge_id", metavar="ID")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cancel(challenge_id: str, connection: Connection, as_json: bool) -> None:
    """End a challenge, and leave the rest of its blocks out. Needs the token of either author, or the organiser's.

    \b
    Example:
      fudaba challenge cancel 3b1f8a90c2d4e6f7
    """
    with connection.client() as client:
        found = _cancel(client, challenge_id)
    if as_json:
        print_json(as_dict(found))
        return
    _show(found)


@challenge.command()
@click.argument("ladder")
@click.argument("bot")
@click.argument("permitted", type=click.Choice(list(_POLICIES)))
@click.option("--account", "accounts", multiple=True, metavar="ACCOUNT",
              help="With list: an account that may challenge; repeatable.")  # fmt: skip
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def allow(
    ladder: str, bot: str, permitted: str, accounts: tuple[str, ...], connection: Connection, as_json: bool
) -> None:
    """Set who may challenge your BOT in a ladder: anyone, a list of accounts, nobody (off), or as the ladder says.

    \b
    Examples:
      fudaba challenge allow open ada off
      fudaba challenge allow open ada list --account bob --account carol
    """
    from fudaba.v1 import arena_pb2

    if (permitted == "list") != bool(accounts):
        raise click.UsageError("give --account, which names who may challenge, with list and only then")
    policy = arena_pb2.ChallengePolicy.Value(f"CHALLENGE_POLICY_{_POLICIES[permitted]}")
    request = arena_pb2.SetEntryChallengesRequest(ladder=ladder, bot=bot, challenges=policy, challengers=accounts)
    with connection.client() as client:
        entry = client.arena.SetEntryChallenges(request, timeout=_TIMEOUT_SECONDS).entry
    if as_json:
        print_json(as_dict(entry))
        return
    say(f"{entry.bot} takes challenges of: {words.policy(entry)}")


def _show(found: arena_pb2.Challenge) -> None:
    say(*words.story(found))
    say_text(words.sides_table(found))


def _get(client: Client, challenge_id: str) -> arena_pb2.Challenge:
    from fudaba.v1 import arena_pb2

    request = arena_pb2.GetChallengeRequest(challenge_id=challenge_id)
    return client.arena.GetChallenge(request, timeout=_TIMEOUT_SECONDS).challenge


def _cancel(client: Client, challenge_id: str) -> arena_pb2.Challenge:
    from fudaba.v1 import arena_pb2

    request = arena_pb2.CancelChallengeRequest(challenge_id=challenge_id)
    return client.arena.CancelChallenge(request, timeout=_TIMEOUT_SECONDS).challenge


def _await(client: Client, found: arena_pb2.Challenge) -> arena_pb2.Challenge:
    """Waits until a challenge is over, with a bar of its blocks. It prints what the challenge waits for whenever that
    changes.
    """
    said, pauses = "", _DELAYS()
    with progress(found.blocks, "blocks") as step:
        done = 0
        while not words.over(found):
            if found.message != said and found.message:
                say(found.message, err=True)
            said = found.message
            time.sleep(next(pauses))
            try:
                found = _get(client, found.challenge_id)
            except ServiceError as error:
                if not error.retryable:
                    raise
                if str(error) != said:
                    say(f"{error}; trying again", err=True)
                said = str(error)
                continue
            if found.blocks_counted > done:
                step(found.blocks_counted - done)
                done, pauses = found.blocks_counted, _DELAYS()
    return found


@contextlib.contextmanager
def _left_waiting(challenge_id: str, connection: Connection) -> Iterator[None]:
    """Prints how to resume waiting after an interruption. The challenge goes on."""
    try:
        yield
    except (KeyboardInterrupt, ServiceError) as error:
        again = connection.command("challenge", "show", challenge_id, "--wait", to="arena", own=True)
        end = connection.command("challenge", "cancel", challenge_id, to="arena", own=True)
        say("the challenge goes on; to wait for it again, and to end it:", f"  {again}", f"  {end}", err=True)
        if isinstance(error, ServiceError):
            raise
        raise click.exceptions.Exit(INTERRUPTED_STATUS) from None
