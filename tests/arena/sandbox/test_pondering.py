"""A bot that may not ponder stands still while it owes no decision, and misses nothing by that."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, final

import pytest

from fudaba.client import Endpoint
from fudaba.v1 import game_pb2
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.programs.seats import SeatRun
from fudaba_arena.programs.trial_match import NoLog
from fudaba_arena.sandbox.bubblewrap import Bubblewrap, Wrapped
from fudaba_arena.sandbox.freezer import Freezer
from fudaba_arena.sandbox.pondering import ALLOWANCE_SHARE, MAX_ALLOWANCE_SECONDS, Pondering
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import SOCKET, Job
from fudaba_arena.sandbox.unsafe import Unsafe
from fudaba_arena.store.workers.known_workers import Isolation
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.tournament.limits import CORES_PER_SEAT, PONDER, BotLimits, Limits
from tests.support.arena.sandbox.bots import BOT, kit
from tests.support.arena.sandbox.sandboxes import python
from tests.support.arena.sandbox.slow_opponent import table
from tests.support.patience import PATIENCE, until
from tests.support.service.organiser import Organiser, kinds

pytestmark = pytest.mark.asyncio(loop_scope="module")

RUNTIME = Runtime("python-3", "python", shown=kit(), path=[str(Path(sys.prefix) / "bin")])
PROGRAM = Program("s-1", "good", "bot.tar.gz", "0" * 64, Manifest("good", ("naga",), "python", ("python3", "bot.py")))
BURNS = f"""
import threading

def burn():
    while True: pass

threading.Thread(target=burn, daemon=True).start()
{BOT}
"""
LEAVES = """
import os, threading, time
import grpc
from fudaba.v1 import play_pb2, play_pb2_grpc

def burn():
    while True: pass

threading.Thread(target=burn, daemon=True).start()
who = (("authorization", "Bearer " + os.environ["FUDABA_TOKEN"]),)
while True:
    with grpc.insecure_channel(os.environ["FUDABA_SERVER"]) as channel:
        play = play_pb2_grpc.PlayServiceStub(channel)
        for told in play.WatchSeat(play_pb2.WatchSeatRequest(match_id=MATCH), metadata=who):
            if told.update.HasField("decision"):
                answer = play_pb2.Answer(match_id=MATCH, decision_id=told.update.decision.decision_id, index=0)
                play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=who)
            break
"""

REFUSED = """
import os, threading
import grpc
from fudaba.v1 import play_pb2, play_pb2_grpc

def burn():
    while True: pass

who = (("authorization", "Bearer " + os.environ["FUDABA_TOKEN"]),)
play = play_pb2_grpc.PlayServiceStub(grpc.insecure_channel(os.environ["FUDABA_SERVER"]))
for told in play.WatchSeat(play_pb2.WatchSeatRequest(match_id=MATCH), metadata=who):
    if not told.update.HasField("decision"):
        continue
    for match_id in (MATCH, "another"):
        answer = play_pb2.Answer(match_id=match_id, decision_id=told.update.decision.decision_id, index=0)
        try:
            play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=who)
        except grpc.RpcError as error:
            print(error.code(), flush=True)
            threading.Thread(target=burn, daemon=True).start()
"""

DECLINES_BY_SILENCE = """
import os
import grpc
from fudaba.v1 import play_pb2, play_pb2_grpc

who = (("authorization", "Bearer " + os.environ["FUDABA_TOKEN"]),)
play = play_pb2_grpc.PlayServiceStub(grpc.insecure_channel(os.environ["FUDABA_SERVER"]))
for told in play.WatchSeat(play_pb2.WatchSeatRequest(match_id=MATCH), metadata=who):
    if told.update.HasField("decision"):
        print("required" if told.update.decision.required else "optional", flush=True)
        while True: pass
"""
ASKED_FIRST: dict[str, Any] = {
    "game": "numbers_crush",
    "seed": (478).to_bytes(32),
    "options": {"window_ms": game_pb2.OptionValue(number=1_500)},
}
"""A match that begins with a pause in which the second seat alone is asked; the first seat's turn follows."""


