"""A service that does as the test says, so that a bot's process meets everything that can go wrong; and such bots."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, ClassVar

import grpc
import grpc.aio
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from fudaba._play_options import PlayOptions
from fudaba._stream import RunTally, play
from fudaba.bot import Bot, Decision, MatchInfo
from fudaba.codec import codec
from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_games.game import GameError, IllegalMove
from fudaba_games.match import Match
from fudaba_games.registry import game
from tests.support.patience import PATIENCE

KEEPALIVE = [("grpc.http2.min_ping_interval_without_data_ms", 100), ("grpc.keepalive_permit_without_calls", 1)]


class Hosted:
    """A match of Naga in which the bot under test has seat 0; default moves are played for seat 1."""

    def __init__(self, match_id: str = "m", *, deals: int = 1) -> None:
        self.id = match_id
        self.game = game("naga")
        self.codec = codec("naga")
        self.match: Match[Any, Any, Any, Any] = Match(
            self.game, 2, self.game.resolve_options({"deals": deals}), bytes(32)
        )
        self.seen = 0
        self._others_play()

    def header(self) -> record_pb2.MatchHeader:
        players = [record_pb2.Player(bot="me", version="1"), record_pb2.Player(bot="you", version="2")]
        return record_pb2.MatchHeader(match_id=self.id, game="naga", rules_version=1, players=players, label="test")

    def update(self, *, started: bool = False) -> play_pb2.PlayResponse:
        """Returns the next update: events since the last one, and the open decision or the end."""
        response = play_pb2.PlayResponse()
        update = response.update
        update.match_id, update.seat = self.id, 0
        if started:
            update.started.CopyFrom(self.header())
        shown = self.match.shown(0)
        for event in shown[self.seen :]:
            self.codec.event_to_proto(event, update.events.add())
        self.seen = update.seen = len(shown)
        decision = self.match.open(0)
        if decision is not None:
            self._fill(update.decision, decision)
        if self.match.outcome is not None:
            update.over.outcome.scores.extend(self.match.outcome.scores)
            update.over.outcome.placements.extend(self.match.outcome.placements)
        return response

    def _fill(self, message: play_pb2.Decision, decision: Any) -> None:
        message.decision_id, message.required = decision.id, decision.required
        message.time_ms, message.bank_ms = 70_000, 60_000
        self.codec.view_to_proto(self.match.view(0), message.view)
        message.legal_count = len(decision.legal)
        for move in decision.legal:
            self.codec.move_to_proto(move, message.legal_moves.add())

    def answer(self, answer: play_pb2.Answer) -> None:
        """Plays the answer. Raises `GameError` as the rules do."""
        decision = self.match.decision(0, answer.decision_id)
        kind = answer.WhichOneof("choice")
        if kind == "index":
            move = decision.legal[answer.index]
        elif kind == "text":
            move = self.game.text.parse_move(answer.text)
        else:
            move = self.codec.move_from_proto(answer.move)
        self.match.check(0, answer.decision_id, move)
        self.match.play(0, move)
        self._others_play()

    def _others_play(self) -> None:
        while (due := self.match.open(1)) is not None:
            self.match.play(1, due.legal[0])


@contextlib.contextmanager
def _over_when_it_ends() -> Iterator[None]:
    """Ends the script whose stream ends while something is read from it or written to it: that is no fault of the
    script.
    """
    try:
        yield
    except grpc.aio.BaseError as error:
        raise asyncio.CancelledError from error


class Line:
    """A connection of the bot's process, seen from the service."""

    def __init__(self, context: Any, service: Service) -> None:
        self._context = context
        self.service = service
        self.metadata = dict(context.invocation_metadata())
        self.hello = play_pb2.Hello()

    async def read(self) -> play_pb2.PlayRequest:
        """Returns the next message of the process. Raises `asyncio.CancelledError` when there is none any more."""
        with _over_when_it_ends():
            async with asyncio.timeout(PATIENCE):
                message = await self._context.read()
        if message is grpc.aio.EOF:
            raise asyncio.CancelledError
        assert isinstance(message, play_pb2.PlayRequest)
        return message

    async def send(self, response: play_pb2.PlayResponse) -> None:
        """Writes a message. Raises `asyncio.CancelledError` when the process has gone meanwhile."""
        with _over_when_it_ends():
            await self._context.write(response)

    async def welcome(self, notice: str = "") -> play_pb2.Hello:
        """Takes the hello and answers it."""
        first = await self.read()
        assert first.WhichOneof("message") == "hello"
        await self.send(play_pb2.PlayResponse(welcome=play_pb2.Welcome(bot="me", version="1", notice=notice)))
        self.hello = first.hello
        return first.hello

    async def answer(self) -> play_pb2.Answer:
        """Returns the next message, which is an answer."""
        message = await self.read()
        assert message.WhichOneof("message") == "answer", message
        return message.answer

    async def refuse(self, answer: play_pb2.Answer, reason: str, message: str = "no", rule: str = "") -> None:
        refusal = play_pb2.Refusal(
            match_id=answer.match_id, decision_id=answer.decision_id, reason=reason, message=message, rule=rule,
            still_open=True,
        )  # fmt: skip
        await self.send(play_pb2.PlayResponse(refusal=refusal))

    async def judge(self, hosted: Hosted, answer: play_pb2.Answer) -> bool:
        """Plays an answer and sends what follows, or refuses it. Says whether it was taken."""
        try:
            hosted.answer(answer)
        except GameError as error:
            legal = isinstance(error, IllegalMove)
            reason = "ILLEGAL_MOVE" if legal else "MALFORMED_MOVE"
            await self.refuse(answer, reason, str(error), getattr(error, "rule", ""))
            return False
        await self.send(hosted.update())
        return True

    async def host(self, *matches: Hosted) -> None:
        """Plays matches to their ends."""
        for hosted in matches:
            await self.send(hosted.update(started=True))
        by_id = {hosted.id: hosted for hosted in matches}
        while not all(hosted.match.over for hosted in matches):
            answer = await self.answer()
            await self.judge(by_id[answer.match_id], answer)

    async def abort(self, code: int, reason: str, message: str) -> None:
        """Ends the stream as the service does."""
        detail = any_pb2.Any()
        detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain="fudaba"))
        status = status_pb2.Status(code=code, message=message, details=[detail])
        await self._context.abort_with_status(rpc_status.to_status(status))

    async def superseded(self) -> None:
        await self.abort(code_pb2.ABORTED, "SUPERSEDED", "a newer stream took over")


