"""A bot that floods is slowed, then cut, and nobody else notices; a fast one that only answers is never slowed."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from fudaba.v1 import (
    catalog_pb2,
    catalog_pb2_grpc,
    errors_pb2,
    matches_pb2,
    matches_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
)
from fudaba_service.refusals import Refused
from fudaba_serving.grpc.credit import Credit, Pace
from fudaba_serving.grpc.hosts import client_of, host_of
from fudaba_serving.grpc.policy import policy_at
from fudaba_serving.grpc.rate_limit import Callers, Warnings
from tests.support.patience import PATIENCE
from tests.support.service.bots import CHANNEL, Bot, Stream, bearer, by_index, play_match, reason_of
from tests.support.service.organiser import QUICK, Entrant, Organiser, kinds, refused
from tests.support.service.rate_limits import Allowed, Counted, check_cut, limited, others_notice_nothing, retry_seconds
from tests.support.service.scraping import scrape
from tests.support.sizes import some

GARBAGE = play_pb2.PlayRequest(answer=play_pb2.Answer(match_id="m", decision_id="0.0", index=1))


def flood_stream(address: str, token: str) -> grpc.RpcError:
    """Sends answers to nothing as fast as it can, and reads what it is told. Yields how the stream ends.

    With gRPC's threads: a write to a stream that has ended loses grpc.aio its status.
    """
    over = threading.Event()

    def send() -> Iterator[play_pb2.PlayRequest]:
        yield play_pb2.PlayRequest(hello=play_pb2.Hello())
        while not over.is_set():
            yield GARBAGE

    with grpc.insecure_channel(address) as channel:
        try:
            for _ in play_pb2_grpc.PlayServiceStub(channel).Play(send(), metadata=bearer(token), timeout=PATIENCE):
                pass
        except grpc.RpcError as error:
            return error
        finally:
            over.set()
    raise AssertionError("the stream ended well")


@pytest.mark.exhaustive
async def test_a_bot_that_floods_its_stream_is_slowed_then_cut_and_nobody_else_notices(folder: Path) -> None:
    with limited(folder, "--messages-per-second", "5") as service:
        async with others_notice_nothing(service) as organiser:
            entrant = await organiser.entrant()
            began = time.monotonic()
            check_cut(await asyncio.to_thread(flood_stream, service.address, entrant.token))
            assert time.monotonic() - began > 10, "it is slowed before it is cut"
            # Coming back at once does not help.
            check_cut(await asyncio.to_thread(flood_stream, service.address, entrant.token))
        assert (await scrape(service))["fudaba_rate_limited_total{message}"] > 0
        # A busy machine may be worth other warnings.
        warnings = [line for line in service.log.splitlines() if "WARNING" in line and "sends too much" in line]
        assert [line for line in warnings if f"{entrant.name}/1 sends too much" in line] == warnings
        assert "have to wait" in warnings[0]
        assert "cut" in warnings[1]


@pytest.mark.exhaustive
async def test_calls_beyond_the_limit_wait_and_then_are_refused_and_nobody_else_notices(folder: Path) -> None:
    refusals: list[aio.AioRpcError] = []

    async def call(stub: Any, metadata: Any) -> None:
        try:
            await stub.GetMatch(matches_pb2.GetMatchRequest(match_id="m"), metadata=metadata)
        except aio.AioRpcError as error:
            if error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED:
                refusals.append(error)
            elif reason_of(error) not in {"MATCH_NOT_FOUND", "TOKEN_UNKNOWN"}:  # whatever the limit lets through
                raise

    with limited(folder, "--calls-per-second", "4") as service:
        async with others_notice_nothing(service) as organiser:
            entrant = await organiser.entrant()
            async with aio.insecure_channel(service.address, options=CHANNEL) as channel:
                stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
                for metadata in ((), bearer(entrant.token), bearer("wrong")):
                    refusals.clear()
                    while not refusals:
                        await asyncio.gather(*[call(stub, metadata) for _ in range(80)])
                    for error in refusals:
                        check_cut(error)
            # The organiser has no limits, and a bot has its own.
            await asyncio.gather(
                *[
                    organiser.catalog.ListGames(catalog_pb2.ListGamesRequest(), metadata=organiser.metadata)
                    for _ in range(80)
                ]
            )
        assert (await scrape(service))["fudaba_rate_limited_total{call}"] > 0
        for whose in (f"{entrant.name}/1", "127.0.0.1"):
            assert f"{whose} sends too much: its calls are refused" in service.log


async def test_streams_beyond_the_limit_are_refused_and_those_that_end_make_room(folder: Path) -> None:
    with limited(folder, "--concurrent-calls", "20") as service:
        async with others_notice_nothing(service) as organiser:
            pair = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(*pair)
            async with aio.insecure_channel(service.address, options=CHANNEL) as channel:
                stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
                request = matches_pb2.WatchMatchRequest(match_id=match_id)
                calls = [stub.WatchMatch(request) for _ in range(50)]
                answers = await asyncio.gather(*[call.read() for call in calls], return_exceptions=True)
                refused = [answer for answer in answers if isinstance(answer, aio.AioRpcError)]
                assert len(refused) == 30
                for error in refused:
                    check_cut(error)
                for call in calls:
                    call.cancel()

                async def room() -> bool:
                    watch = stub.WatchMatch(request)
                    try:
                        return isinstance(await watch.read(), matches_pb2.WatchMatchResponse)
                    except aio.AioRpcError:
                        await asyncio.sleep(0.05)
                        return False
                    finally:
                        watch.cancel()

                async with asyncio.timeout(PATIENCE):
                    while not await room():
                        pass
            # A bot with a token is not its host.
            await play_match(*organiser.by_chance(*pair))


@pytest.mark.exhaustive
async def test_connections_that_come_and_go_and_say_nothing_disturb_nobody(folder: Path) -> None:
    with limited(folder) as service:
        host, _, port = service.address.rpartition(":")
        async with others_notice_nothing(service):
            for _ in range(5):
                opened = await asyncio.gather(*[asyncio.open_connection(host, int(port)) for _ in range(150)])
                for number, (_, writer) in enumerate(opened):
                    if number % 3:
                        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0)))
                    writer.close()
                await asyncio.gather(*[writer.wait_closed() for _, writer in opened], return_exceptions=True)


@pytest.mark.nightly("answers by calls are paid for by their decisions below, and credit comes back with decisions")
async def test_a_fast_bot_with_100_matches_on_one_stream_is_never_slowed(folder: Path) -> None:
    # Of what is not paid for by decisions there is next to nothing here.
    with limited(folder, "--messages-per-second", "0.2", "--calls-per-second", "5") as service:
        async with Organiser(service.address, service.token) as organiser:
            pair = await organiser.entrant(), await organiser.entrant()
            matches = [await organiser.match(*pair, clock=QUICK) for _ in range(100)]
            await play_match(*[Bot(service.address, e.token, by_index) for e in pair], matches=100)
            for match_id in matches:
                assert set(kinds(await organiser.record(match_id))) == {"ready", "move"}
        assert (await scrape(service))["fudaba_rate_limited_total{message}"] == 0
        assert (await scrape(service))["fudaba_rate_limited_total{call}"] == 0


@pytest.mark.exhaustive
async def test_answers_by_calls_are_paid_for_by_their_decisions_and_repetitions_are_not(folder: Path) -> None:
    with limited(folder, "--calls-per-second", "2") as service:
        async with Organiser(service.address, service.token) as organiser:
            pair = await organiser.entrant(), await organiser.entrant()
            ids = [await organiser.match(*pair) for _ in range(4)]
            answered = [0, 0]

            async def play(seat: int, entrant: Entrant) -> None:
                for match_id in ids:
                    request = play_pb2.WatchSeatRequest(match_id=match_id)
                    call = organiser.play.WatchSeat(request, metadata=bearer(entrant.token))
                    async for response in call:
                        if response.update.HasField("decision"):
                            answer = play_pb2.Answer(
                                match_id=match_id, decision_id=response.update.decision.decision_id, index=0
                            )
                            await submit(entrant, answer)
                            answered[seat] += 1

            async def submit(entrant: Entrant, answer: play_pb2.Answer) -> None:
                request = play_pb2.SubmitMoveRequest(answer=answer)
                await organiser.play.SubmitMove(request, metadata=bearer(entrant.token))
                last[entrant.name] = answer

            last: dict[str, play_pb2.Answer] = {}
            await asyncio.gather(*[play(seat, entrant) for seat, entrant in enumerate(pair)])
            assert min(answered) > 20, "more than 20 calls at once are not allowed"
            assert (await scrape(service))["fudaba_rate_limited_total{call}"] == 0
            repeated = await asyncio.gather(
                *[submit(pair[0], last[pair[0].name]) for _ in range(300)], return_exceptions=True
            )
            refused = [error for error in repeated if isinstance(error, aio.AioRpcError)]
            assert {reason_of(error) for error in refused} >= {"TOO_FAST"}


async def test_a_long_request_costs_more_than_a_short_one(folder: Path) -> None:
    # Ten short calls may come at once; one comes back in a second.
    with limited(folder, "--calls-per-second", "1") as service:
        async with aio.insecure_channel(service.address, options=CHANNEL) as channel:
            stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
            long = matches_pb2.GetMatchRequest(match_id="x" * 8_500)
            await refused(stub.GetMatch(long), "MATCH_NOT_FOUND")
            with pytest.raises(aio.AioRpcError) as info:
                await stub.GetMatch(long)
            check_cut(info.value)
            assert 0 < retry_seconds(info.value) < 9  # less where this machine was slow to call again


@pytest.mark.nightly("credit without a limit is never owed, below")
async def test_without_limits_nothing_is_slowed(folder: Path) -> None:
    with limited(folder, "--messages-per-second", "0", "--calls-per-second", "0") as service:
        async with Organiser(service.address, service.token) as organiser:
            entrant = await organiser.entrant()
            async with aio.insecure_channel(service.address, options=CHANNEL) as channel:
                stub: Any = catalog_pb2_grpc.CatalogServiceStub(channel)
                for _ in range(some(5, least=2)):
                    await asyncio.gather(*[stub.ListGames(catalog_pb2.ListGamesRequest()) for _ in range(500)])
            async with Stream(service.address, entrant.token) as stream:
                await stream.hello()
                for _ in range(some(60, least=12)):
                    for _ in range(100):
                        await stream.send(answer=GARBAGE.answer)
                    for _ in range(100):
                        await stream.refusal()
        assert (await scrape(service))["fudaba_rate_limited_total{message}"] == 0


# --- the parts


class AllowedMore(Allowed):
    calls_per_second = 200.0


def test_a_host_is_an_address_or_the_network_of_one() -> None:
    assert host_of("ipv4:10.0.0.7:4242") == "10.0.0.7"
    assert host_of("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:99") == "2001:db8:1:2::/64"
    assert host_of("ipv6:[2001:db8:1:2::9]:99") == "2001:db8:1:2::/64"
    assert host_of("ipv6:%5Bfe80::1%25eth0%5D:99") == "fe80::/64"
    assert host_of("ipv6:[::ffff:10.0.0.7]:99") == "10.0.0.7"
    assert client_of([("fudaba-client-address", "::ffff:10.0.0.7")]) == "10.0.0.7"
    assert host_of("unix:") == "unix"
    assert host_of("unix:/run/x") == "unix"


@pytest.mark.exhaustive
def test_the_log_names_each_sender_once_in_a_while_and_not_all_of_many(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    warnings = Warnings()
    for number in range(100):
        warnings.warn(f"bot-{number}/1", "slowed")
    assert caplog.messages == ["bot-0/1 sends too much: slowed"]
    for second in range(120):
        now = 1001.0 + second
        warnings.warn("bot-0/1", "slowed")
    assert len(caplog.messages) == 3
    for number in range(20_000):
        now += 1.0
        warnings.warn(f"bot-{number}/1", "slowed")
    assert len(warnings._warned) == 10_000


def test_credit_comes_back_with_time_and_with_decisions_but_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    credit = Credit(10.0, 5.0)
    assert credit.left == credit.burst == 50
    for _ in range(200):
        credit.earn()
    assert credit.left >= 250, "200 answers may come at once, when 200 decisions were put"
    credit.refill()
    assert credit.left >= 250
    for _ in range(20_000):
        credit.earn()
    assert credit.left < 20_000
    credit.left = -20.0
    assert credit.refill() == 2.0
    now += 0.5
    assert credit.refill() == 1.5
    now += 100
    assert credit.refill() == 0
    assert credit.left == 50


async def test_credit_without_a_limit_is_never_owed_whatever_is_spent() -> None:
    credit = Credit(0.0, 5.0)
    for _ in range(3):
        credit.spend(1e9)
        assert not await credit.wait()


def test_a_token_that_is_known_pays_for_itself_and_everybody_else_as_their_host() -> None:
    callers = Callers(Allowed(), Counted())
    callers.know("Bearer a", "alice/1")
    callers.know("Bearer o", "")
    with contextlib.ExitStack() as stack:
        strangers = [stack.enter_context(callers.call(f"Bearer {n}", "10.0.0.1")) for n in range(3)]
        assert strangers[0] is strangers[1] is strangers[2] is not None
        with pytest.raises(Refused) as info:
            stack.enter_context(callers.call("", "10.0.0.1"))
        assert info.value.reason == errors_pb2.REASON_TOO_FAST
        assert stack.enter_context(callers.call("Bearer a", "10.0.0.1")) not in {None, strangers[0]}
        for _ in range(10):
            assert stack.enter_context(callers.call("Bearer o", "10.0.0.1")) is None
    with callers.call("", "10.0.0.1") as again:
        assert again is not None
        assert again is strangers[0]
        assert again.at_once == 1


def test_at_a_pace_some_come_at_once_and_the_others_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    pace = Pace(10.0, 3.0)
    assert [pace.turn() for _ in range(5)] == pytest.approx([0, 0, 0, 0.1, 0.2])
    assert pace.turn(4.0) == pytest.approx(0.6), "a dear one takes the turns of several"
    now += 0.6
    assert pace.turn() == pytest.approx(0.1)
    now += 100
    assert [pace.turn() for _ in range(4)] == pytest.approx([0, 0, 0, 0.1])
    free = Pace(0.0, 1.0)
    assert {free.turn() for _ in range(100)} == {0}


async def test_a_burst_of_calls_comes_at_a_pace_but_for_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("fudaba_serving.grpc.rate_limit.asyncio.sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    counted = Counted()
    callers = Callers(AllowedMore(), counted)
    with callers.call("", "10.0.0.1") as caller:
        assert caller is not None
        for _ in range(500):
            await callers.pay(caller, "/fudaba.v1.PlayService/SubmitMove", 0, base_cost=1.0)
        assert not slept
        for _ in range(100):
            await callers.pay(caller, "/fudaba.v1.CatalogService/ListGames", 0, base_cost=1.0)
    assert 50 < len(slept) < 100
    assert slept == sorted(slept)
    assert slept[-1] < 2
    assert caller.credit.left > 0, "none of them was too much"


async def test_a_call_for_many_matches_costs_as_much_as_so_many_calls() -> None:
    method = "/fudaba.v1.MatchService/CreateMatches"
    cost = policy_at(method).base_cost
    callers = Callers(AllowedMore(), Counted())
    with callers.call("", "10.0.0.1") as caller:
        assert caller is not None
        burst = caller.credit.left
        await callers.pay(caller, method, 0, 5, base_cost=cost)
        each = (burst - caller.credit.left) / 5
        assert each > 1
        await callers.pay(caller, method, 0, 0, base_cost=cost)
        assert caller.credit.left == burst - 6 * each, "one with none is a call, too"
    with callers.call("", "10.0.0.2") as caller:
        assert caller is not None
        await callers.pay(caller, method, 0, int(burst) + 30, base_cost=cost)
        assert caller.credit.left == burst - each * (int(burst) + 30), "what is more than can be put by is owed"


def test_what_is_kept_of_callers_is_bounded() -> None:
    callers = Callers(Allowed(), Counted())
    for number in range(10_500):
        callers.know(f"Bearer {number}", f"bot-{number}/1")
        callers.messages(f"bot-{number}/1")
        with callers.call("", f"10.{number >> 8}.{number & 255}.1"):
            pass
    for kept in (callers._owners, callers._messages, callers._callers):
        assert len(kept) == 10_000
