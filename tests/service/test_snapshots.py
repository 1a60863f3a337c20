"""A snapshot of a match is the match: with the same past, and the same games to come."""

from __future__ import annotations

import pytest

from fudaba_games.registry import GAMES
from fudaba_service.sessions import snapshot
from tests.support.kit.played_record import Playing, by_chance
from tests.support.service.snapshots import known


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("moves", [0, 1, 7, 40])
def test_a_match_that_comes_back_from_a_snapshot_is_played_on_as_it_would_have_been(name: str, moves: int) -> None:
    original, two = Playing(name), Playing(name)
    for playing in (original, two):
        playing.play(by_chance(moves), most=moves)
    two.replay = snapshot.restored(snapshot.taken(original.replay))
    assert known(two.replay) == known(original.replay)
    for playing in (original, two):
        playing.play(by_chance(5), most=150)
    assert two.record.SerializeToString(deterministic=True) == original.record.SerializeToString(deterministic=True)
    assert two.shown == original.shown
    assert known(two.replay) == known(original.replay)


@pytest.mark.parametrize("name", GAMES)
def test_a_snapshot_has_no_game_of_its_own(name: str) -> None:
    replay = Playing(name).replay
    back = snapshot.restored(snapshot.taken(replay))
    assert back.game is replay.game
    assert back.match.game is replay.game
    assert back.codec is replay.codec


@pytest.mark.parametrize("name", GAMES)
def test_what_is_played_after_a_snapshot_does_not_change_it(name: str) -> None:
    playing = Playing(name)
    playing.play(by_chance(1), most=5)
    taken = snapshot.taken(playing.replay)
    before = known(snapshot.restored(taken))
    playing.play(by_chance(2), most=20)
    again = snapshot.restored(taken)
    assert known(again) == before
