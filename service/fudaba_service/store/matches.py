"""Live matches: their fixed parts and their logs. `store.commits` adds entries."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Final, NamedTuple, final

from redis.asyncio import Redis

from fudaba.v1 import matches_pb2, record_pb2
from fudaba_service.store import keys
from fudaba_service.store.channels import Channels
from fudaba_service.store.commands import Commands
from fudaba_service.store.connection import answer, read_at_once, unavailable
from fudaba_service.store.news import offer_news
from fudaba_service.store.scripts import FREES
from fudaba_service.store.shared_time import SharedTime
from fudaba_serving.redis.pipelining import Script

__all__ = ["MatchGone", "Matches", "StoredMatch"]

_GONE_RETENTION_SECONDS: Final = 3600
_ENDS_SECONDS: Final = 3600
_SNAPSHOT_SECONDS: Final = 7 * 24 * 3600
_MAX_ENDS_KEPT: Final = 1_000
_KEEP_END: Final = f"""{FREES}
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2] - {_ENDS_SECONDS * 1000})
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, {-_MAX_ENDS_KEPT - 1})
redis.call('EXPIRE', KEYS[1], {_ENDS_SECONDS})
"""
"""KEYS has the set of a bot's ends; ARGV has how a match ended, and when."""


class MatchGone(Exception):
    """The match is not, or no longer, in the store."""


class StoredMatch(NamedTuple):
    """A stored match."""

    header: bytes
    seed: bytes
    salt: bytes
    entries: list[bytes]
    end: record_pb2.MatchEnd | None = None
    """How it ended, if the archive says so."""
    snapshot: bytes = b""
    """The stored result of replaying a part of a long log; see `sessions.snapshot`."""


