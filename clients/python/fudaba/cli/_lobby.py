"""The time before a match: creating it, joining it, and waiting until every seat is taken."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from fudaba.cli import _contract_words, _seat_options
from fudaba.cli._seat_options import next_steps, parse_seat
from fudaba.cli.clock import parse_clock
from fudaba.cli.failures import Failure
from fudaba.cli.output import say
from fudaba.codec import option_to_proto
from fudaba.errors import ServiceError
from fudaba.v1 import matches_pb2
from fudaba_games.game import OptionValue
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.cli.connection import Connection
    from fudaba.client import Client

__all__ = ["await_seats", "create", "joined"]

_TIMEOUT_SECONDS: Final = 30
_PAUSE_SECONDS: Final = 1.0


def create(
    client: Client,
    connection: Connection,
    game: str,
    options: Mapping[str, OptionValue],
    others: Sequence[str],
    seat: int,
    clock_text: str,
) -> str:
    """Creates a match that includes the person, and says whom it waits for. Returns its id."""
    words = [*others]
    words.insert(seat, "me")
    request = matches_pb2.CreateMatchRequest(
        game=game,
        options={name: option_to_proto(value) for name, value in options.items()},
        seats=[parse_seat(word) for word in words],
        clock=parse_clock(clock_text),
    )
    answer = client.matches.CreateMatch(request, timeout=_TIMEOUT_SECONDS)
    say(*next_steps(answer.match, answer.invitation_codes, connection))
    return answer.match.header.match_id


def joined(client: Client, code_or_id: str) -> str:
    """Takes a seat. Returns the match's id."""
    answer = _seat_options.join(client, code_or_id)
    say(f"you have seat {answer.seat} of match {answer.match.header.match_id}")
    return answer.match.header.match_id


def await_seats(client: Client, match_id: str, *, mine: bool, come_back: str, get_record: str) -> None:
    """Waits until every seat is taken. Ctrl-C cancels a match that is `mine`. Raises `Failure` if the match is given
    up.

    `come_back` is the command that returns to the seat; `get_record` fetches the record of a match that is already
    over.
    """
    seen_seats: set[int] = set()
    try:
        while not _seated(client, match_id, seen_seats, mine=mine, get_record=get_record):
            time.sleep(_PAUSE_SECONDS)
    except KeyboardInterrupt:
        if mine:
            client.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=match_id), timeout=_TIMEOUT_SECONDS)
            raise Failure("called off") from None
        raise Failure(f"the seat stays yours; come back with: {come_back}") from None


def _seated(client: Client, match_id: str, announced_seats: set[int], *, mine: bool, get_record: str) -> bool:
    """Waits over one connection. Returns whether every seat was taken when it ended."""
    try:
        for message in client.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id)):
            match = message.match
            if match.state == matches_pb2.MATCH_STATE_FINISHED:
                over = "; ".join(_contract_words.ending(match.header, match.end))
                raise Failure(f"match {match_id} is over: {over}. Its record: {get_record}")
            if match.state == matches_pb2.MATCH_STATE_ABORTED:
                raise Failure("; ".join(_contract_words.ending(match.header, match.end)))
            if match.state != matches_pb2.MATCH_STATE_OPEN:
                return True
            _tell_waiting(match, announced_seats, mine=mine)
    except ServiceError as error:
        if error.reason == "MATCH_HIDDEN":  # the seat can still be played
            return True
        if not error.retryable:
            raise
        say(f"{error}; trying again", err=True)
    return False


def _tell_waiting(match: matches_pb2.Match, announced_seats: set[int], *, mine: bool) -> None:
    """Prints who has joined, and how many seats are left."""
    taken = {number for number, seat in enumerate(match.seats) if seat.WhichOneof("to") == "bot"}
    for number in sorted(taken - announced_seats) if announced_seats else ():
        say(f"seat {number}: {match.seats[number].bot.bot} is there")
    left = len(match.seats) - len(taken)
    if announced_seats != taken:
        say(f"waiting for {counted(left, 'seat')} to be taken"
                   f" (Ctrl-C {'calls the match off' if mine else 'leaves'})")  # fmt: skip
    announced_seats |= taken
