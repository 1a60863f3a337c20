"""Plays bots in process: the same decisions and the same judgement of answers as on a service, without a clock.

A bot's view passes through the contract's messages and back, so it is exactly what a service would show. Refused
answers and exceptions count as on a service with the default clock: too many of them forfeit the match.
"""

from __future__ import annotations

import asyncio
import inspect
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, final

from fudaba._reports import BOT_ERRORS, Reports, guarded
from fudaba._watchdog import Call, watched
from fudaba.answers import (
    MAX_ATTEMPTS,
    CannotSend,
    MessageSource,
    OnError,
    fill_answer,
    game_codec,
    malformed,
)
from fudaba.bot import Answer, Bot, BotFactory, Choice, Decision, DecisionSource, MatchInfo, Player, Refusal, Result
from fudaba.errors import BotNotLoaded, FudabaError
from fudaba.notes import sendable_note
from fudaba.v1 import game_pb2, play_pb2
from fudaba_games.game import SEED_BYTES, IllegalMove, MalformedMove, Outcome
from fudaba_games.match import Match, OpenDecision
from fudaba_games.registry import AnyGame, game

__all__ = ["LocalResult", "LocalRunner", "SeatReport", "play_local"]

MAX_TIMEOUTS: Final = 3
"""The number of decisions without an answer after which a seat forfeits: the default of the contract's `Clock`."""
MAX_ILLEGAL: Final = 10
"""The number of illegal answers after which a seat forfeits: the default of the contract's `Clock`."""
_NO_CLOCK: Final = "no clock runs in process: Ctrl-C ends it"


@final
@dataclass(slots=True)
class SeatReport:
    """A bot's result in a match."""

    bot: str
    decisions: int = 0
    refused: int = 0
    """The answers that were refused as illegal or malformed, or that could not have been sent to a service."""
    illegal: int = 0
    """The answers that a service would have refused: too many of them forfeit the match."""
    unanswered: int = 0
    """The decisions for which the default move was played, since the bot raised or gave no legal answer."""
    timed_out: int = 0
    """The decisions that would have timed out on a service. Too many of them forfeit the match."""
    errors: int = 0
    """The exceptions of the bot."""
    slowest_ms: float = 0.0
    """The longest time of a `choose`."""


@final
@dataclass(frozen=True, slots=True)
class LocalResult:
    """A match that was played in process."""

    match_id: str
    seed: bytes
    result: Result
    moves: int
    seats: tuple[SeatReport, ...]

    @property
    def scores(self) -> tuple[int, ...]:
        """A score for each seat. Since no match in process is aborted, they always exist."""
        return self.result.scores or ()


@final
class LocalRunner:
    """Plays matches of one game between given bots.

    `contract=False` gives bots the rules' values without passing through the messages: faster, for bots that are known
    to return legal moves. Close it, or use it as a context manager: that ends the event loop of `async` bots, and
    reports the numbers of unreported errors.
    """

    def __init__(
        self,
        game_id: str,
        options: Mapping[str, object] | None = None,
        *,
        on_error: OnError = OnError.TIMEOUT,
        contract: bool = True,
    ) -> None:
        self.game: AnyGame = game(game_id)
        self.options = self.game.resolve_options(options or {})
        self.on_error = on_error
        self.contract = contract
        self.reports = Reports()
        self._loop: asyncio.Runner | None = None

    def play(self, bots: Sequence[BotFactory], names: Sequence[str], match_id: str, seed: bytes) -> LocalResult:
        """Plays one match, seat by seat. Raises `BadSeats`, and `BotNotLoaded` for a bot whose constructor raises."""
        return _LocalMatch(self, bots, names, match_id, seed).play()

    def wait(self, choice: Choice) -> Choice:
        """Returns a bot's choice, and awaits it if it is awaitable."""
        if not inspect.isawaitable(choice):
            return choice
        if self._loop is None:
            self._loop = asyncio.Runner()
        return self._loop.run(guarded(choice))

    def close(self) -> None:
        """Ends the event loop of `async` bots, and reports the numbers of unreported errors."""
        self.reports.close()
        if self._loop is not None:
            self._loop.close()
            self._loop = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def play_local(
    bots: Sequence[BotFactory],
    game_id: str,
    options: Mapping[str, object] | None = None,
    *,
    seed: bytes | None = None,
    on_error: OnError = OnError.TIMEOUT,
) -> LocalResult:
    """Plays one match between bots, seat by seat, in process. Takes a random seed when none is given.

    Raises `fudaba_games.game.GameError` for an unknown game or option, or a wrong number of seats.
    """
    with LocalRunner(game_id, options, on_error=on_error) as runner:
        names = [getattr(factory, "__name__", "bot") for factory in bots]
        return runner.play(bots, names, "local", seed or secrets.token_bytes(SEED_BYTES))


