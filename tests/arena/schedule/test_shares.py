"""Entries share an arena's room by the time that they use, and by blocks only where they are about equally fast."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba_arena.schedule.next_block import KnownRating
from fudaba_arena.schedule.shares import Ledger
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_stretch import ClosedStretch
from fudaba_arena.store.usage.time_use import MatchTime, TimeUse
from tests.support.arena.schedule.virtual_arena import VirtualArena
from tests.support.sizes import some

FAST = {f"fast-{number}": 100 for number in range(4)}
MATCHES_PER_BLOCK = 2
"""Of a block of Naga."""
masters = st.binary(min_size=32, max_size=32)


def beside_hog(
    hog_ms: int, fast: int, room: int, master: bytes = bytes(32), *, blocks: int = 4, blind: bool = False
) -> VirtualArena:
    """As many fast bots beside a hog, for so long that the hog's share is that many of its blocks."""
    field = {f"fast-{number}": 100 for number in range(fast)} | {"hog": hog_ms}
    arena = VirtualArena(field, room=room, master=master)
    arena.blind = blind
    arena.play(blocks * MATCHES_PER_BLOCK * hog_ms * len(field) / room / 1000)
    return arena


@settings(max_examples=some(10, least=4))
@given(st.integers(1_000, 4_000), st.integers(3, 6), st.integers(1, 6), masters)
def test_a_bot_that_thinks_long_has_its_share_of_time_and_one_block_at_most(
    hog_ms: int, fast: int, room: int, master: bytes
) -> None:
    arena = beside_hog(hog_ms, fast, room, master)
    share = arena.used_ms.total() / (fast + 1)
    block_ms = MATCHES_PER_BLOCK * hog_ms
    assert arena.used_ms["hog"] <= share + block_ms
    assert arena.used_ms["hog"] >= share - 2 * block_ms, "and it has that share"
    assert min(arena.matches.values()) > 0


@pytest.mark.exhaustive
def test_others_lose_no_more_matches_than_its_share() -> None:
    alone = VirtualArena(FAST)
    alone.play(60)
    beside = VirtualArena(FAST | {"hog": 6_000})
    beside.play(60)
    for name in FAST:
        assert 0.75 * alone.matches[name] <= beside.matches[name] <= 0.95 * alone.matches[name]
    without = VirtualArena(FAST | {"hog": 6_000})
    without.blind = True
    without.play(60)
    assert without.matches["fast-0"] < 0.2 * alone.matches["fast-0"], "or this shows nothing"


@settings(max_examples=some(10, least=4))
@given(st.lists(st.integers(100, 150), min_size=3, max_size=7), st.integers(1, 8), masters)
def test_bots_that_are_about_equally_fast_are_chosen_by_their_blocks(
    thinks_ms: list[int], room: int, master: bytes
) -> None:
    field = {f"bot-{number}": ms for number, ms in enumerate(thinks_ms)}
    by_time, by_blocks = (VirtualArena(field, room=room, master=master) for _ in range(2))
    by_blocks.blind = True
    for arena in (by_time, by_blocks):
        arena.play(5)
    assert by_time.chosen == by_blocks.chosen


def test_who_is_new_is_owed_nothing_for_the_time_before() -> None:
    arena = VirtualArena(FAST, room=4)
    arena.play(60)
    arena.enter("hog", 5_000)
    before_ms = arena.used_ms.total()
    most = 0
    for _ in range(60):
        arena.play(1)
        most = max(most, arena.in_play()["hog"])
    assert most <= MATCHES_PER_BLOCK
    assert 0 < arena.used_ms["hog"] <= (arena.used_ms.total() - before_ms) / 5 + MATCHES_PER_BLOCK * 5_000


def test_a_new_version_plays_on_what_its_entry_owes() -> None:
    arena = VirtualArena(FAST | {"hog": 5_000}, room=4)
    arena.play(6)
    assert arena.shares()["hog"].waits
    arena.enter("hog", 5_000, version="2")
    arena.play(0.1)
    assert arena.shares()["hog"].waits
    assert not any(bot == "hog@2" for bots in arena.chosen for bot in bots)
    arena.play(60)
    assert any(bot == "hog@2" for bots in arena.chosen for bot in bots), "its turn comes"


def test_a_bot_that_alone_wants_blocks_has_an_idle_arena_and_owes_nothing_for_it() -> None:
    arena = VirtualArena(FAST | {"hog": 1_000})
    arena.play(20)
    arena.ratings = {"naga": {f"{name}@1": KnownRating(1500.0, 10.0) for name in FAST}}
    arena.play(10)
    before_ms = arena.used_ms["hog"]
    arena.play(20)
    assert arena.in_play()["hog"] > 2 * MATCHES_PER_BLOCK
    assert arena.used_ms["hog"] - before_ms > 100_000
    assert arena.shares()["hog"].owed_ms < 10_000, "but for what is in play, and what it owed before"


def test_slow_bots_alone_do_not_wait_for_each_other() -> None:
    arena = VirtualArena({f"slow-{number}": 2_000 for number in range(3)}, room=6)
    arena.play(60)
    assert arena.used_ms.total() > 0.8 * 6 * 60_000


def test_two_entries_of_which_one_is_slow_play_each_other() -> None:
    arena = VirtualArena({"fast": 10, "slow": 1_000}, room=2)
    arena.play(20)
    assert arena.used_ms.total() > 0.9 * 2 * 20_000


def test_what_entries_owe_is_known_from_what_is_stored_however_it_is_read() -> None:
    arena = beside_hog(2_000, fast=4, room=4)
    known = arena.state.stored.blocks
    while not Ledger().shares(known.time_use)["hog"].owed_ms:
        arena.play(0.25)
    assert known.lines is not None
    lines = list(known.lines.values())
    by_line, whole, sealed = ClosedBlocks(), ClosedBlocks(), ClosedBlocks()
    for line in lines:
        by_line.add([line])
    whole.add(lines)
    stretch = ClosedStretch.opened(ClosedStretch.from_lines(lines).sealed())
    assert stretch is not None
    sealed.add_stretch(stretch)
    shares = Ledger().shares(known.time_use, wanting=arena.thinks_ms)
    for other in (by_line, whole, sealed):
        assert Ledger().shares(other.time_use, wanting=arena.thinks_ms) == shares


def test_a_ledger_that_goes_on_comes_to_what_a_new_one_does() -> None:
    use, ledger = TimeUse(), Ledger()
    for number in range(40):
        at_ms = number * 25_000 - (70_000 if number % 7 == 6 else 0)  # some are noted late
        use.add(max(0, at_ms), ("fast@1", "hog@1"), MatchTime((100, 1_000 * (number % 3)), 2))
        assert ledger.shares(use, wanting=("fast", "hog")) == Ledger().shares(use, wanting=("fast", "hog"))
