"""High Card, a game of two minutes' thought, and what can be wrong with it: the proof that the conformance checks bite.

Each seat holds three of twelve cards. Both play one face down, or pass; the higher one wins the round; then both draw.
A deal has three rounds; after the last deal the one with more rounds wins. Every `Flaw` breaks one promise of
`fudaba_games.game`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from fudaba_games.game import (
    PUBLIC,
    SEED_BYTES,
    Chance,
    Decision,
    Game,
    IllegalMove,
    MalformedMove,
    Option,
    OptionValue,
    Outcome,
    Shown,
    Timer,
)
from fudaba_games.game import State as GameState
from fudaba_games.shuffle import shuffled

CARDS: Final = 12
ROUNDS: Final = 3


class Flaw(Enum):
    """What is wrong with a High Card."""

    NONE = auto()
    VIEW_LEAKS = auto()
    VIEW_TELLS_WHO_CHOSE = auto()
    SPECTATOR_SEES_A_HAND = auto()
    LEGAL_MOVES_LEAK = auto()
    EVENT_LEAKS = auto()
    ASKING_LEAKS = auto()
    TIMER_LEAKS = auto()
    REDEAL_DOES_NOT_VARY = auto()
    REDEAL_BREAKS_THE_VIEW = auto()
    SUPPOSES_ANOTHER_VIEW = auto()
    SUPPOSES_ANOTHER_FUTURE = auto()
    CHECK_ACCEPTS_ALL = auto()
    CHECK_CHANGES_THE_STATE = auto()
    CHECK_CRASHES = auto()
    LEGAL_MOVES_REPEAT = auto()
    KINDS_ARE_MIXED = auto()
    TEXT_IS_LOSSY = auto()
    PARSER_CRASHES = auto()
    CLONE_SHARES = auto()
    ORDER_MATTERS = auto()
    SCORES_DO_NOT_ADD_UP = auto()
    NEVER_ENDS = auto()
    FORFEIT_PAYS = auto()
    KIND_IS_NEVER_SEEN = auto()
    DEPENDS_ON_MORE_THAN_THE_LOG = auto()
    TURN_IS_ANOTHERS = auto()
    DRAWS_AN_ILLEGAL_MOVE = auto()
    DRAWS_BY_MORE_THAN_CHANCE = auto()
    DRAWING_CHANGES_THE_STATE = auto()
    DRAWS_ALL_MOVES_ALIKE = auto()
    NEVER_DRAWS_A_MOVE = auto()
    ADVANCE_DOES_LESS = auto()
    RINGS_FOR_ANY_NAME = auto()
    RINGS_THE_LONGEST_FIRST = auto()
    PLAYS_ON_AFTER_THE_DEAL = auto()
    REDEAL_HAS_NO_END = auto()
    VIEW_CAN_BE_CHANGED = auto()
    OPTION_HAS_NO_TEXT = auto()
    LARGEST_OPTIONS_HAVE_NO_END = auto()


_DRAWING: Final = {
    Flaw.DRAWS_AN_ILLEGAL_MOVE,
    Flaw.DRAWS_BY_MORE_THAN_CHANCE,
    Flaw.DRAWING_CHANGES_THE_STATE,
    Flaw.DRAWS_ALL_MOVES_ALIKE,
    Flaw.NEVER_DRAWS_A_MOVE,
}


@dataclass(frozen=True, slots=True)
class Play:
    """Plays a card; -1 passes."""

    card: int


@dataclass(frozen=True, slots=True)
class View:
    """What a seat knows."""

    deal: int
    round: int
    hand: tuple[int, ...]
    chosen: int | None
    wins: tuple[int, ...]
    played: tuple[tuple[int, int], ...]
    gossip: object = None


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal begins."""

    deal: int


@dataclass(frozen=True, slots=True)
class Drew:
    """A card came into a hand."""

    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class Compared:
    """What both played."""

    cards: tuple[int, ...]


Event = Dealt | Drew | Compared


