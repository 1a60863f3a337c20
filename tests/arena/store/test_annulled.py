"""Annulments of some groups, several of one block, and what undoes them."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from typing import Any

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.blocks.annulment_effects import BlockChoice, BotEffect, Effect, annulment, undoing
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.blocks.closed_stretch import ClosedStretch


def block(number: int, *groups: tuple[str, ...], game: str = "naga") -> ClosedBlock:
    """Returns a block in which every group plays one deal; the first of each group wins."""
    scores = {2: (1, -1), 3: (2, -1, -1)}
    results = tuple(
        MatchResult(f"t-b{number}-{place}", number, 0, group, scores[len(group)]) for place, group in enumerate(groups)
    )
    return ClosedBlock(number, number, game, results, len(results), at_ms=number)


def closed(*blocks: ClosedBlock) -> ClosedBlocks:
    found = ClosedBlocks()
    found.add([closed_block.line() for closed_block in blocks])
    return found


async def no_blocks(_: Collection[int]) -> dict[int, ClosedBlock]:
    return {}


def comes_to(blocks: ClosedBlocks) -> Mapping[str, Any]:
    return {
        "kinds": blocks.kinds(),
        "at": blocks.kinds_at(blocks.counting()),
        "matches": blocks.matches,
        "annulled": set(blocks.annulled),
        "reduced": {number: (taken.bots, taken.struck) for number, taken in blocks.reduced.items()},
    }


async def test_annulling_a_pair_takes_back_only_the_groups_in_which_the_two_met() -> None:
    blocks = closed(
        block(0, ("boss@1", "friend"), ("b", "c")),
        block(1, ("boss@1", "b"), ("friend", "c")),
        block(2, ("friend", "boss@2")),
        block(3, ("boss@2", "c")),
    )
    made = await annulment(blocks, no_blocks, BlockChoice(pair=("boss", "friend")), "one threw to the other", 1)
    assert (made.blocks, made.bots) == ((0, 2), ("boss@1", "boss@2"))
    effect = Effect.from_annulment(blocks, made)
    assert (effect.blocks_before, effect.blocks_after, effect.matches_before, effect.matches_after) == (4, 3, 6, 4)
    same = await annulment(blocks, no_blocks, BlockChoice(pair=("friend", "boss")), "the same", 1)
    assert (same.blocks, Effect.from_annulment(blocks, same)) == (made.blocks, effect)


async def test_a_game_takes_back_only_its_own_blocks_by_itself_and_of_a_pair() -> None:
    blocks = closed(
        block(0, ("boss", "friend")),
        block(1, ("boss", "friend"), game="namto"),
        block(2, ("boss", "c"), game="namto"),
        block(3, ("boss", "friend"), game="namto"),
    )
    of_pair = await annulment(blocks, no_blocks, BlockChoice(pair=("boss", "friend"), game="namto"), "thrown", 1)
    assert of_pair.blocks == (1, 3)
    assert (await annulment(blocks, no_blocks, BlockChoice(game="naga"), "a fault", 1)).blocks == (0,)
    with pytest.raises(ArenaError, match="no block that counts fits"):
        await annulment(blocks, no_blocks, BlockChoice(pair=("boss", "friend"), game="other"), "thrown", 1)


@pytest.mark.parametrize("pair", [("boss", "nobody"), ("nobody", "boss"), ("boss", ""), ("", ""), ("boss", "other")])
async def test_a_pair_that_has_not_met_takes_nothing_back(pair: tuple[str, str]) -> None:
    blocks = closed(block(0, ("boss", "friend")), block(1, ("other", "friend")))
    with pytest.raises(ArenaError, match="nothing is annulled"):
        await annulment(blocks, no_blocks, BlockChoice(pair=pair), "why", 1)


@pytest.mark.parametrize("pair", [("boss", "boss"), ("boss", "boss@2"), ("boss@2", "boss")])
async def test_a_bot_is_no_pair_with_itself(pair: tuple[str, str]) -> None:
    blocks = closed(block(0, ("boss@1", "friend")), block(1, ("boss@2", "friend")))
    with pytest.raises(ArenaError, match="are not a pair: a pair is two bots; nothing is annulled"):
        await annulment(blocks, no_blocks, BlockChoice(pair=pair), "why", 1)


def test_a_bot_has_played_in_a_block_of_which_its_group_was_annulled_since_whenever_that_is_looked_at() -> None:
    played = [block(number, ("a@1", "b"), ("c", "d")) for number in (1, 2)]
    annulled = Annulment((2,), "why", 9, ("a@1",))
    looked_at_first, annulled_first = closed(*played), closed(*played)
    before = looked_at_first.last_played_ms()
    looked_at_first.hold([annulled])
    annulled_first.hold([annulled])
    assert looked_at_first.last_played_ms() == annulled_first.last_played_ms() == before
    assert before["a@1"] == 2
    annulled_first.hold([])
    assert annulled_first.last_played_ms() == before


def test_what_is_being_added_while_another_thread_looks_is_looked_at_later() -> None:
    blocks = closed(block(1, ("a", "b")))
    more = ClosedStretch.from_lines([block(2, ("a", "b")).line()])
    blocks.places.add(more.numbers)
    assert blocks.last_played_ms() == {"a": 1, "b": 1}
    blocks._closed_ms.frombytes(more.closed_ms.tobytes())
    assert blocks.last_played_ms() == {"a": 1, "b": 1}
    blocks._kind.append(0)
    assert blocks.last_played_ms() == {"a": 2, "b": 2}


def test_a_point_and_what_counts_there_are_of_the_same_blocks_while_another_thread_adds_the_next() -> None:
    blocks = closed(block(1, ("a", "b")), block(2, ("a", "b")))
    blocks.hold([Annulment((1,), "why", 9, after=2)])
    blocks.places.add(ClosedStretch.from_lines([block(3, ("a", "b")).line()]).numbers)
    blocks._kind.append(0)
    point, counting = blocks.counting_at_point()
    assert (point, counting.tolist(), blocks.counting().tolist()) == (3, [1], [1])


async def test_annulling_a_bot_takes_back_its_groups_only() -> None:
    blocks = closed(
        block(0, ("cheat@1", "a"), ("b", "c")), block(1, ("a", "b"), ("c", "d")), block(2, ("cheat@2", "b"))
    )
    made = await annulment(blocks, no_blocks, BlockChoice(bot="cheat"), "it cheated", 1)
    assert (made.blocks, made.bots) == ((0, 2), ("cheat@1", "cheat@2"))
    effect = Effect.from_annulment(blocks, made)
    assert (effect.blocks_before, effect.blocks_after, effect.matches_before, effect.matches_after) == (3, 2, 5, 3)
    assert effect.bots == (
        BotEffect("a", 2, 1, 2, 1),
        BotEffect("b", 3, 2, 3, 2),
        BotEffect("c", 2, 2, 2, 2),
        BotEffect("cheat@1", 1, 0, 1, 0),
        BotEffect("cheat@2", 1, 0, 1, 0),
        BotEffect("d", 1, 1, 1, 1),
    )
    assert not blocks.annulled, "a look changes nothing"
    assert not blocks.reduced
    blocks.hold([made])
    assert (set(blocks.annulled), set(blocks.reduced), blocks.matches) == ({2}, {0}, 3)
    assert blocks.kinds() == closed(block(0, ("b", "c")), block(1, ("a", "b"), ("c", "d"))).kinds()
    with pytest.raises(ArenaError, match="no block that counts fits"):
        await annulment(blocks, no_blocks, BlockChoice(bot="cheat"), "once more", 1)


async def test_a_bot_with_a_version_means_that_version_only() -> None:
    blocks = closed(block(0, ("cheat@1", "a")), block(1, ("cheat@2", "a")), block(2, ("cheater@1", "a")))
    assert (await annulment(blocks, no_blocks, BlockChoice(bot="cheat@2"), "why", 1)).blocks == (1,)
    assert (await annulment(blocks, no_blocks, BlockChoice(bot="cheat"), "why", 1)).blocks == (0, 1)
    with pytest.raises(ArenaError, match="no bot chea has played"):
        await annulment(blocks, no_blocks, BlockChoice(bot="chea"), "why", 1)


def test_undoing_one_of_two_annulments_of_a_block_leaves_the_other() -> None:
    blocks = closed(block(0, ("a", "b"), ("c", "d"), ("e", "f")), block(1, ("a", "c")))
    fresh = comes_to(blocks)
    first, second = Annulment((0,), "one", 1, ("a",)), Annulment((0, 1), "two", 2, ("c",))
    blocks.hold([second])
    only_second = comes_to(blocks)
    blocks.hold([first, second])
    assert blocks.matches == 1
    undo = undoing(blocks.annulments, 1, "three", 3)
    blocks.hold([first, second, undo])
    assert comes_to(blocks) == only_second
    blocks.hold([first, second, undo, undoing(blocks.annulments, 2, "four", 4)])
    assert comes_to(blocks) == fresh


def test_groups_that_are_annulled_one_after_another_annul_the_block() -> None:
    blocks = closed(block(0, ("a", "b"), ("c", "d")))
    blocks.hold([Annulment((0,), "one", 1, ("a",)), Annulment((0,), "two", 2, ("d",))])
    assert (set(blocks.annulled), set(blocks.reduced), blocks.matches) == ({0}, set(), 0)
    assert len(blocks.counting()) == 0


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_annulled_and_undone_comes_to_the_same_as_if_it_was_noted_at_once(seed: int) -> None:
    chance = random.Random(seed)
    bots = [f"bot{number}" for number in range(6)]
    made = []
    for number in range(40):
        seated = chance.sample(bots, 6)
        groups = [tuple(seated[at : at + 2]) for at in (0, 2, 4)]
        made.append(block(number, *groups[: chance.randint(1, 3)]))
    made[7] = ClosedBlock(7, 7, "naga", void=VoidBlock(7, 7, "lost", "", ()), at_ms=7)
    step_by_step = closed(*made)
    noted: list[Annulment] = []
    for at_ms in range(1, 25):
        holds = [
            n
            for n, noted_annulment in enumerate(noted, 1)
            if not noted_annulment.undoes and all(n != two.undoes for two in noted)
        ]
        if holds and chance.random() < 0.4:
            more = undoing(noted, chance.choice(holds), "undone", at_ms)
        else:
            of_bots = tuple(chance.sample(bots, chance.randint(0, 2)))
            more = Annulment(tuple(chance.sample(range(45), 9)), "why", at_ms, of_bots)
        seen = step_by_step.kinds_under([*noted, more])
        noted.append(more)
        step_by_step.hold(noted)
        assert step_by_step.kinds() == seen
        at_once = closed(*made)
        at_once.hold(noted)
        assert comes_to(step_by_step) == comes_to(at_once)
        assert sum(step_by_step.kinds().values()) == step_by_step.counted - len(step_by_step.annulled)
    later = ClosedBlocks()
    later.hold(noted)
    later.add([block_number.line() for block_number in made])
    assert comes_to(later) == comes_to(step_by_step), "blocks may be read after the annulments of them"


def test_an_annulment_stands_in_the_sequence_after_the_blocks_that_were_closed_when_it_was_noted() -> None:
    blocks = closed(*(block(number, ("a", "b")) for number in range(5)))
    blocks.hold([Annulment((0,), "one", 9, after=2), Annulment((1,), "two", 9, after=5)])
    assert (blocks.annulled_after(), blocks.point) == ((2, 5), 7)


def test_an_annulment_of_an_earlier_release_stands_where_its_time_has_it() -> None:
    blocks = closed(*(block(number, ("a", "b")) for number in range(5)))
    assert Annulment.from_line(b'{"blocks":[0],"reason":"one","at_ms":2,"bots":[],"undoes":0}').after is None
    blocks.hold(
        [Annulment((0,), "one", 2), Annulment((3,), "before its block, by its clock", 1), Annulment((1,), "", 3)]
    )
    assert blocks.annulled_after() == (3, 4, 4)
    blocks.add([block(5, ("a", "b")).line()])
    assert blocks.annulled_after() == (3, 4, 4), "whatever is closed later"
