"""One match of a bot process on a stream: what it saw, what it was asked, what it answered."""

from __future__ import annotations

import asyncio
import inspect
import logging
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, final

from fudaba._reports import BOT_ERRORS, guarded, report_exception, report_note_fault, report_refusal
from fudaba._threads import ThreadPool
from fudaba._watchdog import FIRST_SECONDS, Call, watched
from fudaba.answers import (
    MAX_ATTEMPTS,
    CannotSend,
    MessageSource,
    OnError,
    fill_answer,
    malformed,
    match_info,
    result_of,
)
from fudaba.bot import Bot, BotFactory, Choice, Decision, MatchInfo, Refusal
from fudaba.own_errors import own_error_line
from fudaba.v1 import game_pb2, play_pb2

log: Final = logging.getLogger("fudaba")

_LATE: Final = frozenset({"DECISION_CLOSED", "MATCH_OVER", "STALE"})
# Not the answer's fault: the same answer is sent again after a while.
_AGAIN: Final = frozenset({"TOO_FAST", "STORE_UNAVAILABLE", "SHUTTING_DOWN"})
_RETRY_SECONDS: Final = 1.0
_UNTIMED_SECONDS: Final = 60.0
_BLOCKS: Final = "meanwhile this process does nothing else, and its other matches stand still"


@final
@dataclass(slots=True)
class RunTally:
    """The totals of a bot's run."""

    finished: int = 0
    """Matches that ended with a result."""
    aborted: int = 0
    """Matches that ended without one."""
    scores: list[int] = field(default_factory=list)
    """The bot's own score of each finished match."""
    refused: int = 0
    """The answers that were refused as illegal or malformed."""
    timed_out: int = 0
    """The decisions that were closed with the default move."""
    errors: int = 0
    """The exceptions of the bot."""

    def add(self, other: RunTally) -> None:
        """Adds the totals of another run."""
        self.finished += other.finished
        self.aborted += other.aborted
        self.scores += other.scores
        self.refused += other.refused
        self.timed_out += other.timed_out
        self.errors += other.errors

    def withdraw(self, score: int | None) -> None:
        """Removes a match that was counted as over, with this score or aborted, since it goes on after all."""
        if score is None:
            self.aborted -= 1
        else:
            self.finished -= 1
            self.scores.remove(score)


@final
@dataclass(slots=True)
class BotRun:
    """A run of a bot: the state that all its matches share."""

    factory: BotFactory
    send: Callable[[play_pb2.PlayRequest], None]
    workers: ThreadPool
    on_error: OnError
    tally: RunTally
    ended: Callable[[str], None]
    """The callback for the id of a finished match."""
    note_faults: set[str] = field(default_factory=set)
    """The faults of notes that have been reported."""


