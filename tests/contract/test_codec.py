"""Every game's values become messages and the same values again; what is not a move is refused."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba.bridges.descriptors import is_repeated
from fudaba.codec import (
    codec,
    option_from_proto,
    option_to_proto,
    options_from_proto,
    outcome_from_proto,
    outcome_to_proto,
)
from fudaba.v1 import game_pb2, naga_pb2
from fudaba_games.game import BadOption, MalformedMove, Outcome
from fudaba_games.match import Match
from fudaba_games.registry import GAMES
from tests.support.conformance.cases import usual_options
from tests.support.sizes import some

games = pytest.mark.parametrize("game_id", list(GAMES))

MAX_LEGAL_MOVES = 300
"""This many legal moves of a list, which may have a million."""


def there_and_back(message: Any, fill: Any, read: Any, value: Any) -> None:
    """Checks that a value is the same after it has gone over the wire."""
    fill(value, message)
    assert read(type(message).FromString(message.SerializeToString())) == value


@games
@settings(max_examples=some(25), deadline=None)
@given(seed=st.binary(min_size=32, max_size=32), draw=st.integers(0, 2**64))
def test_every_move_view_and_event_goes_over_the_wire_and_back(game_id: str, seed: bytes, draw: int) -> None:
    chance = random.Random(draw)
    game, by = GAMES[game_id], codec(game_id)
    seats = chance.randint(game.min_seats, game.max_seats)
    match = Match(game, seats, usual_options(game), seed)
    seen: dict[int | None, int] = {}
    known: set[Any] = set()  # most moves are legal many times; the message of a move is of the move alone
    while True:
        for seat in (None, *range(seats)):
            there_and_back(game_pb2.View(), by.view_to_proto, by.view_from_proto, match.view(seat))
            shown = match.shown(seat)
            for event in shown[seen.get(seat, 0) :]:
                there_and_back(game_pb2.Event(), by.event_to_proto, by.event_from_proto, event)
            seen[seat] = len(shown)
        due = match.open_decisions()
        if not due:
            break
        decision = due[chance.randrange(len(due))]
        drawn = game.random_move(match.state, decision.seat, chance)
        for move in (*islice(decision.legal, MAX_LEGAL_MOVES), drawn):
            if move in known:
                continue
            known.add(move)
            there_and_back(game_pb2.Move(), by.move_to_proto, by.move_from_proto, move)
        match.play(decision.seat, drawn)
    assert match.outcome is not None
    there_and_back(game_pb2.Outcome(), outcome_to_proto, outcome_from_proto, match.outcome)


@games
def test_a_views_and_an_events_message_says_which_game_it_is(game_id: str) -> None:
    game, by = GAMES[game_id], codec(game_id)
    match = Match(game, game.min_seats, game.resolve_options({}), bytes(32))
    view, event = game_pb2.View(), game_pb2.Event()
    by.view_to_proto(match.view(None), view)
    by.event_to_proto(match.shown(0)[0], event)
    assert view.WhichOneof("game") == event.WhichOneof("game") == game_id


@games
def test_a_move_without_its_game_or_its_kind_is_refused(game_id: str) -> None:
    by = codec(game_id)
    empty = game_pb2.Move()
    with pytest.raises(MalformedMove, match="not set"):
        by.move_from_proto(empty)
    getattr(empty, game_id).SetInParent()
    with pytest.raises(MalformedMove, match="not set"):
        by.move_from_proto(empty)


def wrong_enums(message: Any, found: list[Any]) -> None:
    """Adds to `found` what sets one enum field of a message to something unknown, for each such field."""
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.type == FieldDescriptor.TYPE_ENUM:
            for bad in (0, -1, 99, 2**31 - 1):
                if is_repeated(field):
                    found.append(lambda value=value, bad=bad: value.append(bad))
                else:
                    found.append(lambda field=field, bad=bad: setattr(message, field.name, bad))
        elif field.message_type is not None and not is_repeated(field) and message.HasField(field.name):
            wrong_enums(value, found)


@games
@settings(max_examples=some(20), deadline=None)
@given(seed=st.binary(min_size=32, max_size=32), draw=st.integers(0, 2**64))
def test_unknown_enum_values_in_a_move_are_refused(game_id: str, seed: bytes, draw: int) -> None:
    chance = random.Random(draw)
    game, by = GAMES[game_id], codec(game_id)
    match = Match(game, game.min_seats, usual_options(game), seed)
    while due := match.open_decisions():
        move = game.random_move(match.state, due[0].seat, chance)
        message = game_pb2.Move()
        by.move_to_proto(move, message)
        changes: list[Any] = []
        wrong_enums(message, changes)
        for number in range(len(changes)):
            spoiled = game_pb2.Move()
            spoiled.CopyFrom(message)
            again: list[Any] = []
            wrong_enums(spoiled, again)
            again[number]()
            with pytest.raises(MalformedMove):
                by.move_from_proto(spoiled)
        match.play(due[0].seat, move)


def test_a_card_that_is_named_twice_is_refused() -> None:
    message = game_pb2.Move()
    message.naga.commit.cards.extend([naga_pb2.NAGA_CARD_D1, naga_pb2.NAGA_CARD_D1])
    with pytest.raises(MalformedMove, match="twice"):
        codec("naga").move_from_proto(message)


@games
def test_every_options_default_goes_over_the_wire_and_back(game_id: str) -> None:
    options = {option.name: option.default for option in GAMES[game_id].options}
    assert options_from_proto({name: option_to_proto(value) for name, value in options.items()}) == options


@pytest.mark.parametrize("value", [0, -5, 2**62, True, False, "", "name"])
def test_an_options_value_keeps_its_type(value: int | bool | str) -> None:
    back = option_from_proto("x", option_to_proto(value))
    assert (type(back), back) == (type(value), value)


def test_an_option_without_a_value_is_refused_by_name() -> None:
    with pytest.raises(BadOption, match="'speed'"):
        option_from_proto("speed", game_pb2.OptionValue())


def test_an_outcome_says_its_placements() -> None:
    message = game_pb2.Outcome()
    outcome_to_proto(Outcome((3, -6, 3)), message)
    assert list(message.placements) == [1, 3, 1]