class State(GameState):
    """The full state."""

    def __init__(self, seed: bytes, deals: int, *, sharing: bool = False) -> None:
        self.seed = seed
        self.deals = deals
        self.deal = 0
        self.sharing = sharing
        self.hands: list[list[int]] = []
        self.stock: list[int] = []
        self.chosen: list[int | None] = [None, None]
        self.wins = [0, 0]
        self.round = 0
        self.played: list[tuple[int, int]] = []

    def clone(self) -> State:
        """An equal state."""
        other = State(self.seed, self.deals, sharing=self.sharing)
        other.stock = self.stock if self.sharing else list(self.stock)
        other.hands = [list(hand) for hand in self.hands]
        other.deal, other.round = self.deal, self.round
        other.chosen, other.wins, other.played = list(self.chosen), list(self.wins), list(self.played)
        return other


def _dealt(state: State) -> list[Shown[Event]]:
    """Deals the deal that `state.deal` says."""
    deck = shuffled(list(range(CARDS)), state.seed, state.deal, 0)
    state.hands, state.stock = [sorted(deck[:3]), sorted(deck[3:6])], deck[6:]
    state.round, state.played = 0, []
    events: list[Shown[Event]] = [Shown(PUBLIC, Dealt(state.deal))]
    return events + [Shown(1 << seat, Drew(seat, card)) for seat in (0, 1) for card in state.hands[seat]]


