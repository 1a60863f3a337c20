"""`fudaba match watch`."""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

import click

from fudaba._backoff import delays
from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.failures import INTERRUPTED_STATUS
from fudaba.cli.output import as_dict, print_json_line, say, say_text, take_back
from fudaba.errors import ServiceError
from fudaba_games import registry

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import matches_pb2

_DELAYS: Final = partial(delays, first=0.3, longest=10.0)


@click.command()
@click.argument("match_id", metavar="ID")
@connection_options
@click.option("--table/--no-table", "with_table", default=None,
              help="Draw the table under the events.  [default: on a terminal]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print each message as a line of JSON.")
def watch(match_id: str, connection: Connection, with_table: bool | None, as_json: bool) -> None:
    """Follow a match as a spectator until it is over, or until Ctrl-C. A lost connection is reopened.

    \b
    Examples:
      fudaba match watch m-1
      fudaba match watch m-1 --json | jq .events
    """
    on_terminal = sys.stdout.isatty()
    screen: _Screen | _JsonLines
    screen = _JsonLines() if as_json else _Screen(on_terminal if with_table is None else with_table, on_terminal)
    with connection.client() as client:
        try:
            _follow(client, match_id, screen)
        except KeyboardInterrupt:
            again = connection.command("match", "watch", match_id, own=True)
            say("the match goes on without you; to come back:", f"  {again}", err=True)
            raise click.exceptions.Exit(INTERRUPTED_STATUS) from None


def _follow(client: Client, match_id: str, screen: _Screen | _JsonLines) -> None:
    """Shows a match to its end, over as many connections as necessary."""
    from fudaba.v1 import matches_pb2

    seen, pauses, over = 0, _DELAYS(), False
    while not over:
        try:
            for message in client.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id, seen=seen)):
                pauses = _DELAYS()
                over = _is_over(message.match)
                screen.show(message)
                seen = max(seen, message.seen)
            if over:
                return
            error = ServiceError("UNAVAILABLE", "the service ended the stream")
        except ServiceError as lost:
            if not lost.retryable:
                raise
            error = lost
        screen.away(error)
        time.sleep(next(pauses))


def _is_over(match: matches_pb2.Match) -> bool:
    from fudaba.v1 import matches_pb2

    return match.state in {matches_pb2.MATCH_STATE_FINISHED, matches_pb2.MATCH_STATE_ABORTED}


@final
class _JsonLines:
    """Prints messages as lines of JSON."""

    def show(self, message: matches_pb2.WatchMatchResponse) -> None:
        print_json_line(as_dict(message))

    def away(self, error: ServiceError) -> None:
        say(f"{error}; trying again", err=True)


@final
class _Screen:
    """Prints events as lines; on a terminal it redraws the table below them after each message."""

    def __init__(self, with_table: bool, on_terminal: bool) -> None:
        self._with_table = with_table
        self._on_terminal = on_terminal
        self._drawn = 0  # lines of the table that stand at the bottom of the terminal
        self._game: registry.AnyGame | None = None
        self._codec: Any = None
        self._header: Any = None
        self._state = 0
        self._away = False

    def show(self, message: matches_pb2.WatchMatchResponse) -> None:
        self._away = False
        self._erase()
        if message.HasField("match"):
            self._match(message.match)
            if not _is_over(message.match):
                self._tell_state(message.match)
        if self._game is not None:
            for event in message.events:
                say(self._game.text.describe_event(self._codec.event_from_proto(event)))
            if self._with_table and message.HasField("view") and not message.match.HasField("end"):
                self._draw(self._game.text.render_view(self._codec.view_from_proto(message.view)))
        if _is_over(message.match):
            self._tell_state(message.match)  # after the events that ended it
        if message.match.HasField("end"):
            self._over(message)

    def away(self, error: ServiceError) -> None:
        if not self._away:
            self._away = True
            say(f"{error}; trying again", err=True)

    def _match(self, match: matches_pb2.Match) -> None:
        from fudaba.cli import _contract_words
        from fudaba.codec import codec

        if self._header is None:
            self._header = match.header
            self._game = registry.game(match.header.game)
            self._codec = codec(match.header.game)
            say(*_contract_words.header_lines(match.header))

    def _tell_state(self, match: matches_pb2.Match) -> None:
        from fudaba.cli import _contract_words

        if match.state != self._state:
            self._state = match.state
            say(f"-- {_contract_words.state(match.state)}")

    def _over(self, message: matches_pb2.WatchMatchResponse) -> None:
        from fudaba.cli import _contract_words

        if self._with_table and self._game is not None and message.HasField("view"):
            say_text(self._game.text.render_view(self._codec.view_from_proto(message.view)))
        say(*_contract_words.ending(message.match.header, message.match.end))

    def _draw(self, text: str) -> None:
        shown = text.rstrip("\n")
        say_text(shown)
        if self._on_terminal:
            self._drawn = shown.count("\n") + 1

    def _erase(self) -> None:
        """Removes the table, so that new events appear above the next one."""
        if self._drawn:
            take_back(self._drawn)
            self._drawn = 0
