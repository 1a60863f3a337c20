"""The rules of Naga (rules page `docs/rules/naga.md`; numbers such as N4.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import PUBLIC, Chance, Decision, Game, IllegalMove, Option, OptionValue, Outcome, Shown
from fudaba_games.naga import text
from fudaba_games.naga.cards import CARDS, DECK, ELTAM, PLACES, mask_of, text_of
from fudaba_games.naga.commitments import Commitments, commitment_of_five, commitment_of_three
from fudaba_games.naga.hands import better_commitment
from fudaba_games.naga.state import NagaState
from fudaba_games.naga.supposing import supposed
from fudaba_games.naga.values import (
    Battled,
    DealEnded,
    Dealt,
    Designate,
    Designated,
    Drew,
    NagaEvent,
    NagaMove,
    NagaView,
)
from fudaba_games.shuffle import shuffled

MAJORITY: Final = 5
"""More than half of the nine table cards."""
LAST_BATTLE: Final = 6
"""The number, from 0, of the battle for Eltam."""

_STOCK: Final = 32
"""How many cards a deal leaves."""
_SINGLE_PLACES: Final = tuple(place for place in PLACES if place != ELTAM)
_LAYOUT: Final = ((), (0,), (1,), (2,), (3, 4, 5), (6,), (7,), (8,))
"""By place: the positions of its cards from the top of the shuffled deck (N3.1)."""

# Designations and decisions are few and immutable: made once, and shared by all matches.
_ALL_PLACES: Final = mask_of(PLACES)
_DESIGNATIONS: Final[tuple[tuple[NagaMove, ...], ...]] = tuple(
    tuple([Designate(place) for place in _SINGLE_PLACES if places >> place & 1]) for places in range(256)
)
"""The legal designations, by the mask of the places that hold cards."""
_DESIGNATION_KINDS: Final = tuple((("designate", len(moves)),) for moves in _DESIGNATIONS)
_COMMITMENT: Final = (("commit", 10),)
_LAST_COMMITMENT: Final = (("commit", 3),)
_DESIGNATED: Final = tuple(
    tuple([Shown[NagaEvent](PUBLIC, Designated(seat, place))] for place in range(8)) for seat in (0, 1)
)
_Events = list[Shown[NagaEvent]] | None
"""Where what happens is filed; None where nobody wants to know."""

_NOBODY: Final[tuple[Decision, ...]] = ()
_ONE: Final = ((Decision(0),), (Decision(1),))
_BOTH: Final = (Decision(0), Decision(1))


@final
class Naga(Game[NagaState, NagaMove, NagaView, NagaEvent]):
    """ナーガ, two seats."""

    id = "naga"
    name = "Naga"
    japanese_name = "ナーガ"
    rules_version = 1
    min_seats = 2
    max_seats = 2
    options: tuple[Option, ...] = (
        Option("deals", 1, "How many deals a match has.", minimum=1, maximum=99),
        Option("first_dealer", 0, "The seat that deals first.", minimum=0, maximum=1),
    )
    move_kinds: tuple[str, ...] = ("designate", "commit")
    event_kinds: tuple[str, ...] = ("dealt", "drew", "designated", "battled", "deal_ended")

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[NagaState, list[Shown[NagaEvent]]]:
        """The state after the first deal, and its events."""
        self.check_seats(seats)
        state = NagaState(seed, int(options["deals"]), int(options["first_dealer"]))
        return state, _deal(state)

    def decisions(self, state: NagaState) -> Sequence[Decision]:
        """A designation, or the commitments that are missing."""
        if state.over:
            return _NOBODY
        if state.place:
            first, second = state.committed
            return _ONE[1] if first else _ONE[0] if second else _BOTH
        return _ONE[_designator(state)]

    def turn(self, state: NagaState) -> int:
        """The designator, or who has not committed, seat 0 first."""
        if state.over:
            return -1
        if state.place:
            return 1 if state.committed[0] else 0
        return _designator(state)

    def legal_moves(self, state: NagaState, seat: int) -> Sequence[NagaMove]:
        """Places in order, or the combinations of hand cards in deck order, compared as lists."""
        if not state.place:
            return _DESIGNATIONS[state.places]
        return Commitments(state.hands[seat], 2 if state.place == ELTAM else 3)

    def legal_kinds(self, state: NagaState, seat: int) -> Sequence[tuple[str, int]]:  # noqa: ARG002 - each owes the same
        """One kind: what is due."""
        if not state.place:
            return _DESIGNATION_KINDS[state.places]
        return _LAST_COMMITMENT if state.place == ELTAM else _COMMITMENT

    def check(self, state: NagaState, seat: int, move: NagaMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        if isinstance(move, Designate):
            _check_designation(state, move.place)
        else:
            _check_commitment(state, seat, move.cards)

    def apply(self, state: NagaState, seat: int, move: NagaMove) -> list[Shown[NagaEvent]]:
        """Plays a checked move. A commitment is kept face down until the other seat's is there (N4.3)."""
        if isinstance(move, Designate):
            state.place = move.place
            return list(_DESIGNATED[seat][move.place])
        if seat:
            first, second = state.committed[0], move.cards
        else:
            first, second = move.cards, state.committed[1]
        if not first or not second:
            state.committed = (first, second)
            return []
        events: list[Shown[NagaEvent]] = []
        _battle(state, first, second, events)
        return events

    def advance(self, state: NagaState, seat: int, move: NagaMove) -> None:
        """Plays a checked move, and makes no events."""
        if isinstance(move, Designate):
            state.place = move.place
            return
        if seat:
            first, second = state.committed[0], move.cards
        else:
            first, second = move.cards, state.committed[1]
        if first and second:
            _battle(state, first, second, None)
        else:
            state.committed = (first, second)

    def random_move(self, state: NagaState, seat: int, chance: Chance) -> NagaMove:
        """A legal move, each as likely as the others: there is always one kind only."""
        if not state.place:
            moves = _DESIGNATIONS[state.places]
            return moves[int(chance.random() * len(moves))]
        hand = state.hands[seat]
        if state.place == ELTAM:
            return commitment_of_three(hand, int(chance.random() * 3))
        return commitment_of_five(hand, int(chance.random() * 10))

    def view(self, state: NagaState, seat: int | None) -> NagaView:
        """What `seat` (None: a spectator) may know."""
        # By position, in the order of the fields: names would take twice as long.
        return NagaView(
            state.deal,
            state.battle,
            state.dealer,
            state.place,
            _designator(state),
            state.table(),
            0 if seat is None else state.hands[seat],
            0 if seat is None else state.committed[seat],
            state.won,
            state.discarded,
            _stock(state.battle),
            state.scores,
        )

    def redeal(self, state: NagaState, seat: int | None, chance: Chance) -> NagaState:
        """Deals the cards that `seat` does not know anew, to the other hand, the stock and the deals to come.

        Whether a seat has committed, and what, is as hidden as its hand until both have.
        """
        known = sum(state.table()) | state.won[0] | state.won[1] | state.discarded
        if seat is not None:
            known |= state.hands[seat]
        unknown = [card for card in range(CARDS) if not known >> card & 1]
        chance.shuffle(unknown)
        hands, committed = [0, 0], [0, 0]
        for one in (0, 1):
            if one == seat:
                hands[one], committed[one] = state.hands[one], state.committed[one]
            else:
                size = state.hands[one].bit_count()
                hands[one] = mask_of(unknown[:size])
                del unknown[:size]
        hidden = [one for one in (0, 1) if one != seat]
        pick = chance.randrange(len(hidden) + 1)
        if state.place and not state.over and not any(committed) and pick < len(hidden):
            chosen = [card for card in range(CARDS) if hands[hidden[pick]] >> card & 1]
            chance.shuffle(chosen)
            committed[hidden[pick]] = mask_of(chosen[: _to_commit(state)])
        other = state.clone()
        other.hands = (hands[0], hands[1])
        other.committed = (committed[0], committed[1])
        # What has been drawn already leaves nothing in its place of the order.
        other.draws = _draws([0] * (_STOCK - len(unknown)) + [1 << card for card in unknown])
        other.seed = chance.getrandbits(256).to_bytes(32, "big")
        return other

    def suppose(
        self,
        view: NagaView,
        seat: int,
        seats: int,  # noqa: ARG002 - there are two
        options: Mapping[str, OptionValue],
        chance: Chance,
    ) -> NagaState:
        """A full state with this view, drawn as `redeal` draws it."""
        return self.redeal(supposed(view, seat, int(options["deals"])), seat, chance)

    def outcome(self, state: NagaState) -> Outcome | None:
        """The scores of all deals, once they are played."""
        return Outcome(state.scores) if state.over else None

    def forfeit(self, state: NagaState, seat: int) -> Outcome:
        """`seat` loses the deal in progress and all that would have followed (N10.4)."""
        lost = 0 if state.over else state.deals - state.deal
        first, second = state.scores
        return Outcome((first - lost, second + lost) if seat == 0 else (first + lost, second - lost))

    def kind(self, move: NagaMove) -> str:
        """`designate` or `commit`."""
        return "designate" if isinstance(move, Designate) else "commit"

    def event_kind(self, event: NagaEvent) -> str:
        """One of `event_kinds`."""
        return text.event_kind(event)

    def parse_move(self, text_: str) -> NagaMove:
        """The move of a text such as `designate 3` or `commit D7 A1 T3`. Raises `MalformedMove`."""
        return text.parse_move(text_)

    def format_move(self, move: NagaMove) -> str:
        """The one text of a move: cards in deck order."""
        return text.format_move(move)

    def describe_event(self, event: NagaEvent) -> str:
        """An event as one line for people."""
        return text.describe_event(event)

    def render_view(self, view: NagaView) -> str:
        """A view as a table of text for people."""
        return text.render_view(view)


