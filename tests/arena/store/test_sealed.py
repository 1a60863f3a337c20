"""What is kept beside the closed and the chosen blocks is read instead of them, and comes to the very same."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from typing import Any

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.ladder.ladders import Ladders, block_results, ladders_of
from fudaba_arena.play.tournaments.journal import Journal, JournalChange
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulment_effects import BlockChoice, annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.store.usage.seat_credit import SeatCredit
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.folders import short_folder

BLOCKS_PER_STRETCH = 8
BOTS = tuple("abcd")
OF = Tournament(
    "t", (TournamentGame("naga", blocks=500),), tuple(BotEntry(bot, "random", stateless=True) for bot in BOTS)
)
CLOSED, SEALED, CHOSEN = (f"fudaba-arena:{{t}}:{part}" for part in ("closed", "closed-sealed", "chosen-sealed"))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        yield server.url


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    opened = Store(url, stretch=BLOCKS_PER_STRETCH)
    await opened._redis.flushall()
    await opened.begin("t", OF.definition(), bytes(32))
    yield opened
    await opened.close()


class Made:
    """A tournament of which blocks are closed by chance."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store = store
        self.chance = random.Random(seed)
        self.attempts: dict[int, int] = {}
        self.closed: list[ClosedBlock] = []

    async def close(self, blocks: int) -> None:
        """Closes so many further blocks; their order is not that of the schedule."""
        lines = []
        for _ in range(blocks):
            slot = self.chance.randrange(1000)
            while self.attempts.get(slot) == -1:
                slot = (slot + 1) % 1000
            lines.append(self._block(slot))
        self.closed += lines
        await self.store._redis.rpush(CLOSED, *[closed.line() for closed in lines])

    def _block(self, slot: int) -> ClosedBlock:
        attempt = self.attempts.get(slot, 0)
        number, at_ms = slot + 3000 * attempt, 1_700_000_000_000 + self.chance.randrange(1000)
        bots = tuple(self.chance.sample(BOTS, 2))
        scores = self.chance.choice([(1, -1), (-1, 1), (0, 0)])
        worker = self.chance.choice(("", "near-01234567", "far-away-01234567"))
        results = tuple(
            MatchResult(
                f"t-b{number}-{place}",
                number,
                0,
                bots,
                scores,
                *self._forfeit(bots),
                at_ms,
                worker,
                credited=self._credited(),
            )
            for place in range(self.chance.randint(0, 2))
        )
        if not results or self.chance.random() < 0.2:
            self.attempts[slot] = attempt + 1
            why = VoidBlock(number, slot, self.chance.choice(["lost", "no_show"]), "", bots[:1], at_ms)
            return ClosedBlock(number, slot, "naga", results, void=why, at_ms=at_ms)
        self.attempts[slot] = -1
        return ClosedBlock(number, slot, "naga", results, self.chance.randint(1, len(results)), at_ms=at_ms)

    async def closed_blocks(self, numbers: Collection[int]) -> dict[int, ClosedBlock]:
        return {closed.block: closed for closed in self.closed if closed.block in numbers}

    def _forfeit(self, bots: tuple[str, ...]) -> tuple[str, str]:
        return (bots[0], "timeouts") if self.chance.random() < 0.1 else ("", "")

    def _credited(self) -> tuple[SeatCredit, ...]:
        seats = self.chance.sample((0, 1), self.chance.randint(0, 2))
        return tuple(SeatCredit(seat, ((0, self.chance.randint(1, 9)), (300, 2))) for seat in seats)

    @property
    def counted(self) -> list[int]:
        return [closed.block for closed in self.closed if closed.void is None]


async def loaded(store: Store, **manner: Any) -> StoredTournament:
    stored = await store.load("t", **manner)
    assert stored is not None
    return stored


