"""Who waits for house bots: live matches go before moves that are tried, and a caller tries one thing at a time."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import subprocess
import threading
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, Final, final

import pytest

from fudaba.v1 import errors_pb2, matches_pb2, play_pb2, record_pb2
from fudaba_games.registry import game
from fudaba_service.api.move_trials import MoveTrials
from fudaba_service.api.paying import CallPayer
from fudaba_service.house import seats, worker_process
from fudaba_service.house.seats import House
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.refusals import Refused
from fudaba_service.sessions.replays import Replays
from fudaba_serving.grpc.rate_limit import Caller, Callers
from fudaba_serving.process.tasks import cancel
from tests.support.patience import PATIENCE, until
from tests.support.service.rate_limits import Allowed, Counted

READY: Final = [record_pb2.LogEntry(seat=seat, ready=record_pb2.Ready()) for seat in (0, 1)]


@final
class Worker:
    """The end of a house's worker, in the hands of a test: it answers when the test says so."""

    def __init__(self) -> None:
        self.house = House()
        self.now = 1.0
        self._ours: socket.socket | None = None

    def start(self, its: socket.socket) -> Any:
        self._ours = its.dup()
        self._ours.settimeout(PATIENCE)
        return SimpleNamespace(kill=self._ours.close, wait=lambda: 0)

    async def due(self) -> play_pb2.SeatUpdate:
        """Returns the next decision that the house sends."""
        await until(lambda: self._ours is not None)
        return play_pb2.SeatUpdate.FromString(await asyncio.to_thread(self._read))

    def answer(self, update: play_pb2.SeatUpdate) -> None:
        assert self._ours is not None
        raw = play_pb2.Answer(match_id=update.match_id, decision_id=update.decision.decision_id).SerializeToString()
        self._ours.sendall(len(raw).to_bytes(4, "big") + raw)

    async def ask(self, name: str) -> asyncio.Future[play_pb2.Answer]:
        """Asks the house for a decision of a live match."""
        taken: asyncio.Future[play_pb2.Answer] = asyncio.get_running_loop().create_future()
        self.house._ask((name, 0, "1"), update_of(name), taken.set_result, lambda: None)
        return taken

    def _read(self) -> bytes:
        assert self._ours is not None
        return self._exactly(int.from_bytes(self._exactly(4), "big"))

    def _exactly(self, size: int) -> bytes:
        assert self._ours is not None
        raw = b""
        while len(raw) < size:
            raw += self._ours.recv(size - len(raw)) or pytest.fail("the house has closed its end")
        return raw


def update_of(name: str) -> play_pb2.SeatUpdate:
    return play_pb2.SeatUpdate(match_id=name, decision=play_pb2.Decision(decision_id="1"))


@pytest.fixture
async def worker(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Worker]:
    made = Worker()
    monkeypatch.setattr(worker_process, "_start", made.start)
    monkeypatch.setattr(seats, "time", SimpleNamespace(monotonic=lambda: made.now))
    running = asyncio.create_task(made.house.run())
    yield made
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_live_decision_goes_before_all_moves_that_are_tried_but_the_one_in_progress(worker: Worker) -> None:
    tries = [asyncio.create_task(worker.house.think(update_of(f"tried-{number}"))) for number in range(3)]
    first = await worker.due()
    live = [await worker.ask(f"live-{number}") for number in range(2)]
    order = [first]
    worker.answer(first)
    for _ in range(4):
        order.append(await worker.due())
        worker.answer(order[-1])
    assert [update.match_id for update in order] == ["tried-0", "live-0", "live-1", "tried-1", "tried-2"]
    assert [answer.match_id for answer in await asyncio.gather(*live)] == ["live-0", "live-1"]
    assert [answer.match_id for answer in await asyncio.gather(*tries)] == ["tried-0", "tried-1", "tried-2"]


async def test_moves_that_are_tried_do_not_wait_for_ever_while_live_matches_need_the_house_bots(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "_MAX_WAIT_SECONDS", 0.01, raising=False)
    live = await worker.ask("live")
    update = await worker.due()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(Refused) as refused:
            await worker.house.think(update_of("tried"))
    assert refused.value.reason == errors_pb2.REASON_TOO_FAST
    assert "live matches" in str(refused.value)
    worker.answer(update)
    assert (await live).match_id == "live"
    again = await worker.ask("again")
    worker.answer(await worker.due())
    assert (await again).match_id == "again", "what was refused is not thought about"


