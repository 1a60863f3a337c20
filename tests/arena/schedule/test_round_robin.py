"""The round robin: who meets whom, in which order, and that nobody who remembers meets a deal twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba_arena.schedule.blocks import Block, Entrant
from fudaba_arena.schedule.round_robin import FixedSchedule, RoundRobin
from fudaba_arena.schedule.schedule import BadSchedule, Part
from fudaba_arena.schedule.seeds import block_seed, deal_seed
from tests.support.sizes import some

MASTER = bytes(range(32))
MATCH_ID = re.compile(r"[A-Za-z0-9._-]{1,80}")


def field(count: int, stateless: bool = False) -> tuple[Entrant, ...]:
    return tuple(Entrant(f"bot{number:02}", stateless=stateless) for number in range(count))


@st.composite
def definitions(draw: st.DrawFn) -> RoundRobin:
    count = draw(st.integers(2, 20))
    authors = draw(st.lists(st.sampled_from(["", "", "ann", "ben", "cho"]), min_size=count, max_size=count))
    flags = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    bots = [Entrant(f"bot{number}", authors[number], flags[number]) for number in range(count)]
    definition = RoundRobin(
        tournament="t",
        entrants=tuple(bots),
        blocks=draw(st.integers(1, 3)),
        deals=draw(st.integers(1, 3)),
        same_author=draw(st.booleans()),
    )
    if not definition.same_author and len({bot.author or bot.name for bot in bots}) < 2:
        bots[0] = Entrant("bot0", "dee", flags[0])
        definition = RoundRobin("t", tuple(bots), definition.blocks, definition.deals)
    return definition


def with_replacements(schedule: FixedSchedule, void: Iterable[int]) -> list[Block]:
    """Returns everything that is played, in order, when the n-th block to be played is void for each n in `void`."""
    gone, played = set(void), []
    for block in schedule:
        played.append(block)
        while len(played) - 1 in gone:
            played.append(schedule.replacement(played[-1]))
    return played


@given(definitions(), st.sets(st.integers(0, 60), max_size=25))
def test_no_bot_that_can_remember_ever_meets_a_deal_twice(definition: RoundRobin, void: set[int]) -> None:
    remembers = {bot.name for bot in definition.entrants if not bot.stateless}
    met = Counter(
        (deal_seed(block_seed(MASTER, block.number), match.deal), bot)
        for block in with_replacements(FixedSchedule(definition), void)
        for match in block.matches
        for bot in match.bots
        if bot in remembers
    )
    assert all(times == 1 for times in met.values())


@given(definitions())
def test_no_author_sees_a_deal_at_two_matches_through_a_bot_that_can_remember(definition: RoundRobin) -> None:
    bots = {bot.name: bot for bot in definition.entrants}
    for block in FixedSchedule(definition):
        for match, other in combinations(block.matches, 2):
            if match.deal != other.deal:
                continue
            for a in match.bots:
                for b in other.bots:
                    if bots[a].author and bots[a].author == bots[b].author:
                        assert bots[a].stateless
                        assert bots[b].stateless


@given(definitions())
def test_every_allowed_pairing_has_the_same_matches_and_the_seats_are_even(definition: RoundRobin) -> None:
    bots = {bot.name: bot for bot in definition.entrants}
    schedule = FixedSchedule(definition)
    seatings = Counter(match.bots for block in schedule for match in block.matches)
    for a, b in combinations(bots, 2):
        stranger = not bots[a].author or bots[a].author != bots[b].author
        expected = definition.blocks * definition.deals if stranger or definition.same_author else 0
        assert seatings[a, b] == seatings[b, a] == expected
    assert sum(seatings.values()) == schedule.matches


@pytest.mark.exhaustive
@given(definitions())
def test_match_ids_are_valid_and_never_come_twice(definition: RoundRobin) -> None:
    schedule = FixedSchedule(definition)
    blocks = [*schedule, *(schedule.replacement(block) for block in schedule)]
    ids = [match.match_id for block in blocks for match in block.matches]
    assert len(set(ids)) == len(ids)
    assert all(MATCH_ID.fullmatch(match_id) for match_id in ids)


@pytest.mark.exhaustive
@given(definitions(), st.randoms(use_true_random=False))
def test_the_schedule_is_a_function_of_the_definition_whatever_the_order_of_the_bots(
    definition: RoundRobin, chance: Random
) -> None:
    entrants = list(definition.entrants)
    chance.shuffle(entrants)
    other = RoundRobin("t", tuple(entrants), definition.blocks, definition.deals, definition.same_author)
    assert list(FixedSchedule(other)) == list(FixedSchedule(definition))


@given(definitions())
def test_a_deal_of_a_bot_that_can_remember_is_compared_where_that_is_possible(definition: RoundRobin) -> None:
    """A block of one shared pairing stands alone only if every other pairing of its round is of the same authors."""
    bots = {bot.name: bot for bot in definition.entrants}
    owners = {name: bot.author or name for name, bot in bots.items()}
    blocks = [block for block in FixedSchedule(definition) if block.cycle == 0]
    for block in blocks:
        if len(block.bots) > 2 or all(bots[name].stateless for name in block.bots):
            continue
        for other in blocks:
            if other.round == block.round and other != block and all(bots[name].stateless for name in other.bots):
                assert {owners[name] for name in block.bots} & {owners[name] for name in other.bots}


@pytest.mark.parametrize("count", [2, 3, 6, 7])
def test_in_a_round_nobody_plays_in_two_pairings(count: int) -> None:
    schedule = FixedSchedule(RoundRobin("t", field(count), blocks=2))
    rounds: dict[tuple[int, int], list[frozenset[str]]] = {}
    for block in schedule:
        pairings = {frozenset(match.bots) for match in block.matches}
        rounds.setdefault((block.cycle, block.round), []).extend(pairings)
    assert len(rounds) == 2 * (count - 1 if count % 2 == 0 else count)
    assert list(rounds) == sorted(rounds)
    for pairings_of_round in rounds.values():
        assert len(pairings_of_round) == count // 2
        assert len(frozenset().union(*pairings_of_round)) == 2 * (count // 2)


def test_stateless_pairings_have_blocks_of_their_own_that_replay_the_deal() -> None:
    schedule = FixedSchedule(RoundRobin("cup", field(2, stateless=True), blocks=2))
    first, second = schedule
    assert [(match.match_id, match.deal, match.bots) for match in first.matches] == [
        ("cup-b0-a", 0, ("bot00", "bot01")),
        ("cup-b0-b", 0, ("bot01", "bot00")),
    ]
    assert (first.deals, second.number, second.matches[0].match_id) == (1, 1, "cup-b1-a")


def test_bots_that_can_remember_change_seats_on_another_deal_and_share_deals_with_other_matches() -> None:
    first = next(iter(FixedSchedule(RoundRobin("cup", field(4)))))
    assert [(match.match_id, match.deal, match.bots) for match in first.matches] == [
        ("cup-b0-a", 0, ("bot00", "bot03")),
        ("cup-b0-b", 0, ("bot01", "bot02")),
        ("cup-b0-c", 1, ("bot03", "bot00")),
        ("cup-b0-d", 1, ("bot02", "bot01")),
    ]


def test_a_single_pairing_that_can_remember_is_joined_by_one_that_cannot() -> None:
    entrants = (Entrant("guest"), *field(5, stateless=True))
    blocks = [block for block in FixedSchedule(RoundRobin("cup", entrants)) if "guest" in block.bots]
    assert len(blocks) == 5
    assert all(len(block.bots) == 4 for block in blocks)


def test_large_rounds_are_split_into_blocks_of_about_equal_size() -> None:
    first_round = [block for block in FixedSchedule(RoundRobin("cup", field(20))) if block.round == 0]
    assert [len(block.bots) for block in first_round] == [10, 10]


def test_a_replacement_has_the_same_matches_and_a_number_of_its_own() -> None:
    schedule = FixedSchedule(RoundRobin("cup", field(4), blocks=2))
    for block in schedule:
        again = schedule.replacement(block)
        assert again.number == block.number + len(schedule)
        assert (again.slot, again.attempt) == (block.slot, 1)
        assert [(match.deal, match.bots) for match in again.matches] == [(t.deal, t.bots) for t in block.matches]
        assert schedule.replacement(again).attempt == 2
        assert schedule.block(again.number) == again


def test_pending_blocks_are_what_is_left_with_replacements_in_the_place_of_void_blocks() -> None:
    schedule = FixedSchedule(RoundRobin("cup", field(3)))
    assert len(schedule) == 3
    assert [block.number for block in schedule.pending(lambda _: False, {})] == [0, 1, 2]
    assert [block.number for block in schedule.pending(lambda slot: slot == 0, {1: 2})] == [7, 2]
    assert [block.number for block in schedule.pending(lambda _: True, {1: 2})] == []


def test_blocks_with_the_same_bots_are_found_in_every_cycle() -> None:
    first = RoundRobin("cup", field(5), blocks=3, game="naga")
    schedule = FixedSchedule(first, RoundRobin("cup", field(5), blocks=2, seats=5, game="napoleon"))
    bot = field(5)[0].name
    looked = [block.slot for block in schedule if bot in block.bots]
    assert sorted(schedule.like(lambda block: bot in block.bots)) == looked


def test_match_ids_stay_within_80_characters_for_the_longest_tournament_id() -> None:
    schedule = FixedSchedule(RoundRobin("x" * 48, field(16), deals=50))
    assert all(len(match.match_id) <= 80 for match in schedule.block(10**15).matches)


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (RoundRobin("my cup", field(2)), "'my cup' is not a tournament id"),
        (RoundRobin("", field(2)), "is not a tournament id"),
        (RoundRobin("x" * 49, field(2)), "write 1 to 48 of"),
        (RoundRobin("cup", field(1)), "at least 2 bots, this one has 1"),
        (RoundRobin("cup", (Entrant("a"), Entrant("a"))), "bot a is entered twice"),
        (RoundRobin("cup", (Entrant("a"), Entrant(""))), "without a name"),
        (RoundRobin("cup", field(2), blocks=0), "blocks is 0"),
        (RoundRobin("cup", field(2), deals=0), "deals is 0"),
        (RoundRobin("cup", (Entrant("a", "ann"), Entrant("b", "ann"))), "all bots are of one author"),
        (RoundRobin("cup", field(4), seats=5), "at least 5 bots, this one has 4"),
        (RoundRobin("cup", field(7), seats=7), "a game of 7 seats cannot be scheduled; 2 to 6 can"),
        (
            RoundRobin("cup", tuple(Entrant(f"b{n}", "ann" if n else "ben") for n in range(9)), seats=5),
            "the bots are of 2 authors only, and 5 are needed; enter others, or allow",
        ),
    ],
)
def test_what_cannot_be_scheduled_is_refused_with_the_reason(definition: RoundRobin, message: str) -> None:
    with pytest.raises(BadSchedule, match=message):
        FixedSchedule(definition)


def test_there_is_no_block_before_the_first() -> None:
    with pytest.raises(ValueError, match="there is no block -1"):
        FixedSchedule(RoundRobin("cup", field(2))).block(-1)


def test_a_schedule_says_how_many_pairings_meet_and_how_many_of_them_a_block_spans() -> None:
    remembering = FixedSchedule(RoundRobin("t", field(4), blocks=3))
    assert remembering.part("") == Part(seats=2, blocks=9, matches=36, groups=6, widest=2)
    widest = max(len({match.bots for match in block.matches}) // 2 for block in remembering)
    assert (len(remembering), widest) == (9, 2)
    forgetting = FixedSchedule(RoundRobin("t", field(4, stateless=True), blocks=3))
    assert forgetting.part("") == Part(seats=2, blocks=18, matches=36, groups=6, widest=1)


@st.composite
def several(draw: st.DrawFn) -> list[RoundRobin]:
    """Returns a tournament of up to three games with fields and amounts of their own."""
    made = []
    for game in ("go", "hearts", "whist")[: draw(st.integers(1, 3))]:
        seats = draw(st.sampled_from([2, 3, 5]))
        count = seats + draw(st.integers(0, 3))
        flags = draw(st.lists(st.booleans(), min_size=count, max_size=count))
        bots = tuple(Entrant(f"bot{number}", stateless=flag) for number, flag in enumerate(flags))
        blocks, deals = draw(st.integers(1, 5)), draw(st.integers(1, 2))
        made.append(RoundRobin("t", bots, blocks, deals, seats=seats, game=game))
    return made


@pytest.mark.exhaustive
@settings(max_examples=some(40, least=10))
@given(several())
def test_several_games_have_the_blocks_of_each_with_numbers_of_their_own(games: list[RoundRobin]) -> None:
    schedule = FixedSchedule(*games)
    blocks = list(schedule)
    assert [block.number for block in blocks] == list(range(len(schedule)))
    assert [schedule.game_of(block.number) for block in blocks] == [block.game for block in blocks]
    ids = [match.match_id for block in blocks for match in block.matches]
    assert len(set(ids)) == len(ids) == schedule.matches
    for definition in games:
        alone = FixedSchedule(definition)
        of_game = [block for block in blocks if block.game == definition.game]
        assert [(b.cycle, b.round, b.deals, seated(b)) for b in of_game] == [
            (b.cycle, b.round, b.deals, seated(b)) for b in alone
        ]
        assert schedule.part(definition.game) == alone.part(definition.game)
        assert schedule.part(definition.game).matches == sum(len(block.matches) for block in of_game)


def seated(block: Block) -> list[tuple[int, tuple[str, ...]]]:
    return [(match.deal, match.bots) for match in block.matches]


@settings(max_examples=some(40, least=10))
@given(several(), st.data())
def test_of_every_game_about_the_same_part_is_played_at_any_time(games: list[RoundRobin], data: st.DataObject) -> None:
    schedule = FixedSchedule(*games)
    until = data.draw(st.integers(0, len(schedule)))
    played = Counter(schedule.game_of(number) for number in range(until))
    for definition in games:
        part = until * schedule.part(definition.game).blocks / len(schedule)
        assert abs(played[definition.game] - part) <= len(games) / 2 + 0.5


@settings(max_examples=some(40, least=10))
@given(several())
def test_in_any_game_a_bot_that_can_remember_meets_a_deal_once(games: list[RoundRobin]) -> None:
    schedule = FixedSchedule(*games)
    remembers = {definition.game: {b.name for b in definition.entrants if not b.stateless} for definition in games}
    met = Counter(
        (bot, deal_seed(block_seed(MASTER, block.number), match.deal))
        for planned in schedule
        for block in (planned, schedule.replacement(planned))
        for match in block.matches
        for bot in match.bots
        if bot in remembers[block.game]
    )
    assert set(met.values()) <= {1}


def test_a_block_of_five_that_forget_replays_a_deal_in_twenty_seatings() -> None:
    (block,) = FixedSchedule(RoundRobin("cup", field(5, stateless=True), seats=5))
    assert (len(block.matches), block.deals) == (20, 1)
    assert len({match.bots for match in block.matches}) == 20
    assert block.matches[-1].match_id == "cup-b0-t"


def test_fives_that_can_remember_play_twenty_deals_side_by_side() -> None:
    for block in FixedSchedule(RoundRobin("cup", field(10), seats=5)):
        assert (len(block.matches), block.deals, len(block.bots)) == (40, 20, 10)
        for match, other in zip(block.matches[::2], block.matches[1::2], strict=True):
            assert match.deal == other.deal
            assert not set(match.bots) & set(other.bots)


def test_a_shared_block_of_fives_is_not_wider_than_four_groups() -> None:
    schedule = FixedSchedule(RoundRobin("cup", field(40), seats=5))
    assert {len(block.bots) for block in schedule} == {20}
    assert schedule.part("").widest == 4


def test_which_of_several_games_cannot_be_scheduled_is_told() -> None:
    with pytest.raises(BadSchedule, match="whist: a tournament needs at least 5 bots, this one has 4"):
        FixedSchedule(RoundRobin("cup", field(4), game="go"), RoundRobin("cup", field(4), seats=5, game="whist"))
