"""The heartbeats of all replicas, and the outages that missing ones show.

Each heartbeat is written to Redis, and published to the replica itself. So all replicas see which of them reach the
store, which hear it, and how late. Other values in a heartbeat show whose appends have no answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.boot_clock import BootClock
from fudaba_service.store.channels import is_of_earlier_release
from fudaba_service.store.commands import Commands
from fudaba_service.store.heartbeat import Heartbeat, machine_of
from fudaba_service.store.outages import Outage, noting, remembered
from fudaba_service.store.scripts import FREES, IN_SAME_STORE
from fudaba_service.store.shared_time import TOLERANCE_MS, ClockReading, SharedTime
from fudaba_service.store.soundness import DEAD_AFTER_MS, Soundness
from fudaba_serving.redis.pipelining import Script

__all__ = ["FROZEN_MS", "Beats"]

log = logging.getLogger(__name__)

FROZEN_MS: Final = 15_000
"""The longest time for which a frozen or disconnected replica keeps its bots waiting, before their keepalives
notice.
"""
_MAX_DRIFT_SHARE: Final = 0.001
"""The largest error of a clock that nobody has set, as a share of the elapsed time."""
_LATE_MS: Final = 500
"""The age below which the newest heartbeat of healthy replicas stays, since they are 250 ms apart."""
_MAX_CLOCK_READINGS: Final = 20
_POLL_SECONDS: Final = 0.05
_STOPPED: Final = ""
"""The field in the hash for all replicas that were stopped in order."""
_SAY: Final = Script(f"""{FREES}{IN_SAME_STORE}
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
if ARGV[4] == '0' then redis.call('HDEL', KEYS[3], ARGV[2]) else redis.call('HSET', KEYS[3], ARGV[2], ARGV[4]) end
""")
_CORRECT: Final = Script(
    FREES
    + IN_SAME_STORE
    + """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3])
if ARGV[4] ~= '' then redis.call('SET', KEYS[3], ARGV[4]) end
return 1
"""
)


def _is_decided(reading: ClockReading, last_ms: int) -> bool:
    """Returns whether a beginning replica has just changed the correction, after everybody's last heartbeat."""
    ago_ms = reading.corrected_ms - reading.decided_ms
    return reading.decided_ms >= last_ms and -DEAD_AFTER_MS <= ago_ms <= FROZEN_MS


