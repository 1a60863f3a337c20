"""The store of an arena in Redis (or Valkey): tournaments, their masters, and the sequence of their closed blocks.

```
tournament   the definition and the master
open         of each match of open blocks: its result, or nothing while it has none (hash by match id)
closed       the closed blocks, a line each (list; see `closed_block`)
annulments   which of them do not count any more, and why; and what undid that (list)
attempts     how many blocks of a slot are void (hash)
filled       the slots that have a block that counts (bitmap)
unreleased   closed blocks whose matches may not be seen by everybody yet (set)
rounds       of a Swiss or a knockout, the rounds that are drawn (list; see `rounds`)
archived     which files have the first lines of `closed` that are no longer there (see `season_archive`)
chosen       the blocks that were chosen while it went on (list; see `chosen_blocks`)
entries      who was entered while it went on (list; see `entries`)
generations  of a season, when it went on from a restored backup (list; see `generations`)
published    the ratings at numbered points of `closed` and `annulments` (hash; see `published_ratings`)
```

Beside `closed` and `chosen`, the keys `…-sealed` have what is derived from them (lists; see `sealed_lists`). Beside
`changes`, which a standing arena notes, stands `noted`. Open blocks that are handed out to workers have their own keys,
see `handed_out`.

A block's results are in `open` first, and then in its line of `closed`. A script moves them once, if the attempt is the
current one. Closing a block costs the same, however many there are.

Every change is one atomic step that can be repeated: existing values stay. So a run that was killed at any moment, or
got no answer, repeats its steps, and nothing is lost or counted twice. All keys of a tournament share a hash tag.
Operations raise `StoreUnavailable` when Redis cannot be reached.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.announcements.announcements import Announcements
from fudaba_arena.store.answers import StoreUnavailable, answer, key, read_at_once, unavailable
from fudaba_arena.store.arenas.actions import Actions
from fudaba_arena.store.arenas.arenas import Arenas
from fudaba_arena.store.arenas.clocks import Clocks
from fudaba_arena.store.arenas.stored_service import StoredService
from fudaba_arena.store.blocks.annulment_list import AnnulmentList
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.blocks.open_blocks import OpenBlocks
from fudaba_arena.store.blocks.sequence import ClosedSequence
from fudaba_arena.store.bots.bot_logs import BotLogs
from fudaba_arena.store.bots.kept_folders import KeptFolders
from fudaba_arena.store.challenges.challenge_store import Challenges
from fudaba_arena.store.contents.content_uses import ContentUses
from fudaba_arena.store.leases.handed_out import HandedOut
from fudaba_arena.store.sealed.sealed_lists import LINES_PER_STRETCH, SealedList
from fudaba_arena.store.submissions.build_use import BuildUse
from fudaba_arena.store.submissions.check_leases import Checks
from fudaba_arena.store.submissions.submissions import Submissions
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock, ChosenBlocks, ChosenStretch
from fudaba_arena.store.tournaments.entries import Entries, EntryChange
from fudaba_arena.store.tournaments.generations import Generation
from fudaba_arena.store.tournaments.progress import TournamentProgress
from fudaba_arena.store.tournaments.published_ratings import PublishedRatings
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_arena.store.tournaments.season_archive import Moved, SeasonArchive
from fudaba_arena.store.tournaments.season_files import SeasonFiles
from fudaba_arena.store.tournaments.steering import Steering
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.store.tournaments.tournament_list import TournamentList
from fudaba_arena.store.workers.known_workers import Workers
from fudaba_arena.tournament.formats import DRAWN
from fudaba_serving.redis.connections import redis_client
from fudaba_serving.redis.pipelining import Pipelined
from fudaba_serving.redis.reading import by_field
from fudaba_serving.redis.server_settings import CLOCK, SettingFinding, examine
from fudaba_serving.redis.servers import look_at

__all__ = ["Store", "StoreUnavailable"]

_ANSWER_TIMEOUT_SECONDS: Final = 5.0
_MAX_CONNECTIONS: Final = 16
_EARLIER: Final = ("finished", "void", "results", "created", "released")
"""The keys in which the release before the sequence stored blocks and matches."""
_PARTS: Final = (
    *("tournament", "open", "closed", "annulments", "attempts", "filled", "unreleased", "rounds", "chosen", "entries"),
    *("withdrawn", "no-shows", "state", "handed-out", "ended", "player", "generations", "published"),
)
"""The keys that a tournament may have."""


class _Parts(NamedTuple):
    """Parts of a tournament in the store, in the order of reading."""

    open: Any
    withdrawn: Any
    no_shows: Any
    state: Any
    unreleased: list[bytes]
    handed_out: list[bytes]
    rounds: list[bytes]
    entries: list[bytes]
    generations: list[bytes]
    annulments: list[bytes]
    chosen: int
    """The number of lines, like that of `closed`. The lines themselves are read separately."""
    closed: int
    archived: Any


@final
class Store:
    """The store of an arena, with one part for each subject."""

    def __init__(
        self, url: str, folder: Path | None = None, archive: str = "", *, stretch: int = LINES_PER_STRETCH
    ) -> None:
        """`folder` and `archive` are those of `SeasonArchive`."""
        self.url = url
        self._redis = _client(url)
        self._pipelined = Pipelined(self._redis, _ANSWER_TIMEOUT_SECONDS)
        self.handed_out = HandedOut(self._redis, self._pipelined)
        """The blocks that workers have."""
        self.archive = SeasonArchive(self._redis, folder, archive)
        """The closed blocks of seasons that are over."""
        self.clocks = Clocks(self._redis, self._pipelined)
        """The differences of its users' clocks from its own."""
        self.arenas = Arenas(self._redis, self._pipelined)
        """The arenas that run on it."""
        self.workers = Workers(self._redis, self._pipelined)
        """The workers."""
        self.challenges = Challenges(self._redis, self._pipelined)
        """The challenges."""
        self.listing = TournamentList(self._redis, self._pipelined, self.challenges)
        """The names of tournaments and ladders."""
        self.open_blocks = OpenBlocks(self._pipelined)
        """The blocks that are not closed."""
        self.annulments = AnnulmentList(self._redis)
        """The closed blocks that no longer count."""
        self.progress = TournamentProgress(self._redis, self._pipelined)
        """The additions to tournaments that go on."""
        self.submissions = Submissions(self._redis)
        """The submissions of authors."""
        self.checks = Checks(self._redis, self._pipelined)
        """The submissions that workers check."""
        self.content_uses = ContentUses(self._redis)
        """The uses of kept contents."""
        self.build_use = BuildUse(self._redis)
        """The resources that an account's builds have used."""
        self.bot_logs = BotLogs(self._redis)
        """The output of submitted bots."""
        self.kept_folders = KeptFolders(self._redis)
        """The folders that versions of bots keep from match to match."""
        self.announcements = Announcements(self._redis)
        """The announcements of organisers."""
        self.actions = Actions(self._redis)
        """The actions of organisers."""
        self.service = StoredService(self._redis, self._pipelined)
        """The service to which the store belongs."""
        self.steering = Steering(self._redis, self._pipelined, self.service)
        """The arena that plays a tournament, and the state that the organiser wants."""
        self.season_files = SeasonFiles(self._redis, self._pipelined)
        """The files of seasons, which edits replace."""
        self.sequence = ClosedSequence(self._redis, stretch)
        """The closed blocks."""
        self._chosen = SealedList(self._redis, "chosen", ChosenStretch, stretch)

    @property
    def published(self) -> PublishedRatings:
        """The ratings at numbered points of the sequences of closed blocks."""
        return PublishedRatings(self._redis)

    async def connect(self) -> None:
        """Checks that Redis answers and can be used. Raises `StoreUnavailable`, and `UnsuitableServer`."""
        with unavailable():
            await look_at(self._redis, self.url)

    async def examine(self) -> list[SettingFinding]:
        """Lists the server's bad settings. Its clock is compared by `clocks`.

        Raises `StoreUnavailable`.
        """
        findings: list[SettingFinding] = await answer(examine(self._redis))
        return [finding for finding in findings if finding.name != CLOCK]

    async def close(self) -> None:
        """Closes the connections."""
        await self._pipelined.close()
        await self._redis.aclose()

    async def begin(self, name: str, definition: Mapping[str, Any], master: bytes, *, listed: bool = True) -> None:
        """Stores a new tournament. An existing one stays as it is. Challenges are not `listed` among the others."""
        if listed:
            await self.listing.add(name)
        # One key, so that no tournament ever has a definition and another's master.
        value = json.dumps({"definition": definition, "master": master.hex()}, sort_keys=True)
        await answer(self._redis.set(key(name, "tournament"), value, nx=True))

    async def has(self, name: str, master: bytes) -> bool:
        """Returns whether the tournament with this master is stored. Another one may have its name by now."""
        raw = await answer(self._redis.get(key(name, "tournament")))
        return raw is not None and json.loads(raw)["master"] == master.hex()

    async def load(
        self, name: str, *, keep_blocks: bool = False, known: StoredTournament | None = None
    ) -> StoredTournament | None:
        """Reads all of a tournament; None if there is none with that name.

        `keep_blocks` keeps each closed block and not only the sums. A Swiss and a knockout always keep them, since
        their rounds are drawn from them. `known` closed and chosen blocks are not read again, and the returned state
        takes over the known closed blocks. Raises `ArenaError` for a tournament that was stored by a release without
        the sequence.
        """
        raw = await answer(self._redis.get(key(name, "tournament")))
        if raw is None:
            return None
        first = json.loads(raw)
        await self._check_release(name)
        keep_blocks = keep_blocks or first["definition"].get("format") in DRAWN
        parts = await self._read_parts(name)
        entered = Entries()
        entered.add(map(EntryChange.from_line, parts.entries))
        moved = Moved.from_stored(parts.archived)
        blocks = await self._blocks(name, moved, parts.closed, known and known.blocks, keep_blocks=keep_blocks)
        if blocks.length < moved.line_count + parts.closed:  # the blocks have left the store since
            return await self.load(name, keep_blocks=keep_blocks)
        chosen = await self._chosen_blocks(name, parts.chosen, known and known.chosen)
        blocks.hold(tuple(map(Annulment.from_line, parts.annulments)))
        withdrawn, no_shows, state = map(by_field, (parts.withdrawn, parts.no_shows, parts.state))
        of_open = {match_id.decode(): result for match_id, result in by_field(parts.open).items()}
        return StoredTournament(
            definition=first["definition"],
            master=bytes.fromhex(first["master"]),
            blocks=blocks,
            results=_results(of_open),
            created=set(of_open),
            unreleased={int(number) for number in parts.unreleased},
            withdrawn={bot.decode(): why.decode() for bot, why in withdrawn.items()},
            no_shows={bot.decode(): int(count) for bot, count in no_shows.items()},
            attempts=int(state.get(b"attempts", 1)),
            pardons=int(state.get(b"pardons", 0)),
            alive_ms=int(state.get(b"alive_ms", 0)),
            closed=b"closed" in state,
            rounds=[DrawnRound.from_values(json.loads(line)) for line in parts.rounds],
            chosen=chosen,
            entries=entered,
            generations=list(map(Generation.from_line, parts.generations)),
            handed_out={int(number) for number in parts.handed_out},
        )

    async def _check_release(self, name: str) -> None:
        """Raises `ArenaError` for a tournament that was stored by a release without the sequence."""
        if await answer(self._redis.exists(*(key(name, part) for part in _EARLIER))):
            raise ArenaError(
                f"tournament {name} was stored by an earlier release, in another form; play it to its end and export it"
                " with that release, or begin it anew under another name"
            )

    async def _read_parts(self, name: str) -> _Parts:
        """Reads at one moment the short parts of a tournament, and the lengths of the long ones."""
        read = await read_at_once(
            self._redis,
            *(("HGETALL", key(name, part)) for part in ("open", "withdrawn", "no-shows", "state")),
            *(("SMEMBERS", key(name, part)) for part in ("unreleased", "handed-out")),
            *(("LRANGE", key(name, part), "0", "-1") for part in ("rounds", "entries", "generations", "annulments")),
            *(("LLEN", key(name, part)) for part in ("chosen", "closed")),
            ("GET", key(name, "archived")),
        )
        return _Parts(*read)

    async def _chosen_blocks(self, name: str, slots: int, known: Sequence[ChosenBlock] | None) -> ChosenBlocks:
        """Returns the chosen blocks of the first `slots` slots. Known ones are not read again if the last of them is
        stored.
        """
        chosen = ChosenBlocks()
        if isinstance(known, ChosenBlocks) and 0 < len(known) <= slots:
            last = await self._chosen.line(name, len(known) - 1)
            if last is not None and ChosenBlock.from_line(last) == known[-1]:
                chosen = known.copy()
        async for stretch in self._chosen.read(name, len(chosen), slots):
            chosen.add_stretch(stretch)
        return chosen

    async def _blocks(
        self, name: str, moved: Moved, length: int, known: ClosedBlocks | None, *, keep_blocks: bool
    ) -> ClosedBlocks:
        """Returns the closed blocks. In a season whose blocks have partly left the store, all are kept."""
        if moved.line_count:
            blocks = ClosedBlocks(lines={})
            async for page in self.archive.pages(moved):
                blocks.add(page)
            await self.sequence.read_rest(name, blocks, length)
            return blocks
        reads_on = known is not None and (known.lines is not None or not keep_blocks)
        if known is None or not reads_on or not await self.sequence.begins_with(name, known, length):
            known = ClosedBlocks(lines={} if keep_blocks else None)
        await self.sequence.read(name, known, length)
        return known

    async def withdraw(self, name: str, bot: str, why: str) -> None:
        """Notes that a bot is withdrawn, and why."""
        await answer(self._redis.hset(key(name, "withdrawn"), bot, why))

    async def pardon(self, name: str, withdrawn: Collection[str]) -> None:
        """Readmits these withdrawn bots, and gives parked blocks further attempts."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                if withdrawn:
                    pipeline.hdel(key(name, "withdrawn"), *withdrawn)
                pipeline.delete(key(name, "no-shows"))
                pipeline.hincrby(key(name, "state"), "pardons", 1)
                await pipeline.execute()

    async def store_attempts(self, name: str, attempts: int) -> None:
        """Notes the number of attempts that a block has in this run."""
        await answer(self._redis.hset(key(name, "state"), "attempts", attempts))

    async def beat(self, name: str, now_ms: int) -> None:
        """Notes that an arena is playing the tournament at this time."""
        with unavailable():
            await self._pipelined("HSET", key(name, "state"), "alive_ms", now_ms)

    async def forget_in(self, name: str, seconds: int) -> None:
        """Deletes a finished tournament after this many seconds."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                for part in _PARTS:
                    pipeline.expire(key(name, part), seconds)
                await pipeline.execute()

    async def close_tournament(self, name: str) -> None:
        """Notes that the tournament is over and its master is open."""
        await answer(self._redis.hset(key(name, "state"), "closed", 1))

    async def seal(self, name: str, closed: int, chosen: int) -> None:
        """Seals the closed and chosen blocks up to these lengths, so that they are quick to read."""
        await self.sequence.seal(name, closed)
        await self._chosen.seal(name, chosen)

    async def readmit(self, name: str, bot: str) -> None:
        """Readmits a withdrawn bot."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hdel(key(name, "withdrawn"), bot)
                pipeline.hdel(key(name, "no-shows"), bot)
                await pipeline.execute()


def _client(url: str) -> Redis:
    """Returns a client of the arena's Redis."""
    return redis_client(
        url,
        connections=_MAX_CONNECTIONS,
        wait=None,  # concurrent operations beyond this number wait for a connection
        answer_seconds=_ANSWER_TIMEOUT_SECONDS,
        connect_seconds=_ANSWER_TIMEOUT_SECONDS,
        # The client never repeats a failed command: its caller decides.
        retry=Retry(NoBackoff(), 0),
    )


def _results(of_open: Mapping[str, bytes]) -> dict[str, MatchResult]:
    """Returns the existing results of the matches of open blocks."""
    return {
        match_id: MatchResult.of_open(_block_of(match_id), result) for match_id, result in of_open.items() if result
    }


def _block_of(match_id: str) -> int:
    """Returns the number of a match's block: ids are `TOURNAMENT-bNUMBER-LETTERS`."""
    return int(match_id.rsplit("-", 2)[1][1:])
