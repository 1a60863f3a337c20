"""Sends any number of hostile messages to a running service, and checks that none of them does anything."""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Final, Self, final
from urllib.parse import unquote

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from grpc import aio

from fudaba.v1 import matches_pb2, play_pb2
from fudaba_games.registry import GAMES
from tests.support.hostile.messages import Builder, path
from tests.support.hostile.wire import Breaker, converse
from tests.support.patience import PATIENCE
from tests.support.service.bots import CHANNEL, bearer, play_match, reason_of
from tests.support.service.organiser import PATIENT, Entrant, Organiser, StoreView, nothing_changes, request_for
from tests.support.service.processes import Service

MAX_IN_FLIGHT: Final = 64
FAULTS: Final = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE}
_LEAKS: Final = re.compile(
    r"Traceback|File \"|object at 0x|<class '|NoneType|Errno|google\.protobuf|grpc\._|redis\.|asyncio\.|\w+Error\("
)
"""Signs of the service's insides."""
_STATUS_LOST: Final = "Internal error from Core"
"""The status of grpc.aio itself for a stream that ended during a write."""
_STRANGER_COUNT: Final = 6
_MESSAGES_PER_STREAM: Final = 100
_MESSAGES_PER_CONNECTION: Final = 8
_CALL_TIMEOUT_SECONDS: Final = 20.0
_SHORT_SECONDS: Final = 0.5
_CHALLENGES: Final = frozenset({"CreateMatch", "CreateMatches", "JoinMatch", "AbortMatch"})
"""The methods with an effect that any bot may call."""


@final
class Finding(AssertionError):
    """A fault that was found."""