@final
class Still:
    """A bot in a sandbox that plays a seat of a match, and may not ponder."""

    def __init__(self, pondering: Pondering, running: Wrapped) -> None:
        self.pondering = pondering
        self.running = running
        assert running.freezer is not None
        self.freezer: Freezer = running.freezer

    async def stands_still(self) -> None:
        """Returns when it has been told of its match, and is frozen."""
        await until(lambda: self.pondering.owing.began and self.freezer.frozen, "a bot that stands still")


@asynccontextmanager
async def still(
    sandbox: Bubblewrap, organiser: Organiser, match_id: str, code: str = BOT, seat: int = 0
) -> AsyncIterator[Still]:
    pondering = Pondering()
    token = await organiser.match_token(match_id, seat)
    relay = await Relay.open(organiser.endpoint, sandbox.new_socket(), Limits(), token, pondering)
    env = {"FUDABA_SERVER": f"unix:{SOCKET}", "FUDABA_TOKEN": token}
    limits = Limits(wall=100_000, cpu=100_000)
    job = Job(
        command=[sys.executable, "-c", code],
        read_only=kit(),
        env=env,
        socket=relay.path,
        limits=limits,
        freezes=True,
        sealed=True,
    )
    running = sandbox.start(job)
    pondering.started(running.freezer)
    try:
        yield Still(pondering, running)
    finally:
        pondering.ended()
        await running.kill()
        await relay.close()
        sys.stdout.write((running.stdout + running.stderr).decode(errors="replace"))  # shown where a test fails
        assert running.remains() == []


def unpacked(folder: Path) -> None:
    """A program in its folder, as a worker has it."""
    (folder / "bot.py").write_text(BURNS, encoding="utf-8")
    folder.chmod(0o755)


async def work_beside(sandbox: Bubblewrap, bot: Still) -> tuple[float, float]:
    """Returns the processor time that a bot takes while another program uses a second, and the time it may take."""
    other = sandbox.start(python("while True: pass"))
    before, began = bot.freezer.cpu(), time.monotonic()
    try:
        await until(lambda: (other.counts().cpu or 0.0) >= 1.0, "a second of another's work")
        used, took = bot.freezer.cpu() - before, time.monotonic() - began
    finally:
        await other.kill()
    return used, ALLOWANCE_SHARE * took + 0.3


@pytest.mark.parametrize("code", [BOT, BURNS], ids=["waits", "burns"])
@pytest.mark.exhaustive
async def test_a_bot_uses_no_core_while_it_owes_nothing_and_plays_on_when_it_does(
    bubblewrap: Bubblewrap, organiser: Organiser, code: str
) -> None:
    async with table(organiser) as (match_id, slow), still(bubblewrap, organiser, match_id, code) as bot:
        await bot.stands_still()
        await slow.owes.wait()
        used, allowed = await work_beside(bubblewrap, bot)
        assert used <= allowed
        slow.may.set()
        record = await organiser.record(match_id)
        assert set(kinds(record, 0)) == {"ready", "move"}, kinds(record)
        await until(lambda: bot.pondering.owing.over and not bot.freezer.frozen, "it runs, since its match is over")
        assert bot.pondering.freezes > 0


@pytest.mark.exhaustive
async def test_a_seat_that_may_not_ponder_is_frozen_and_its_log_says_for_how_long(
    bubblewrap: Bubblewrap, organiser: Organiser, tmp_path: Path
) -> None:
    unpacked(tmp_path)
    async with table(organiser) as (match_id, slow):
        run = SeatRun(
            bubblewrap, Endpoint(organiser.address), PROGRAM, RUNTIME, tmp_path, Limits(), NoLog(), ponder=False
        )
        task = asyncio.create_task(run.run(await organiser.match_token(match_id, 0)))
        await until(lambda: run.pondering is not None and run.pondering.freezes > 0, "it is frozen")
        slow.may.set()
        record = await organiser.record(match_id)
        run.match_over()
        task.cancel()
        await asyncio.wait([task])
    assert set(kinds(record, 0)) == {"ready", "move"}, (kinds(record), run.said)
    assert "it owed no decision, and was frozen, for " in run.said
    assert "ponder" not in run.seat_use(0).not_enforced


