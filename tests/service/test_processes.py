"""`fudaba serve --processes 2`: two processes that are one service to everybody."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from fudaba.v1 import play_pb2
from fudaba_service.accounts.tokens import Tokens
from fudaba_service.processes import several
from fudaba_service.settings import Settings
from fudaba_service.startup.tokens import NewTokens, make_tokens
from tests.support.faults.checker import check_nothing_lost
from tests.support.faults.fleet import fleet_in_progress
from tests.support.faults.scale import SCALE
from tests.support.folders import short_folder
from tests.support.patience import until, wait_until
from tests.support.service.bots import Stream
from tests.support.service.descendants import alive, descendants
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Entrant, Organiser, check_refusal, kinds
from tests.support.service.processes import Service, free_port
from tests.support.service.watched_metrics import Watched, store_pid

BARE = play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT)


def two(folder: Path, *options: str) -> Watched:
    """Not started yet."""
    return Watched(folder, "--processes", "2", *options)


@pytest.fixture(scope="module")
def shared() -> Iterator[Watched]:
    """Yields one for tests that leave its processes alone."""
    with short_folder() as folder:
        watched = two(folder)
        with watched.service as service:
            service.start()
            yield watched
            assert service.terminate() == 0, service.log
            assert_no_fault(service)


def process(service: Service, number: int) -> int:
    """Returns the process id of one of them; 0 while it does not run."""
    for pid in descendants(service.pid):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # gone
        if words[-3:-1] == [b"fudaba_service.processes.replica", str(number).encode()]:
            return pid
    return 0


def serves_again(service: Service, starts: int) -> bool:
    """Returns whether the first of them has served after more than this many starts."""
    return service.log.count("process 1 serves") > starts


def connections(service: Service, number: int) -> set[int]:
    """Returns the connections of callers that one of the processes has, each by the caller's port."""
    port, open_files, found = int(service.address.rpartition(":")[2]), set(), set()
    for place in Path(f"/proc/{process(service, number)}/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            open_files.add(str(place.readlink()))
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            established = words[3] == "01" and int(words[1].rpartition(":")[2], 16) == port
            if established and f"socket:[{words[9]}]" in open_files:
                found.add(int(words[2].rpartition(":")[2], 16))
    return found


@asynccontextmanager
async def stream_at(service: Service, number: int, bot: Entrant) -> AsyncIterator[Stream]:
    """Yields a stream to one of the processes. The kernel chooses, so it may take several tries.

    If another connection comes beside it, nobody knows which is the stream's, and there is another try.
    """
    while True:
        before = {each: connections(service, each) for each in (1, 2)}
        async with Stream(service.address, bot.token) as stream:
            await stream.hello(delivery=BARE)
            new = {each: connections(service, each) - known for each, known in before.items()}
            if len(new[number]) == sum(map(len, new.values())) == 1:
                yield stream
                return


async def play(stream: Stream) -> None:
    """Plays the first legal move at each decision, to the end of a match."""
    while True:
        update = await stream.update()
        if update.HasField("over"):
            return
        if update.HasField("decision"):
            await stream.answer(update.match_id, update.decision.decision_id, index=0)


@pytest.mark.exhaustive
async def test_a_match_between_bots_on_different_processes_is_played_to_its_end_and_counted_once(
    shared: Watched,
) -> None:
    service, before = shared.service, await asyncio.to_thread(shared.samples)
    async with Organiser(service.address, service.token) as organiser:
        entrant, other = await organiser.entrant(), await organiser.entrant()
        async with stream_at(service, 1, entrant) as first, stream_at(service, 2, other) as second:
            match_id = await organiser.match(entrant, other)
            # Those of tries that came to the wrong process may still be on their way out.
            await until(lambda: shared.value("fudaba_streams,play") == 2, "two streams")
            await asyncio.gather(play(first), play(second))
        moves = kinds(await organiser.record(match_id)).count("move")
    assert moves > 2
    ended = "fudaba_matches_ended_total,finished,naga"  # counted when the record is kept, after bots are told
    await asyncio.to_thread(wait_until, lambda: shared.samples()[ended] > before[ended], "the end is counted")
    # Who stored a move may be told so later than the process that heard of it and has kept the record.
    decisions = "fudaba_decisions_total,naga"
    await asyncio.to_thread(wait_until, lambda: shared.samples()[decisions] >= before[decisions] + moves, "all moves")
    after = await asyncio.to_thread(shared.samples)

    def more(name: str) -> float:
        return after[name] - before[name]

    assert more("fudaba_matches_created_total,naga") == 1
    assert more(ended) == 1
    assert more(decisions) == moves
    assert more("fudaba_decision_seconds_count,naga") == more("fudaba_decision_seconds_bucket,naga,+Inf") == moves


def test_the_page_tells_processes_apart_where_a_sum_says_nothing(shared: Watched) -> None:
    samples = shared.samples()
    pids = [shared.service.pid, process(shared.service, 1), process(shared.service, 2)]
    for number, pid in enumerate(pids):
        resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        assert abs(samples[f"process_resident_memory_bytes,{number}"] / resident - 1) < 0.5
    assert {name for name in samples if name.startswith("fudaba_event_loop_lag_seconds_total")} == {
        f"fudaba_event_loop_lag_seconds_total,{number}" for number in (1, 2)
    }
    disk = os.statvfs(shared.service.data)
    assert samples["fudaba_data_size_bytes"] == disk.f_blocks * disk.f_frsize
    assert [value for name, value in samples.items() if name.startswith("fudaba_build_info")] == [1]


def test_token_and_readiness_are_told_once_and_only_when_all_serve(shared: Watched) -> None:
    log = shared.service.log
    assert log.count("organiser token (shown this once): ") == 1
    assert log.count("fudaba serves on ") == 1
    for number in (1, 2):
        assert log.index(f"process {number} serves") < log.index("fudaba serves on ")


def test_nobody_else_gets_the_port_not_even_another_service_of_several_processes(shared: Watched) -> None:
    address = shared.service.address
    with short_folder() as folder:
        for count in ("1", "2"):
            with Service(folder, "--processes", count, listen=address) as other:
                said = other.refuses_to_start()
                assert f"cannot listen on {address}: the address is in use" in said
                assert "token" not in said
    with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))):
        pass


