"""Caps on the share of a bot's blocks that one opponent, and the bots of one author, may have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from math import ceil
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.contender import Contender
from fudaba_arena.schedule.idle_reasons import IdleCause
from fudaba_arena.schedule.next_block import KnownRating, Situation, idle_reason, next_block
from fudaba_arena.schedule.pairing import Choice, PairingRules, choose
from fudaba_arena.schedule.share_caps import Meetings, ShareCaps, raising_factor
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.store.tournaments.entries import ENTER, FREEZE, Entries, EntryChange
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season

PAIR, AUTHOR = 0.25, 0.4
FRIENDS = ("f0", "f1", "f2")
OTHERS = tuple(f"o{number:02}" for number in range(16))
APART_POINTS = 60.0


def entered(bot: str, account: str, version: str = "1") -> EntryChange:
    """Returns the entry of a submission that keeps nothing between matches."""
    return EntryChange(ENTER, 1, bot, version, account=account, submission=f"{bot}-{version}", stateless=True)


def season(
    accounts: Mapping[str, str], *, pair: float = PAIR, author: float = AUTHOR, seats: int = 2
) -> ScheduledTournament:
    """Returns a ladder in which nobody is ever certain, with these bots of these accounts."""
    entries = Entries()
    entries.add(entered(bot, account) for bot, account in accounts.items())
    stored = StoredTournament(
        {}, bytes(32), ClosedBlocks(lines={}), {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries
    )
    game = TournamentGame("naga" if seats == 2 else "napoleon", seats=seats)
    rules = Season("open", narrow=0.0, pair_share=pair, author_share=author)
    return ScheduledTournament(Tournament("open.1", (game,), (), season=rules), stored)


def schedule_of(state: ScheduledTournament) -> ChosenSchedule:
    assert isinstance(state.schedule, ChosenSchedule)
    return state.schedule


def play(state: ScheduledTournament, situation: Situation) -> ChosenBlock | None:
    """Returns the block that is chosen, noted as such."""
    chosen = next_block(state, situation, 2)
    if chosen is not None:
        schedule_of(state).add(chosen)
    return chosen


def met(state: ScheduledTournament, bot: str) -> Counter[str]:
    """Counts the blocks in which a version met each bot."""
    found: Counter[str] = Counter()
    for chosen in schedule_of(state).chosen:
        for group in chosen.groups:
            if bot in group:
                found.update(other.partition("@")[0] for other in group if other != bot)
    return found


def honest_and_friends() -> dict[str, str]:
    return {"a": "alice"} | dict.fromkeys(FRIENDS, "mallory") | {bot: bot for bot in OTHERS}


def followed() -> Situation:
    """Friends hold the rating of the bot that they lift, and the others are apart."""
    known = {f"{bot}@1": KnownRating(1500.0, 30.0, 50) for bot in ("a", *FRIENDS)}
    for place, bot in enumerate(OTHERS):
        known[f"{bot}@1"] = KnownRating(1500.0 + APART_POINTS * (place - len(OTHERS) / 2 + 0.5), 30.0, 50)
    return Situation({"naga": known})


def test_friends_of_one_author_who_hold_a_bots_rating_stay_below_the_cap_of_its_blocks() -> None:
    situation, ladders = followed(), (season(honest_and_friends(), pair=0.0, author=0.0), season(honest_and_friends()))
    shares = []
    for state in ladders:
        for _ in range(600):
            assert play(state, situation) is not None
        found = met(state, "a@1")
        shares.append((sum(found[friend] for friend in FRIENDS), max(found.values()), found.total()))
    (before, _, blocks), (friends, most, capped_blocks) = shares
    assert before > 0.6 * blocks
    assert friends <= ceil(AUTHOR * capped_blocks)
    assert most <= ceil(PAIR * capped_blocks)


def test_a_friend_that_enters_new_versions_is_the_same_opponent() -> None:
    state = season({"a": "alice", "f0": "mallory"} | {bot: bot for bot in OTHERS}, author=0.0)
    situation = followed()
    for number in range(150):
        if number % 30 == 29:
            version = str(number // 30 + 2)
            state.note_entries([entered("f0", "mallory", version)])
            known = dict(situation.ratings["naga"]) | {f"f0@{version}": KnownRating(1500.0, 30.0, 50)}
            situation = Situation({"naga": known})
        assert play(state, situation) is not None
        block = schedule_of(state).block(number)
        results = [MatchResult(match.match_id, number, match.deal, match.bots, (1, -1)) for match in block.matches]
        state.close(ClosedBlock(number, block.slot, block.game, tuple(results), len(results)))
    found = met(state, "a@1")
    assert found["f0"] <= ceil(PAIR * found.total())


def test_a_block_above_the_caps_waits_while_others_are_busy_and_the_ladder_says_so() -> None:
    state = season(dict(zip("abcdefgh", "abcdefgh", strict=True)))
    for _ in range(2):  # with each other they have played as much as they may
        schedule_of(state).add(ChosenBlock("naga", (("a@1", "b@1"),), shared=False, chosen_for="a@1"))
    busy = {f"{bot}@1" for bot in "cdefgh"}
    assert play(state, Situation(busy=busy)) is None
    reason = idle_reason(state, Situation(busy=busy))
    assert (reason.cause, reason.game, reason.bot) == (IdleCause.SHARES_REACHED, "naga", "a@1")
    assert str(reason).startswith("a@1 needs a block of naga, and has played as much")
    assert idle_reason(state, Situation(busy=busy - {"c@1"})).cause == IdleCause.BLOCK_BEGINS
    chosen = play(state, Situation(busy=busy - {"c@1"}))
    assert chosen is not None
    assert "c@1" in chosen.groups[0]


def test_who_is_alone_with_somebody_plays_on() -> None:
    state = season(dict(zip("abcdefgh", "abcdefgh", strict=True)))
    absent = {f"{bot}@1" for bot in "cdefgh"}
    for _ in range(20):
        assert play(state, Situation(absent=absent)) is not None
    for _ in range(30):  # what was too much is made up for once others are here
        chosen = play(state, Situation())
        assert chosen is not None
        assert set(chosen.groups[0]) != {"a@1", "b@1"}


def test_a_ladder_of_three_is_a_round_robin() -> None:
    state = season(dict(zip("abc", "abc", strict=True)))
    for _ in range(90):
        assert play(state, Situation()) is not None
    for bot in "abc":
        found = met(state, f"{bot}@1")
        assert max(found.values()) <= ceil(found.total() / 2)


def test_the_final_draws_its_opponents_by_chance_alone() -> None:
    seasons = [season(honest_and_friends(), pair=pair, author=2 * pair) for pair in (0.0, 0.05)]
    for state in seasons:
        state.note_entries([EntryChange(FREEZE, 5)])
        while play(state, followed()) is not None:
            assert len(schedule_of(state)) < 500
    assert len(schedule_of(seasons[0])) > 50
    assert list(schedule_of(seasons[0]).chosen) == list(schedule_of(seasons[1]).chosen)


def above(caps: ShareCaps, group: Iterable[Contender]) -> bool:
    """Returns whether some of a group would meet above the caps."""
    return any(caps.excess(bot, other) for bot, other in combinations(group, 2))


def caps_of(state: ScheduledTournament, here: Collection[Contender]) -> ShareCaps:
    game, rules = state.tournament.games[0], state.tournament.season
    assert rules is not None
    bots_of: defaultdict[str, list[str]] = defaultdict(list)
    for entry in state.stored.entries.by_bot.values():
        bots_of[f"account {entry.account}"].append(entry.bot)
    meetings = Meetings(schedule_of(state).met(game.game), {}, bots_of)
    return ShareCaps(rules.pair_share, rules.author_share, game.seats, here, meetings)


@given(
    st.lists(st.integers(0, 5), min_size=2, max_size=9),
    st.sampled_from([0.1, 0.25, 0.6]),
    st.sampled_from([2, 3]),
    st.integers(0, 2**32),
)
def test_nobody_meets_above_the_caps_while_another_block_is_possible_and_no_ladder_stands_still(
    accounts: list[int], pair: float, seats: int, seed: int
) -> None:
    chance = Random(seed)
    names = [f"b{place}" for place in range(len(accounts))]
    state = season(dict(zip(names, map(str, accounts), strict=True)), pair=pair, author=max(pair, AUTHOR), seats=seats)
    for _ in range(30):
        blocks = schedule_of(state).blocks_of(state.tournament.games[0].game)
        everybody = {
            f"{bot}@1": Contender(f"{bot}@1", f"account {account}", stateless=True, blocks=blocks[f"{bot}@1"])
            for bot, account in zip(names, accounts, strict=True)
        }
        here = {name: bot for name, bot in everybody.items() if chance.random() < 0.8}
        busy = {name for name in here if chance.random() < 0.3}
        situation = Situation(absent=everybody.keys() - here.keys(), busy=busy)
        caps, free = caps_of(state, here.values()), [bot for name, bot in here.items() if name not in busy]
        chosen = next_block(state, situation, 2)
        if chosen is None:
            if len({bot.owner for bot in free}) < seats:
                continue
            assert not caps.raised
            assert idle_reason(state, situation).cause == IdleCause.SHARES_REACHED
            chosen = next_block(state, replace(situation, busy=()), 2)  # what it waits for
            assert chosen is not None
            assert not above(caps, [here[name] for name in chosen.groups[0]])
        elif above(caps, [here[name] for name in chosen.groups[0]]):
            possible = [group for group in combinations(free, seats) if len({bot.owner for bot in group}) == seats]
            assert all(above(caps, group) for group in possible)
        schedule_of(state).add(chosen)


def test_bots_of_other_groups_on_the_same_deals_keep_to_the_caps_where_they_can() -> None:
    here = [Contender(bot, bot, stateless=False, blocks=8) for bot in "abcdef"]
    apart = {("a", "b"), ("c", "d"), ("e", "f"), ("a", "c"), ("b", "d")}
    counted: dict[str, dict[str, int]] = {bot: {} for bot in "abcdef"}
    for first, second in apart:
        counted[first][second] = counted[second][first] = 8
    caps = ShareCaps(PAIR, AUTHOR, 2, here, Meetings(counted, {}, {bot: [bot] for bot in "abcdef"}))
    for number in range(30):
        choice = choose(here, PairingRules(2, caps=caps), number.to_bytes(32, "big"))
        assert isinstance(choice, Choice)
        assert len(choice.groups) >= 2
        assert not {tuple(sorted(group)) for group in choice.groups} & apart


@given(st.lists(st.floats(0.01, 1.0), max_size=12), st.integers(1, 4))
def test_caps_are_raised_until_they_suffice_and_no_further(shares: list[float], needed: int) -> None:
    factor = raising_factor(shares, needed)
    enough = min(needed, len(shares))
    assert factor >= 1
    assert sum(min(1.0, factor * share) for share in shares) >= enough - 1e-6
    if factor > 1:
        assert sum(min(1.0, 0.99 * factor * share) for share in shares) < enough


@pytest.mark.parametrize(
    ("here", "seats", "raised"),
    [("ab", 2, True), ("abcd", 2, True), ("abcde", 2, False), ("abcdefghijklmnop", 5, True)],
)
def test_only_a_ladder_that_is_too_small_for_its_caps_has_them_raised(here: str, seats: int, raised: bool) -> None:
    contenders = [Contender(bot, bot, True) for bot in here]
    assert ShareCaps(PAIR, AUTHOR, seats, contenders, Meetings({}, {}, {})).raised is raised


@pytest.mark.parametrize("count", [2, 3, 5, 12])
def test_a_panel_plays_its_part_and_no_more_however_few_others_are_here(count: int) -> None:
    panel = [Contender(f"panel-{n}@1", f"panel-{n}", True, 0, False, 1200.0 + 150 * n, panel=True) for n in range(3)]
    blocks, of_panel = Counter[str](), 0
    meetings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for number in range(600):
        field = [Contender(f"b{n}@1", f"a{n}", True, blocks[f"b{n}@1"], True, 1500.0 + n) for n in range(count)]
        owners = {contender.owner: (contender.name.partition("@")[0],) for contender in field}
        caps = ShareCaps(0.2, 0.4, 2, [*field, *panel], Meetings(meetings, {}, owners))
        choice = choose([*field, *panel], PairingRules(2, panel_percent=15, caps=caps), number.to_bytes(32))
        assert choice is not None
        ((first, other),) = choice.groups
        of_panel += other.startswith("panel")
        for bot, opponent in ((first, other), (other, first)):
            blocks[bot] += 1
            meetings[bot][opponent.partition("@")[0]] += 1
    assert 0.1 <= of_panel / 600 <= 0.25
