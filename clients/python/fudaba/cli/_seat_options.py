"""Seats on the command line: how they are assigned, invitation codes, and the next steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from fudaba.errors import ServiceError

if TYPE_CHECKING:
    from fudaba.cli.connection import Connection
    from fudaba.client import Client
    from fudaba.v1 import matches_pb2

__all__ = ["is_house", "join", "next_steps", "parse_seat", "seat_words"]

_TIMEOUT_SECONDS: Final = 30
_CODE = re.compile(r"[0-9A-Za-z]{4}([- ]?[0-9A-Za-z]{4}){2}")
FORMS: Final = "me, bot:NAME, bot:NAME@VERSION, house-NAME, invite or open"


def parse_seat(text: str) -> matches_pb2.Seat:
    """Parses a seat in one of `FORMS`. Raises a usage error."""
    from fudaba.v1 import matches_pb2, record_pb2

    seat = matches_pb2.Seat
    kind, _, name = text.partition(":")
    if text == "me":
        return seat(caller=seat.Caller())
    if text == "invite":
        return seat(invitation=seat.Invitation())
    if text == "open":
        return seat(open=seat.Open())
    if is_house(text):
        return seat(house_bot=text)
    if kind == "bot" and name:
        bot, _, version = name.partition("@")
        return seat(bot=record_pb2.Player(bot=bot, version=version))
    raise click.UsageError(f"a seat is written {FORMS}; not {text!r}")


def is_house(name: str) -> bool:
    """Returns whether a name denotes a house bot, such as `house-sensible`."""
    return re.fullmatch(r"house-[\w-]+", name) is not None


def join(client: Client, text: str) -> matches_pb2.JoinMatchResponse:
    """Takes a seat by an invitation code or a match's id. Raises `ServiceError`."""
    from fudaba.v1 import matches_pb2

    by_id = matches_pb2.JoinMatchRequest(match_id=text)
    if not _CODE.fullmatch(text.strip()):
        return client.matches.JoinMatch(by_id, timeout=_TIMEOUT_SECONDS)
    try:
        return client.matches.JoinMatch(matches_pb2.JoinMatchRequest(invitation_code=text), timeout=_TIMEOUT_SECONDS)
    except ServiceError as error:
        if error.reason != "INVITATION_NOT_FOUND":
            raise
        not_a_code = error
    try:
        return client.matches.JoinMatch(by_id, timeout=_TIMEOUT_SECONDS)  # an id may look like a code
    except ServiceError as error:
        raise (not_a_code if error.reason == "MATCH_NOT_FOUND" else error) from None


def seat_words(seat: matches_pb2.Seat) -> str:
    """Returns how a seat is assigned, in words."""
    kind = seat.WhichOneof("to")
    if kind == "bot":
        return f"{seat.bot.bot} {seat.bot.version}".strip()
    if kind == "house_bot":
        return seat.house_bot
    return {"caller": "me", "invitation": "by invitation", "open": "open"}.get(kind or "", "?")


def next_steps(
    match: matches_pb2.Match, codes: Sequence[matches_pb2.InvitationCode], connection: Connection
) -> list[str]:
    """Returns the lines that a creator passes to the other players; none if every seat is taken."""
    if not match.seats:
        return []
    match_id = match.header.match_id
    invited = {invitation.seat: invitation.code for invitation in codes}
    lines = []
    for number, seat in enumerate(match.seats):
        line = f"seat {number}: {seat_words(seat)}"
        if number in invited:
            line += f": {connection.command('match', 'join', invited[number])}"
        elif seat.WhichOneof("to") == "open":
            line += f": {connection.command('match', 'join', match_id)}"
        lines.append(line)
    if invited:
        lines.append("Whoever has a code has its seat: give it to nobody else.")
    lines.append("To join and play in the terminal: fudaba play --join in place of match join.")
    lines.append(f"It begins when all seats are taken; given up {match.join_deadline.ToDatetime():%Y-%m-%d %H:%M} UTC.")
    return lines