@final
class Beats:
    """A replica's part in the heartbeats."""

    def __init__(
        self,
        redis: Redis,
        replica: str,
        shared: SharedTime,
        unanswered_since: Callable[[], float | None] = lambda: None,
        boot_clock: BootClock | None = None,
        same_store: Callable[[bytes | None], None] = lambda _: None,
    ) -> None:
        """`unanswered_since`: see `Soundness`. Without a `boot_clock`, only the machine's wall clock is a witness.

        `same_store` gets the store's id, and raises if it is another one: then nothing is written.
        """
        self._commands = Commands(redis)
        """A connection for heartbeats alone: whatever calls wait for does not hold them up."""
        self._replica = replica
        self._shared = shared
        self._boot_clock = boot_clock
        self._same_store = same_store
        self._without_beat: set[str] = set()
        """The replicas whose value of `open_ms` is stored without a heartbeat, as an earlier release leaves it."""
        self._store_id = ""
        """The store's id as of the last reading. What follows from a reading is written to no other store."""
        self._begins_alone = True
        self._begun = False
        self._stored: list[bytes] = []
        """The outages in the store's memory."""
        self._known: list[Outage] = []
        self._forgotten: list[Outage] = []
        """The known outages that the store has lost in a failover. Replicas that come later learn of them from the
        store alone.
        """
        self.outages: list[Outage] = []
        """The newest outages of the service, including those in progress, as of the last heartbeat."""
        self._last_ms = 0
        self._soundness = Soundness(shared, unanswered_since)
        self.lag_ms = 0
        """The lag with which the slowest of the other replicas hears news."""
        self.alone = True
        """Whether no other replica has been here lately."""
        self.among_earlier = False
        """Whether a replica of the release before has been here lately."""

    def listening(self) -> None:
        """Notes that this replica now hears news."""
        self._soundness.listening(self._last_ms)

    def heard(self, at_ms: int) -> None:
        """Notes that this replica has heard its own heartbeat of a time."""
        self._soundness.heard(at_ms)

    @property
    def stale(self) -> bool:
        """Whether the last heartbeat is so old that `outages` may be incomplete."""
        return self._shared.now_ms() - self._last_ms > DEAD_AFTER_MS

    async def begin(self) -> None:
        """Learns the shared time. Call it once, before the first heartbeat."""
        while not await self._begin():  # another replica was first, and its time holds
            pass

    async def _begin(self) -> bool:
        """Learns the shared time. Returns False if the store's correction changed meanwhile."""
        reading, beats = await self._read()
        last_ms = max((beat.at_ms for beat in beats.values()), default=0)
        others = [name for name in beats if name not in {self._replica, _STOPPED}]
        self.among_earlier = any(map(is_of_earlier_release, others))
        self._begins_alone = not others or not await self._listeners(others)
        found = self._go_on(reading, beats, last_ms)
        if found is not None:
            return await self._correct(reading, found, begins=True)
        believed, correction = True, reading.correction
        late_ms = reading.corrected_ms - last_ms
        witness_ms = self._witness_ms(beats, reading)
        if _is_decided(reading, last_ms):
            pass  # another replica has begun since the last heartbeat, and its time holds
        elif 0 < last_ms <= witness_ms and not 0 <= late_ms <= witness_ms + DEAD_AFTER_MS - last_ms:
            # Redis's clock was set while nobody was here to see it, or is another's after a failover.
            correction = round(witness_ms - reading.redis_ms)
        elif self._begins_alone and late_ms > FROZEN_MS:
            before = last_ms
            if others:
                # After a restart of Redis they come back one by one, and its clock may have been set meanwhile.
                reading, last_ms, late_ms = await self._look_again()
            correction = reading.correction
            if last_ms == before:
                # Nobody has been here for a while: the time is what Redis's clock says, unless it would go back, or
                # another one that begins has decided otherwise meanwhile.
                if reading.redis_ms >= last_ms and not _is_decided(reading, last_ms):
                    correction = 0
            else:
                self._begins_alone, believed = False, late_ms <= FROZEN_MS
        elif not self._begins_alone and late_ms > _LATE_MS:
            # The other replicas are frozen, gone or slow, or Redis's clock has just been set.
            before = last_ms
            reading, last_ms, late_ms = await self._look_again()
            believed, correction = last_ms == before or late_ms <= FROZEN_MS, reading.correction
        begun = self._shared.begin(reading._replace(correction=correction), last_ms, believed=believed)
        return await self._correct(reading, begun, begins=True)

    def _go_on(self, reading: ClockReading, beats: Mapping[str, Heartbeat], last_ms: int) -> int | None:
        """Takes the time over from an earlier replica. Returns the correction to store, or None if it may not.

        After a while without any replica, Redis's clock is trusted again, unless it was set during that while.
        """
        here_ms, open_ms = self._here_ms(beats, reading)
        if not here_ms or last_ms > here_ms + open_ms + TOLERANCE_MS:
            return None  # no replica was here, or the others have another time since then
        agrees, away_ms = reading.agrees(here_ms, open_ms), here_ms - last_ms
        if _is_decided(reading, last_ms):
            goes_on = agrees
        elif self._begins_alone and away_ms > FROZEN_MS and reading.redis_ms >= last_ms:
            was_set = not reading.agrees(here_ms, open_ms, DEAD_AFTER_MS + away_ms * _MAX_DRIFT_SHARE)
            goes_on = was_set or (agrees and abs(reading.correction or 0) <= TOLERANCE_MS)
        else:
            goes_on = True
        if not goes_on:
            return None
        found = self._shared.go_on(reading, max(here_ms, last_ms), open_ms)
        return reading.correction if found is None else found

    async def _look_again(self) -> tuple[ClockReading, int, float]:
        """Reads Redis's clock, the newest heartbeat, and its lateness, which soon ends if the others are well.

        A replica that sees that Redis's clock was set corrects it before the next heartbeat. A heartbeat that stays
        late says nothing about the clock: it may have been long on its way.
        """
        for _ in range(_MAX_CLOCK_READINGS):
            await asyncio.sleep(_POLL_SECONDS)
            reading, beats = await self._read()
            last_ms = max((beat.at_ms for beat in beats.values()), default=0)
            late_ms = reading.corrected_ms - last_ms
            if late_ms <= _LATE_MS:
                break
        return reading, last_ms, late_ms

    async def beat(self) -> None:
        """Notes that this replica is alive, and which others are not."""
        if not self._shared.begun:
            await self.begin()
        reading, beats = await self._read()
        correction = self._shared.compare(reading)
        if correction is not None:
            await self._correct(reading, correction)
        now = self._shared.now_ms()
        ended = self._ended(beats, now)
        everybody = bool(ended) and not ended[0].replica
        sound_ms, over = self._soundness.examine(now)
        ended += [self._own(since, now) for since in over]
        others = {name: beat for name, beat in beats.items() if name not in {self._replica, _STOPPED}}
        # Nobody waits for these any more; one that comes back anyway notes its own outage. Those that were there before
        # this one began, and are not now, have ended with it; if it was there itself they may be cut off still.
        lives_ms = DEAD_AFTER_MS if everybody and not self._begun else FROZEN_MS
        left = {n: b for n, b in others.items() if now - b.at_ms > lives_ms}
        if not everybody:
            ended += [Outage(beat.sound_ms, beat.sound_ms + FROZEN_MS, name) for name, beat in left.items()]
        others = {name: beat for name, beat in others.items() if name not in left}
        # No transaction: Redis refuses that when its memory is full. What has ended is noted before the heartbeats that
        # tell of it are gone.
        beat = Heartbeat(now, sound_ms, self._soundness.lag_ms, *self._clocks())
        commands: list[Sequence[str | int]] = []
        if ended or self._forgotten:
            commands.append(noting([*ended, *self._forgotten], now, self._store_id))
        commands += [self._saying(self._replica, beat), ("PUBLISH", keys.beat_channel(self._replica), now)]
        if left:
            commands.append(("HDEL", keys.BEATS, *left))
        if left or self._without_beat:
            commands.append(("HDEL", keys.BEATS_OPEN, *left, *self._without_beat))
        commands.append(("LRANGE", keys.OUTAGES, 0, -1))
        if others:
            commands.append(("PUBSUB", "NUMSUB", *map(keys.replica_channel, others)))
        answers = await self._commands.together(commands, _SAY)
        listeners = answers.pop()[1::2] if others else []
        self._begun, self._last_ms = True, now
        self._remember(answers.pop(), now)
        self._soundness.noted()
        going_on = [self._own(since, now) for since in self._soundness.suffers_since]
        self.outages = [*self._known, *self._look(now, others, listeners), *going_on]

    def _clocks(self) -> tuple[int, int, int, int]:
        """Returns the lead of the shared time over the wall clock in ms; its lead over the clock since boot, and the
        boot, both 0 if unknown; and `open_ms`.
        """
        boot = self._boot_clock
        since_boot = (0, 0) if boot is None else (self._shared.ahead_of(boot.now_ms), boot.boot)
        return self._shared.ahead_of(self._shared.wall_ms), *since_boot, self._shared.open_ms

    async def stop(self) -> None:
        """Reports an orderly stop. The replica's bots get time to connect to another one."""
        await self.beat()  # which notes what is over: it may have been cut off until just now
        now = self._shared.now_ms()
        ended = [self._own(since, now) for since in self._soundness.suffers_since]
        commands: list[Sequence[str | int]] = [
            noting([*ended, Outage(now, now, self._replica)], now, self._store_id),
            self._saying(_STOPPED, Heartbeat(now, 0, 0, *self._clocks())),
            ("HDEL", keys.BEATS, self._replica),
            ("HDEL", keys.BEATS_OPEN, self._replica),
        ]
        await self._commands.together(commands, _SAY)

    async def close(self) -> None:
        """Gives the connection back."""
        await self._commands.close()

    def _saying(self, name: str, beat: Heartbeat) -> Sequence[str | int]:
        """Returns the command that stores a heartbeat."""
        names = keys.BEATS, keys.SERVICE, keys.BEATS_OPEN
        return "EVALSHA", _SAY.sha, len(names), *names, self._store_id, name, *beat.pack()

    async def _read(self) -> tuple[ClockReading, dict[str, Heartbeat]]:
        asked = self._shared.clock_ms()
        (seconds, microseconds), correction, decided, found, left_open, store_id = await self._commands.at_once(
            ("TIME",),
            ("GET", keys.CLOCK),
            ("GET", keys.CLOCK_DECIDED),
            ("HGETALL", keys.BEATS),
            ("HGETALL", keys.BEATS_OPEN),
            ("GET", keys.SERVICE),
        )
        self._same_store(store_id)
        self._store_id = "" if store_id is None else store_id.decode()
        answered = self._shared.clock_ms()
        open_ms = dict(zip(left_open[::2], left_open[1::2], strict=True))
        beats = {
            name.decode(): Heartbeat.unpack(raw, open_ms.pop(name, b"0"))
            for name, raw in zip(found[::2], found[1::2], strict=True)
        }
        self._without_beat = {name.decode() for name in open_ms}
        others_ms = max((beat.at_ms for name, beat in beats.items() if name != self._replica), default=0)
        redis_ms = int(seconds) * 1000 + int(microseconds) / 1000
        known = None if correction is None else int(correction)
        return ClockReading(asked, answered, redis_ms, known, others_ms, int(decided or 0)), beats

    async def _correct(self, reading: ClockReading, correction: int, *, begins: bool = False) -> bool:
        """Stores a correction of Redis's clock. Returns False if another replica has stored one since the reading.

        If this replica `begins`, others that begin before its first heartbeat learn from the store that it has decided.
        A store that has become another one keeps nothing, and the caller goes on: other code notices that.
        """
        if correction == reading.correction:
            return True
        known = "" if reading.correction is None else str(reading.correction)
        names = keys.CLOCK, keys.SERVICE, keys.CLOCK_DECIDED
        decided = str(self._shared.now_ms()) if begins else ""
        kept = await self._commands.run(_CORRECT, names, (self._store_id, known, correction, decided))
        if kept:
            before = "" if reading.correction is None else f", and was by {reading.correction} ms"
            log.info("Redis's clock is corrected by %d ms from now on%s", correction, before)
        return bool(kept != 0)

    def _witness_ms(self, beats: Mapping[str, Heartbeat], reading: ClockReading) -> float:
        """Returns the time of a reading by the wall clock of this machine, if a replica was here recently; else 0.

        The wall clock can be set, so it is no witness beside the boot clock.
        """
        if self._here_ms(beats, reading)[0]:
            return 0
        here = [beat for name, beat in beats.items() if machine_of(name) == machine_of(self._replica)]
        newest = max(here, key=lambda beat: beat.at_ms, default=None)
        if newest is None or newest.wall_ms is None:
            return 0
        since = self._shared.clock_ms() - reading.answered
        return self._shared.wall_ms() - since + newest.wall_ms

    def _here_ms(self, beats: Mapping[str, Heartbeat], reading: ClockReading) -> tuple[float, int]:
        """Returns the time of a reading by a replica that ran since this machine's boot, and by how much it may be
        later; 0 if none did.

        It is as exact as it was to that replica, whatever clocks were set and however slow the link to the store is.
        """
        clock = self._boot_clock
        here = [beat for beat in beats.values() if clock is not None and clock.boot and beat.boot == clock.boot]
        newest = max(here, key=lambda beat: beat.at_ms, default=None)
        if clock is None or newest is None:
            return 0, 0
        since = self._shared.clock_ms() - reading.answered
        return newest.since_boot_ms + clock.now_ms() - since, newest.open_ms

    async def _listeners(self, replicas: Sequence[str]) -> int:
        counts: list[Any] = await self._commands("PUBSUB", "NUMSUB", *map(keys.replica_channel, replicas))
        return sum(counts[1::2])

    def _ended(self, beats: Mapping[str, Heartbeat], now: int) -> list[Outage]:
        """Returns the outages that end with this heartbeat: everybody's, or this replica's alone."""
        ended: list[Outage] = []
        newest = max((beat.at_ms for beat in beats.values()), default=0)
        # The first of all replicas notes even a short gap: the bots of the one before it have to connect again.
        if newest and now - newest > (0 if self._begins_alone and not self._begun else DEAD_AFTER_MS):
            ended.append(Outage(newest, now))
        if self._begun and now - self._last_ms > DEAD_AFTER_MS and not (ended and self._last_ms >= newest):
            ended.append(self._own(self._last_ms, now))  # others may have been well for a part of it
        if self._begun and not ended and self._shared.moved_ms > TOLERANCE_MS:
            ended.append(self._own(now - self._shared.moved_ms, now))  # this much of the time has not passed here
        return ended

    def _own(self, since: int, now: int) -> Outage:
        return Outage(since, min(now, since + FROZEN_MS), self._replica)

    def _look(self, now: int, others: Mapping[str, Heartbeat], listeners: Sequence[int]) -> list[Outage]:
        """Returns the ongoing outages of the other replicas. Notes how late they hear news."""
        going_on = []
        for (name, beat), count in zip(others.items(), listeners, strict=True):
            gone = beat.hears_ms and not count
            if gone or now - beat.sound_ms > DEAD_AFTER_MS:
                going_on.append(Outage(beat.sound_ms, min(now, beat.sound_ms + FROZEN_MS), name))
        self.alone = not others
        self.among_earlier = any(map(is_of_earlier_release, others))
        self.lag_ms = max((beat.lag_ms for beat in others.values()), default=0)
        return going_on

    def _remember(self, stored: list[bytes], now: int) -> None:
        """Adds stored outages to the known ones, so that nobody pays when a store loses its tail."""
        if stored != self._stored:
            in_store = list(map(Outage.unpack, stored))
            self._stored = stored
            self._known = remembered([*self._known, *in_store], now)
            self._forgotten = [outage for outage in self._known if outage not in in_store]
        else:
            self._forgotten = []
