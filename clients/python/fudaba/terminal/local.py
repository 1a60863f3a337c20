"""A match in process against built-in bots: without a service, a network, or a clock other than the game's timers."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final, final

from fudaba.bot import Bot, Decision, DecisionSource, MatchInfo, Player, Result
from fudaba.bots import built_in
from fudaba.terminal.person_seat import AnswerRefused, PersonSeat, PutDecision, SeatNews
from fudaba.terminal.timing import Stopwatch, Timing, WallClock
from fudaba_games.game import GameError, IllegalMove
from fudaba_games.match import Match, OpenDecision
from fudaba_games.registry import game

__all__ = ["LocalSeat"]

PACE_SECONDS: Final = 0.5
"""The pause between other seats' moves, so that a person can follow them."""


@final
class _Values(DecisionSource):
    """A decision's content directly from the rules."""

    def __init__(self, match: Match[Any, Any, Any, Any], open_decision: OpenDecision[Any]) -> None:
        self._match = match
        self._open = open_decision

    def view(self) -> Any:
        return self._match.view(self._open.seat)

    def legal_moves(self) -> Sequence[Any]:
        return self._open.legal

    def events(self) -> Sequence[Any]:
        return ()  # no built-in bot asks for them


@final
class _Answer:
    """The person's answer, and whether it was accepted."""

    def __init__(self, decision_id: str, move: Any, at_ms: int) -> None:
        self.decision_id = decision_id
        self.move = move
        self.at_ms = at_ms
        self.taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def refuse(self, error: Exception) -> None:
        if not self.taken.done():
            self.taken.set_exception(error)