def _designator(state: NagaState) -> int:
    """The seat that designates, or has designated, in this battle; -1 for Eltam (N4.2)."""
    if state.battle == LAST_BATTLE:
        return -1
    return state.dealer if state.battle & 1 else 1 - state.dealer


def _stock(battle: int) -> int:
    """How many cards the stock has in a battle."""
    return 0 if battle == LAST_BATTLE else _STOCK - 6 * battle


def _to_commit(state: NagaState) -> int:
    """How many cards a seat commits in this battle (N4.3, N5.2)."""
    return 2 if state.place == ELTAM else 3


def _check_designation(state: NagaState, place: int) -> None:
    if state.place:
        raise IllegalMove("WRONG_KIND_OF_MOVE", f"place {state.place} is designated; commit {_to_commit(state)} cards")
    if place == ELTAM:
        raise IllegalMove("ELTAM_NOT_DESIGNATED", "Eltam (4) is never designated; its battle is the last one")
    if not 1 <= place <= 7:
        raise IllegalMove("NO_SUCH_PLACE", f"there is no place {place}; places are 1 to 7")
    if not state.places >> place & 1:
        left = ", ".join(str(one) for one in _SINGLE_PLACES if state.places >> one & 1)
        raise IllegalMove("PLACE_TAKEN", f"the card of place {place} has left the table; designate one of {left}")