@final
class Campaign:
    """Against one service, which must be without limits to its speed. There are matches of these games on it."""

    def __init__(self, service: Service, seed: int, games: Iterable[str] = GAMES) -> None:
        self.service = service
        self.chance = random.Random(seed)
        self.organiser = Organiser(service.address, service.token)
        self.store = StoreView(f"unix://{service.data}/store/valkey.sock")
        self.texts = [*GAMES, "deals", "first_dealer", "1", "0.0", "1.0", "designate 1", "random", "first"]
        self.seated: list[Entrant] = []
        self.strangers: list[Entrant] = []
        """Bots that have no seat anywhere."""
        self.stranger = Entrant("", "")
        self.outcomes: Counter[str] = Counter()
        """The answers, each with its count."""
        self._games = [GAMES[game] for game in games]
        self._matches: list[str] = []
        self._good: defaultdict[str, list[Message]] = defaultdict(list)
        self._streaming: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def __aenter__(self) -> Self:
        organiser = self.organiser
        self.seated = [await organiser.entrant() for _ in range(max(game.min_seats for game in self._games))]
        self.strangers = [await organiser.entrant("stranger") for _ in range(_STRANGER_COUNT)]
        self.stranger = self.strangers[0]
        seatings = {game.id: self.seated[: game.min_seats] for game in self._games}
        for game, players in seatings.items():
            await self._play(game, players)
        for game, players in seatings.items():
            await self._prepare(game, players)
        self.texts += [*self._matches, *[entrant.name for entrant in (*self.seated, self.stranger)]]
        # What is loaded at its first use is loaded now.
        for match_id in self._matches:
            await organiser.get(match_id)
        await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(), metadata=organiser.metadata)
        return self

    async def _play(self, game: str, players: list[Entrant]) -> None:
        """Plays a match to its end, and keeps its record."""
        organiser = self.organiser
        match_id = await organiser.match(*players, game=game)
        await play_match(*organiser.by_chance(*players))
        record = await organiser.record(match_id)
        await self.store.forgets(match_id)
        self._matches.append(match_id)
        self._good["VerifyRecord"].append(matches_pb2.VerifyRecordRequest(record=record))

    async def _prepare(self, game: str, players: list[Entrant]) -> None:
        """Matches of a game in other states, and good messages about them."""
        organiser = self.organiser
        aborted = await organiser.match(*players, game=game, clock=PATIENT)
        request = matches_pb2.AbortMatchRequest(match_id=aborted)
        await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
        await self.store.forgets(aborted)
        playing, waiting, hidden = [
            await organiser.match(*players, game=game, clock=PATIENT, hidden=kept) for kept in (False, False, True)
        ]
        for answer in await self._begin(playing, players):
            self._good["SubmitMove"].append(play_pb2.SubmitMoveRequest(answer=answer))
            self._good["Play"].append(play_pb2.PlayRequest(answer=answer))
        self._matches += [aborted, playing, waiting, hidden]
        self._good["CreateMatch"].append(request_for(*players, game=game, clock=PATIENT))
        many = [request_for(*players, game=game, clock=PATIENT, match_id=f"fuzz-{game}-{n}") for n in range(3)]
        self._good["CreateMatches"].append(matches_pb2.CreateMatchesRequest(requests=many))

    async def _begin(self, match_id: str, players: list[Entrant]) -> list[play_pb2.Answer]:
        """Begins a match: each seat looks in, and leaves again. Returns answers that could be given."""
        answers: list[play_pb2.Answer] = []
        async with asyncio.timeout(PATIENCE):
            while not answers:  # the match begins when the service has stored that the last one was there
                for entrant in players:
                    update = await self._look(match_id, entrant)
                    answers += [
                        play_pb2.Answer(match_id=match_id, decision_id=update.decision.decision_id, move=move)
                        for move in update.decision.legal_moves[:3]
                    ]
        return answers

    async def _look(self, match_id: str, entrant: Entrant) -> play_pb2.SeatUpdate:
        """Returns what a seat is told first."""
        request = play_pb2.WatchSeatRequest(match_id=match_id)
        call: Any = self.organiser.play.WatchSeat(request, metadata=bearer(entrant.token))
        update: play_pb2.SeatUpdate = (await call.read()).update
        call.cancel()
        return update

    async def __aexit__(self, *_: object) -> None:
        await self.organiser.__aexit__()
        self.store.client.close()

    def without_rights(self, method: MethodDescriptor) -> list[str]:
        """Tokens with which nothing can be changed by this method."""
        tokens = ["", "wrong", "fudaba-org-" + "x" * 43, "~ ~", self.stranger.token]
        if method.name in _CHALLENGES:
            tokens.remove(self.stranger.token)
        elif method.containing_service.name == "PlayService":
            tokens += [*[stranger.token for stranger in self.strangers], self.service.token]
        elif method.containing_service.name == "BotService":
            tokens += [self.seated[0].token]
        return tokens

    async def strike(self, method: MethodDescriptor, messages: int) -> None:
        """Sends this many messages with tokens that have no rights: they change nothing."""
        with nothing_changes(self.store):
            await self._send(method, messages, self.without_rights(method))
        await self.check_alive()

    async def misuse(self, method: MethodDescriptor, messages: int) -> None:
        """Sends this many messages with tokens that have rights. The store changes from then on, by time too."""
        tokens = [self.service.token, self.stranger.token, *[entrant.token for entrant in self.seated[:2]]]
        await self._send(method, messages, tokens)
        await self.check_alive()

    async def break_frames(self, method: MethodDescriptor, messages: int) -> None:
        """Makes this many calls in frames that are broken, with tokens that have no rights."""
        tokens = self.without_rights(method)
        with nothing_changes(self.store):
            async with _workers() as spawn:
                for _ in range(0, messages, _MESSAGES_PER_CONNECTION):
                    await spawn(self._break, method, self.chance.getrandbits(64), self.chance.choice(tokens))
        await self.check_alive()

    async def check_alive(self) -> None:
        """Checks that the service runs, answers at once, and has noted no fault."""
        try:
            async with asyncio.timeout(_CALL_TIMEOUT_SECONDS):
                await self.organiser.get(self._matches[0])
        except (aio.AioRpcError, TimeoutError) as error:
            ended = "" if self.service.running else f" (it has ended, status {self.service.wait()})"
            raise Finding(f"the service does not answer{ended}: {error}\n{self.service.log[-3000:]}") from error
        for sign in ("Traceback", " fault ", "never retrieved", "ERROR"):
            if sign in self.service.log:
                at = self.service.log.index(sign)
                raise Finding(f"in the service's log: {self.service.log[max(0, at - 200) : at + 3000]}")

    def memory(self) -> int:
        """Returns how much memory the service uses, in MB."""
        status = Path(f"/proc/{self.service.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"^VmRSS:\s+(\d+) kB", status, re.MULTILINE)
        assert found is not None
        return int(found[1]) // 1024

    def files(self) -> int:
        """Returns how many files and connections the service has open."""
        return len(list(Path(f"/proc/{self.service.pid}/fd").iterdir()))

    # --- within

    async def _send(self, method: MethodDescriptor, messages: int, tokens: list[str]) -> None:
        bots = {entrant.token for entrant in (*self.strangers, *self.seated)}
        async with aio.insecure_channel(self.service.address, options=CHANNEL) as channel, _workers() as spawn:
            sent = 0
            while sent < messages:
                seed, token = self.chance.getrandbits(64), self.chance.choice(tokens)
                # A stream of somebody else ends before anything is read.
                count = min(_MESSAGES_PER_STREAM if method.client_streaming and token in bots else 1, messages - sent)
                sent += count
                if method.client_streaming:
                    await spawn(self._stream, channel, method, seed, token, count)
                else:
                    await spawn(self._call, channel, method, seed, token)

    async def _call(self, channel: Any, method: MethodDescriptor, seed: int, token: str) -> None:
        """Makes one call; of a stream of answers the first one is enough."""
        builder = Builder(random.Random(seed), self.texts, self._good)
        raw = builder.raw(method)
        if method.name == "CreateMatch":
            raw = _few_matches(raw, seed)
        waits = method.name == "AwaitMatch" or method.server_streaming
        seconds = _SHORT_SECONDS if waits else _CALL_TIMEOUT_SECONDS
        try:
            if method.server_streaming:
                call: Any = channel.unary_stream(path(method))(raw, metadata=_metadata(token), timeout=seconds)
                await call.read()
                call.cancel()
            else:
                await channel.unary_unary(path(method))(raw, metadata=_metadata(token), timeout=seconds)
            self.outcomes["OK"] += 1
        except aio.AioRpcError as error:
            if waits and error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
                self.outcomes["waits"] += 1
            else:
                self._check(error, f"{method.name} seed {seed} token {token!r} {raw!r}")

    async def _stream(self, channel: Any, method: MethodDescriptor, seed: int, token: str, count: int) -> None:
        """Sends many messages on one stream, a hello before them if they are to be read at all."""
        builder = Builder(random.Random(seed), self.texts, self._good)
        # A second stream of a bot would end the first one.
        async with self._streaming[token]:
            call: Any = channel.stream_stream(path(method))(metadata=_metadata(token), timeout=_CALL_TIMEOUT_SECONDS)
            reading = asyncio.ensure_future(self._read(call, f"{method.name} seed {seed} token {token!r}"))
            try:
                if builder.chance.random() < 0.9:
                    await call.write(play_pb2.PlayRequest(hello=play_pb2.Hello()).SerializeToString())
                for _ in range(count):
                    raw = builder.raw(method)
                    # One more hello would end the stream.
                    if not _is_hello(raw) or builder.chance.random() < 0.002:
                        await call.write(raw)
                await call.done_writing()
            except (aio.AioRpcError, asyncio.InvalidStateError):
                pass  # it has ended; reading tells why
            await reading

    async def _read(self, call: Any, description: str) -> None:
        try:
            while (raw := await call.read()) is not aio.EOF:
                message = play_pb2.PlayResponse.FromString(raw)
                if message.WhichOneof("message") == "refusal":
                    refusal = message.refusal
                    self.outcomes[refusal.reason] += 1
                    if not refusal.reason or len(refusal.message) < 10 or _LEAKS.search(refusal.message):
                        raise Finding(f"{description}: {refusal}")
            code, details = await call.code(), await call.details()
            if code != grpc.StatusCode.OK:
                metadata = await call.initial_metadata(), await call.trailing_metadata()
                raise aio.AioRpcError(code, *metadata, details)
            self.outcomes["OK"] += 1
        except aio.AioRpcError as error:
            self._check(error, description)

    def _check(self, error: aio.AioRpcError, description: str) -> None:
        """Checks that a refusal has a reason and says what to do, and nothing of the service's insides."""
        details = error.details() or ""
        try:
            reason = reason_of(error)
        except ValueError:
            # Of a call that is cancelled just then gRPC gives the details as they came over the wire.
            if unquote(details) == details:
                raise
            self.outcomes["details not decoded"] += 1
            return
        if error.code() == grpc.StatusCode.INTERNAL and details == _STATUS_LOST:
            self.outcomes["status lost"] += 1
            return
        self.outcomes[reason] += 1
        if error.code() in FAULTS or not reason or len(details) < 10 or _LEAKS.search(details):
            logged = self.service.log[-3000:] if error.code() in FAULTS else ""
            raise Finding(f"{error.code()} {reason!r} {details} to {description[:2000]}\n{logged}")

    async def _break(self, method: MethodDescriptor, seed: int, token: str) -> None:
        chance = random.Random(seed)
        builder = Builder(chance, self.texts, self._good)
        messages = [builder.raw(method)[:5000] for _ in range(_MESSAGES_PER_CONNECTION)]
        answer = await converse(self.service.address, Breaker(chance, path(method), token).connection(messages))
        self.outcomes["broken"] += len(messages)
        leak = _LEAKS.search(answer.decode("latin-1"))
        if leak is not None:
            raise Finding(f"{method.name} frames of seed {seed}: {answer[max(0, leak.start() - 100) :][:500]!r}")


def _metadata(token: str) -> tuple[tuple[str, str], ...]:
    return bearer(token) if token else ()


def _few_matches(raw: bytes, seed: int) -> bytes:
    """Returns a request with another match id at its end, which replaces an earlier one. There are only a few ids,
    since each match stays for an hour.
    """
    return raw + matches_pb2.CreateMatchRequest(match_id=f"fuzz-{seed % 20}").SerializeToString()


def _is_hello(raw: bytes) -> bool:
    return raw[:1] == b"\x0a"


@contextlib.asynccontextmanager
async def _workers() -> AsyncIterator[Any]:
    """Yields a few tasks at a time; a finding in one of them ends all."""
    room = asyncio.Semaphore(MAX_IN_FLIGHT)
    async with asyncio.TaskGroup() as group:

        async def limited(work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
            try:
                await work(*arguments)
            finally:
                room.release()

        async def spawn(work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
            await room.acquire()
            group.create_task(limited(work, *arguments))

        yield spawn