@final
class LocalSeat(PersonSeat):
    """A person against built-in bots, which act in turn or, if everybody may move at any time, each at the pace.

    `others` names a bot for each other seat, in order. Raises `BotNotLoaded` for an unknown name, and
    `fudaba_games.game.GameError` for a match that cannot be played. `pace` is in seconds.
    """

    def __init__(
        self,
        game_id: str,
        options: Mapping[str, object],
        others: Sequence[str],
        seat: int,
        seed: bytes,
        pace: float = PACE_SECONDS,
        clock: Stopwatch | None = None,
    ) -> None:
        rules = game(game_id)
        complete = rules.resolve_options(options)
        names = [*others[:seat], "you", *others[seat:]]
        self._match: Match[Any, Any, Any, Any] = Match(rules, len(names), complete, seed)
        self._bots = [None if number == seat else _bot(name) for number, name in enumerate(names)]
        players = tuple(Player(name, "") for name in names)
        self.info = MatchInfo("local", game_id, seat, players, complete, rules.rules_version)
        self._infos = [
            MatchInfo("local", game_id, number, players, complete, rules.rules_version) for number in range(len(names))
        ]
        self._seat = seat
        self._clock = clock or WallClock()
        self._timing = Timing(self._match, seat, round(pace * 1000))
        self._events_shown = 0
        self._asked = ""
        self._woken = asyncio.Event()
        self._answer: _Answer | None = None
        self._thought: tuple[OpenDecision[Any], Any] | None = None
        """The move that a bot has decided on, until it is played."""
        self._resigns = False
        self._forfeited = False

    async def news(self) -> AsyncIterator[SeatNews]:
        """See `PersonSeat`."""
        self._timing.begin(self._clock.now_ms())
        yield self._news()
        while not self._match.over:
            while not await self._step():
                pass
            self._timing.changed(self._clock.now_ms())
            yield self._news()
        if self._answer is not None:
            self._answer.refuse(AnswerRefused("the match is over"))

    async def answer(self, decision_id: str, move: Any) -> None:
        """See `PersonSeat`. An answer waits until the seat's hand is free. A newer one replaces it."""
        if self._match.over:
            raise AnswerRefused("the match is over")
        if self._answer is not None:
            self._answer.refuse(AnswerRefused("a newer answer of yours took the place of this one"))
        self._answer = answer = _Answer(decision_id, move, self._clock.now_ms())
        self._woken.set()
        await answer.taken

    async def resign(self) -> None:
        """See `PersonSeat`."""
        if self._match.over:
            raise AnswerRefused("the match is over")
        self._resigns = True
        self._woken.set()

    async def _step(self) -> bool:
        """Does the next due thing, or waits for it. Returns whether the match has changed."""
        self._woken.clear()
        now_ms = self._clock.now_ms()
        if self._resigns:
            self._match.forfeit(self._seat)
            self._forfeited = True
            return True
        answer_ms, due = self._answer_ms(), self._timing.due()
        # An answer that came in time counts, however long a bot has thought meanwhile.
        timer = self._timing.overdue(now_ms if answer_ms is None else min(now_ms, answer_ms))
        if timer is not None:
            self._match.fire(timer.name)
            return True
        if answer_ms is not None and answer_ms <= now_ms:
            return self._take_answer()
        if due is not None and due.at_ms <= now_ms:
            return await self._bot_acts(due.decision)
        times = [answer_ms, self._timing.next_timer_ms(), due.at_ms if due is not None else None]
        await self._clock.wait(min((moment for moment in times if moment is not None), default=None), self._woken)
        return False

    def _answer_ms(self) -> int | None:
        """Returns when the person's answer can be played or refused."""
        answer, match = self._answer, self._match
        if answer is None:
            return None
        if match.find(self._seat, answer.decision_id) is None or not match.game.pause_ms(match.state, answer.move):
            return answer.at_ms
        return max(answer.at_ms, self._timing.hand_free_ms())

    def _take_answer(self) -> bool:
        """Plays the person's answer, or refuses it."""
        answer, match, seat = self._answer, self._match, self._seat
        assert answer is not None  # noqa: S101 - the caller has looked
        self._answer = None
        found = match.find(seat, answer.decision_id)
        try:
            match.check(seat, answer.decision_id, answer.move)
        except GameError as error:
            faster = found is not None and found is not match.open(seat) and answer.move in found.legal
            answer.refuse(AnswerRefused(f"too late: {error}") if faster else error)
            return False
        self._play(seat, answer.move)
        if not answer.taken.done():
            answer.taken.set_result(None)
        return True

    async def _bot_acts(self, decision: OpenDecision[Any]) -> bool:
        """Lets a bot decide, or carry out its decision if that is still possible."""
        match, seat, thought = self._match, decision.seat, self._thought
        if thought is None or thought[0].seat != seat or match.find(seat, thought[0].id) is not thought[0]:
            self._thought = decision, await asyncio.to_thread(self._choose, decision)
            return False  # earlier answers go first
        self._thought = None
        try:
            match.check(seat, thought[0].id, thought[1])
        except IllegalMove:
            if thought[0] is decision:
                raise
            return False  # another seat was faster
        self._play(seat, thought[1])
        return True

    def _play(self, seat: int, move: Any) -> None:
        self._timing.acts(seat, self._match.game.pause_ms(self._match.state, move), self._clock.now_ms())
        self._match.play(seat, move)

    def _choose(self, open_decision: OpenDecision[Any]) -> Any:
        """Returns the move of a built-in bot."""
        bot = self._bots[open_decision.seat]
        assert bot is not None  # noqa: S101 - every other seat has one
        info = self._infos[open_decision.seat]
        decision = Decision(
            info,
            open_decision.id,
            _Values(self._match, open_decision),
            required=open_decision.required,
            legal_count=len(open_decision.legal),
        )
        choice = bot.choose(decision)
        assert not inspect.isawaitable(choice)  # noqa: S101 - no built-in bot is
        return open_decision.legal[choice] if isinstance(choice, int) else choice

    def _news(self) -> SeatNews:
        match = self._match
        shown = match.shown(self._seat)
        news = SeatNews(events=shown[self._events_shown :], view=match.view(self._seat))
        self._events_shown = len(shown)
        decision = match.open(self._seat)
        current = decision.id if decision is not None else ""
        if self._asked and match.find(self._seat, self._asked) is None:
            news.closed = frozenset({self._asked})
        now_ms = self._clock.now_ms()
        if decision is not None and current != self._asked:
            news.asked = PutDecision(decision.id, decision.legal, decision.required, self._timing.left_ms(now_ms))
        elif news.events:
            self._timing.shown(now_ms)
        self._asked = current
        if match.outcome is not None:
            news.result = Result(
                match.outcome.scores,
                match.outcome.placements,
                forfeited_seat=self._seat if self._forfeited else None,
                forfeit_cause="RESIGNED" if self._forfeited else "",
            )
        return news


def _bot(name: str) -> Bot:
    return built_in(name)()