async def test_a_decision_is_stuck_by_the_time_since_the_worker_began_with_it_however_long_it_has_waited(
    worker: Worker,
) -> None:
    slow, waiting = [await worker.ask(name) for name in ("slow", "waiting")]
    first, second = await worker.due(), await worker.due()
    worker.now = 29.0
    worker.answer(first)
    await slow
    worker.now = 58.0
    worker.house._check_stuck()
    assert second.match_id == "waiting"
    worker.now = 60.0
    with pytest.raises(seats._WorkerEnded, match="no answer to decision 1 of match waiting"):
        worker.house._check_stuck()
    assert not waiting.done()


@final
class Thinking:
    """A house that answers as soon as the test lets it, always with the first move."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.asked = 0
        self.credit_left: list[float] = []
        self.caller: Caller | None = None

    async def think(self, update: play_pb2.SeatUpdate) -> play_pb2.Answer:
        self.asked += 1
        if self.caller is not None:
            self.credit_left.append(self.caller.credit.left)
        await self.may.wait()
        return play_pb2.Answer(match_id=update.match_id, decision_id=update.decision.decision_id, index=0)


@pytest.fixture
def house() -> Thinking:
    return Thinking()


@pytest.fixture
def trials(house: Thinking) -> MoveTrials:
    session_host: Any = None
    replays = Replays(session_host, Metrics())
    host: Any = SimpleNamespace(house=house, register=SimpleNamespace(replays=replays))
    return MoveTrials(host)


def caller_at(stack: contextlib.ExitStack, callers: Callers, host: str) -> Caller:
    caller = stack.enter_context(callers.call("", host))
    assert caller is not None
    return caller


def trial(trials: MoveTrials, callers: Callers, caller: Caller) -> asyncio.Task[matches_pb2.TryMovesResponse]:
    """Tries Naga from its first decision, which is seat 1's, as the seat that house bots must move for first."""
    header = record_pb2.MatchHeader(match_id="m", game="naga", rules_version=game("naga").rules_version)
    for name in ("first", "second"):
        header.players.add(bot=name, version="1")
    record = record_pb2.MatchRecord(header=header, seed=bytes(32), log=READY)
    request = matches_pb2.TryMovesRequest(match_id="m", entries=len(READY), seat=0)
    return asyncio.create_task(trials.after(request, record, CallPayer(callers, caller)))


async def test_each_move_of_a_house_bot_is_paid_for_before_it_is_thought_about(
    trials: MoveTrials, house: Thinking
) -> None:
    callers = Callers(Allowed(), Counted())
    house.may.set()
    with contextlib.ExitStack() as stack:
        house.caller = caller_at(stack, callers, "10.0.0.1")
        left = house.caller.credit.left
        answer = await trial(trials, callers, house.caller)
    assert house.asked == len(answer.moves) > 0
    assert house.credit_left == [left - 10 * number for number in range(1, house.asked + 1)]


async def test_a_caller_tries_one_thing_at_a_time_and_others_meanwhile(trials: MoveTrials, house: Thinking) -> None:
    callers = Callers(Allowed(), Counted())
    with contextlib.ExitStack() as stack:
        mine, other = (caller_at(stack, callers, host) for host in ("10.0.0.1", "10.0.0.2"))
        tries = [trial(trials, callers, caller) for caller in (mine, mine, other)]
        await until(lambda: house.asked >= 2)
        assert house.asked == 2
        house.may.set()
        first, again, theirs = await asyncio.gather(*tries)
    assert first == again == theirs


async def test_one_caller_more_than_house_bots_reply_to_at_once_is_asked_to_try_again(
    trials: MoveTrials, house: Thinking
) -> None:
    callers = Callers(Allowed(), Counted())
    with contextlib.ExitStack() as stack:
        tries = [trial(trials, callers, caller_at(stack, callers, f"10.0.0.{number}")) for number in range(1, 9)]
        await until(lambda: house.asked == len(tries))
        late = caller_at(stack, callers, "10.0.0.9")
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(Refused) as refused:
                await trial(trials, callers, late)
        assert refused.value.reason == errors_pb2.REASON_TOO_FAST
        house.may.set()
        await asyncio.gather(*tries)
        assert (await trial(trials, callers, late)).moves


async def test_a_worker_that_is_being_started_when_the_house_bots_are_stopped_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, goes_on = threading.Event(), threading.Event()
    started: list[subprocess.Popen[bytes]] = []
    start = worker_process._start

    def slowly(its: socket.socket) -> subprocess.Popen[bytes]:
        begun.set()
        assert goes_on.wait(PATIENCE)
        started.append(start(its))
        return started[-1]

    monkeypatch.setattr(worker_process, "_start", slowly)
    house = House()
    house._wake.set()  # as a decision does
    running = asyncio.create_task(house.run())
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    stopping = asyncio.create_task(cancel(running))
    await asyncio.sleep(0)
    goes_on.set()
    await stopping
    [process] = started
    assert process.returncode == -signal.SIGKILL
