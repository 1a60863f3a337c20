"""Workers on several hosts, with a service whose matches last for as long as a test wants.

Store, queue and workers are the real ones. Nobody waits for a clock: a test says what happens next.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, Final, cast, final

from redis import Redis

from fudaba.codec import option_to_proto
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.service.maintenance import KnownMaintenance
from fudaba_arena.play.workers.block_queue import BlockQueue, new_message
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.answers import key
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.store.workers.known_workers import PLAYING, KnownWorker, address_of, profile_of
from fudaba_arena.store.workers.runtimes import KnownRuntime
from fudaba_arena.workers.blocks import Blocks
from fudaba_arena.workers.hosts import Hosts
from fudaba_arena.workers.logs import Logs
from fudaba_arena.workers.players import Players
from fudaba_games.registry import GAMES
from fudaba_games.shuffle import commitment

RUNTIME: Final = KnownRuntime.with_contents("python-3", "python", "3", "", [("python", "3")])
NEEDS: Final = "python/"
_NEVER_LATE_SECONDS: Final = 3600.0
_SALT: Final = bytes(16)
_PROFILE: Final = profile_of((RUNTIME,))


@final
class _Match:
    """One that the service has."""

    def __init__(self, request: matches_pb2.CreateMatchRequest) -> None:
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.sandboxes = ""
        """The worker whose sandboxes play it; empty while none does."""
        self.match = matches_pb2.Match()
        header = self.match.header
        header.match_id, header.label, header.game = request.match_id, request.label, request.game
        for name, value in GAMES[request.game].resolve_options({}).items():
            header.options[name].CopyFrom(option_to_proto(value))
        header.players.extend(request.players)
        header.create_time.GetCurrentTime()
        self.seed = request.seed
        header.commitment = commitment(_SALT, self.seed, request.match_id)

    def end(self) -> None:
        self.match.state = matches_pb2.MATCH_STATE_FINISHED
        self.match.end.end_time.GetCurrentTime()
        self.match.end.outcome.scores.extend([1, -1])
        self.over.set_result(None)


@final
class Service:
    """Keeps matches, and ends each on request."""

    def __init__(self) -> None:
        self.matches: dict[str, _Match] = {}
        self.maintenance = KnownMaintenance()

    async def create_match(self, request: matches_pb2.CreateMatchRequest) -> matches_pb2.Match:
        if request.match_id not in self.matches:
            self.matches[request.match_id] = _Match(request)
        return self.matches[request.match_id].match

    async def match(self, match_id: str) -> matches_pb2.Match | None:
        return self.matches[match_id].match if match_id in self.matches else None

    async def match_token(self, _: str, __: int) -> None:
        """Does nothing: there is no bot to seat."""

    async def record(self, match_id: str) -> record_pb2.MatchRecord:
        match = self.matches[match_id]
        return record_pb2.MatchRecord(header=match.match.header, seed=match.seed, salt=_SALT, end=match.match.end)

    record_if_there = record


@final
class _OfWorker:
    """The service as one worker sees it, which plays in a match while it waits for its end."""

    def __init__(self, service: Service, worker: str, arena: SeveralHosts) -> None:
        self._service = service
        self._worker = worker
        self._arena = arena

    def __getattr__(self, name: str) -> Any:
        return getattr(self._service, name)

    async def ended(self, match_id: str) -> matches_pb2.Match | None:
        match = self._service.matches[match_id]
        match.sandboxes = self._worker
        self._arena.sits(match_id, self._worker)
        try:
            await asyncio.shield(match.over)
        finally:
            match.sandboxes = ""
        return await self._service.match(match_id)


@final
class Worker:
    """A worker on a host, which runs until it is killed."""

    def __init__(self, name: str, host: str, arena: SeveralHosts) -> None:
        self.name = name
        self.host = host
        self._arena = arena
        self.offers = Offers()
        self.blocks: Blocks
        self._began = asyncio.Event()
        self._running = asyncio.create_task(self._run())

    async def _run(self) -> None:
        arena, metrics = self._arena, Metrics()
        service = cast("Any", _OfWorker(arena.service, self.name, arena))
        retry = store_retry(lambda _: None, metrics)
        players = Players(service, Logs(arena.folder), None, metrics, lambda _: None)
        hosts = Hosts(self.host, self.offers, arena.queue, lambda _: None)
        async with asyncio.TaskGroup() as tasks:
            self.blocks = Blocks(
                self.name,
                arena.store,
                service,
                players,
                retry,
                metrics,
                tasks,
                100,
                inf,
                _NEVER_LATE_SECONDS,
                _look,
                hosts,
            )
            self.tasks = tasks
            self._began.set()
            await asyncio.Event().wait()

    async def began(self) -> Worker:
        await self._began.wait()
        return self

    def check(self) -> None:
        """Raises what has ended it, if anything has."""
        if self._running.done():
            self._running.result()

    async def die(self) -> None:
        self._running.cancel()
        await asyncio.wait([self._running])

    def known(self) -> KnownWorker:
        order, known = self.blocks.order, (RUNTIME,)
        known_worker = KnownWorker(
            self.name, PLAYING, "", self.blocks.count, 32, order.taken, 100, 15.0, known, commands=True
        )
        return replace(known_worker, host=self.host, waiting=order.waiting)


async def _look(_: BlockSpec, __: PlannedMatch) -> None:
    """Does nothing: nobody looks at how long bots take."""


@final
class SeveralHosts:
    """Blocks that submitted bots play, and the workers that play them."""

    def __init__(self, url: str, folder: Path, specs: Sequence[BlockSpec]) -> None:
        self.store = Store(url)
        self.queue = BlockQueue(url)
        self.folder = folder
        self.service = Service()
        self.specs = {spec.number: spec for spec in specs}
        self._name = specs[0].tournament
        self._planned = {match.match_id: (spec, match) for spec in specs for match in spec.matches}
        self.workers: list[Worker] = []
        self._made = 0
        self._plays: set[asyncio.Task[None]] = set()
        self.sat: dict[tuple[int, int], list[str]] = {}
        """The hosts of the sittings at each deal, by block and deal, in order."""
        self._redis = Redis.from_url(url)
        self._queued = Redis.from_url(url.removesuffix("0") + "1")

    async def begin(self) -> None:
        for spec in self.specs.values():
            text, message = spec.text(), new_message(commands=True, to=_PROFILE)
            await self.store.handed_out.hand_out(self._name, spec.number, spec.slot, spec.attempt, text, message)
            await self.queue.send(message, self._name, spec.number, spec.attempt)

    async def add(self, host: str) -> Worker:
        self._made += 1
        worker = await Worker(f"w{self._made}-{host}", host, self).began()
        self.workers.append(worker)
        self.refresh()
        return worker

    async def kill(self, worker: Worker) -> None:
        """Kills it; its leases run out."""
        self.workers.remove(worker)
        await worker.die()
        for number in self.specs:
            if self._redis.get(key(self._name, f"lease:{number}")) == worker.name.encode():
                self._redis.delete(key(self._name, f"lease:{number}"))

    def refresh(self) -> None:
        """Makes all workers note who is there. Raises what has gone wrong at one of them."""
        for worker in self.workers:
            worker.check()
            worker.offers.note([other.known() for other in self.workers])
        for worker in self.workers:
            worker.blocks.look_again()

    def sits(self, match_id: str, worker: str) -> None:
        """Sandboxes of a worker play a match from now on; no others do at its deal."""
        spec, planned = self._planned[match_id]
        for other in spec.matches:
            known = self.service.matches.get(other.match_id)
            if other.deal == planned.deal and other is not planned and known is not None:
                assert not known.sandboxes, f"{other.match_id} and {match_id} are played at the same time"
        self.sat.setdefault((spec.number, planned.deal), []).append(worker.partition("-")[2])

    @property
    def playing(self) -> list[str]:
        """The matches in play, by their ids."""
        return sorted(name for name, match in self.service.matches.items() if match.sandboxes and not match.over.done())

    def end_match(self, match_id: str) -> None:
        self.service.matches[match_id].end()

    @property
    def in_hand(self) -> bool:
        """Whether a worker still has a block: it plays it, hands it on, or leaves it to others."""
        return bool(self._plays)

    async def deliver(self, chance: random.Random) -> bool:
        """Delivers a message in the queue to a worker that it is for. Returns whether there was one."""
        queues = sorted(name.decode() for name in self._queued.scan_iter("fudaba-arena:*.msgs"))
        chance.shuffle(queues)
        for found in queues:
            name = found.removesuffix(".msgs")
            to = [
                candidate
                for candidate in self.workers
                if name.endswith((f"-{_PROFILE}", f"-{address_of(_PROFILE, candidate.host)}"))
            ]
            message = self._queued.lpop(name) if to else None
            if message is None:
                continue
            raw = cast("bytes", self._queued.hget(found, cast("bytes", message).decode()))
            self._queued.hdel(found, cast("bytes", message).decode())
            number = json.loads(raw)["args"][1]
            worker = chance.choice(to)
            play = worker.tasks.create_task(worker.blocks.play(self._name, number, self.specs[number].attempt))
            self._plays.add(play)
            play.add_done_callback(self._plays.discard)
            return True
        return False

    async def send_again(self, chance: random.Random) -> None:
        """Sends it again as an arena does for what nobody plays: to workers of any host."""
        for number, progress in (await self.store.handed_out.progress(self._name, [*self.specs])).items():
            if not progress.held and progress.end is None and self.workers:
                to = chance.choice([_PROFILE, address_of(_PROFILE, chance.choice(self.workers).host)])
                message = new_message(commands=True, to=to)
                await self.store.handed_out.sent(self._name, number, message)
                await self.queue.send(message, self._name, number, self.specs[number].attempt)

    async def ends(self) -> dict[int, str | None]:
        """Returns how each block ended, by number; None for those that have not."""
        found = await self.store.handed_out.progress(self._name, [*self.specs])
        return {number: progress.end for number, progress in found.items()}

    async def close(self) -> None:
        for worker in list(self.workers):
            await self.kill(worker)
        self._redis.flushall()
        self._redis.close()
        self._queued.close()
        await self.queue.close()
        await self.store.close()


def submitted(spec: BlockSpec) -> BlockSpec:
    """Returns a block as if all of its bots had been submitted."""
    bots = {name: replace(bot, submission="s", needs=NEEDS, command=()) for name, bot in spec.bots.items()}
    return replace(spec, bots=bots)