class HighCard(Game[State, Play, View, Event]):
    """The game, with one flaw or none."""

    id = "high_card"
    name = "High Card"
    japanese_name = "ハイカード"
    rules_version = 1
    min_seats = 2
    max_seats = 2
    options: tuple[Option, ...] = (Option("deals", 1, "How many deals a match has.", minimum=1, maximum=9),)
    move_kinds: tuple[str, ...] = ("pass", "play")
    event_kinds: tuple[str, ...] = ("dealt", "drew", "compared")

    def __init__(self, flaw: Flaw = Flaw.NONE) -> None:
        self.flaw = flaw
        self._calls = 0
        if flaw is Flaw.KIND_IS_NEVER_SEEN:
            self.move_kinds = ("pass", "play", "double")
        if flaw is Flaw.OPTION_HAS_NO_TEXT:
            self.options = (Option("deals", 1, "", minimum=1, maximum=9),)

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[State, list[Shown[Event]]]:
        state = State(seed, int(options.get("deals", 1)), sharing=self.flaw is Flaw.CLONE_SHARES)
        return state, _dealt(state)

    def decisions(self, state: State) -> Sequence[Decision]:
        if self.outcome(state):
            return []
        due = [Decision(seat) for seat in (0, 1) if state.chosen[seat] is None]
        if self.flaw is Flaw.ASKING_LEAKS and len(due) == 2 and max(state.hands[1]) > max(state.hands[0]):
            return due[1:]
        return due

    def turn(self, state: State) -> int:
        return 0 if self.flaw is Flaw.TURN_IS_ANOTHERS else super().turn(state)

    def timers(self, state: State) -> Sequence[Timer]:
        if self.flaw is Flaw.TIMER_LEAKS:
            return [Timer("hourglass", max(state.hands[1]) + 1)]
        if self.flaw is Flaw.RINGS_THE_LONGEST_FIRST and not self.outcome(state):
            return [Timer("minute", 60), Timer("second", 1)]
        return ()

    def next_timer(self, state: State) -> Timer | None:
        if self.flaw is Flaw.RINGS_THE_LONGEST_FIRST:
            return next(iter(self.timers(state)), None)
        return super().next_timer(state)

    def ring(self, state: State, name: str) -> list[Shown[Event]]:
        return self.rung(state, name) if self.flaw is Flaw.RINGS_FOR_ANY_NAME else super().ring(state, name)

    def rung(self, state: State, name: str) -> list[Shown[Event]]:
        return []

    def legal_moves(self, state: State, seat: int) -> Sequence[Play]:
        moves = [Play(-1), *(Play(card) for card in state.hands[seat])]
        if self.flaw is Flaw.LEGAL_MOVES_LEAK and sum(state.hands[1 - seat]) % 2:
            moves[1:] = moves[:0:-1]
        if self.flaw is Flaw.LEGAL_MOVES_REPEAT:
            moves.append(moves[-1])
        if self.flaw is Flaw.KINDS_ARE_MIXED:
            moves[0], moves[1] = moves[1], moves[0]
        return moves

    def check(self, state: State, seat: int, move: Play) -> None:
        if self.flaw is Flaw.CHECK_ACCEPTS_ALL:
            return
        if self.flaw is Flaw.CHECK_CHANGES_THE_STATE:
            state.stock.reverse()
        if self.flaw is Flaw.CHECK_CRASHES and move.card > CARDS:
            raise IndexError(move.card)
        if move.card != -1 and move.card not in state.hands[seat]:
            raise IllegalMove("CARD_NOT_IN_HAND", f"your hand has no {move.card}")

    def apply(self, state: State, seat: int, move: Play) -> list[Shown[Event]]:
        state.chosen[seat] = move.card
        if self.flaw is Flaw.DEPENDS_ON_MORE_THAN_THE_LOG:
            self._calls += 1
            state.wins[0] += self._calls
        first, second = state.chosen
        if first is None or second is None:
            return []
        if self.flaw is Flaw.ORDER_MATTERS and seat == 0:
            state.stock.reverse()
        events: list[Shown[Event]] = [Shown(PUBLIC, Compared((first, second)))]
        if first != second:
            state.wins[0 if first > second else 1] += 1
        for one, card in enumerate((first, second)):
            if card >= 0:
                state.hands[one].remove(card)
                state.hands[one] = sorted([*state.hands[one], drawn := state.stock.pop(0)])
                to = PUBLIC if self.flaw is Flaw.EVENT_LEAKS else 1 << one
                events.append(Shown(to, Drew(one, drawn)))
        state.chosen = [None, None]
        state.played.append((first, second))
        state.round += 1
        if state.round == ROUNDS and state.deal + 1 < state.deals:
            state.deal += 1
            events += _dealt(state)
        return events

    def advance(self, state: State, seat: int, move: Play) -> None:
        self.apply(state, seat, move)
        if self.flaw is Flaw.ADVANCE_DOES_LESS and state.chosen == [None, None]:
            state.played.pop()

    def random_move(self, state: State, seat: int, chance: Chance) -> Play:
        if self.flaw not in _DRAWING:
            return super().random_move(state, seat, chance)
        hand = state.hands[1 - seat if self.flaw is Flaw.DRAWS_AN_ILLEGAL_MOVE else seat]
        if self.flaw is Flaw.DRAWING_CHANGES_THE_STATE:
            state.stock.sort()
        if self.flaw is Flaw.NEVER_DRAWS_A_MOVE:
            hand = hand[:2]
        draws = [-1, *hand] if self.flaw is Flaw.DRAWS_ALL_MOVES_ALIKE else [-1, hand[chance.randrange(len(hand))]]
        self._calls += self.flaw is Flaw.DRAWS_BY_MORE_THAN_CHANCE
        return Play(draws[(chance.randrange(len(draws)) + self._calls) % len(draws)])

    def view(self, state: State, seat: int | None) -> View:
        gossip: object = None
        if seat is not None and self.flaw is Flaw.VIEW_LEAKS:
            gossip = max(state.hands[1 - seat])
        if seat is not None and self.flaw is Flaw.VIEW_TELLS_WHO_CHOSE:
            gossip = state.chosen[1 - seat] is not None
        if self.flaw is Flaw.VIEW_CAN_BE_CHANGED:
            gossip = [state.round]
        wins, played = tuple(state.wins), tuple(state.played)
        if seat is None:
            hand = tuple(state.hands[0]) if self.flaw is Flaw.SPECTATOR_SEES_A_HAND else ()
            return View(state.deal, state.round, hand, None, wins, played)
        return View(state.deal, state.round, tuple(state.hands[seat]), state.chosen[seat], wins, played, gossip)

    def redeal(self, state: State, seat: int | None, chance: Chance) -> State:
        other = state.clone()
        if self.flaw is Flaw.REDEAL_DOES_NOT_VARY:
            return other
        if self.flaw is Flaw.REDEAL_HAS_NO_END:
            other.deals = 1 << 60
        other.seed = bytes([chance.randrange(256) for _ in range(SEED_BYTES)])
        hidden = [one for one in (0, 1) if one != seat]
        pool = sorted(state.stock + [card for one in hidden for card in state.hands[one]])
        if self.flaw is Flaw.REDEAL_BREAKS_THE_VIEW and seat is not None:
            other.hands[seat].pop()
        chance.shuffle(pool)
        for one in hidden:
            other.hands[one] = sorted(pool[:3])
            del pool[:3]
            other.chosen[one] = None
        other.stock = pool
        pick = chance.randrange(len(hidden) + 1)
        if (seat is None or state.chosen[seat] is None) and pick < len(hidden) and not self.outcome(state):
            other.chosen[hidden[pick]] = other.hands[hidden[pick]][chance.randrange(3)]
        return other

    def suppose(self, view: View, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> State:
        gone = [card for pair in view.played for card in pair if card >= 0]
        unseen = [card for card in range(CARDS) if card not in view.hand and card not in gone]
        state = State(bytes(SEED_BYTES), int(options.get("deals", 1)))
        state.hands, state.stock = [unseen[:3], unseen[:3]], unseen[3:]
        state.hands[seat] = list(view.hand)
        state.chosen[seat] = view.chosen
        state.deal, state.round = view.deal, view.round
        state.wins, state.played = list(view.wins), list(view.played)
        if self.flaw is Flaw.SUPPOSES_ANOTHER_VIEW:
            state.wins.reverse()
        if self.flaw is Flaw.SUPPOSES_ANOTHER_FUTURE:
            chance.random()
        return self.redeal(state, seat, chance)

    def only_this_deal(self, view: View, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        if self.flaw is Flaw.PLAYS_ON_AFTER_THE_DEAL:
            return dict(options)
        return {**options, "deals": view.deal + 1}

    def outcome(self, state: State) -> Outcome | None:
        largest = state.deals == self.options[0].maximum
        endless = self.flaw is Flaw.NEVER_ENDS or (self.flaw is Flaw.LARGEST_OPTIONS_HAVE_NO_END and largest)
        if state.round < ROUNDS or endless:
            if endless and len(state.stock) < 2:
                state.stock.extend(range(CARDS))
            return None
        difference = state.wins[0] - state.wins[1]
        return Outcome((difference, 1 - difference if self.flaw is Flaw.SCORES_DO_NOT_ADD_UP else -difference))

    def forfeit(self, state: State, seat: int) -> Outcome:
        lost = state.wins[seat] - state.wins[1 - seat] - (ROUNDS * (state.deals - state.deal) - state.round)
        if self.flaw is Flaw.FORFEIT_PAYS:
            lost += ROUNDS
        return Outcome((lost, -lost) if seat == 0 else (-lost, lost))

    def kind(self, move: Play) -> str:
        if self.flaw is Flaw.KINDS_ARE_MIXED:
            return "play" if move.card % 2 else "pass"
        return "pass" if move.card == -1 else "play"

    def event_kind(self, event: Event) -> str:
        return {Dealt: "dealt", Drew: "drew", Compared: "compared"}[type(event)]

    def parse_move(self, text: str) -> Play:
        words = text.split()
        if self.flaw is Flaw.PARSER_CRASHES:
            return Play(-1) if words == ["pass"] else Play(int(words[1]))
        if words == ["pass"]:
            return Play(-1)
        if len(words) == 2 and words[0] == "play" and words[1] in map(str, range(CARDS)):
            return Play(int(words[1]))
        raise MalformedMove("write `pass`, or `play` and a card from 0 to 11")

    def format_move(self, move: Play) -> str:
        if self.flaw is Flaw.TEXT_IS_LOSSY:
            return "pass" if move.card == -1 else f"play {move.card // 2}"
        return "pass" if move.card == -1 else f"play {move.card}"

    def describe_event(self, event: Event) -> str:
        return str(event)

    def render_view(self, view: View) -> str:
        return str(view)