Script = Callable[[Line], Awaitable[None]]


class Service:
    """Gives each connection to the next script; the last one serves all that follow."""

    def __init__(self, address: str, scripts: list[Script]) -> None:
        self.address = address
        self.scripts = scripts
        self.lines: list[Line] = []
        self.ended: dict[str, record_pb2.MatchEnd] = {}
        self.faults: list[BaseException] = []
        self._server: grpc.aio.Server | None = None

    async def _play(self, _: Any, context: Any) -> None:
        line = Line(context, self)
        script = self.scripts[min(len(self.lines), len(self.scripts) - 1)]
        self.lines.append(line)
        try:
            await script(line)
            await asyncio.Event().wait()  # the stream stays open, silent
        except (asyncio.CancelledError, grpc.aio.AbortError):
            raise
        except BaseException as error:
            self.faults.append(error)
            raise

    async def _get_match(self, request: matches_pb2.GetMatchRequest, _: Any) -> matches_pb2.GetMatchResponse:
        match = matches_pb2.Match(state=matches_pb2.MATCH_STATE_PLAYING)
        if request.match_id in self.ended:
            match.state = matches_pb2.MATCH_STATE_FINISHED
            match.end.CopyFrom(self.ended[request.match_id])
        return matches_pb2.GetMatchResponse(match=match)

    async def start(self) -> None:
        server = grpc.aio.server(options=KEEPALIVE)
        play = grpc.stream_stream_rpc_method_handler(
            self._play, play_pb2.PlayRequest.FromString, play_pb2.PlayResponse.SerializeToString
        )
        get_match = grpc.unary_unary_rpc_method_handler(
            self._get_match,
            matches_pb2.GetMatchRequest.FromString,
            matches_pb2.GetMatchResponse.SerializeToString,
        )
        server.add_generic_rpc_handlers(
            (
                grpc.method_handlers_generic_handler("fudaba.v1.PlayService", {"Play": play}),
                grpc.method_handlers_generic_handler("fudaba.v1.MatchService", {"GetMatch": get_match}),
            )
        )
        port = server.add_insecure_port(self.address)
        if self.address.endswith(":0"):
            self.address = f"{self.address[:-1]}{port}"
        await server.start()
        self._server = server

    async def vanish(self) -> None:
        """Ends every connection at once, and takes none."""
        assert self._server is not None
        await self._server.stop(None)

    def options(self, **changed: Any) -> PlayOptions:
        """Returns how the bot under test is run."""
        return PlayOptions(address=self.address, token="the-token", **changed)


class First(Bot):
    """Plays the default move."""

    instant = True

    def choose(self, decision: Decision) -> Any:
        return 0


def recording(answer: Callable[[Decision], Any] = lambda decision: 0, **attributes: Any) -> type[Bot]:
    """Makes a class of bots that record their calls in the list `made`."""

    class Recording(Bot):
        made: ClassVar[list[Any]] = []

        def __init__(self) -> None:
            self.infos: list[MatchInfo] = []
            self.decisions: list[Decision] = []
            self.events: list[Any] = []
            self.results: list[Any] = []
            self.made.append(self)

        def started(self, match: MatchInfo) -> None:
            self.infos.append(match)

        def choose(self, decision: Decision) -> Any:
            self.decisions.append(decision)
            self.events += decision.events
            return answer(decision)

        def over(self, match: MatchInfo) -> None:
            self.results.append(match.result)

    for name, value in {"instant": True, **attributes}.items():
        setattr(Recording, name, value)
    return Recording


async def ended(running: asyncio.Task[RunTally]) -> RunTally:
    async with asyncio.timeout(PATIENCE):
        return await running


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - what is waited for may be in a thread, or in a log
            await asyncio.sleep(0.005)


def run(bot: Any, options: PlayOptions, stop: asyncio.Event | None = None) -> asyncio.Task[RunTally]:
    return asyncio.create_task(play(bot, options, stop))
