"""A match in process, against built-in bots: no service, no network, no clock."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final, final

from fudaba.bot import Bot, Decision, MatchInfo, Player, Result, Source
from fudaba.bots import built_in
from fudaba.terminal.seat import Asked, News, NotTaken, Seat
from fudaba_games.match import Match, OpenDecision
from fudaba_games.registry import game

__all__ = ["LocalSeat"]

PACE: Final = 0.5
"""Seconds between what the others do, so that a person can follow it."""


@final
class _Values(Source):
    """A decision's content straight from the rules."""

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
class LocalSeat(Seat):
    """A person against built-in bots.

    `others` names a bot for each other seat, in their order. Raises `BotNotLoaded` for a name that is none, and
    `fudaba_games.game.GameError` for what cannot be played.
    """

    def __init__(
        self,
        game_id: str,
        options: Mapping[str, object],
        others: Sequence[str],
        seat: int,
        seed: bytes,
        pace: float = PACE,
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
        self._pace = pace
        self._told = 0
        self._asked = ""
        self._todo: asyncio.Queue[Callable[[], None]] = asyncio.Queue()
        self._forfeited = False

    async def news(self) -> AsyncIterator[News]:
        """See `Seat`."""
        match = self._match
        yield self._news()
        while not match.over:
            due = match.open_decisions()
            other = next((one for one in due if one.seat != self._seat), None)
            if not due and self._todo.empty():
                match.pass_time()  # nobody is waited for, so no time has to pass either
            elif other is None or not self._todo.empty():
                (await self._todo.get())()
            else:
                move = await asyncio.to_thread(self._choose, other)
                if match.open(other.seat) is not other:
                    continue
                match.play(other.seat, move)
            news = self._news()
            yield news
            if news.events and news.asked is None and not match.over:
                await asyncio.sleep(self._pace)

    async def answer(self, decision_id: str, move: Any) -> None:
        """See `Seat`."""
        self._match.check(self._seat, decision_id, move)
        self._todo.put_nowait(lambda: self._play(decision_id, move))

    async def resign(self) -> None:
        """See `Seat`."""
        if self._match.over:
            raise NotTaken("the match is over")
        self._todo.put_nowait(self._give_up)

    def _play(self, decision_id: str, move: Any) -> None:
        decision = self._match.open(self._seat)
        if decision is not None and decision.id == decision_id:
            self._match.play(self._seat, move)

    def _give_up(self) -> None:
        if not self._match.over:
            self._match.forfeit(self._seat)
            self._forfeited = True

    def _choose(self, open_decision: OpenDecision[Any]) -> Any:
        """The move of a built-in bot."""
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

    def _news(self) -> News:
        match = self._match
        shown = match.shown(self._seat)
        news = News(events=shown[self._told :], view=match.view(self._seat))
        self._told = len(shown)
        decision = match.open(self._seat)
        current = decision.id if decision is not None else ""
        if self._asked and self._asked != current:
            news.closed = frozenset({self._asked})
        if decision is not None and current != self._asked:
            news.asked = Asked(decision.id, decision.legal, decision.required)
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