def comes_to(blocks: ClosedBlocks) -> Mapping[str, Any]:
    """Returns all that is ever asked of closed blocks without their lines."""
    return {
        "sums": (blocks.length, blocks.counted, blocks.matches, blocks.void, blocks.attempts, blocks.kinds()),
        "filled": [blocks.filled(slot) for slot in range(1001)],
        "places": {number: blocks.places.get(number) for number in blocks.places},
        "noted": [blocks.noted(place) for place in range(blocks.length)],
        "counting": blocks.counting().tolist(),
        "annulled": blocks.annulled,
        "newest": blocks.newest_ms(),
        "credited": blocks.credited,
    }


def summed(closed: Collection[ClosedBlock], *, all_results: bool = False) -> Mapping[str, Counter[int]]:
    """Returns how many decisions of each bot had which credit, in the matches that counted or in all."""
    found: dict[str, Counter[int]] = {}
    for block in closed:
        for result in block.results if all_results else block.counted:
            for credit in result.credited:
                found.setdefault(result.bots[credit.seat], Counter()).update(dict(credit.decisions))
    return found


def ladders(stored: StoredTournament) -> Ladders:
    state = ScheduledTournament(OF, stored)
    return ladders_of(state, block_results(state))


async def sealed(store: Store) -> list[bytes]:
    kept: Any = await store._redis.lrange(SEALED, 0, -1)
    return list(kept)


async def put(store: Store, key: str, place: int, raw: bytes) -> None:
    """Writes an entry of a list anew."""
    redis: Any = store._redis
    await redis.lset(key, place, raw)


@pytest.mark.parametrize("seed", range(6))
async def test_what_is_read_sealed_comes_to_the_very_same_as_all_lines_whatever_was_annulled(
    store: Store, seed: int
) -> None:
    made = Made(store, seed)
    for blocks in (5, 11, 1, BLOCKS_PER_STRETCH, 30):
        await made.close(blocks)
        await store.seal("t", len(made.closed), 0)
        assert len(await sealed(store)) == len(made.closed) // BLOCKS_PER_STRETCH
        before = await loaded(store)
        if made.counted:
            choice = BlockChoice(made.chance.sample(made.counted, min(3, len(made.counted))))
            choice = BlockChoice(tuple(number for number in choice.blocks if number not in before.blocks.annulled))
            if choice:
                await store.annulments.annul("t", await annulment(before.blocks, made.closed_blocks, choice, "why", 1))
        brief, whole = await loaded(store), await loaded(store, keep_blocks=True)
        assert whole.blocks.lines is not None
        assert comes_to(brief.blocks) == comes_to(whole.blocks)
        assert brief.blocks.length == len(made.closed)
        assert ladders(brief) == ladders(whole)
        again = await loaded(store, known=before)
        assert again.blocks is before.blocks
        assert comes_to(again.blocks) == comes_to(whole.blocks)


async def test_credits_add_up_over_the_matches_that_counted_and_outlive_annulments(store: Store) -> None:
    made = Made(store, 21)
    await made.close(3 * BLOCKS_PER_STRETCH + 2)
    expected = summed(made.closed)
    assert expected
    assert expected != summed(made.closed, all_results=True)
    await store.seal("t", len(made.closed), 0)
    before = await loaded(store)
    choice = BlockChoice(tuple(made.counted[:3]))
    await store.annulments.annul("t", await annulment(before.blocks, made.closed_blocks, choice, "why", 1))
    assert (await loaded(store)).blocks.credited == expected


async def test_who_reads_on_at_the_same_time_reads_everything_once(store: Store) -> None:
    made = Made(store, 9)
    await made.close(5)
    known = await loaded(store)
    await made.close(3 * BLOCKS_PER_STRETCH)
    await store.seal("t", len(made.closed), 0)
    await asyncio.gather(*(loaded(store, known=known) for _ in range(5)))
    assert comes_to(known.blocks) == comes_to((await loaded(store, keep_blocks=True)).blocks)