@final
class Matches:
    """Creates, reads and removes matches."""

    def __init__(self, redis: Redis, commands: Commands, replica: str, time: SharedTime, channels: Channels) -> None:
        self._redis = redis
        self._channels = channels
        self._commands = commands
        self._replica = replica
        self._time = time
        lua = files("fudaba_service.store")
        self._create = Script((lua / "create.lua").read_text())
        self._load = Script((lua / "load.lua").read_text())
        self._snapshot = Script((lua / "snapshot.lua").read_text())
        self._finish = redis.register_script((lua / "finish.lua").read_text())

    async def create(
        self,
        match_id: str,
        created_ms: int,
        deadline_ms: int,
        stored: StoredMatch,
        fingerprint: bytes = b"",
        players: Sequence[str] = (),
    ) -> bool:
        """Creates a match. Returns False if a match with another salt has its id. `fingerprint` is stored with it.

        It is offered to `players` in the same step, and they are notified. An offer that is found before its match
        exists is withdrawn.
        """
        k, offers = keys.match_keys(match_id), [keys.bot_matches(player) for player in players]
        places = [k.meta, k.live, k.deadlines, k.gone, *offers]
        create: list[str | bytes | int] = ["EVALSHA", self._create.sha, len(places), *places]
        args: list[bytes | str | int] = [match_id, created_ms, deadline_ms, *stored[:3], fingerprint]
        news = offer_news(match_id, players)
        publishes = [("PUBLISH", channel, offer) for offer in news for channel in self._channels.for_all_replicas]
        answers = await self._commands.together([[*create, *args], *publishes], self._create)
        return bool(answers[0])

    async def fingerprint(self, match_id: str) -> bytes:
        """Returns the digest of the request that created a match; empty an hour after the match has gone, or if it
        never existed.
        """
        k = keys.match_keys(match_id)
        live, gone = await read_at_once(self._redis, ("HGET", k.meta, "asked"), ("GET", k.gone))
        return live or gone or b""

    async def was_created(self, match_id: str, salt: bytes) -> bool:
        """Returns whether a match was created with this salt. A match of this id that left the store counts, too."""
        k = keys.match_keys(match_id)
        live, gone = await read_at_once(self._redis, ("HGET", k.meta, "salt"), ("EXISTS", k.gone))
        return live == salt or bool(gone)

    async def load(self, match_id: str, *, follow: bool) -> StoredMatch:
        """Reads a match and, if requested, follows it from now on. Raises `MatchGone`."""
        k = keys.match_keys(match_id)
        replica = self._replica if follow else ""
        found: list[bytes] = await self._commands.run(self._load, [k.log, k.meta, k.followers, k.snapshot], [replica])
        if not found:
            raise MatchGone(match_id)
        header, seed, salt, snapshot, *entries = found
        return StoredMatch(header, seed, salt, entries, snapshot=snapshot)

    async def keep_snapshot(self, match_id: str, snapshot: bytes) -> None:
        """Stores a snapshot of a match beside its log, while the match exists."""
        k = keys.match_keys(match_id)
        await self._commands.run(self._snapshot, [k.snapshot, k.meta], [snapshot, _SNAPSHOT_SECONDS])

    async def tail(self, match_id: str, length: int) -> tuple[int, list[bytes]]:
        """Returns the length of a match's log and its entries after the first `length`. Raises `MatchGone`."""
        k = keys.match_keys(match_id)
        there, now, entries = await read_at_once(
            self._redis, ("EXISTS", k.meta), ("LLEN", k.log), ("LRANGE", k.log, str(length), "-1")
        )
        if not there:
            raise MatchGone(match_id)
        return now, entries

    async def state(self, match_id: str) -> tuple[bytes, int] | None:
        """Returns the header of a live match and its state, without its log; None if there is no such match."""
        header, state = await self._commands("HMGET", keys.match_keys(match_id).meta, "header", "state")
        return None if header is None else (header, int(state))

    async def unbegun(self, match_ids: Sequence[str]) -> set[str]:
        """Finds the live ones of these matches that wait for their bots to connect."""
        if not match_ids:
            return set()
        states = await self._commands.together(
            [("HGET", keys.match_keys(match_id).meta, "state") for match_id in match_ids]
        )
        waits = b"%d" % matches_pb2.MATCH_STATE_WAITING
        return {match_id for match_id, state in zip(match_ids, states, strict=True) if state == waits}

    async def notes(self, match_id: str) -> list[matches_pb2.Note]:
        """Reads the notes of a live match's seats, by seat and in order; empty if it has gone."""
        found = await answer(self._redis.hgetall(keys.match_keys(match_id).meta))
        notes = [_note(field, text) for field, text in found.items() if field.startswith(keys.NOTE)]
        return sorted(notes, key=lambda note: (note.seat, int(note.decision_id.split(".")[1])))

    async def finish(
        self,
        match_id: str,
        bots: list[str],
        length: int,
        tail: bytes,
        ends: Sequence[tuple[str, bytes]] = (),
    ) -> int:
        """Removes a match whose record is archived. Returns 1, or 0 if another replica has done so or the store has
        lost it.

        `ends` are stored for its bots that must be told, by bot; see `ends_of`. Returns -1 if the log does not have
        this length and last entry: it was rewound meanwhile, and stays.
        """
        k = keys.match_keys(match_id)
        there, finished = await read_at_once(self._redis, ("EXISTS", k.meta), ("EXISTS", k.gone))
        with unavailable():
            if finished and not there:
                # Whoever was faster has noted the ends, and bots may have been told since. Nothing more may be done: if
                # the store forgets all that, its bots must find the match again.
                return 0
            async with self._redis.pipeline(transaction=False) as pipeline:
                for bot, end in ends:  # before it is forgotten that the bot has a seat
                    pipeline.eval(_KEEP_END, 1, keys.bot_ended(bot), end, str(self._time.now_ms()))
                pipeline.expire(keys.match_tokens(match_id), _ENDS_SECONDS)
                for bot in bots:
                    pipeline.srem(keys.bot_matches(bot), match_id)
                    pipeline.srem(keys.places_taken(bot), match_id)
                    pipeline.zrem(keys.places_queue(bot), match_id)
                if not there:
                    # The store lost it: bots that came back since are in no session of it, and are told like this.
                    for bot, _ in ends:
                        for channel in self._channels.for_all_replicas:
                            pipeline.publish(channel, f"ended {bot}")
                await pipeline.execute()
            gone = [k.meta, k.log, k.followers, k.live, k.deadlines, k.gone, k.snapshot]
            return int(await self._finish(keys=gone, args=[match_id, _GONE_RETENTION_SECONDS, length, tail]))


def _note(field: bytes, text: bytes) -> matches_pb2.Note:
    """Returns a note, from its field of the match's hash."""
    seat, _, decision_id = field.removeprefix(keys.NOTE).decode().partition(" ")
    return matches_pb2.Note(seat=int(seat), decision_id=decision_id, text=text.decode())
