"""What bots may send wrongly: answers, beginnings of streams, bytes that are not a message. Nothing changes by it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from fudaba._channel import service_error
from fudaba._play_options import PlayOptions
from fudaba._stream import play
from fudaba.bot import Bot, Decision
from fudaba.errors import ServiceError
from fudaba.v1 import game_pb2, matches_pb2, naga_pb2, namto_pb2, play_pb2, play_pb2_grpc, record_pb2
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import Stream, bearer, messages, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import (
    PATIENT,
    Entrant,
    Organiser,
    StoreView,
    check_refusal,
    nothing_changes,
    refused,
)
from tests.support.service.processes import Service
from tests.support.sizes import exhaustive


@contextlib.asynccontextmanager
async def asked(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> AsyncIterator[tuple[str, Stream, play_pb2.Decision]]:
    """Yields a match in which seat 1 has a stream and owes its first designation."""
    match_id = await organiser.match(*pair, clock=PATIENT)
    async with Stream(organiser.address, pair[0].token) as waits, Stream(organiser.address, pair[1].token) as stream:
        await waits.hello()
        await stream.hello()
        yield match_id, stream, (await stream.decision()).decision


def naga(**move: Any) -> game_pb2.Move:
    return game_pb2.Move(naga=naga_pb2.NagaMove(**move))


BAD_ANSWERS: list[tuple[dict[str, Any], str, str, str]] = [
    ({}, "MALFORMED_MOVE", "set move, text or index", ""),
    ({"index": 6}, "MALFORMED_MOVE", "6 legal moves", ""),
    ({"index": 2**32 - 1}, "MALFORMED_MOVE", "6 legal moves", ""),
    ({"text": ""}, "MALFORMED_MOVE", "designate", ""),
    ({"text": "castle"}, "MALFORMED_MOVE", "designate", ""),
    ({"text": "designate"}, "MALFORMED_MOVE", "one place", ""),
    ({"text": "designate 8"}, "MALFORMED_MOVE", "one place", ""),
    ({"text": "commit Z9"}, "MALFORMED_MOVE", "Z9", ""),
    ({"text": "designate 1 " + "x" * 10_000}, "MALFORMED_MOVE", "one place", ""),
    ({"move": game_pb2.Move()}, "MALFORMED_MOVE", "Move.game", ""),
    ({"move": naga()}, "MALFORMED_MOVE", "designate or commit", ""),
    ({"move": naga(designate=naga_pb2.NagaDesignate())}, "MALFORMED_MOVE", "1 to 7", ""),
    ({"move": naga(designate=naga_pb2.NagaDesignate(place=8))}, "MALFORMED_MOVE", "1 to 7", ""),  # type: ignore[arg-type]
    ({"move": naga(commit=naga_pb2.NagaCommit(cards=[99]))}, "MALFORMED_MOVE", "99 is not a NagaCard", ""),  # type: ignore[list-item]
    ({"move": naga(commit=naga_pb2.NagaCommit(cards=[0]))}, "MALFORMED_MOVE", "0 is not a NagaCard", ""),  # type: ignore[list-item]
    ({"move": naga(commit=naga_pb2.NagaCommit(cards=[1, 1]))}, "MALFORMED_MOVE", "twice", ""),  # type: ignore[list-item]
    (
        {"move": game_pb2.Move(namto=namto_pb2.NamtoMove(fold=namto_pb2.NamtoFold()))},
        "MALFORMED_MOVE",
        "the match is of naga, and this is a move of namto",
        "",
    ),
    ({"text": "designate 4"}, "ILLEGAL_MOVE", "", "rule"),
    ({"text": "commit D1 D2 D3"}, "ILLEGAL_MOVE", "", "rule"),
    ({"move": naga(designate=naga_pb2.NagaDesignate(place=naga_pb2.NAGA_PLACE_ELTAM))}, "ILLEGAL_MOVE", "", "rule"),
]


async def test_answers_that_are_no_legal_moves_are_refused_on_the_stream_and_in_calls(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    async with asked(organiser, pair) as (match_id, stream, decision):
        for choice, reason, words, rule in BAD_ANSWERS:
            log = store.log(match_id)
            await stream.answer(match_id, decision.decision_id, **choice)
            refusal = await stream.refusal()
            assert (refusal.match_id, refusal.decision_id) == (match_id, decision.decision_id)
            assert (refusal.reason, refusal.still_open) == (reason, True)
            assert words in refusal.message
            assert bool(refusal.rule) == bool(rule)
            answer = play_pb2.Answer(match_id=match_id, decision_id=decision.decision_id, **choice)
            call = organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=bearer(pair[1].token))
            assert await refused(call, reason, words) == refusal.message
            # Only the count of illegal answers has changed.
            added = [record_pb2.LogEntry.FromString(raw) for raw in store.log(match_id)[len(log) :]]
            assert [e.WhichOneof("what") for e in added] == ["illegal", "illegal"]
        await stream.answer(match_id, decision.decision_id, move=decision.legal_moves[0])
        assert (await stream.decision()).decision.legal_count == 10


async def test_answers_to_what_was_never_asked_are_refused_without_a_trace(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    async with asked(organiser, pair) as (match_id, stream, decision):
        stranger = await organiser.entrant()
        others = await organiser.match(stranger, await organiser.entrant(), clock=PATIENT)
        bot = bearer(pair[1].token)
        with nothing_changes(store):
            for where, asked_id, reason in (
                (match_id, "0.0", "NOT_YOUR_DECISION"),
                (match_id, "1.1", "NOT_YOUR_DECISION"),
                (match_id, "", "NOT_YOUR_DECISION"),
                (match_id, "x" * 10_000, "NOT_YOUR_DECISION"),
                (others, decision.decision_id, "NOT_YOUR_MATCH"),
            ):
                await stream.answer(where, asked_id, index=0)
                refusal = await stream.refusal()
                assert (refusal.reason, refusal.still_open) == (reason, False)
                answer = play_pb2.Answer(match_id=where, decision_id=asked_id, index=0)
                await refused(
                    organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=bot), reason
                )
            for where in ("", "unknown", "\0", "x" * 10_000):
                await stream.answer(where, "0.0", index=0)
                assert (await stream.refusal()).reason == "NOT_YOUR_MATCH"
                await stream.send(resign=play_pb2.Resign(match_id=where))
                assert (await stream.refusal()).reason == "NOT_YOUR_MATCH"
            watch = organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=others), metadata=bot)
            await refused(watch.read(), "NOT_YOUR_MATCH", "no seat")
            # Out of turn: seat 0 owes nothing.
            answer = play_pb2.Answer(match_id=match_id, decision_id="0.0", index=0)
            call = organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=bearer(pair[0].token))
            await refused(call, "NOT_YOUR_DECISION", "never asked")
        await stream.answer(match_id, decision.decision_id, index=0)
        assert (await stream.decision()).decision.legal_count == 10


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ({}, "first message of Play must be hello"),
        ({"answer": play_pb2.Answer(match_id="m")}, "first message of Play must be hello"),
        ({"pong": play_pb2.Pong(id=1)}, "first message of Play must be hello"),
        ({"hello": play_pb2.Hello(delivery=play_pb2.Delivery(legal_moves=17))}, "LegalMoveFormat"),  # type: ignore[arg-type]
        ({"hello": play_pb2.Hello(delivery=play_pb2.Delivery(events=-1))}, "EventDelivery"),  # type: ignore[arg-type]
        ({"hello": play_pb2.Hello(process="a b", attempt=1)}, "hello.process is 'a b'"),
        ({"hello": play_pb2.Hello(process="a" * 41, attempt=1)}, "1 to 40 letters "),
        ({"hello": play_pb2.Hello(process="a")}, "hello.attempt 0"),
        ({"hello": play_pb2.Hello(attempt=7)}, "or neither"),
    ],
    ids=str,
)
async def test_a_stream_that_begins_wrongly_is_ended(organiser: Organiser, first: dict[str, Any], words: str) -> None:
    entrant = await organiser.entrant()
    async with Stream(organiser.address, entrant.token) as stream:
        await stream.send(**first)
        check_refusal(await stream.ending(), "MALFORMED", words)


async def test_a_second_hello_ends_the_stream_and_an_unset_message_does_not(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    async with asked(organiser, pair) as (_, stream, _):
        stream.pongs = False
        await stream.send()
        assert (await stream.refusal()).reason == "MALFORMED"
        await stream.send(pong=play_pb2.Pong(id=2**64 - 1))
        await stream.send(hello=play_pb2.Hello())
        check_refusal(await stream.ending(), "MALFORMED", "only once")


async def test_watching_a_seat_with_an_unknown_delivery_is_refused(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair, clock=PATIENT)
    with nothing_changes(store):
        for delivery in (play_pb2.Delivery(events=9), play_pb2.Delivery(legal_moves=9)):  # type: ignore[arg-type]
            request = play_pb2.WatchSeatRequest(match_id=match_id, delivery=delivery)
            watch = organiser.play.WatchSeat(request, metadata=bearer(pair[0].token))
            await refused(watch.read(), "MALFORMED", "see the enum")


# --- below the messages


UNARY = [
    ("CatalogService", "GetGame"),
    ("BotService", "CreateBot"),
    ("BotService", "GetBot"),
    ("MatchService", "CreateMatch"),
    ("MatchService", "CreateMatches"),
    ("MatchService", "VerifyRecord"),
    ("PlayService", "SubmitMove"),
]


@pytest.mark.parametrize(("service_name", "method"), UNARY)
async def test_bytes_that_are_no_message_are_malformed(
    organiser: Organiser, store: StoreView, service_name: str, method: str
) -> None:
    call: Any = organiser.channel.unary_unary(f"/fudaba.v1.{service_name}/{method}")
    with nothing_changes(store):
        for raw in (b"\xff", b"\x0a\xff\xff\xff\xff", b"\x0a\x02\xc3\x28", b"\x0a\x05abc"):
            await refused(call(raw, metadata=organiser.metadata), "MALFORMED", "cannot be read")


async def test_bytes_that_are_no_message_on_a_stream_are_refused_and_the_stream_goes_on(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair, clock=PATIENT)
    call: Any = organiser.channel.stream_stream(
        "/fudaba.v1.PlayService/Play", response_deserializer=play_pb2.PlayResponse.FromString
    )(metadata=bearer(pair[0].token))
    await call.write(play_pb2.PlayRequest(hello=play_pb2.Hello()).SerializeToString())
    await call.write(b"\xff\xff")
    found: set[str] = set()
    async for message in messages(call):
        found.add(str(message.WhichOneof("message")))
        if message.HasField("refusal"):
            assert message.refusal.reason == "MALFORMED"
            assert "cannot be read" in message.refusal.message
            break
    await call.write(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id)).SerializeToString())
    async for message in messages(call):
        if message.HasField("refusal"):
            assert message.refusal.match_id == match_id
            break
    call.cancel()
    watch: Any = organiser.channel.unary_stream("/fudaba.v1.MatchService/WatchMatch")
    await refused(watch(b"\xff").read(), "MALFORMED", "cannot be read")


async def test_messages_that_are_too_large_are_refused_by_their_size(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    big = "x" * 1_100_000
    with nothing_changes(store):
        request = matches_pb2.CreateMatchRequest(label=big)
        call = organiser.matches.CreateMatch(request, metadata=organiser.metadata)
        await refused(call, "MESSAGE_TOO_LARGE", f"{request.ByteSize()} bytes", "at most 1048576")
    async with asked(organiser, pair) as (match_id, stream, decision):
        log = store.log(match_id)
        with nothing_changes(store):
            await stream.answer(match_id, decision.decision_id, text=big)
            refusal = await stream.refusal()
        assert (refusal.match_id, refusal.decision_id) == (match_id, decision.decision_id)
        assert (refusal.reason, refusal.code, refusal.still_open) == ("MESSAGE_TOO_LARGE", 3, True)
        answer = play_pb2.Answer(match_id=match_id, decision_id=decision.decision_id, text=big)
        call = organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=bearer(pair[1].token))
        await refused(call, "MESSAGE_TOO_LARGE")
        assert store.log(match_id) == log, "it does not count as illegal"
        await stream.answer(match_id, decision.decision_id, index=0)
        assert (await stream.decision()).decision.legal_count == 10, "the stream has gone on"
    async with Stream(organiser.address, pair[0].token) as introduced:
        await introduced.send(hello=play_pb2.Hello(client=big))
        check_refusal(await introduced.ending(), "MESSAGE_TOO_LARGE")


async def test_what_is_far_too_large_is_refused_by_grpc_itself_without_a_reason(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    huge = "x" * 2_200_000
    with nothing_changes(store):
        with pytest.raises(aio.AioRpcError) as info:
            await organiser.matches.CreateMatch(matches_pb2.CreateMatchRequest(label=huge), metadata=organiser.metadata)
        assert final_for_its_size(info.value)
    async with asked(organiser, pair) as (match_id, stream, decision):
        stream.pongs = False
        log = store.log(match_id)
        answer = play_pb2.Answer(match_id=match_id, decision_id=decision.decision_id, text=huge)
        ending = await asyncio.to_thread(last_words, organiser.address, pair[1].token, answer)
        assert final_for_its_size(ending)
        check_refusal(await stream.ending(), "SUPERSEDED")
        async with Stream(organiser.address, pair[1].token) as again:
            await again.hello()
            assert (await again.decision()).decision.decision_id == decision.decision_id
        assert store.log(match_id) == log


class Verbose(Bot):
    """Answers with far more than a message may have."""

    def choose(self, decision: Decision) -> str:
        return "x" * 2_200_000


async def test_the_kit_gives_up_on_an_answer_that_is_far_too_large(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    await organiser.match(*pair, clock=PATIENT)
    async with Stream(organiser.address, pair[0].token) as waits:
        await waits.hello()
        options = PlayOptions(address=organiser.address, token=pair[1].token)
        with pytest.raises(ServiceError) as info:
            await asyncio.wait_for(play(Verbose, options), PATIENCE)
    assert (info.value.code, info.value.reason) == ("RESOURCE_EXHAUSTED", "")


def final_for_its_size(error: grpc.RpcError) -> bool:
    """Returns whether an error is gRPC's own about a message's size, and the kit takes it as final."""
    found = service_error(error)
    assert "larger than max" in found.message
    return (found.code, found.reason, found.retryable) == ("RESOURCE_EXHAUSTED", "", False)


def last_words(address: str, token: str, answer: play_pb2.Answer) -> grpc.RpcError:
    """Returns how a stream ends on which this is answered.

    With gRPC's threads: a write to a stream that has ended loses grpc.aio its status.
    """
    said = iter([play_pb2.PlayRequest(hello=play_pb2.Hello()), play_pb2.PlayRequest(answer=answer)])
    with grpc.insecure_channel(address) as channel:
        try:
            for _ in play_pb2_grpc.PlayServiceStub(channel).Play(said, metadata=bearer(token), timeout=PATIENCE):
                pass
        except grpc.RpcError as error:
            return error
    raise AssertionError("the stream ended well")


async def test_methods_that_do_not_exist_are_unimplemented(organiser: Organiser) -> None:
    for method in ("/fudaba.v1.PlayService/Cheat", "/fudaba.v9.PlayService/Play", "/x/y"):
        call: Any = organiser.channel.unary_unary(method)
        with pytest.raises(aio.AioRpcError) as info:
            await call(b"")
        assert info.value.code() == grpc.StatusCode.UNIMPLEMENTED


async def test_unknown_fields_are_ignored(organiser: Organiser) -> None:
    call: Any = organiser.channel.unary_unary("/fudaba.v1.CatalogService/ListGames")
    assert await call(b"\xba\x3e\x03abc")


def deaf_stream(address: str, token: str, may_read: threading.Event) -> grpc.RpcError:
    """Sends as fast as it can, and reads nothing before it is told to. Yields how the stream ends.

    With gRPC's threads: a write to a stream that has ended loses grpc.aio its status.
    """
    over = threading.Event()

    def send() -> Iterator[play_pb2.PlayRequest]:
        yield play_pb2.PlayRequest(hello=play_pb2.Hello())
        while not over.is_set():
            yield play_pb2.PlayRequest(answer=play_pb2.Answer(match_id="x" * 80, decision_id="y" * 80))

    # What its own gRPC reads ahead is no part of what waits for it.
    little = (("grpc.http2.lookahead_bytes", 1_024), ("grpc.http2.bdp_probe", 0))
    with grpc.insecure_channel(address, options=little) as channel:
        try:
            call = play_pb2_grpc.PlayServiceStub(channel).Play(send(), metadata=bearer(token), timeout=PATIENCE)
            may_read.wait()
            for _ in call:
                pass
        except grpc.RpcError as error:
            return error
        finally:
            over.set()
    raise AssertionError("the stream ended well")


SMALL_OUTBOX = "" if exhaustive() else "import fudaba_service.api.stream as stream; stream._MAX_OUTBOX_MESSAGES = 2_000"


@pytest.mark.exhaustive
async def test_a_stream_that_does_not_read_is_ended_with_a_warning_and_loses_nothing(folder: Path) -> None:
    # With limits a bot that floods is cut long before so much waits for it.
    with Service(folder, "--messages-per-second", "0") as service:
        service.start(first=SMALL_OUTBOX)
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant("deaf"), await organiser.entrant()
            match_id = await organiser.match(entrant, other, clock=PATIENT)
            finished = threading.Event()
            stream = asyncio.ensure_future(asyncio.to_thread(deaf_stream, service.address, entrant.token, finished))
            warning = f"WARNING fudaba_service.api.stream: {entrant.name}/1 does not read its stream"
            try:
                await until(lambda: warning in service.log, "the end of the stream")
            finally:
                finished.set()
            check_refusal(await stream, "NOT_READING", "connect again")
            assert service.log.count(warning) == 1
            await play_match(*organiser.by_chance(entrant, other))
            await organiser.record(match_id)
        assert service.terminate() == 0
        assert_no_fault(service)
