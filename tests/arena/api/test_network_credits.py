"""What was credited for the network is shown by bot, with the standings."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba.pace_words import network_credit_lines
from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import CALM, author, blocks, call, create, playing, register, until
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena


@pytest.mark.exhaustive
def test_bots_that_their_authors_run_have_a_credit_counted_and_those_of_the_arena_none(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    create(arena, CALM.format(name="credit", narrow=0) + "\n[clock]\nmove_ms = 60000\n")
    token = author(hosted, "carol")
    register(hosted, token, "carol")
    asked = arena_pb2.GetStandingsRequest(tournament="credit")

    def played() -> int:
        return sum("carol@1" in block.bots for block in blocks(arena, "credit"))

    with playing(hosted, tmp_path, token, "carol", "1"):
        call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="credit", bot="carol"), token)
        until(arena, lambda: played() >= 2, "two blocks of it count")
        call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="credit", bot="carol"), token)
    answer = call(arena, "GetStandings", asked, "")
    [credit] = answer.network_credits
    assert credit.bot == "carol@1"
    [row] = [row for row in answer.standings[0].rows if row.bot == "carol@1"]
    assert credit.decisions >= row.matches > 0
    assert credit.low_us <= credit.median_us <= credit.high_us <= 300_000
    shown = arena.json("arena", "standings", "--arena", arena.address, "--tournament", "credit")["network_credits"]
    assert shown["carol@1"].keys() == {"decisions", "median_us", "low_us", "high_us"}


def test_whoever_has_the_most_credit_is_told_first_and_who_has_none_is_not() -> None:
    def credit(bot: str, median_us: int, high_us: int) -> arena_pb2.NetworkCredit:
        return arena_pb2.NetworkCredit(bot=bot, decisions=1_200, median_us=median_us, low_us=0, high_us=high_us)

    network_credits = [credit("near", 0, 0), credit("far", 40_000, 45_000), credit("feigns", 300_000, 300_000)]
    assert network_credit_lines(network_credits) == [
        "network: feigns was credited 300 ms a decision at the median, 0 to 300 ms in nine of ten (1,200 decisions)",
        "network: far was credited 40 ms a decision at the median, 0 to 45 ms in nine of ten (1,200 decisions)",
    ]
    many = network_credit_lines(credit(f"b{number:02}", number * 1_000, 90_000) for number in range(1, 14))
    assert many[-1] == "network: and 3 more; --json has all"