async def test_what_is_known_and_is_not_how_the_sequence_begins_is_read_again(store: Store) -> None:
    made = Made(store, 1)
    await made.close(20)
    known = await loaded(store)
    await store._redis.rpop(CLOSED)
    assert (await loaded(store, known=known)).blocks.length == 19
    await store._redis.rpush(CLOSED, made._block(999).line())
    other = await loaded(store, known=known)
    assert comes_to(other.blocks) == comes_to((await loaded(store, keep_blocks=True)).blocks)


@pytest.mark.parametrize("manner", ["damaged", "of another form", "of other blocks", "missing", "too short", "empty"])
async def test_what_is_sealed_and_not_right_is_read_from_the_lines_and_made_anew(store: Store, manner: str) -> None:
    made = Made(store, 2)
    await made.close(5 * BLOCKS_PER_STRETCH + 3)
    await store.seal("t", len(made.closed), 0)
    right = await sealed(store)
    raw = right[2]
    if manner == "missing":
        await store._redis.ltrim(SEALED, 0, 1)
    else:
        wrong = {
            "damaged": raw[:50] + bytes([raw[50] ^ 1]) + raw[51:],
            "of another form": bytes(32) + raw[32:],
            "of other blocks": right[3],
            "too short": raw[:40],
            "empty": b"",
        }
        await put(store, SEALED, 2, wrong[manner])
    assert comes_to((await loaded(store)).blocks) == comes_to((await loaded(store, keep_blocks=True)).blocks)
    assert await sealed(store) == right[:2]
    await store.seal("t", len(made.closed), 0)
    assert await sealed(store) == right


async def test_two_arenas_seal_the_same_once(store: Store, url: str) -> None:
    made = Made(store, 3)
    await made.close(4 * BLOCKS_PER_STRETCH)
    other = Store(url, stretch=BLOCKS_PER_STRETCH)
    for _ in range(2):
        await store.seal("t", len(made.closed), 0)
        await other.seal("t", len(made.closed), 0)
    assert len(await sealed(store)) == 4
    await other.close()


async def test_blocks_are_read_by_their_places(store: Store) -> None:
    made = Made(store, 4)
    await made.close(120)
    blocks = (await loaded(store)).blocks
    wanted = made.chance.sample(made.closed, 30)
    places = [blocks.places.get(closed.block) for closed in wanted]
    found = await store.sequence.blocks_at("t", [place for place in places if place is not None])
    assert found == {closed.block: closed for closed in wanted}
    assert await store.sequence.blocks_at("t", []) == {}


async def test_what_is_annulled_is_found_by_block_bot_and_time(store: Store) -> None:
    made = Made(store, 5)
    await made.close(60)
    blocks = (await loaded(store)).blocks
    counted = [closed for closed in made.closed if closed.void is None]
    assert BlockChoice(bot="a").numbers(blocks) == sorted(
        c.block for c in counted if any("a" in r.bots for r in c.results)
    )
    assert BlockChoice(bot="nobody").numbers(blocks) == []
    assert BlockChoice(blocks=(counted[0].block, 7_777_777)).numbers(blocks) == [counted[0].block]


@pytest.mark.parametrize("worker", ["far-away-01234567", "far-away"])
async def test_what_a_worker_played_is_found_by_its_name_and_its_machine_s(store: Store, worker: str) -> None:
    made = Made(store, 6)
    await made.close(60)
    blocks = (await loaded(store)).blocks
    found = await annulment(blocks, made.closed_blocks, BlockChoice(worker=worker), "its clock was wrong", 1)
    far = [closed for closed in made.closed if any(result.worker == "far-away-01234567" for result in closed.results)]
    assert list(found.blocks) == sorted(closed.block for closed in far if closed.void is None)
    with pytest.raises(ArenaError, match="no block that counts fits"):
        await annulment(blocks, made.closed_blocks, BlockChoice(worker="far"), "a part of a name is no name", 1)
    with_bot = await annulment(blocks, made.closed_blocks, BlockChoice(worker=worker, bot="a"), "one bot's only", 1)
    assert set(with_bot.blocks) < set(found.blocks)