@pytest.mark.exhaustive
async def test_one_that_is_killed_is_started_again_no_match_is_lost_and_then_all_drain(folder: Path) -> None:
    watched = two(folder, "--grace", "100")
    with watched.service as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            # Of one game: what is lost with a process is the same for all, and another one has more seats.
            async with fleet_in_progress(organiser, [service.address], SCALE.matches, games=["naga"]) as fleet:
                created = (await asyncio.to_thread(watched.samples))["fudaba_matches_created_total,naga"]
                for starts in range(1, SCALE.rounds + 1):
                    killed = process(service, 1)
                    assert killed
                    os.kill(killed, signal.SIGKILL)
                    await fleet.goes_on()
                    await until(partial(serves_again, service, starts), "the process is back")
                assert "process 1 | ended with signal SIGKILL; it is started again in 0.5 s" in service.log
                await check_nothing_lost(fleet, service.data / "archive")
            # What the killed one had counted still counts.
            samples = await asyncio.to_thread(watched.samples)
            assert samples["fudaba_matches_created_total,naga"] == created
            assert {f"process_open_fds,{number}" for number in range(3)} <= samples.keys()

            entrant, other = await organiser.entrant(), await organiser.entrant()
            async with stream_at(service, 1, entrant) as first, stream_at(service, 2, other) as second:
                first.pongs = second.pongs = False
                children = descendants(service.pid)
                assert len(children) >= 3
                status = asyncio.create_task(asyncio.to_thread(service.terminate))
                for stream in (first, second):
                    check_refusal(await stream.ending(), "SHUTTING_DOWN", "connect again")
                assert await status == 0
        assert not any(map(alive, children))
        assert_no_fault(service)
        assert service.log.rstrip().endswith("stopping")


@pytest.mark.exhaustive
def test_a_second_signal_ends_those_that_do_not_stop(folder: Path) -> None:
    watched = two(folder, "--grace", "1000", "--hung-after", "0")
    with watched.service as service:
        service.start()
        children, before = descendants(service.pid), watched.samples()
        os.kill(process(service, 2), signal.SIGSTOP)
        assert watched.samples().keys() == before.keys()  # also of the one that does not answer
        service.signal(signal.SIGTERM)
        wait_until(lambda: not process(service, 1), "the other one has stopped")
        assert process(service, 2)
        service.signal(signal.SIGINT)
        assert service.wait() == 0
        assert not any(map(alive, children))


@pytest.mark.exhaustive
def test_a_process_that_hangs_is_told_ended_and_started_again(folder: Path) -> None:
    with two(folder, "--hung-after", "8").service as service:
        service.start()
        hung = process(service, 2)
        os.kill(hung, signal.SIGSTOP)
        wait_until(lambda: process(service, 2) not in {0, hung}, "the process is back")
        assert "process 2 | hangs: its event loop has been silent for 8 s; where its threads are:" in service.log
        assert "process 2 | ended with signal SIGKILL; it is started again in 0.5 s" in service.log
        assert "process 1 | hangs" not in service.log
        assert service.terminate() == 0


