"""What the path of a move writes as bytes is what would be made of messages and words otherwise."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from fudaba.codec import codec
from fudaba.codec.cards import numbers_of
from fudaba.v1 import record_pb2
from fudaba_games.match import Match
from fudaba_games.registry import GAMES
from fudaba_service.sessions.time_spent import Spent
from fudaba_service.sessions.written_entries import answered
from fudaba_service.store import Append, match_keys
from fudaba_service.store.appends import packed
from tests.support.conformance.cases import usual_options

MAX_LEGAL_MOVES = 300
"""This many legal moves of a list, which may have a million."""
SECONDS = (0.0, 1e-7, 1e-6, 127e-6, 128e-6, 0.25, 3_600.0)
TIMES_MS = (0, 1, 1_700_000_000_000, 1_700_000_000_001, 1 << 50)


@pytest.mark.parametrize("name", GAMES)
def test_the_entry_of_an_answer_is_what_a_message_would_be_serialised_to(name: str) -> None:
    chance, game, by = random.Random(name), GAMES[name], codec(name)
    seats = game.max_seats
    match = Match(game, seats, usual_options(game), random.Random(1).randbytes(32), stamp=12345)
    while due := match.open_decisions():
        decision = chance.choice(due)
        drawn = game.random_move(match.state, decision.seat, chance)
        for move in (*islice(decision.legal, MAX_LEGAL_MOVES), drawn):
            spent, at_ms = Spent(*chance.choices(SECONDS, k=3)), chance.choice(TIMES_MS)
            entry = record_pb2.LogEntry(seat=decision.seat, decision_id=decision.id, at_ms=at_ms)
            by.move_to_proto(move, entry.move)
            spent.to_proto(entry.spent)
            written = answered(by, decision.seat, decision.id, move, at_ms, spent)
            assert written.raw == entry.SerializeToString(), move
            assert written.bot_us == entry.spent.bot_us
        match.play(decision.seat, drawn)


@pytest.mark.parametrize("entries", [[b"one"], [], [b"one", b"", b"three"]])
@pytest.mark.parametrize("note", [(b"", b""), (b"why", b"note:0 0.1")])
@pytest.mark.parametrize("state", [b"", b"2"])
def test_an_append_has_the_words_that_the_script_reads(
    entries: list[bytes], note: tuple[bytes, bytes], state: bytes
) -> None:
    keys = match_keys("m1")
    append = Append("m1", 12, b"tail", entries, 1_700_000, state, print, keys.for_append(), note)
    words = [b"m1", b"12", b"tail", b"1700000", state, *note, b"%d" % len(entries), *entries]
    assert append.packed() == packed(words)
    names = [keys.log, keys.meta, keys.followers, keys.deadlines]
    assert append.keys == packed([name.encode() for name in names])
    assert append.words_count == len(names) + len(words)


def test_cards_of_any_set_are_numbered_in_deck_order() -> None:
    chance = random.Random(1)
    sets = [0, 1, (1 << 13) - 1, 1 << 13, 1 << 26, (1 << 60) - 1, *map(chance.getrandbits, range(61))]
    for mask in sets:
        assert numbers_of(mask) == tuple(card + 1 for card in range(mask.bit_length()) if mask >> card & 1)