@final
class _Values(DecisionSource):
    """A decision's content directly from the rules."""

    __slots__ = ("_events", "_legal", "_view")

    def __init__(self, match: Match[Any, Any, Any, Any], open_decision: OpenDecision[Any], events: list[Any]) -> None:
        self._view = match.view(open_decision.seat)
        self._legal = open_decision.legal
        self._events = events

    def view(self) -> Any:
        return self._view

    def legal_moves(self) -> Sequence[Any]:
        return self._legal

    def events(self) -> Sequence[Any]:
        return self._events


def _made(factory: BotFactory, name: str) -> Bot:
    """Returns the bot for one match. Raises `BotNotLoaded`; on a service, the match would be left to its clock."""
    try:
        with watched(name, "its constructor", hint=_NO_CLOCK):
            return factory()
    except FudabaError:
        raise
    except BOT_ERRORS as error:
        raise BotNotLoaded(f"{name} cannot be made, its constructor raised {type(error).__name__}: {error}") from error


@final
class _LocalMatch:
    """A match and its bots."""

    def __init__(
        self, runner: LocalRunner, bots: Sequence[BotFactory], names: Sequence[str], match_id: str, seed: bytes
    ) -> None:
        self._runner = runner
        self._match = Match(runner.game, len(bots), runner.options, seed)
        self._id = match_id
        self._seed = seed
        self._events_sent = [0] * len(bots)
        self._reports = tuple(SeatReport(name) for name in names)
        self._forfeit: tuple[int, str] | None = None
        players = tuple(Player(name, "") for name in names)
        self._infos = tuple(
            MatchInfo(
                id=match_id,
                game=runner.game.id,
                seat=seat,
                players=players,
                options=runner.options,
                rules_version=runner.game.rules_version,
            )
            for seat in range(len(bots))
        )
        self._bots = [_made(factory, name) for factory, name in zip(bots, names, strict=True)]

    def play(self) -> LocalResult:
        for seat, bot in enumerate(self._bots):
            try:
                with self._watched(seat, "started"):
                    bot.started(self._infos[seat])
            except BOT_ERRORS as error:  # the author's code: reported, and the match goes on
                self._caught(seat, "started", "The match goes on.", error)
        moves = 0
        match = self._match
        while not match.over:
            open_decision = self._next(match.open_decisions())
            if open_decision is None:
                match.pass_time()
                continue
            move = self._move(open_decision)
            if self._forfeit is not None:
                match.forfeit(self._forfeit[0])
                break
            match.play(open_decision.seat, move)
            moves += 1
        assert match.outcome is not None  # noqa: S101 - a match that is over has a result
        result = self._result(match.outcome)
        for seat, bot in enumerate(self._bots):
            self._infos[seat].result = result
            try:
                with self._watched(seat, "over"):
                    bot.over(self._infos[seat])
            except BOT_ERRORS as error:  # as above
                self._caught(seat, "over", "The match is over anyway.", error)
        return LocalResult(self._id, self._seed, result, moves, self._reports)

    def _next(self, due: Sequence[OpenDecision[Any]]) -> OpenDecision[Any] | None:
        """Returns the seat that answers next. If anybody may move at any time, all seats are equally fast."""
        if not due or not due[0].standing:
            return due[0] if due else None
        return min(due, key=lambda open_decision: self._reports[open_decision.seat].decisions)

    def _result(self, outcome: Outcome) -> Result:
        seat, cause = self._forfeit or (None, "")
        return Result(outcome.scores, outcome.placements, forfeited_seat=seat, forfeit_cause=cause)

    def _move(self, open_decision: OpenDecision[Any]) -> Any:
        """Returns the move to play: the bot's, or the default.

        Sets `_forfeit` if the bot has lost the match.
        """
        seat = open_decision.seat
        report = self._reports[seat]
        report.decisions += 1
        decision = self._decision(open_decision)
        for left in reversed(range(MAX_ATTEMPTS)):
            try:
                choice = self._ask(seat, decision)
            except BOT_ERRORS as error:  # the author's code: reported, and the match goes on
                return self._failed(open_decision, error)
            try:
                return self._judged(open_decision, decision, choice)
            except CannotSend as error:  # on a service nothing is sent, so it does not count there
                decision.refusal = malformed(error)
            except MalformedMove as error:
                report.illegal += 1
                decision.refusal = Refusal("MALFORMED_MOVE", str(error))
            except IllegalMove as error:
                report.illegal += 1
                decision.refusal = Refusal("ILLEGAL_MOVE", str(error), error.rule)
            except BOT_ERRORS as error:  # of the author's objects, such as a move that cannot be compared or shown
                return self._failed(open_decision, error, "the answer of choose")
            report.refused += 1
            what_now = "the bot is asked again" if left else "the default move is played"
            if report.illegal >= MAX_ILLEGAL:
                self._forfeit = (seat, "ILLEGAL")
                what_now = "the match is forfeited"
            self._runner.reports.refused(report.bot, self._id, decision.id, decision.refusal, what_now)
            if self._forfeit is not None:
                break
        report.unanswered += 1
        return open_decision.legal[0]

    def _ask(self, seat: int, decision: Decision) -> Choice:
        began = time.perf_counter()
        try:
            with self._watched(seat, f"choose (decision {decision.id})") as call:
                call.awaited = choice = self._bots[seat].choose(decision)
                if not inspect.isawaitable(choice):
                    call.awaited = None
                return self._runner.wait(choice)
        finally:
            report = self._reports[seat]
            report.slowest_ms = max(report.slowest_ms, (time.perf_counter() - began) * 1000)

    def _watched(self, seat: int, doing: str) -> Call:
        return watched(f"{self._id}: {self._reports[seat].bot}, seat {seat},", doing, hint=_NO_CLOCK)

    def _failed(self, open_decision: OpenDecision[Any], error: BaseException, doing: str = "choose") -> Any:
        """Handles an exception from `choose` or its return value as a service's clock would."""
        seat = open_decision.seat
        report = self._reports[seat]
        what_now = "The default move is played; on a service that would happen when time runs out."
        if self._runner.on_error is OnError.RESIGN:
            self._forfeit = (seat, "RESIGNED")
            what_now = "The match is resigned."
        elif self._runner.on_error is OnError.DEFAULT:
            what_now = "The default move is played."
        else:
            report.timed_out += 1
            if report.timed_out >= MAX_TIMEOUTS:
                self._forfeit = (seat, "TIMEOUTS")
        self._caught(seat, doing, what_now, error)
        report.unanswered += 1
        return open_decision.legal[0]

    def _caught(self, seat: int, doing: str, what_now: str, error: BaseException) -> None:
        report = self._reports[seat]
        report.errors += 1
        self._runner.reports.raised(report.bot, self._id, doing, what_now, error)

    def _decision(self, open_decision: OpenDecision[Any]) -> Decision:
        seat = open_decision.seat
        shown = self._match.shown(seat)
        events = shown[self._events_sent[seat] :]
        self._events_sent[seat] = len(shown)
        source: DecisionSource
        if self._runner.contract:
            source = self._message_source(open_decision, events)
        else:
            source = _Values(self._match, open_decision, events)
        return Decision(
            self._infos[seat],
            open_decision.id,
            source,
            required=open_decision.required,
            legal_count=len(open_decision.legal),
        )

    def _message_source(self, open_decision: OpenDecision[Any], events: list[Any]) -> MessageSource:
        """Returns the decision as a service would send it, serialised and parsed."""
        codec, bot = game_codec(self._runner.game.id), self._bots[open_decision.seat]
        update = play_pb2.SeatUpdate()
        codec.view_to_proto(self._match.view(open_decision.seat), update.decision.view)
        if bot.wants_legal_moves:
            for move in open_decision.legal:
                codec.move_to_proto(move, update.decision.legal_moves.add())
        if bot.wants_events:
            for event in events:
                codec.event_to_proto(event, update.events.add())
        received = play_pb2.SeatUpdate.FromString(update.SerializeToString())
        return MessageSource(self._runner.game.id, received.decision, received.events, bot)

    def _judged(self, open_decision: OpenDecision[Any], decision: Decision, choice: Choice) -> Any:
        """Returns the move of a choice. Raises `CannotSend`, `MalformedMove` or `IllegalMove`."""
        if isinstance(choice, Answer):  # nobody keeps its note here, but its author is told what is wrong with it
            _, fault = sendable_note(choice.note)
            self._runner.reports.note_fault(self._reports[open_decision.seat].bot, self._id, decision.id, fault)
            choice = choice.choice
        move: Any = choice
        if self._runner.contract or isinstance(choice, int | str):
            answer = play_pb2.Answer()
            fill_answer(answer, decision, choice)
            kind = answer.WhichOneof("choice")
            if kind == "index":
                return open_decision.legal[answer.index]
            if kind == "text":
                move = self._runner.game.text.parse_move(answer.text)
            else:
                sent = game_pb2.Move.FromString(answer.move.SerializeToString())
                move = game_codec(self._runner.game.id).move_from_proto(sent)
        self._match.check(open_decision.seat, open_decision.id, move)
        return move