@final
class Seat:
    """The bot's seat in one match. Everything here runs in the event loop; only `choose` may run in a thread."""

    def __init__(self, run: BotRun, update: play_pb2.SeatUpdate) -> None:
        self._run = run
        self._header = update.started
        self.info: MatchInfo = match_info(update.started, update.seat)
        self.seen = 0
        """The number of events that the service has shown, as it counts them."""
        self.history = 0
        """The service's mark that distinguishes these events from others."""
        self.resigned = False
        self._history: list[game_pb2.Event] = []
        self._fresh: list[game_pb2.Event] = []  # not yet handed to the bot
        self._decision: Decision | None = None
        self._sent: play_pb2.PlayRequest | None = None  # the answer to `_decision`, not known to be stored
        self._attempts = 0
        self._thinking: Decision | None = None
        self._future: asyncio.Future[Any] | None = None
        self._bot: Bot = self._new_bot()

    # News from the service

    def update(self, update: play_pb2.SeatUpdate) -> None:
        """Handles news of the match."""
        if update.rewound or update.seen < self.seen:  # fewer than before: put back while this process was away
            self._rewind(update)
        self._take_events(update)
        for decision_id in update.accepted:
            self._settled(decision_id)
        for decision_id in update.timed_out:
            self._run.tally.timed_out += 1
            log.warning("%s: time ran out for decision %s; the default move was played", self.info.id, decision_id)
            self._settled(decision_id)
        if update.HasField("over"):
            self._over(update)
        elif update.HasField("decision"):
            self._asked(update.decision)

    def refused(self, message: play_pb2.Refusal) -> None:
        """Handles the refusal of an answer, or of a resignation."""
        decision = self._decision
        if decision is None or message.decision_id != decision.id or self._sent is None:
            log.info("%s: refused: %s (%s)", self.info.id, message.message, message.reason)
            return
        if message.reason in _LATE or not message.still_open:
            log.warning("%s: answer to %s was not accepted: %s", self.info.id, decision.id, message.message)
            self._settled(decision.id)
        elif message.reason in _AGAIN:
            asyncio.get_running_loop().call_later(_RETRY_SECONDS, self._send_again, self._sent)
        else:
            self._sent = None
            self._err(decision, Refusal(message.reason, message.message, message.rule))

    def stop(self) -> None:
        """Stops thinking, because the process ends."""
        self._decision = None
        if self._future is not None:
            self._future.cancel()

    def _take_events(self, update: play_pb2.SeatUpdate) -> None:
        if update.events:
            repeated = max(0, self.seen - (update.seen - len(update.events)))
            new = update.events[repeated:]
            self._history.extend(new)
            self._fresh.extend(new)
        self.seen, self.history = update.seen, update.history

    def _rewind(self, update: play_pb2.SeatUpdate) -> None:
        """Starts a new bot object from the rest of the match, because the service lost a tail of it."""
        kept = max(0, update.seen - len(update.events))
        log.warning("%s: the service put the match back to event %d; a new bot object goes on", self.info.id, kept)
        del self._history[kept:]
        self._fresh = list(self._history)
        self.seen = kept
        self.stop()
        self._thinking, self._future, self._sent = None, None, None
        self.info = match_info(self._header, self.info.seat)
        self._bot = self._new_bot()

    def _settled(self, decision_id: str) -> None:
        """Notes that a decision needs no answer any more."""
        if self._decision is not None and self._decision.id == decision_id:
            self._decision, self._sent = None, None

    def _over(self, update: play_pb2.SeatUpdate) -> None:
        self.stop()
        self._sent = None
        self.info.result = result_of(update.over)
        tally, score = self._run.tally, self.info.score
        if score is None:
            tally.aborted += 1
            log.info("%s: aborted (%s)", self.info.id, self.info.result.abort_cause or "no reason given")
        else:
            tally.finished += 1
            tally.scores.append(score)
            log.info("%s: over, score %+d%s", self.info.id, score, _forfeit_text(self.info))
        try:
            with self._watched("over"):
                self._bot.over(self.info)
        except BOT_ERRORS as error:  # the author's code: reported, and the other matches go on
            self._caught("over", "The match is over anyway.", error)
        self._run.ended(self.info.id)

    # Asking the bot

    def _new_bot(self) -> Bot:
        with self._watched("its constructor"):
            bot = self._run.factory()  # may raise: then the match cannot be played
        try:
            with self._watched("started"):
                bot.started(self.info)
        except BOT_ERRORS as error:  # the author's code: reported, and the match goes on
            self._caught("started", "The match goes on.", error)
        return bot

    def _asked(self, message: play_pb2.Decision) -> None:
        current = self._decision
        if current is not None and current.id == message.decision_id:
            # Asked again after a lost connection: the answer may have been lost with it.
            if self._sent is not None:
                self._run.send(self._sent)
                return
            if self._thinking is current:
                return
        if self.resigned:
            self.resign()
            return
        source = MessageSource(self.info.game, message, tuple(self._fresh), self._bot)
        self._decision = Decision(
            self.info,
            message.decision_id,
            source,
            required=message.required,
            legal_count=message.legal_count,
            time_ms=message.time_ms,
            bank_ms=message.bank_ms,
        )
        self._sent = None
        self._attempts = 0
        if self._thinking is None:
            self._ask(self._decision)
        elif self._future is not None:
            self._future.cancel()  # the decision before is closed; then this one is asked
        # A thread cannot be interrupted, so this decision is asked when the thread has finished.

    def _ask(self, decision: Decision) -> None:
        self._fresh.clear()
        bot = self._bot
        if not (bot.instant or inspect.iscoroutinefunction(bot.choose)):
            self._thinking = decision
            try:
                thought = partial(self._thought, decision)
                self._run.workers.submit(partial(self._choose_in_thread, bot), decision, thought)
            except RuntimeError as error:  # no thread can be started, and there is none
                self._thinking = None
                self._failed(decision, error)
            return
        try:
            with self._watched(_choosing(decision), FIRST_SECONDS):
                choice = bot.choose(decision)
        except BOT_ERRORS as error:  # the author's code: reported, and the match goes on
            self._failed(decision, error)
            return
        if inspect.isawaitable(choice):
            self._await(decision, choice)
        else:
            self._answer(decision, choice)

    def _await(self, decision: Decision, choice: Awaitable[Choice]) -> None:
        self._thinking = decision
        self._future = asyncio.ensure_future(self._awaiting(decision, choice))
        self._future.add_done_callback(partial(self._awaited, decision))

    async def _awaiting(self, decision: Decision, choice: Awaitable[Choice]) -> Choice:
        with self._watched(_choosing(decision), _patience(decision)) as call:
            call.awaited = choice
            return await guarded(choice)

    def _choose_in_thread(self, bot: Bot, decision: Decision) -> Choice | Awaitable[Choice]:
        with watched(self._bot_name(), _choosing(decision), patience=_patience(decision)):
            return bot.choose(decision)

    def _watched(self, doing: str, patience: float = FIRST_SECONDS) -> Call:
        """Wraps a call in the event loop."""
        return watched(self._bot_name(), doing, patience=patience, alone=False, hint=_BLOCKS)

    def _bot_name(self) -> str:
        return f"{self.info.id}: the bot"

    def _awaited(self, decision: Decision, future: asyncio.Future[Any]) -> None:
        if self._future is future:
            self._future = None
        if future.cancelled():
            self._thought(decision, None, None)
        elif (error := future.exception()) is not None:
            self._thought(decision, None, error)
        else:
            self._thought(decision, future.result(), None)

    def _thought(self, decision: Decision, choice: Choice, error: BaseException | None) -> None:
        """Notes that the bot has finished with a decision."""
        if self._thinking is not decision:  # a bot object from before a rewind
            return
        if error is None and inspect.isawaitable(choice):
            self._await(decision, choice)
            return
        self._thinking = None
        if error is not None:
            self._failed(decision, error)
        elif self._decision is decision:
            self._answer(decision, choice)
        if self._decision is not None and self._decision is not decision and self._thinking is None:
            self._ask(self._decision)

    # Answering

    def _answer(self, decision: Decision, choice: Choice) -> None:
        request = play_pb2.PlayRequest()
        request.answer.match_id = self.info.id
        request.answer.decision_id = decision.id
        try:
            note_fault = fill_answer(request.answer, decision, choice)
        except CannotSend as error:
            self._err(decision, malformed(error))
            return
        except BOT_ERRORS as error:  # the author's objects may raise, such as a move that cannot be compared or shown
            self._failed(decision, error, "the answer of choose")
            return
        if note_fault and note_fault not in self._run.note_faults:
            self._run.note_faults.add(note_fault)
            report_note_fault(self.info.id, decision.id, note_fault)
        self._sent = request
        self._run.send(request)

    def _send_again(self, request: play_pb2.PlayRequest) -> None:
        if self._sent is request:
            self._run.send(request)

    def _err(self, decision: Decision, refusal: Refusal) -> None:
        """Asks again after an invalid answer. After the last attempt, plays the default move."""
        self._run.tally.refused += 1
        self._attempts += 1
        left = MAX_ATTEMPTS - self._attempts
        if left < 0:
            log.error("%s: %s was refused with the default move as well; time will run out", self.info.id, decision.id)
            return
        what_now = "the bot is asked again" if left else "the default move is played"
        report_refusal(self.info.id, decision.id, refusal, what_now)
        if left:
            decision.refusal = refusal
            self._ask(decision)
        else:
            self._answer(decision, 0)

    def _failed(self, decision: Decision, error: BaseException, doing: str = "choose") -> None:
        """Handles an exception that `choose` raised or its return value caused."""
        match self._run.on_error:
            case OnError.TIMEOUT:
                what_now = f"No answer to {decision.id} is sent: the default move will be played when time runs out."
            case OnError.DEFAULT:
                what_now = "The default move is played."
            case OnError.RESIGN:
                what_now = "The match is resigned."
        self._caught(doing, what_now, error)
        if self._run.on_error is OnError.DEFAULT:
            sys.stderr.write(f"{own_error_line(self.info.id, decision.id)}\n")
            sys.stderr.flush()
        if self._decision is not decision:
            return
        if self._run.on_error is OnError.DEFAULT:
            self._answer(decision, 0)
        elif self._run.on_error is OnError.RESIGN:
            self.resign()

    def resign(self) -> None:
        """Resigns the match. After a lost connection, it repeats this until the service says that the match is over."""
        self.resigned = True
        request = play_pb2.PlayRequest()
        request.resign.match_id = self.info.id
        self._run.send(request)

    def _caught(self, doing: str, what_now: str, error: BaseException) -> None:
        self._run.tally.errors += 1
        report_exception(self.info.id, doing, what_now, error)


def _choosing(decision: Decision) -> str:
    return f"choose (decision {decision.id})"


def _patience(decision: Decision) -> float:
    """Returns the seconds after which a decision is reported as hanging, when its time has run out."""
    return max(FIRST_SECONDS, decision.time_ms / 1000) if decision.time_ms else _UNTIMED_SECONDS


def _forfeit_text(info: MatchInfo) -> str:
    """Returns for the log who forfeited."""
    result = info.result
    if result is None or result.forfeited_seat is None:
        return ""
    forfeiter = "this bot" if result.forfeited_seat == info.seat else f"seat {result.forfeited_seat}"
    return f" ({forfeiter} forfeited: {result.forfeit_cause})"
