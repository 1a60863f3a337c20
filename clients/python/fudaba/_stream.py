"""Plays a bot on a service: one stream, any number of matches, until stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Final, NoReturn, final

import grpc
import grpc.aio

from fudaba._backoff import delays
from fudaba._channel import service_error
from fudaba._match_seat import BotRun, RunTally, Seat
from fudaba._outgoing import take
from fudaba._play_options import PlayOptions, options_from_environment
from fudaba._reports import BOT_ERRORS, report_exception
from fudaba._stream_end import error_of_end, is_fatal
from fudaba._threads import ThreadPool
from fudaba.answers import game_codec
from fudaba.bot import BotFactory
from fudaba.errors import FudabaError, ServiceError
from fudaba.safe_text import safe_line
from fudaba.v1 import matches_pb2, matches_pb2_grpc, play_pb2, play_pb2_grpc
from fudaba_games.game import GameError

if TYPE_CHECKING:  # not generic at run time
    _Call = grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse]

__all__ = ["RunTally", "play", "run"]

log: Final = logging.getLogger("fudaba")

_DELAYS: Final = partial(delays, first=0.2, longest=15.0, growth=1.7)
_NOTICE_INTERVAL_SECONDS: Final = 60.0
_FLUSH_TIMEOUT_SECONDS: Final = 1.0
_CALL_TIMEOUT_SECONDS: Final = 10.0
_MAX_ENDED_MATCHES: Final = 1_000
_BATCH_SECONDS: Final = 0.005
"""The time for which bots think about a batch before their answers are sent."""
# gRPC's words when the service refuses a stream while the first message is on its way: the refusal itself is lost.
# The attempts after it hold their first message back, longer each time, so that a refusal can come before it.
_REASON_LOST: Final = "Internal error from Core"
_HELD_SECONDS: Final = (0.0, 0.5, 2.0, 5.0)
_FORGOTTEN: Final = frozenset({"MATCH_NOT_FOUND", "NOT_YOUR_MATCH"})


async def play(factory: BotFactory, options: PlayOptions, stop: asyncio.Event | None = None) -> RunTally:
    """Plays until `options.matches` are over or `stop` is set. Returns the totals.

    `factory` makes the bot of each match, usually the bot's class. A lost connection is reopened.
    Raises `ServiceError` for what trying again cannot mend (bad token, another process took over), and `BadAddress`.
    """
    return await _Process(factory, options, stop or asyncio.Event()).run()


def run(factory: BotFactory, options: PlayOptions | None = None) -> RunTally:
    """Does the same as `play`, for scripts without an event loop.

    Without `options`, the environment gives the address and the token: FUDABA_SERVER, FUDABA_TOKEN, FUDABA_TLS,
    FUDABA_CA_CERT; and the number of simultaneous matches, FUDABA_CAPACITY. Raises `FudabaError` for an invalid number.
    """
    return asyncio.run(play(factory, options or options_from_environment()))


@final
class _Stopped(Exception):
    """The run is over: it has played enough matches, or was stopped."""


@final
class _Process:
    """A run of a bot over any number of connections."""

    def __init__(self, factory: BotFactory, options: PlayOptions, stop: asyncio.Event) -> None:
        self._options = options
        self._endpoint = options.endpoint()
        self._stop = stop
        self._workers = ThreadPool(options.threads or min(32, (os.cpu_count() or 1) + 4))
        self._tally = RunTally()
        self._run_of_bot = BotRun(factory, self._send, self._workers, options.on_error, self._tally, self._ended)
        self._seats: dict[str, Seat] = {}
        self._unplayable: set[str] = set()
        self._over: OrderedDict[str, int | None] = OrderedDict()  # the newest matches that are over, and the scores
        self._outbox: deque[play_pb2.PlayRequest] = deque()
        self._filled = asyncio.Event()
        self._drained = asyncio.Event()
        self._announced: set[str] = set()  # the matches that this connection has brought
        self._batches = False  # whether the service takes several answers in one message
        self._connected = False
        self._was_connected = False
        self._reasons_lost = 0  # attempts in a row that ended before the service's reason was known
        self._process, self._attempt = secrets.token_hex(8), 0

    # The run

    async def run(self) -> RunTally:
        if self._endpoint.exposes_token:
            log.warning(
                "the token travels unencrypted to %s; use --tls where others can listen", self._endpoint.address
            )
        try:
            await self._stay_connected()
        except _Stopped:
            if self._seats:
                count = len(self._seats)
                log.warning(
                    "stopped; %d unfinished %s left to the clock", count, "match is" if count == 1 else "matches are"
                )
        finally:
            for seat in self._seats.values():
                seat.stop()
            self._workers.close()
        return self._tally

    async def _stay_connected(self) -> NoReturn:
        """Connects again and again. Ends with `_Stopped`, or with an error that trying again cannot mend."""
        pauses, away_since, said = _DELAYS(), time.monotonic(), 0.0
        while True:
            self._was_connected = False
            error = await self._one_connection()
            now = time.monotonic()
            if self._was_connected:
                pauses, away_since, said, self._reasons_lost = _DELAYS(), now, 0.0, 0
            if error.reason == "MATCH_OVER":
                raise _Stopped  # the token was for one match
            if is_fatal(error):
                raise error
            limit = self._options.retry_seconds
            if limit is not None and now - away_since >= limit:
                raise error
            self._reasons_lost = self._reasons_lost + 1 if error.message == _REASON_LOST else 0
            unexplained = 0 < self._reasons_lost < len(_HELD_SECONDS) and not self._was_connected
            if not unexplained and (not said or now - said >= _NOTICE_INTERVAL_SECONDS):
                said = now
                log.warning("%s%s; trying again", "the connection was lost: " if self._was_connected else "", error)
            await self._pause(max(next(pauses), error.retry_after or 0.0))

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except TimeoutError:
            return
        raise _Stopped

    async def _one_connection(self) -> ServiceError:
        """Plays over one connection until it ends. Returns why it ended. Raises `_Stopped`."""
        self._attempt += 1
        channel = self._endpoint.aio_channel()
        call = play_pb2_grpc.PlayServiceStub(channel).Play(metadata=self._endpoint.metadata)
        self._outbox.clear()
        self._announced.clear()
        reader = asyncio.create_task(self._read(call))
        searcher = asyncio.create_task(self._find_ended(channel))
        stopped = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait((reader, stopped), return_when=asyncio.FIRST_COMPLETED)
            if not reader.done():
                await self._flush()
                raise _Stopped
            return reader.result()
        finally:
            self._connected = False
            call.cancel()
            tasks = (reader, searcher, stopped)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await channel.close()

    @property
    def _may_want_tls(self) -> bool:
        return self._endpoint.may_want_tls and not self._was_connected

    async def _read(self, call: _Call) -> ServiceError:
        """Reads one stream to its end."""
        writing: asyncio.Task[None] | None = None
        try:
            await self._refused_already(call)
            await call.write(play_pb2.PlayRequest(hello=self._hello()))
            async with asyncio.timeout(self._options.welcome_seconds):
                first = await call.read()
            if not isinstance(first, play_pb2.PlayResponse):
                return await error_of_end(call, self._endpoint.address, may_want_tls=self._may_want_tls)
            self._welcomed(first)
            writing = asyncio.create_task(self._write(call))
            while isinstance(response := await call.read(), play_pb2.PlayResponse):
                if response.HasField("updates"):
                    await self._update_all(response.updates.updates)
                else:
                    self._received(response)
            return await error_of_end(call, self._endpoint.address, may_want_tls=self._may_want_tls)
        except TimeoutError:
            return ServiceError("DEADLINE_EXCEEDED", f"{self._endpoint.address} takes connections but does not answer")
        except grpc.aio.AioRpcError as error:
            return service_error(error, self._endpoint.address, may_want_tls=self._may_want_tls)
        except asyncio.InvalidStateError:  # the stream ended before the first message was written
            return await error_of_end(call, self._endpoint.address, may_want_tls=self._may_want_tls)
        finally:
            if writing is not None:
                writing.cancel()

    async def _refused_already(self, call: _Call) -> None:
        """Gives a refusal time to arrive before the first message, after the connection before it was lost."""
        held = _HELD_SECONDS[min(self._reasons_lost, len(_HELD_SECONDS) - 1)]
        if held:
            ended = asyncio.create_task(call.code())
            await asyncio.wait((ended,), timeout=held)
            ended.cancel()

    async def _write(self, call: _Call) -> None:
        """Writes to a stream. It is the stream's only writer."""
        try:
            while True:
                await self._filled.wait()
                while self._outbox:
                    await call.write(take(self._outbox, batches=self._batches))
                self._filled.clear()
                self._drained.set()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            return  # the reader gets the reason

    async def _flush(self) -> None:
        """Gives pending answers a moment to leave."""
        if self._outbox and self._connected:
            self._drained.clear()
            with contextlib.suppress(TimeoutError):  # a moment, not longer
                await asyncio.wait_for(self._drained.wait(), _FLUSH_TIMEOUT_SECONDS)

    async def _find_ended(self, channel: grpc.aio.Channel) -> None:
        """Asks how matches ended that were over before this connection was made, since the connection does not report
        them.
        """
        await asyncio.sleep(self._options.missing_seconds)
        matches = matches_pb2_grpc.MatchServiceStub(channel)
        for match_id in set(self._seats) - self._announced:
            request = matches_pb2.GetMatchRequest(match_id=match_id)
            try:
                found = await matches.GetMatch(request, metadata=self._endpoint.metadata, timeout=_CALL_TIMEOUT_SECONDS)
            except grpc.aio.AioRpcError as error:
                problem = service_error(error, self._endpoint.address)
                log.warning("%s: cannot find out how it continues: %s", match_id, problem)
                if problem.reason in _FORGOTTEN:
                    self._forget(match_id)
                continue
            seat = self._seats.get(match_id)
            if seat is not None and match_id not in self._announced and found.match.HasField("end"):
                seat.update(
                    play_pb2.SeatUpdate(match_id=match_id, seen=seat.seen, history=seat.history, over=found.match.end)
                )

    # Messages

    def _hello(self) -> play_pb2.Hello:
        # A bot's class says what it wants; another kind of factory gets everything.
        wants_moves = getattr(self._run_of_bot.factory, "wants_legal_moves", True)
        wants_events = getattr(self._run_of_bot.factory, "wants_events", True)
        return play_pb2.Hello(
            delivery=play_pb2.Delivery(
                legal_moves=play_pb2.LEGAL_MOVE_FORMAT_TYPED if wants_moves else play_pb2.LEGAL_MOVE_FORMAT_COUNT,
                events=play_pb2.EVENT_DELIVERY_WITH_DECISION if wants_events else play_pb2.EVENT_DELIVERY_NEVER,
            ),
            seen=[
                play_pb2.Seen(match_id=match_id, seen=seat.seen, history=seat.history)
                for match_id, seat in self._seats.items()
            ],
            client="fudaba-python",
            capacity=self._options.capacity,
            process=self._process,
            attempt=self._attempt,
            batches=True,
        )

    def _welcomed(self, response: play_pb2.PlayResponse) -> None:
        if response.WhichOneof("message") != "welcome":
            raise FudabaError(f"{self._endpoint.address} sent no welcome; is it a fudaba service of this release?")
        welcome = response.welcome
        count = len(self._seats)
        unfinished = f"; {count} {'match goes' if count == 1 else 'matches go'} on" if count else ""
        log.info("connected to %s as %s version %s%s", self._endpoint.address, welcome.bot, welcome.version, unfinished)
        if welcome.notice:
            log.warning("%s", safe_line(welcome.notice))
        self._connected = self._was_connected = True
        self._batches = welcome.batches

    def _received(self, response: play_pb2.PlayResponse) -> None:
        kind = response.WhichOneof("message")
        if kind == "update":
            self._update(response.update)
        elif kind == "ping":
            # Before anything else that waits: the pong measures the network, not this process.
            self._outbox.appendleft(play_pb2.PlayRequest(pong=play_pb2.Pong(id=response.ping.id)))
            self._filled.set()
        elif kind == "refusal":
            self._refused(response.refusal)

    async def _update_all(self, updates: Iterable[play_pb2.SeatUpdate]) -> None:
        """Handles a batch. If some bots think for a long time, the answers of the others are sent meanwhile."""
        began = time.monotonic()
        for update in updates:
            self._update(update)
            if time.monotonic() - began > _BATCH_SECONDS:
                await asyncio.sleep(0)
                began = time.monotonic()

    def _update(self, update: play_pb2.SeatUpdate) -> None:
        seat = self._seats.get(update.match_id)
        self._announced.add(update.match_id)
        try:
            if seat is None:
                seat = self._new_seat(update)
            if seat is not None:
                seat.update(update)
        except BOT_ERRORS as error:  # one match that cannot be played must not end the others
            self._give_up(update, error)

    def _new_seat(self, update: play_pb2.SeatUpdate) -> Seat | None:
        if not update.HasField("started") or update.match_id in self._unplayable:
            return None  # the end of a match that this process knows to be over, or that it has not played
        game_codec(update.started.game)
        if update.match_id in self._over:
            log.warning("%s: was over, but the service lost that and goes on with it", update.match_id)
            self._tally.withdraw(self._over.pop(update.match_id))
        seat = self._seats[update.match_id] = Seat(self._run_of_bot, update)
        log.debug("%s: started, seat %d", update.match_id, update.seat)
        return seat

    def _give_up(self, update: play_pb2.SeatUpdate, error: BaseException) -> None:
        """Gives up a match that cannot be played here: the bot cannot be made, or the service sends unknown things."""
        self._seats.pop(update.match_id, None)
        self._unplayable.add(update.match_id)
        self._tally.errors += 1
        if isinstance(error, FudabaError | GameError):
            log.error("%s: cannot be played and is left to its clock: %s", update.match_id, error)
        else:
            report_exception(update.match_id, "its constructor", "The match is left to its clock.", error)

    def _refused(self, refusal: play_pb2.Refusal) -> None:
        seat = self._seats.get(refusal.match_id)
        if seat is None:
            log.info("refused: %s (%s)", refusal.message, refusal.reason)
        elif refusal.reason in _FORGOTTEN and not refusal.decision_id:
            log.warning("%s: the service no longer knows it: %s", refusal.match_id, refusal.message)
            self._forget(refusal.match_id)
        else:
            seat.refused(refusal)

    def _forget(self, match_id: str) -> None:
        seat = self._seats.pop(match_id, None)
        if seat is not None:
            seat.stop()

    def _send(self, request: play_pb2.PlayRequest) -> None:
        if self._connected:  # otherwise the service asks again when it is back
            self._outbox.append(request)
            self._filled.set()

    def _ended(self, match_id: str) -> None:
        seat = self._seats.pop(match_id, None)
        self._over[match_id] = None if seat is None else seat.info.score
        if len(self._over) > _MAX_ENDED_MATCHES:
            self._over.popitem(last=False)
        if self._options.matches and self._tally.finished + self._tally.aborted >= self._options.matches:
            self._stop.set()
