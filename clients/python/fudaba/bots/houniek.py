"""A sensible way to play Houniek: long runs first, wild cards last, and a last meld that two drawn cards complete.

A leader draws two cards, so a small hand of cards that do not go together is soon stuck unless it has wild cards.
Therefore the bot lays long melds without wild cards first, and judges what stays in hand by how few melds it makes, how
many wild cards it has, and how likely the next two cards turn it into one meld.

It counts and never samples: a decision takes about a millisecond, and the same view gives the same move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from fudaba_games.houniek.circle import PLACE_COUNT, PLACE_MASKS, STRETCHES, WILD
from fudaba_games.houniek.melds import Meld, colours_of, outdoes
from fudaba_games.houniek.turns import CARDS_PER_DRAW
from fudaba_games.houniek.values import PASS, HouniekMove, HouniekView, Laid, Lay
from fudaba_games.kamikisen.cards import DECK, joined, without
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE

__all__ = ["choose_sensible", "fewest_melds"]

# Everything is counted in melds that a hand still needs.
WILD_WORTH_MELDS: Final = 1.8
"""The worth of a none that stays in hand and fills no gap, in melds."""
END_WORTH_MELDS: Final = 6.0
"""The worth of certainty that the next two cards turn the hand into one meld."""
PASS_COST_MELDS: Final = 0.4
"""The cost of letting the others play on."""
WIN_COST_MELDS: Final = -100.0


def choose_sensible(view: HouniekView, seat: int, legal_moves: Sequence[HouniekMove]) -> HouniekMove:  # noqa: ARG001 - the view is the seat's
    """Returns a sensible move, always the same one for the same view."""
    if len(legal_moves) == 1:
        return legal_moves[0]
    known = joined(view.hand, view.cleared)
    for laid in view.table:
        known = joined(known, laid.cards)
    unseen = without(DECK, known)
    best: HouniekMove = PASS
    least = _cost_of_hand(view.hand) + PASS_COST_MELDS if view.table else float("inf")
    for lay in _lays(view.hand, view.table[-1] if view.table else None):
        cost = _cost(view, lay, unseen)
        if cost < least:
            best, least = lay, cost
    return best


# ---- what can be laid ----------------------------------------------------------------------------------------------


def _lays(hand: int, newest: Laid | None) -> Iterator[Lay]:
    """Yields the moves to consider: each meld in one choice of colours; nones are only in gaps, at ends and in sets."""
    colours = colours_of(newest.cards) if newest else DECK
    to_beat = Meld(newest.form, newest.cards.bit_count(), newest.foot) if newest else None
    for meld, places, wild in _shapes(_counts(hand), (hand & WILD).bit_count()):
        if to_beat and not outdoes(meld, to_beat):
            continue
        cards = _some(hand & WILD, wild, colours)
        each = meld.size - wild if meld.form != RUN else 1
        for place in places:
            cards |= _some(hand & PLACE_MASKS[place], each, colours)
        if cards & colours:
            yield Lay(meld.form, cards, meld.foot)


@lru_cache(maxsize=1 << 12)
def _shapes(counts: tuple[int, ...], wilds: int) -> tuple[tuple[Meld, tuple[int, ...], int], ...]:
    """Returns the melds of a hand without colours: for each, the places of its cards and the number of wild ones."""
    shapes: list[tuple[Meld, tuple[int, ...], int]] = []
    for foot in range(PLACE_COUNT):
        if wilds:
            shapes.append((Meld(SINGLE, 1, foot), (), 1))
        for count in range(1, counts[foot] + 1):
            for wild in range(wilds + 1):
                size = count + wild
                shapes.append((Meld(SINGLE if size == 1 else SET, size, foot), (foot,), wild))
        for size in range(2, PLACE_COUNT + 1):
            places = tuple([place % PLACE_COUNT for place in range(foot, foot + size) if counts[place % PLACE_COUNT]])
            wild = size - len(places)
            if wild > wilds:
                break
            if places:
                shapes.append((Meld(RUN, size, foot), places, wild))
    return tuple(shapes)


def _some(cards: int, number: int, colours: int) -> int:
    """Returns `number` of some cards. Those that share a colour with the newest meld come first."""
    taken = 0
    for part in (cards & colours, cards & ~colours):
        rest = part
        while rest and number:
            low = rest & -rest
            taken |= low
            rest ^= low
            number -= 1
    return taken


def _counts(cards: int) -> tuple[int, ...]:
    """Counts cards by place; wild ones have no place."""
    return tuple([(cards & mask).bit_count() for mask in PLACE_MASKS])


# ---- what a move costs ---------------------------------------------------------------------------------------------


def _cost(view: HouniekView, lay: Lay, unseen: int) -> float:
    """Returns the cost of a meld, by the cards that stay in hand. A meld that empties the hand wins."""
    rest = without(view.hand, lay.cards)
    if not rest:
        return WIN_COST_MELDS
    ends = _completed(rest, unseen) if view.stock >= CARDS_PER_DRAW else float(min(fewest_melds(rest)) == 1)
    return _cost_of_hand(rest) - END_WORTH_MELDS * ends


def _cost_of_hand(hand: int) -> float:
    """Returns the melds that a hand needs, less the worth of its unused wild cards, when these are used best."""
    wilds = (hand & WILD).bit_count()
    return min([melds - WILD_WORTH_MELDS * (wilds - used) for used, melds in enumerate(fewest_melds(hand))])


def _completed(hand: int, unseen: int) -> float:
    """Returns the probability that a hand and two unseen cards form one meld."""
    total, counts, left = unseen.bit_count(), _counts(hand), _counts(unseen)
    size, wild = hand.bit_count() + CARDS_PER_DRAW, (unseen & WILD).bit_count()
    places = sum([1 << place for place in range(PLACE_COUNT) if counts[place]])
    pairs = 0
    if places & (places - 1) == 0:  # cards of one kind: a set, or with none but wild ones any pair
        same = [left[place] for place in range(PLACE_COUNT) if counts[place] or not places]
        pairs += sum([count * (count - 1) // 2 for count in same])
        if places:
            pairs += wild * same[0] + wild * (wild - 1) // 2
    if max(counts) <= 1 and size <= PLACE_COUNT:
        fitting = [mask & ~places for mask in _stretches(size) if not places & ~mask]
        somewhere = [place for place in range(PLACE_COUNT) if any(mask >> place & 1 for mask in fitting)]
        for first, other in combinations(somewhere, 2):
            both = 1 << first | 1 << other
            if left[first] and left[other] and any(not both & ~mask for mask in fitting):
                pairs += left[first] * left[other]
        pairs += wild * sum([left[place] for place in somewhere])
        if places & (places - 1) and fitting:  # counted above where it is one kind
            pairs += wild * (wild - 1) // 2
    return 2 * pairs / (total * (total - 1)) if total > 1 else 0.0


def _stretches(size: int) -> tuple[int, ...]:
    """Returns the places of every run of a length."""
    return tuple([STRETCHES[12 * foot + size] for foot in range(PLACE_COUNT)])


# ---- how many melds a hand needs -----------------------------------------------------------------------------------


def fewest_melds(hand: int) -> tuple[int, ...]:
    """Returns, by the number of wild cards in gaps, the fewest melds that lay a hand. The other wild cards join any
    meld.
    """
    return _fewest(_counts(hand), (hand & WILD).bit_count())


@lru_cache(maxsize=1 << 15)
def _fewest(counts: tuple[int, ...], wilds: int) -> tuple[int, ...]:
    """Goes once around the circle. At each place, up to two cards go into runs; the rest there is a set of its own.

    A run begins wherever more cards go into runs than at the place before.
    """
    if not any(counts):
        return (wilds,)  # wild cards alone are not a meld: each is a single
    start = counts.index(1) if 1 in counts else counts.index(0) if 0 in counts else 0
    around = counts[start + 1 :] + counts[:start]
    best = [sum(counts)] * (wilds + 1)
    for first, filled in _ways(counts[start], 1, wilds):
        states = {(first, filled): int(first < counts[start])}
        for count in around:
            following: dict[tuple[int, int], int] = {}
            for (before, used), melds in states.items():
                for now, more in _ways(count, before, wilds - used):
                    key = (now, used + more)
                    needed = melds + max(0, now - before) + (now < count)
                    following[key] = min(following.get(key, needed), needed)
            states = following
        for (before, used), melds in states.items():
            best[used] = min(best[used], max(1, melds + max(0, first - before)))
    return tuple(best)


def _ways(count: int, before: int, wilds: int) -> tuple[tuple[int, int], ...]:
    """Returns how many cards of a place can go into runs, and how many wild cards that uses."""
    if count == 0:
        return ((0, 0), (1, 1)) if before and wilds else ((0, 0),)
    return ((1, 0),) if count == 1 else ((0, 0), (1, 0), (2, 0))