def _check_commitment(state: NagaState, seat: int, cards: int) -> None:
    if not state.place:
        raise IllegalMove("WRONG_KIND_OF_MOVE", "no place is designated yet; designate one")
    hand = state.hands[seat]
    missing = cards & ~hand
    if missing:
        what = text_of(missing) if cards > 0 and not missing & ~DECK else "a number that is no card"
        raise IllegalMove("CARD_NOT_IN_HAND", f"your hand has no {what}; it is {text_of(hand)}")
    if cards.bit_count() != _to_commit(state):
        raise IllegalMove(
            "WRONG_NUMBER_OF_CARDS", f"commit {_to_commit(state)} cards in this battle, not {cards.bit_count()}"
        )


def _deal(state: NagaState) -> list[Shown[NagaEvent]]:
    """Deals the deal that `state.deal` and `state.dealer` say (N3.1, N3.2)."""
    deck = shuffled(list(range(CARDS)), state.seed, state.deal, 0)
    layout = tuple(mask_of([deck[position] for position in positions]) for positions in _LAYOUT)
    child, dealer = mask_of(deck[9:14]), mask_of(deck[14:19])
    state.battle = 0
    state.place = 0
    state.layout = layout
    state.places = _ALL_PLACES
    state.hands = (child, dealer) if state.dealer else (dealer, child)
    state.committed = (0, 0)
    state.won = (0, 0)
    state.discarded = 0
    state.draws = _draws([1 << card for card in deck[19:]])
    child_seat, dealer_seat = 1 - state.dealer, state.dealer
    return [
        Shown(PUBLIC, Dealt(state.deal, dealer_seat, layout)),
        Shown(1 << child_seat, Drew(child_seat, child)),
        Shown(1 << dealer_seat, Drew(dealer_seat, dealer)),
    ]


