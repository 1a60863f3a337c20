"""The fair-play report: each kind of line appears for its exploit, through the real fit, and for nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from fudaba.seatings import seatings
from fudaba_arena.ladder.fairplay import Kind, Line, PlayedSeason, fair_play
from fudaba_arena.ladder.fairplay.discovery import adjusted, share_probability, together
from fudaba_arena.store.blocks.closed_block import ABSENT, ClosedBlock, MatchResult
from tests.support.arena.ladder.made_up_season import FIELD, PAIRS, WORKERS, Season, honest, throwing


@pytest.mark.parametrize("seed", range(6))
def test_an_honest_ladder_has_no_line(seed: int) -> None:
    season = Season(seed).play(8)
    for number, (a, b) in enumerate(PAIRS * 2):
        season.close([(a, b, honest(a, b))], worker=WORKERS[number % 2])
        season.close([(a, b, honest(a, b))], void=number % 3 == 0, forfeiting=b if number % 7 == 0 else "")
    assert season.lines() == []


def test_a_pair_that_throws_is_reported_with_its_matches_and_nobody_else() -> None:
    season = Season(1).play(10, throwing("bot-06"))
    [line] = season.lines()
    assert (line.kind, line.gaining, line.giving) == (Kind.PAIR, ("bot-04",), ("bot-06",))
    assert (line.share, line.blocks, line.match_count, len(line.matches)) == (1.0, 10, 20, 20)
    assert line.expected == pytest.approx(honest("bot-04", "bot-06"), abs=0.12)
    assert line.effect is not None
    assert line.effect_error is not None
    assert line.effect > 2 * line.effect_error
    met = {match.match_id for block in season.blocks for match in block.results if set(match.bots) == bots(line)}
    assert set(line.matches) == met


def test_nothing_that_bots_of_the_panel_give_or_take_is_reported() -> None:
    season = Season(1, panel=frozenset({"bot-06", "bot-07"})).play(10, throwing("bot-06", "bot-07"))
    for other in FIELD[8:] * 3:
        season.close([("bot-07", other, 0.0)], void=True)
    assert season.lines() == []


def bots(line: Line) -> set[str]:
    return {f"{entry}@1" for entry in (*line.gaining, *line.giving)}


def test_friends_who_feed_one_are_reported_together_and_nobody_else() -> None:
    lines = Season(3).play(6, throwing("bot-02", "bot-06", "bot-07")).lines()
    [line] = [line for line in lines if line.kind == Kind.GATHERED]
    assert (line.gaining, line.giving) == (("bot-04",), ("bot-02", "bot-06", "bot-07"))
    assert (line.blocks, line.share) == (18, 1.0)
    assert all(line.gaining == ("bot-04",) and set(line.giving) <= {"bot-02", "bot-06", "bot-07"} for line in lines)


def test_the_entries_of_one_account_that_feed_another_are_reported_together() -> None:
    season = Season(3).play(5, throwing("bot-02", "bot-06", "bot-07"))
    season.owners = dict.fromkeys(("bot-02", "bot-04", "bot-06", "bot-07"), "account feeding")
    [line] = season.lines(Kind.ACCOUNT)
    assert (line.gaining, line.giving) == (("bot-04",), ("bot-02", "bot-06", "bot-07"))


def test_versions_of_a_bot_are_looked_at_together() -> None:
    season = Season(1).play(10, throwing("bot-06"))
    renamed = [
        rename(block, {"bot-04@1": f"bot-04@{1 + number * 2 // len(season.blocks)}"})
        for number, block in enumerate(season.blocks)
    ]
    season.blocks = renamed
    assert [(line.gaining, line.blocks) for line in season.lines(Kind.PAIR)] == [(("bot-04",), 10)]


def rename(block: ClosedBlock, names: dict[str, str]) -> ClosedBlock:
    line = block.line()
    for name, other in names.items():
        line = line.replace(name.encode(), other.encode())
    return ClosedBlock.from_line(line)


def test_forfeits_that_others_are_not_given_are_reported() -> None:
    season = Season(5).play(4)
    for a, b in PAIRS * 2:
        helps = {a, b} in ({"bot-04", "bot-05"}, {"bot-04", "bot-06"}, {"bot-04", "bot-03"})
        other = a if b == "bot-04" else b
        season.close([(a, b, float(a == "bot-04") if helps else honest(a, b))], forfeiting=other if helps else "")
    [line] = season.lines(Kind.FORFEITS)
    assert (line.gaining, line.giving) == (("bot-04",), ("bot-03", "bot-05", "bot-06"))
    assert (line.blocks, line.match_count, line.effect) == (6, 12, None)


def test_a_bot_that_forfeits_to_everybody_helps_nobody() -> None:
    season = Season(6).play(2)
    for a, b in PAIRS * 4:
        season.close([(a, b, 1.0 if b == "bot-09" else honest(a, b))], forfeiting="bot-09" if b == "bot-09" else "")
    assert season.lines(Kind.FORFEITS) == []


def test_absence_of_an_opponent_counts_as_its_forfeit() -> None:
    season = Season(5).play(6)
    for _ in range(6):
        match = MatchResult("x", 0, 0, ("bot-04@1", "bot-05@1"), (2, -2), "bot-05@1", ABSENT, 0)
        season.blocks.append(ClosedBlock(len(season.blocks), 0, "naga", (match,), 1))
    [line] = season.lines(Kind.FORFEITS)
    assert (line.gaining, line.giving, line.blocks) == (("bot-04",), ("bot-05",), 6)


def test_void_blocks_that_an_entry_was_losing_are_reported() -> None:
    season = Season(7).play(8)
    for other in FIELD[5:] * 3:
        season.close([("bot-04", other, 0.0)], void=True)
    lines = season.lines(Kind.VOIDS)
    assert [(line.gaining, line.giving, line.blocks) for line in lines] == [(("bot-04",), (), 27)]
    assert lines[0].share == pytest.approx(0, abs=0.001)
    assert lines[0].effect is not None
    assert lines[0].effect < 0


def test_a_worker_that_favours_an_entry_is_reported_by_its_machine() -> None:
    season = Season(8)
    for number in range(12):
        for a, b in PAIRS:
            favoured = number % 2 == 0 and "bot-04" in (a, b)
            wins = float(a == "bot-04") * 0.96 + 0.02 if favoured else honest(a, b)
            season.close([(a, b, wins)], worker=f"{'east' if number % 2 == 0 else 'west'}-{number}")
    lines = season.lines(Kind.WORKER)
    assert ("bot-04", "east") in {(*line.gaining, line.worker) for line in lines}
    assert all(line.gaining == ("bot-04",) or line.worker == "west" for line in lines)


def test_an_entry_that_does_better_on_deals_that_another_one_plays_is_reported() -> None:
    season = Season(9)
    for number in range(420):
        a, b, c, d = (FIELD[place] for place in season.chance.permutation(len(FIELD))[:4])
        beside = [{"bot-04", "bot-05"} <= {x, y} for x in (a, b) for y in (c, d)]
        groups = [(a, b, honest(a, b)), (c, d, honest(c, d))]
        if any(beside):
            groups = [(x, y, 0.98 if x == "bot-04" else 0.02 if y == "bot-04" else wins) for x, y, wins in groups]
        season.close(groups, worker=WORKERS[number % 2])
    [line] = season.lines(Kind.DEALS)
    assert (line.gaining, line.giving) == (("bot-04",), ("bot-05",))


@pytest.mark.parametrize("throws", [False, True])
def test_pairs_of_a_game_of_more_seats_are_compared_too(throws: bool) -> None:
    season, strength = Season(4), dict(zip(FIELD, np.linspace(-6, 6, len(FIELD)).tolist(), strict=True))
    for number in range(120):
        group = [FIELD[bot] for bot in season.chance.choice(len(FIELD), 3, replace=False).tolist()]
        results = []
        for place, seating in enumerate(seatings(group)):
            points = np.array([strength[bot] for bot in seating]) + season.chance.normal(0, 10, 3)
            if throws and {"bot-03", "bot-09"} <= set(seating):
                points[seating.index("bot-03")] += 15
                points[seating.index("bot-09")] -= 15
            scores = np.rint(points - points.mean()).astype(int).tolist()
            scores[0] -= sum(scores)
            bots = tuple(f"{bot}@1" for bot in seating)
            results.append(MatchResult(f"t-b{number}-{place}", number, 0, bots, tuple(scores)))
        season.blocks.append(ClosedBlock(number, number, "naga", tuple(results), len(results)))
    lines = fair_play(PlayedSeason({"naga": 80.0}, {}, season.blocks)).lines
    found = [(line.kind, line.gaining, line.giving) for line in lines]
    assert found == ([(Kind.PAIR, ("bot-03",), ("bot-09",))] if throws else [])


@pytest.mark.parametrize("rounds", [0, 1])
def test_of_too_little_nothing_is_said(rounds: int) -> None:
    season = Season(1)
    for a, b in PAIRS[: 5 * rounds]:
        season.close([(a, b, 1.0)])
    report = fair_play(PlayedSeason({"naga": 2.0}, {}, season.blocks))
    assert (report.lines, report.looks, report.blocks) == ((), 0, 5 * rounds)


def test_the_report_does_not_depend_on_the_order_of_owners_and_is_the_same_twice() -> None:
    season = Season(1).play(10, throwing("bot-06"))
    season.owners = {entry: f"bot {entry}" for entry in FIELD}
    before = season.lines()
    season.owners = dict(reversed(season.owners.items()))
    assert season.lines() == before


def test_a_share_is_as_probable_as_chernoff_says() -> None:
    assert share_probability(1.0, 0.5, 20) == pytest.approx(2**-20)
    assert share_probability(0.4, 0.5, 20) == 1
    assert share_probability(1.0, 0.03, 1) == pytest.approx(0.03)
    assert share_probability(1.0, 0.0, 3) < 1e-200


def test_small_probabilities_together_are_as_rare_as_simulated() -> None:
    chance = np.random.default_rng(1)
    found = [together(chance.random(15).tolist()) for _ in range(20_000)]
    for level in (0.01, 0.03):
        assert np.mean([value <= level for value in found]) == pytest.approx(level, rel=0.2)
    assert together([0.001, 0.5, 0.7]) == 1


def test_each_kind_of_look_has_its_part_of_the_false_discoveries() -> None:
    chances = [0.01, *[0.5] * 9]
    assert adjusted(chances, ["pair"] * 10)[0] == pytest.approx(0.1)
    assert adjusted(chances, ["gathered", *["pair"] * 9])[0] == pytest.approx(0.02)
    assert adjusted([], []) == []


def test_friends_who_are_nearly_all_that_an_entry_meets_are_reported_too() -> None:
    season, friends = Season(3), ("bot-02", "bot-06")
    for a, b in PAIRS * 3:
        if "bot-04" not in (a, b):
            season.close([(a, b, honest(a, b))])
    for other in FIELD:
        if other not in {"bot-04", *friends}:
            season.close([("bot-04", other, honest("bot-04", other))])
    for friend in friends * 80:
        season.close([("bot-04", friend, 1.0)])
    [line] = season.lines(Kind.GATHERED)
    assert (line.gaining, line.giving, line.blocks, line.share) == (("bot-04",), friends, 160, 1.0)
    assert line.effect is not None
    assert line.effect > 0