async def test_chosen_blocks_are_the_same_read_sealed(store: Store) -> None:
    chance = random.Random(6)
    chosen = [
        ChosenBlock(
            "naga", (tuple(chance.sample(BOTS, 2)),), shared=chance.random() < 0.5, chosen_for=chance.choice(BOTS)
        )
        for _ in range(60)
    ]
    chosen = [ChosenBlock(c.game, c.groups, c.shared, c.chosen_for, 5 * n, n > 50) for n, c in enumerate(chosen)]
    for slot, block in enumerate(chosen):
        assert await store.progress.choose("t", slot, block)
    assert list((await loaded(store)).chosen) == chosen
    await store.seal("t", 0, len(chosen))
    assert await store._redis.llen(CHOSEN) == len(chosen) // BLOCKS_PER_STRETCH
    found = (await loaded(store)).chosen
    assert list(found) == chosen
    assert found[-3:] == chosen[-3:]
    await put(store, CHOSEN, 1, b"x" * 100)
    assert list((await loaded(store)).chosen) == chosen


async def journal_of(store: Store, made: Made) -> Journal:
    """Returns a journal that has noted everything."""
    journal = Journal("t", store)
    state = ScheduledTournament(OF, await loaded(store))
    await journal.catch_up(state, "playing")
    assert not await journal.catch_up(state, "playing")
    changes = [change for change in await journal.after(0, 10_000) if change.kind == "block"]
    assert [change.subject for change in changes] == [closed.block for closed in made.closed]
    return journal


async def test_a_journal_goes_on_from_what_it_came_to_and_reads_no_change_again(store: Store) -> None:
    made = Made(store, 7)
    await made.close(1100)
    await store.withdraw("t", "a", "it fell")
    await store.annulments.annul(
        "t", await annulment((await loaded(store)).blocks, made.closed_blocks, BlockChoice(bot="b"), "why", 2)
    )
    first = await journal_of(store, made)
    assert await store.progress.noted("t") is not None
    await put(store, "fudaba-arena:{t}:changes", 0, b"not read")
    later = Journal("t", store)
    await made.close(20)
    state = ScheduledTournament(OF, await loaded(store))
    assert await later.catch_up(state, "paused")
    assert later.length == first.length + 21
    assert (await later.after(first.length, 100))[-1] == JournalChange(
        "state", "paused", (await later.after(later.length - 1, 1))[0].at_ms
    )


@pytest.mark.parametrize("noted", [b"damaged", None])
async def test_without_what_it_came_to_a_journal_reads_every_change(store: Store, noted: bytes | None) -> None:
    made = Made(store, 8)
    await made.close(1200)
    first = await journal_of(store, made)
    if noted is None:
        await store._redis.delete("fudaba-arena:{t}:noted")
    else:
        await store._redis.set("fudaba-arena:{t}:noted", noted)
    assert (await journal_of(store, made)).length == first.length


async def test_chosen_blocks_that_are_known_are_not_read_again_unless_the_store_has_lost_them(store: Store) -> None:
    chosen = [
        ChosenBlock("naga", ((BOTS[n % 3], BOTS[3]),), shared=False, at_ms=n) for n in range(3 * BLOCKS_PER_STRETCH + 2)
    ]
    for slot, block in enumerate(chosen[:-5]):
        assert await store.progress.choose("t", slot, block)
    await store.seal("t", 0, len(chosen) - 5)
    known = await loaded(store)
    for slot, block in enumerate(chosen[-5:], len(chosen) - 5):
        assert await store.progress.choose("t", slot, block)
    # Were they read again, others would be found.
    await store._redis.lset("fudaba-arena:{t}:chosen", 3, ChosenBlock("naga", (("d", "a"),), shared=True).line())
    await store._redis.delete(CHOSEN)
    assert list((await loaded(store, known=known)).chosen) == chosen
    assert list(known.chosen) == chosen[:-5]
    await store._redis.ltrim("fudaba-arena:{t}:chosen", 0, 6)
    found = list((await loaded(store, known=known)).chosen)
    assert (len(found), found[3].shared) == (7, True)
