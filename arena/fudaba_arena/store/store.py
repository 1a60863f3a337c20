"""What an arena keeps in Redis (or Valkey): tournaments, their masters, and the sequence of their closed blocks.

```
tournament   the definition and the master
open         of each match of open blocks: its result, or nothing while it has none (hash by match id)
closed       the closed blocks, an entry each (list; see `closed_blocks`)
annulments   which of them do not count any more, and why; and what undid that (list)
attempts     how many blocks of a slot are void (hash)
filled       the slots that have a block that counts (bitmap)
unreleased   closed blocks whose matches may not be seen by everybody yet (set)
rounds       of a Swiss, the rounds that are drawn (list; see `rounds`)
archived     which files have the first entries of `closed` that are no longer there (see `season_archive`)
chosen       the blocks that were chosen while it went on (list; see `chosen_blocks`)
entries      who was entered while it went on (list; see `entries`)
generations  of a season, when it went on from a restored backup (list; see `generations`)
```

Beside `closed` and `chosen` stands `…-sealed`, what is derived from these (list; see `sealed_lists`), and beside
`changes`, which a standing arena notes, `noted`. Open blocks that are handed out to workers have keys of their own, see
`handed_out`.

What there is of a block is in `open`, and then in its entry in `closed`: a script takes it from there, once, if the
attempt is the current one. To close a block costs the same, however many there are.

Every change is one atomic step that can be repeated: what is there already stays. So a run that was killed at any
moment, or that did not hear an answer, does the same again and nothing is lost or counted twice. All keys of a
tournament share a hash tag. Operations raise `StoreUnavailable` when Redis cannot be reached.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, final

from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.answers import StoreUnavailable, answer, key, unavailable
from fudaba_arena.store.arenas.actions import Actions
from fudaba_arena.store.arenas.arenas import Arenas
from fudaba_arena.store.arenas.clocks import Clocks
from fudaba_arena.store.arenas.stored_service import StoredService
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.closed_blocks import ClosedBlock, ClosedBlocks, MatchResult
from fudaba_arena.store.blocks.sequence import ClosedSequence
from fudaba_arena.store.bots.bot_logs import BotLogs
from fudaba_arena.store.bots.kept_folders import KeptFolders
from fudaba_arena.store.challenges.challenge_store import Challenges
from fudaba_arena.store.contents.content_uses import ContentUses
from fudaba_arena.store.leases.handed_out import HandedOut
from fudaba_arena.store.sealed.sealed_lists import STRETCH, SealedList
from fudaba_arena.store.submissions.build_use import BuildUse
from fudaba_arena.store.submissions.checks import Checks
from fudaba_arena.store.submissions.submissions import Submissions
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock, ChosenBlocks, ChosenStretch
from fudaba_arena.store.tournaments.entries import Entries, EntryChange
from fudaba_arena.store.tournaments.generations import Generation
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_arena.store.tournaments.season_archive import Moved, SeasonArchive
from fudaba_arena.store.tournaments.steering import Steering
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.store.workers.workers import Workers
from fudaba_arena.tournament.definition import Owned
from fudaba_arena.tournament.formats import SWISS
from fudaba_serving.redis.connections import redis_client
from fudaba_serving.redis.pipelining import Pipelined, Script
from fudaba_serving.redis.servers import look_at

__all__ = ["Store", "StoreUnavailable", "Taken"]

_ANSWER_SECONDS: Final = 5.0
_CONNECTIONS: Final = 16
_EARLIER: Final = ("finished", "void", "results", "created", "released")
"""Where the release from before the sequence kept what it had of blocks and matches."""
_PARTS: Final = (
    *("tournament", "open", "closed", "annulments", "attempts", "filled", "unreleased", "rounds", "chosen", "entries"),
    *("withdrawn", "no-shows", "state", "handed-out", "ended", "player", "generations"),
)
"""What there may be of a tournament."""
_TOURNAMENTS: Final = "fudaba-arena:tournaments"
_PUT_ASIDE: Final = "fudaba-arena:put-aside"
"""The tournaments that cannot be read, and that somebody has taken out of all lists."""
_LADDERS: Final = "fudaba-arena:ladders"
_ADD: Final = Script(
    "if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end\n"
    "if #ARGV > 1 then redis.call('RPUSH', KEYS[1], unpack(ARGV, 2)) end\nreturn 1"
)


@final
class Taken(Enum):
    """What became of what the store was told of a match."""

    STORED = "stored"
    KNOWN = "known"
    """It has a result already, which stays."""
    LATE = "late"
    """Its block is over, or another attempt at it has begun: nothing has changed."""
    WITHDRAWN = "withdrawn"
    """A bot of a match that has no result plays no more: nothing has changed."""


@final
class Store:
    """The operations."""

    def __init__(self, url: str, folder: Path | None = None, archive: str = "", *, stretch: int = STRETCH) -> None:
        """`folder` and `archive` are those of `SeasonArchive`."""
        self.url = url
        self._redis = redis_client(
            url,
            connections=_CONNECTIONS,
            wait=None,  # operations of many matches at once wait for each other
            answer_seconds=_ANSWER_SECONDS,
            connect_seconds=_ANSWER_SECONDS,
            # A command that failed is never sent again behind our back: whoever sent it decides.
            retry=Retry(NoBackoff(), 0),
        )
        self._pipelined = Pipelined(self._redis, _ANSWER_SECONDS)
        self.handed_out = HandedOut(self._redis, self._pipelined)
        """What workers have."""
        self.archive = SeasonArchive(self._redis, folder, archive)
        """Where the closed blocks of seasons that are over are."""
        self.clocks = Clocks(self._redis)
        """How far the clocks of those who use it are from its own."""
        self.arenas = Arenas(self._redis)
        """Which ones run on it."""
        self.workers = Workers(self._redis)
        """Who they are."""
        self.challenges = Challenges(self._redis)
        """Which tournaments are challenges."""
        self.submissions = Submissions(self._redis)
        """What authors have submitted."""
        self.checks = Checks(self._redis)
        """Which workers check submissions."""
        self.content_uses = ContentUses(self._redis)
        """Who needs what of that is kept."""
        self.build_use = BuildUse(self._redis)
        """What the builds of an account have used."""
        self.bot_logs = BotLogs(self._redis)
        """What submitted bots have printed."""
        self.kept_folders = KeptFolders(self._redis)
        """What versions of bots keep from match to match."""
        self.actions = Actions(self._redis)
        """What organisers did."""
        self.service = StoredService(self._redis, self._pipelined)
        """Of which service it is."""
        self.steering = Steering(self._redis, self._pipelined, self.service)
        """Who plays a tournament, and what the organiser wants of it."""
        self.sequence = ClosedSequence(self._redis, stretch)
        """The closed blocks."""
        self._chosen = SealedList(self._redis, "chosen", ChosenStretch, stretch)
        scripts = files("fudaba_arena.store.blocks")
        self._result = Script((scripts / "store_result.lua").read_text())
        self._closed = Script((scripts / "store_closed.lua").read_text())

    async def connect(self) -> None:
        """Checks that Redis is there and can be used. Raises `StoreUnavailable`, and `UnsuitableServer`."""
        with unavailable():
            await look_at(self._redis, self.url)

    async def close(self) -> None:
        """Closes the connections."""
        await self._pipelined.close()
        await self._redis.aclose()

    async def tournaments(self) -> tuple[str, ...]:
        """The names of all tournaments, sorted."""
        return tuple(sorted(name.decode() for name in await answer(self._redis.smembers(_TOURNAMENTS))))

    async def put_aside(self, name: str) -> None:
        """Lists a tournament no more, and removes nothing of it."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.srem(_TOURNAMENTS, name)
                pipeline.sadd(_PUT_ASIDE, name)
                await pipeline.execute()

    async def aside(self) -> tuple[str, ...]:
        """The names of the tournaments that are put aside, sorted."""
        return tuple(sorted(name.decode() for name in await answer(self._redis.smembers(_PUT_ASIDE))))

    async def take_back(self, name: str) -> None:
        """Lists a tournament again that was put aside."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.sadd(_TOURNAMENTS, name)
                pipeline.srem(_PUT_ASIDE, name)
                await pipeline.execute()

    async def begin(self, name: str, definition: Mapping[str, Any], master: bytes, *, listed: bool = True) -> None:
        """Stores a new tournament. One that is there stays as it is. Challenges are not `listed` among the others."""
        if listed:
            await answer(self._redis.sadd(_TOURNAMENTS, name))
        # One key, so that no tournament ever has a definition and another's master.
        value = json.dumps({"definition": definition, "master": master.hex()}, sort_keys=True)
        await answer(self._redis.set(key(name, "tournament"), value, nx=True))

    async def has(self, name: str, master: bytes) -> bool:
        """Whether a tournament is stored, and is the one with this master: another one may have its name by now."""
        raw = await answer(self._redis.get(key(name, "tournament")))
        return raw is not None and json.loads(raw)["master"] == master.hex()

    async def load(
        self, name: str, *, entries: bool = False, known: StoredTournament | None = None
    ) -> StoredTournament | None:
        """Everything of a tournament, or None when there is none of that name.

        `entries` keeps each closed block's entry, and not only what they add up to; those of a Swiss are always kept,
        since its rounds are drawn from them. What is `known` of its closed and chosen blocks is not read again; the
        closed ones go on in what is returned. Raises `ArenaError` for one that a release from before the sequence has
        stored.
        """
        raw = await answer(self._redis.get(key(name, "tournament")))
        if raw is None:
            return None
        first = json.loads(raw)
        if await answer(self._redis.exists(*(key(name, part) for part in _EARLIER))):
            raise ArenaError(
                f"tournament {name} was stored by an earlier release, in another form; play it to its end and export it"
                " with that release, or begin it anew under another name"
            )
        annulments = await self.annulments(name)
        entries = entries or first["definition"].get("format") == SWISS
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                for part in ("open", "withdrawn", "no-shows", "state"):
                    pipeline.hgetall(key(name, part))
                pipeline.smembers(key(name, "unreleased"))
                pipeline.smembers(key(name, "handed-out"))
                for part in ("rounds", "entries", "generations"):
                    pipeline.lrange(key(name, part), 0, -1)
                for part in ("chosen", "closed"):
                    pipeline.llen(key(name, part))
                pipeline.get(key(name, "archived"))
                (
                    opened,
                    withdrawn,
                    no_shows,
                    state,
                    unreleased,
                    handed_out,
                    rounds,
                    changes,
                    generations,
                    slots,
                    length,
                    archived,
                ) = await pipeline.execute()
        entered = Entries()
        entered.add(map(EntryChange.of, changes))
        moved = Moved.of(archived)
        blocks = await self._blocks(name, moved, length, known and known.blocks, entries=entries)
        if blocks.length < moved.entries + length:  # they have left the store since
            return await self.load(name, entries=entries)
        chosen = await self._chosen_blocks(name, slots, known and known.chosen)
        blocks.hold(annulments)
        of_open = {match_id.decode(): result for match_id, result in opened.items()}
        return StoredTournament(
            definition=first["definition"],
            master=bytes.fromhex(first["master"]),
            blocks=blocks,
            results={
                match_id: MatchResult.of_open(_block_of(match_id), result)
                for match_id, result in of_open.items()
                if result
            },
            created=set(of_open),
            unreleased={int(number) for number in unreleased},
            withdrawn={bot.decode(): why.decode() for bot, why in withdrawn.items()},
            no_shows={bot.decode(): int(count) for bot, count in no_shows.items()},
            attempts=int(state.get(b"attempts", 1)),
            pardons=int(state.get(b"pardons", 0)),
            alive_ms=int(state.get(b"alive_ms", 0)),
            closed=b"closed" in state,
            rounds=[DrawnRound.of(json.loads(line)) for line in rounds],
            chosen=chosen,
            entries=entered,
            generations=list(map(Generation.of, generations)),
            handed_out={int(number) for number in handed_out},
        )

    async def _chosen_blocks(self, name: str, slots: int, known: Sequence[ChosenBlock] | None) -> ChosenBlocks:
        """The blocks that were chosen for so many slots; those that are known are not read, if the last is there."""
        chosen = ChosenBlocks()
        if isinstance(known, ChosenBlocks) and 0 < len(known) <= slots:
            last = await self._chosen.line(name, len(known) - 1)
            if last is not None and ChosenBlock.of(last) == known[-1]:
                chosen = known.copy()
        async for stretch in self._chosen.read(name, len(chosen), slots):
            chosen.add_stretch(stretch)
        return chosen

    async def _blocks(
        self, name: str, moved: Moved, length: int, known: ClosedBlocks | None, *, entries: bool
    ) -> ClosedBlocks:
        """The closed blocks. Those of a season of which some have left the store are there with their entries."""
        if moved.entries:
            blocks = ClosedBlocks(lines={})
            async for page in self.archive.pages(moved):
                blocks.add(page)
            await self.sequence.read_rest(name, blocks, length)
            return blocks
        reads_on = known is not None and (known.lines is not None or not entries)
        if known is None or not reads_on or not await self.sequence.begins_with(name, known, length):
            known = ClosedBlocks(lines={} if entries else None)
        await self.sequence.read(name, known, length)
        return known

    async def store_result(self, name: str, slot: int, attempt: int, result: MatchResult) -> Taken:
        """Stores the result of a match of the attempt at a slot. Its bots have shown up."""
        args = [slot, attempt, result.match_id, result.stored(), *result.bots]
        return await self._of_match(name, args)

    async def store_created(self, name: str, slot: int, attempt: int, match_id: str, bots: Sequence[str] = ()) -> Taken:
        """Notes that the service has a match of these bots, unless one of them is withdrawn."""
        return await self._of_match(name, [slot, attempt, match_id, "", *bots])

    async def _of_match(self, name: str, args: list[Any]) -> Taken:
        keys = [key(name, part) for part in ("open", "attempts", "filled", "no-shows", "withdrawn")]
        with unavailable():
            return Taken((await self._pipelined.run(self._result, keys, args)).decode())

    async def store_closed(self, name: str, closed: ClosedBlock, attempt: int, match_ids: Sequence[str]) -> int:
        """Closes a block, which counts or is void: the number of its entry in the sequence, from 1.

        0 when this attempt at its slot is over already.

        `match_ids` are those of its matches, of which the first `closed.counting` count; their results are those that
        were stored. Raises `ValueError` when one that counts has none.
        """
        parts = "closed", "open", "attempts", "filled", "unreleased", "no-shows", "handed-out"
        of_block = f"block:{closed.block}", f"lease:{closed.block}"
        counts = "1" if closed.void is None else "0"
        absent = closed.void.bots if closed.void is not None and closed.void.cause == "no_show" else ()
        args: list[str | int] = [
            closed.slot,
            attempt,
            counts,
            closed.block,
            *closed.around(),
            len(match_ids),
            *match_ids,
        ]
        keys = [key(name, part) for part in (*parts, *of_block)]
        with unavailable():
            number = await self._pipelined.run(self._closed, keys, [*args, closed.counting, *absent])
        if number < 0:
            raise ValueError(f"block {closed.block} is said to count, and a match of it has no result")
        return int(number)

    async def annul(self, name: str, annulment: Annulment) -> int:
        """Notes that closed blocks do not count any more, or again; its number, from 1."""
        return int(await answer(self._redis.rpush(key(name, "annulments"), annulment.line())))

    async def annulments(self, name: str) -> tuple[Annulment, ...]:
        """All that were noted, in order."""
        return tuple(map(Annulment.of, await answer(self._redis.lrange(key(name, "annulments"), 0, -1))))

    async def annulment_count(self, name: str) -> int:
        """How many were noted."""
        return int(await answer(self._redis.llen(key(name, "annulments"))))

    async def store_released(self, name: str, block: int) -> None:
        """Notes that everybody may see a block's matches."""
        with unavailable():
            await self._pipelined("SREM", key(name, "unreleased"), block)

    async def withdraw(self, name: str, bot: str, why: str) -> None:
        """Notes that a bot plays no more, and why."""
        await answer(self._redis.hset(key(name, "withdrawn"), bot, why))

    async def pardon(self, name: str) -> None:
        """Lets withdrawn bots play again, and gives parked blocks further attempts."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.delete(key(name, "withdrawn"), key(name, "no-shows"))
                pipeline.hincrby(key(name, "state"), "pardons", 1)
                await pipeline.execute()

    async def store_attempts(self, name: str, attempts: int) -> None:
        """Notes how many attempts a block has in this run."""
        await answer(self._redis.hset(key(name, "state"), "attempts", attempts))

    async def beat(self, name: str, now_ms: int) -> None:
        """Notes that an arena plays the tournament at this time."""
        with unavailable():
            await self._pipelined("HSET", key(name, "state"), "alive_ms", now_ms)

    async def forget_in(self, name: str, seconds: int) -> None:
        """Keeps a tournament that is over for so long, and then no more."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                for part in _PARTS:
                    pipeline.expire(key(name, part), seconds)
                await pipeline.execute()

    async def forget_ladder(self, ladder: str, season: str) -> None:
        """Forgets a ladder that has had one season, all of it at once: its name is free again."""
        with unavailable():
            keys = [found async for found in self._redis.scan_iter(match=key(season, "*"), count=1000)]
            async with self._redis.pipeline(transaction=True) as pipeline:
                if keys:
                    pipeline.delete(*keys)
                pipeline.srem(_TOURNAMENTS, season)
                pipeline.hdel(_LADDERS, ladder)
                await pipeline.execute()
        await self.challenges.forget_policies(ladder)

    async def close_tournament(self, name: str) -> None:
        """Notes that the tournament is over and its master is open."""
        await answer(self._redis.hset(key(name, "state"), "closed", 1))

    # --- what a standing arena keeps beside that

    async def changes(self, name: str, begin: int, count: int) -> list[bytes]:
        """The changes that were noted after the first `begin` ones, `count` at most."""
        with unavailable():
            found: list[bytes] = await self._pipelined("LRANGE", key(name, "changes"), begin, begin + count - 1)
        return found

    async def noted(self, name: str) -> bytes | None:
        """What the first so many changes add up to, as it was kept last."""
        found: bytes | None = await answer(self._redis.get(key(name, "noted")))
        return found

    async def keep_noted(self, name: str, noted: bytes) -> None:
        """Keeps what the first so many changes add up to."""
        await answer(self._redis.set(key(name, "noted"), noted))

    async def store_round(self, name: str, number: int, drawn: DrawnRound) -> bool:
        """Stores a round of a Swiss, the first one being number 0; False when it is stored already."""
        return await self._add(name, "rounds", number, [drawn.line()])

    async def note_changes(self, name: str, begin: int, changes: Sequence[str]) -> bool:
        """Notes changes after the first `begin` ones; False when there are more than those already."""
        return await self._add(name, "changes", begin, changes)

    # --- what is decided while a tournament goes on

    async def choose(self, name: str, slot: int, chosen: ChosenBlock) -> bool:
        """Stores the block of the next slot; False when that has one already."""
        return await self._add(name, "chosen", slot, [chosen.line()])

    async def begin_generation(self, name: str, number: int, generation: Generation) -> bool:
        """Notes that a season goes on from an older store, after so many times; False when that was noted already."""
        return await self._add(name, "generations", number, [generation.line()])

    async def chosen(self, name: str, begin: int) -> list[ChosenBlock]:
        """The blocks that were chosen, but for those of the first `begin` slots."""
        return list(map(ChosenBlock.of, await answer(self._redis.lrange(key(name, "chosen"), begin, -1))))

    async def seal(self, name: str, closed: int, chosen: int) -> None:
        """Has so many closed and chosen blocks read in a moment from now on."""
        await self.sequence.seal(name, closed)
        await self._chosen.seal(name, chosen)

    async def entry_changes(self, name: str, begin: int) -> list[EntryChange]:
        """The changes of who is entered, but for the first `begin` ones."""
        with unavailable():
            return list(map(EntryChange.of, await self._pipelined("LRANGE", key(name, "entries"), begin, -1)))

    async def change_entries(self, name: str, begin: int, changes: Sequence[EntryChange]) -> bool:
        """Stores changes after the first `begin` ones; False when there are more than those already."""
        return await self._add(name, "entries", begin, [change.line() for change in changes])

    async def note_owner(self, name: str, bot: str, owned: Owned) -> None:
        """Writes the entering of a bot again, as if by this account. Nobody else changes what is stored of it."""
        known = await self.entry_changes(name, 0)
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                for place, change in enumerate(known):
                    if change.bot == bot:
                        pipeline.lset(key(name, "entries"), place, change.of_owner(owned).line())
                await pipeline.execute()

    async def readmit(self, name: str, bot: str) -> None:
        """Lets a withdrawn bot play again."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hdel(key(name, "withdrawn"), bot)
                pipeline.hdel(key(name, "no-shows"), bot)
                await pipeline.execute()

    async def ladders(self) -> dict[str, int]:
        """The number of seasons that each ladder has had, by the names, sorted."""
        found = await answer(self._redis.hgetall(_LADDERS))
        return {name.decode(): int(found[name]) for name in sorted(found)}

    async def begin_season(self, ladder: str, season: int) -> None:
        """Notes that a ladder has this many seasons."""
        await answer(self._redis.hset(_LADDERS, ladder, season))

    async def _add(self, name: str, part: str, begin: int, lines: Sequence[str]) -> bool:
        """Adds lines to a list that has exactly `begin` of them; False when it has more."""
        with unavailable():
            return bool(await self._pipelined.run(_ADD, [key(name, part)], [begin, *lines]))


def _block_of(match_id: str) -> int:
    """The number of a match's block: ids are `TOURNAMENT-bNUMBER-LETTERS`."""
    return int(match_id.rsplit("-", 2)[1][1:])