async def test_where_nobody_can_be_frozen_the_result_says_so(unsafe: Unsafe, tmp_path: Path) -> None:
    for ponder in (False, True):
        service = Endpoint("localhost:1")
        run = SeatRun(unsafe, service, PROGRAM, RUNTIME, tmp_path, Limits(), NoLog(), ponder=ponder)
        assert run.pondering is None
        assert ("ponder" in run.seat_use(0).not_enforced) is not ponder
    assert PONDER not in unsafe.rules
    isolation = Isolation(unsafe.kind, unsafe.version, unsafe.rules)
    wanted = BotLimits(cores_per_seat=1.0, ponder=False).rules(keeps=False)
    assert {"memory", CORES_PER_SEAT, PONDER} <= set(isolation.not_enforced(wanted))
    assert not {"wall", "output", "kept"} & set(isolation.not_enforced(wanted))


@pytest.mark.exhaustive
async def test_whoever_goes_away_and_comes_back_all_the_time_gets_no_core_by_it(
    bubblewrap: Bubblewrap, organiser: Organiser
) -> None:
    async with (
        table(organiser) as (match_id, slow),
        still(bubblewrap, organiser, match_id, f"MATCH = {match_id!r}\n{LEAVES}") as bot,
    ):
        await slow.owes.wait()
        await bot.stands_still()
        used, allowed = await work_beside(bubblewrap, bot)
        assert used <= allowed + MAX_ALLOWANCE_SECONDS


@pytest.mark.exhaustive
async def test_whoever_has_a_second_answer_refused_gets_no_core_by_it(
    bubblewrap: Bubblewrap, organiser: Organiser
) -> None:
    async with (
        table(organiser) as (match_id, slow),
        still(bubblewrap, organiser, match_id, f"MATCH = {match_id!r}\n{REFUSED}") as bot,
    ):
        async with asyncio.timeout(PATIENCE):
            while b"StatusCode." not in bot.running.stdout:
                await slow.decides_once()
        await slow.owes.wait()
        await bot.stands_still()
        used, allowed = await work_beside(bubblewrap, bot)
        assert used <= allowed + MAX_ALLOWANCE_SECONDS


@pytest.mark.exhaustive
async def test_a_process_that_may_not_be_frozen_yet_is_not(bubblewrap: Bubblewrap, organiser: Organiser) -> None:
    """Before it is told of its match it owes nothing, and runs all the same."""
    async with table(organiser) as (match_id, slow):
        async with still(bubblewrap, organiser, match_id, "while True: pass") as bot:
            await until(lambda: bot.freezer.cpu() > 2 * MAX_ALLOWANCE_SECONDS, "work before the match")
            assert (bot.pondering.freezes, bot.freezer.frozen) == (0, False)
        assert not slow.owes.is_set()


@pytest.mark.exhaustive
async def test_the_end_of_its_match_wakes_a_bot_up_that_is_not_told_of_it(
    bubblewrap: Bubblewrap, organiser: Organiser
) -> None:
    async with table(organiser) as (match_id, slow), still(bubblewrap, organiser, match_id, BURNS) as bot:
        await slow.owes.wait()
        await bot.stands_still()
        bot.pondering.release()
        before = bot.freezer.cpu()
        await until(lambda: bot.freezer.cpu() > before + MAX_ALLOWANCE_SECONDS, "work after the match")
        assert not bot.freezer.frozen


@pytest.mark.exhaustive
async def test_whoever_is_silent_where_nothing_need_be_decided_gets_no_core_by_it_when_the_pause_is_over(
    bubblewrap: Bubblewrap, organiser: Organiser
) -> None:
    async with (
        table(organiser, slow_seat=0, **ASKED_FIRST) as (match_id, slow),
        still(bubblewrap, organiser, match_id, f"MATCH = {match_id!r}\n{DECLINES_BY_SILENCE}", seat=1) as bot,
    ):
        await slow.owes.wait()
        await bot.stands_still()
        await until(lambda: bot.running.stdout.split() == [b"optional"], "it was asked")
        used, allowed = await work_beside(bubblewrap, bot)
        assert used <= allowed + MAX_ALLOWANCE_SECONDS