def _draws(stock: list[int]) -> tuple[int, ...]:
    """The stock, a mask for each card, top first, as it is drawn: threes, and at last two single cards."""
    return (*[sum(stock[at : at + 3]) for at in range(0, 30, 3)], stock[30], stock[31])


def _battle(state: NagaState, first: int, second: int, events: _Events) -> None:
    """Compares the commitments of seat 0 and seat 1 (N4.4) and goes on to what follows; files the events."""
    place = state.place
    prize = state.layout[place]
    better = better_commitment(first, second, prize, place)
    one, other = state.hands[0] ^ first, state.hands[1] ^ second
    state.committed = (0, 0)
    state.places ^= 1 << place
    state.discarded |= first | second
    if better == 0:
        state.won = (state.won[0] | prize, state.won[1])
    elif better == 1:
        state.won = (state.won[0], state.won[1] | prize)
    else:
        state.discarded |= prize
    if events is not None:
        events.append(Shown(PUBLIC, Battled(place, (first, second), prize, None if better < 0 else better)))
    # No place but Eltam has more than one card: fewer than five battles make no majority.
    if place == ELTAM or (state.battle + 1 >= MAJORITY and better >= 0 and state.won[better].bit_count() >= MAJORITY):
        state.hands = (one, other)
        _end_deal(state, events)
        return
    state.battle += 1
    state.place = ELTAM if state.battle == LAST_BATTLE else 0
    _refill(state, one, other, events)


def _refill(state: NagaState, first: int, second: int, events: _Events) -> None:
    """Cards from the stock to the child, then as many to the dealer (N4.7, N5.1), to what their hands are now."""
    at = 2 * state.battle
    child, dealer = state.draws[at - 2], state.draws[at - 1]
    state.hands = (first | child, second | dealer) if state.dealer else (first | dealer, second | child)
    if events is not None:
        child_seat, dealer_seat = 1 - state.dealer, state.dealer
        events.append(Shown(1 << child_seat, Drew(child_seat, child)))
        events.append(Shown(1 << dealer_seat, Drew(dealer_seat, dealer)))


def _end_deal(state: NagaState, events: _Events) -> None:
    """Scores the deal, and deals the next one if there is one (N10)."""
    first, second = state.won[0].bit_count(), state.won[1].bit_count()
    score = (first > second) - (first < second)
    state.scores = (state.scores[0] + score, state.scores[1] - score)
    if events is not None:
        events.append(Shown(PUBLIC, DealEnded((first, second), (score, -score))))
    if state.deal + 1 == state.deals:
        state.over = True
        return
    if score:
        state.dealer = 0 if score > 0 else 1
    state.deal += 1
    dealt = _deal(state)
    if events is not None:
        events.extend(dealt)


NAGA: Final = Naga()
"""The one instance."""