@pytest.mark.exhaustive
def test_when_the_supervisor_is_killed_nothing_is_left_and_a_killed_store_comes_back(folder: Path) -> None:
    # With `everysec` a store may hold back for two seconds what it has acknowledged: the organiser's token.
    with two(folder, "--appendfsync", "always").service as service:
        service.start()
        store = store_pid(service)
        os.kill(store, signal.SIGKILL)
        wait_until(lambda: "the embedded store died; starting it again" in service.log, "the message")
        wait_until(lambda: len(set(descendants(service.pid)) - {store}) >= 3, "the store is back")
        children = descendants(service.pid)
        service.kill()
        wait_until(lambda: not any(map(alive, children)), "the end of all")
        first = service.token
        service.start()
        assert service.token == first
        assert "shown this once" not in service.log


@pytest.mark.exhaustive
def test_connections_are_spread_over_all_processes(shared: Watched) -> None:
    port = int(shared.service.address.rpartition(":")[2])
    callers = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
    ours = {connection.getsockname()[1] for connection in callers}
    try:

        def spread() -> bool:
            found = [ours & connections(shared.service, number) for number in (1, 2)]
            return set().union(*found) == ours and all(found)  # all on one: once in 2^59 times

        wait_until(spread, "all are accepted")
    finally:
        for caller in callers:
            caller.close()


@pytest.mark.exhaustive
def test_one_that_ends_before_it_has_served_ends_the_start_and_leaves_nothing(folder: Path) -> None:
    # Python runs this as it starts.
    (folder / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if sys.orig_argv[-2:] == ['fudaba_service.processes.replica', '2']:\n"
        "    print('broken', flush=True)\n"
        "    os._exit(7)\n"
    )
    with two(folder).service as service:
        service.try_start(environment={"PYTHONPATH": str(folder)}, first="pass")
        assert service.wait() == 1
        assert "process 2 | broken" in service.log
        assert "error: process 2 of the service ended before serving" in service.log
        assert_no_fault(service)
        # Nobody is left who has the port or the folder, and no token was made that nobody has seen.
        assert service.start().token


@pytest.mark.exhaustive
def test_one_that_is_killed_before_it_has_first_served_is_started_again_and_the_service_starts(folder: Path) -> None:
    died = folder / "died"
    # Python runs this as it starts.
    (folder / "sitecustomize.py").write_text(
        "import os, pathlib, sys\n"
        f"died = pathlib.Path({str(died)!r})\n"
        "if sys.orig_argv[-2:] == ['fudaba_service.processes.replica', '2'] and not died.exists():\n"
        "    died.touch()\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    with two(folder).service as service:
        service.start(environment={"PYTHONPATH": str(folder)}, first="pass")
        assert died.exists()
        assert "process 2 | ended with signal" in service.log
        assert service.terminate() == 0, service.log
        assert_no_fault(service)


@pytest.mark.exhaustive
def test_it_may_be_stopped_while_one_of_them_waits_at_its_start(folder: Path) -> None:
    waits = folder / "waits"
    # Python runs this as it starts.
    (folder / "sitecustomize.py").write_text(
        "import pathlib, sys, time\n"
        "if sys.orig_argv[-2:] == ['fudaba_service.processes.replica', '2']:\n"
        f"    pathlib.Path({str(waits)!r}).touch()\n"
        "    time.sleep(3600)\n"
    )
    with two(folder).service as service:
        service.try_start(environment={"PYTHONPATH": str(folder)}, first="pass")
        wait_until(waits.exists, "process 2 waits")
        assert service.terminate() == 0, service.log
        assert_no_fault(service)
        assert "token" not in service.log
        assert service.start().token


def test_what_cannot_start_is_told_once_and_leaves_nothing(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        with Service(folder, "--processes", "2", "--metrics", where, listen=f"127.0.0.1:{free_port()}") as service:
            said = service.refuses_to_start()
    assert f"cannot serve metrics on {where}: the port is in use" in said
    assert "token" not in said


@pytest.mark.exhaustive
async def test_who_stops_it_as_it_makes_its_first_token_gets_that_token(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = asyncio.Event()

    async def make(settings: Settings, tokens: Tokens) -> NewTokens:
        made = await make_tokens(settings, tokens)
        stopped.set()
        return made

    monkeypatch.setattr(f"{several.__name__}.make_tokens", make)
    settings = Settings(data=folder / "data", listen=f"127.0.0.1:{free_port()}", processes=2)
    async with several.serve_several(settings, stopped, asyncio.Event()) as running:
        assert running.made.organiser
