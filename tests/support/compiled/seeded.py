"""Seeded matches of every game, of each of which one line is left: the digest of its record.

A record holds every move; what each seat was told goes into the digest too.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

import fudaba_games.match
from fudaba.codec import option_to_proto
from fudaba.replay import Replay
from fudaba.v1 import record_pb2
from fudaba_games.game import OptionValue
from fudaba_games.registry import GAMES, AnyGame
from fudaba_service.sessions import session
from tests.support.conformance.cases import usual_options

GATE_MATCHES: Final = 100
"""Matches of each game that decide whether a change is accepted: the first of those of a longer run."""
_MAX_MOVES: Final = 100_000
"""Moves after which a match counts as endless."""


def record_of(game: AnyGame, number: int) -> Iterator[bytes]:
    """Yields the traces of a match: its record, and the messages to each seat."""
    chance = random.Random(f"compiled {game.id} {number}")
    seats = seats_of(game, number)
    header = record_pb2.MatchHeader(match_id=f"m{number}", game=game.id, rules_version=game.rules_version)
    for name, value in game.resolve_options(options_of(game, number)).items():
        header.options[name].CopyFrom(option_to_proto(value))
    for seat in range(seats):
        header.players.add(bot=f"bot-{seat}", version="1")
    seed = sha256(f"compiled {number}".encode()).digest()
    record = record_pb2.MatchRecord(header=header, seed=seed, salt=bytes(16))
    replay = Replay(header, seed)
    for seat in range(seats):
        replay.apply(record.log.add(seat=seat, ready=record_pb2.Ready()))
    while not replay.over:
        replay.apply(_entry(replay, chance, record.log.add(at_ms=len(record.log))))
        if len(record.log) > _MAX_MOVES:
            raise RuntimeError(f"match {number} of {game.id} does not end")
    record.end.CopyFrom(replay.end())
    yield record.SerializeToString(deterministic=True)
    for to in (None, *range(seats)):
        for event in replay.match.shown(to):
            yield game.text.describe_event(event).encode()


def digest(game: AnyGame, number: int) -> str:
    """Returns the digest of what a match leaves."""
    return sha256(b"\n".join(record_of(game, number))).hexdigest()


def seats_of(game: AnyGame, number: int) -> int:
    """Returns how many play a match."""
    return game.min_seats + number % (game.max_seats - game.min_seats + 1)


def options_of(game: AnyGame, number: int) -> dict[str, OptionValue]:
    """Returns the options: in most matches one deal, with one other option away from its default, each in turn."""
    usual = game.resolve_options({})
    given = {name: value for name, value in usual_options(game).items() if value != usual[name]}
    others = [option for option in game.options if option.name not in {"deals", *given}]
    if number % 4 and any(option.name == "deals" for option in game.options):
        given["deals"] = 1
    if others:
        option = others[number % len(others)]
        if isinstance(option.default, bool):
            given[option.name] = number % 2 == 0
        elif isinstance(option.default, int):
            given[option.name] = min(option.maximum, option.minimum + number // len(others) % 2)
        else:
            given[option.name] = option.choices[number // len(others) % len(option.choices)]
    return given


def _entry(replay: Replay, chance: random.Random, entry: record_pb2.LogEntry) -> record_pb2.LogEntry:
    """Fills an entry with a random move of a random seat, or of the referee."""
    due, timers = replay.match.open_decisions(), replay.match.timers()
    if timers and (not due or chance.randrange(4) == 0):
        entry.referee.timer = timers[chance.randrange(len(timers))].name
        return entry
    seat = due[chance.randrange(len(due))].seat
    move = replay.game.random_move(replay.match.state, seat, chance)
    entry.seat = seat
    replay.codec.move_to_proto(move, entry.move)
    return entry


def check_files(*, compiled: bool) -> None:
    """Ends the process if the rules and the service are not compiled, or not interpreted, as is wished."""
    for module in (fudaba_games.match, session):
        if str(module.__file__).endswith(".py") == compiled:
            sys.exit(f"{module.__name__} comes from {module.__file__}")


def lines(name: str, numbers: range, *, compiled: bool) -> list[str]:
    """Returns the line of each match: its game, its number and its digest."""
    check_files(compiled=compiled)
    game = GAMES[name]
    return [f"{name} {number} {digest(game, number)}" for number in numbers]
