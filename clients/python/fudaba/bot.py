"""The base class of bots, and the decisions that they make.

Nothing here needs gRPC: the same objects reach a bot from a service (`fudaba.run`) and in process
(`fudaba.play_local`).
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

from fudaba_games.game import OptionValue

__all__ = [
    "Answer",
    "Bot",
    "BotFactory",
    "Choice",
    "Decision",
    "DecisionSource",
    "MatchInfo",
    "Player",
    "Refusal",
    "Result",
]

Choice = Any
"""The result of `Bot.choose`: a move (best taken from `Decision.legal_moves`), the text of one, or an index; or an
`Answer` with one of these."""


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """A choice with a note, for `Bot.choose` to return."""

    choice: Choice
    """A move, the text of one, or an index."""
    note: str = ""
    """A note about this decision for later: `fudaba record get --notes` fetches it, `fudaba record show` shows it. Only
    the bot and its author can get it. At most 1024 bytes are kept, the rest is cut off. A note that is not a text is
    sent as its text form, and None is no note; the kit reports either once.
    """


@final
@dataclass(frozen=True, slots=True)
class Player:
    """The player in a seat."""

    bot: str
    version: str


@final
@dataclass(frozen=True, slots=True)
class Result:
    """The end of a match."""

    scores: tuple[int, ...] | None
    """A score for each seat, adding up to zero; None when the match was aborted."""
    placements: tuple[int, ...] | None
    """A placement for each seat: 1 for the best score; equal scores share one."""
    forfeited_seat: int | None = None
    forfeit_cause: str = ""
    """`RESIGNED`, `TIMEOUTS` or `ILLEGAL` when a seat forfeited."""
    abort_cause: str = ""
    """`NO_SHOW`, `ORGANISER` or `LOST` when the match was aborted."""


@final
@dataclass(slots=True)
class MatchInfo:
    """A match from the seat of one bot. The same object from `started` to `over`."""

    id: str
    game: str
    """The game's id, for example `naga`."""
    seat: int
    """The bot's seat, from 0."""
    players: tuple[Player, ...]
    """The bots in the seats."""
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """Every option of the game, defaults included."""
    rules_version: int = 0
    label: str = ""
    result: Result | None = None
    """Set when the match is over."""
    commitment: bytes = b""
    """The service's commitment to the deals, made before the first card. Keep it: `fudaba record verify --commitment
    HEX` compares the record with it afterwards. Empty where the match is played in process."""

    @property
    def score(self) -> int | None:
        """The bot's own score once the match is over; None before, and when it was aborted."""
        return None if self.result is None or self.result.scores is None else self.result.scores[self.seat]


@final
@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why the last answer to a decision was refused."""

    reason: str
    """A reason of the contract without its prefix, for example `ILLEGAL_MOVE` or `MALFORMED_MOVE`."""
    message: str
    """A description of the fault, and the remedy."""
    rule: str = ""
    """The rules' name for the fault, for `ILLEGAL_MOVE`; for example `CARD_NOT_IN_HAND`."""


class DecisionSource(ABC):
    """The source of a decision's content. It is asked only for what the bot reads."""

    @abstractmethod
    def view(self) -> Any:
        """Returns the rules' view value."""

    @abstractmethod
    def legal_moves(self) -> Sequence[Any]:
        """Returns the rules' move values, the default first."""

    @abstractmethod
    def events(self) -> Sequence[Any]:
        """Returns the rules' events since the last decision."""


@final
class Decision:
    """A decision that a bot has to make.

    `view`, `legal_moves` and `events` hold the values of the game's package: for Naga `NagaView`, `Designate` and
    `Commit`, and the events of `fudaba_games.naga`. `docs/bots.md` describes them.
    """

    __slots__ = (
        "_events",
        "_legal",
        "_received",
        "_source",
        "_view",
        "bank_ms",
        "id",
        "legal_count",
        "match",
        "refusal",
        "required",
        "time_ms",
    )

    def __init__(
        self,
        match: MatchInfo,
        decision_id: str,
        source: DecisionSource,
        *,
        required: bool = True,
        legal_count: int = 0,
        time_ms: int = 0,
        bank_ms: int = 0,
    ) -> None:
        self.match = match
        self.id = decision_id
        self.required = required
        """Whether the game waits for the answer. If not, it is withdrawn without penalty when its time is over."""
        self.legal_count = legal_count
        """The number of legal moves; set even if the bot wants no list of them."""
        self.time_ms = time_ms
        """The time that the bot may take from receipt, in milliseconds, the bank included; 0 if no clock runs."""
        self.bank_ms = bank_ms
        """The part of `time_ms` that is bank."""
        self.refusal: Refusal | None = None
        """The reason why the answer before this one was refused, when the same decision is asked again."""
        self._source = source
        self._received = time.monotonic()
        self._view: Any = None
        self._legal: Sequence[Any] | None = None
        self._events: Sequence[Any] | None = None

    @property
    def game(self) -> str:
        """The game's id."""
        return self.match.game

    @property
    def seat(self) -> int:
        """The bot's seat."""
        return self.match.seat

    @property
    def view(self) -> Any:
        """The seat's knowledge: in Naga a `fudaba_games.naga.NagaView`."""
        if self._view is None:
            self._view = self._source.view()
        return self._view

    @property
    def legal_moves(self) -> Sequence[Any]:
        """The legal moves in the rulebook's order. The first is the default, which is played when time runs out."""
        if self._legal is None:
            self._legal = self._source.legal_moves()
        return self._legal

    @property
    def events(self) -> Sequence[Any]:
        """The events that the seat was shown since this bot object's last decision, in order."""
        if self._events is None:
            self._events = self._source.events()
        return self._events

    @property
    def time_left_ms(self) -> int:
        """The rest of `time_ms` now, by this machine's clock; never below 0."""
        spent = (time.monotonic() - self._received) * 1000
        return max(0, int(self.time_ms - spent))

    def __repr__(self) -> str:
        return f"<Decision {self.id} of match {self.match.id}, {self.legal_count} legal moves>"


class Bot(ABC):
    """A bot. One object is made for each match, by calling the class without arguments; so matches share nothing.

    `choose` may be an ordinary method, which runs in a worker thread so that it can take its time, or an `async def`.
    """

    instant: ClassVar[bool] = False
    """True: an ordinary `choose` takes well under a millisecond and runs without a worker thread."""
    wants_legal_moves: ClassVar[bool] = True
    """False: no list of legal moves is sent, only `legal_count`; saves time if the bot finds moves itself."""
    wants_events: ClassVar[bool] = True
    """False: no events are sent; the view of each decision is enough."""

    @abstractmethod
    def choose(self, decision: Decision) -> Choice | Awaitable[Choice]:
        """Answers a decision: with a move, its text, or an index into the legal moves; or an `Answer` with a note."""

    def started(self, match: MatchInfo) -> None:  # noqa: B027 - a hook: doing nothing is right
        """Called once before the first decision. Must not take long."""

    def over(self, match: MatchInfo) -> None:  # noqa: B027 - a hook: doing nothing is right
        """Called once when the match is over; `match.result` is set. Must not take long."""


BotFactory = Callable[[], Bot]
"""Makes the bot of one match."""
