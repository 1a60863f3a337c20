"""Rules of a ladder that whoever played a match may not have known, and so did not enforce."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.usage.seat_use import SeatUse
from fudaba_arena.tournament.limits import PONDER, BotLimits

USE = SeatUse(0, "python-3.13", "bubblewrap", (), 512_000_000, 10, 20, 30, 1)
PLAYED = MatchResult("t-b1-0", 1, 0, ("a", "b"), (1, -1), ended_ms=3, worker="w", used=(USE,), rules=(PONDER,))
FROZEN, FREE = BotLimits(ponder=False), BotLimits(ponder=True)


def of_an_earlier_release(result: MatchResult) -> MatchResult:
    """Returns the result as a worker stores it that knows nothing of rules."""
    went, about = result.stored().split("\n")
    match_id, ended_ms, worker, used, noted = json.loads(about)
    del noted["rules"]
    return MatchResult.of_open(1, f"{went}\n{json.dumps([match_id, ended_ms, worker, used, noted])}".encode())


@pytest.mark.parametrize("not_enforced", [(), ("cpu",), ("cpu", PONDER)])
def test_a_rule_that_was_told_is_enforced_but_where_the_result_says_that_it_is_not(
    not_enforced: tuple[str, ...],
) -> None:
    result = replace(PLAYED, used=(replace(USE, not_enforced=not_enforced),))
    read = MatchResult.of_open(1, result.stored().encode())
    assert read == result
    assert read.used_under(FROZEN) == read.used_under(FREE) == result.used


@pytest.mark.parametrize("not_enforced", [(), ("cpu",), ("cpu", PONDER)])
def test_a_rule_that_a_worker_of_an_earlier_release_did_not_know_is_not_enforced(not_enforced: tuple[str, ...]) -> None:
    known = replace(PLAYED, used=(replace(USE, not_enforced=not_enforced),))
    result = of_an_earlier_release(known)
    assert result.rules == ()
    [use] = result.used_under(FROZEN)
    assert use.not_enforced == (*(name for name in not_enforced if name != PONDER), PONDER)
    assert result.used_under(FREE) == known.used, "a ladder on which bots may ponder has no such rule"
