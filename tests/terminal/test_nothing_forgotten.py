"""Whatever a view holds can be read on the screen, and in the text that spectators are shown.

Each field of a view is changed, and what is drawn has to change with it. Cards are changed one by one, in every
position, so that a list that is cut short is found out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor

from fudaba.terminal.person_seat import seat_names
from fudaba.terminal.renderers import renderer_of
from fudaba.v1 import game_pb2
from fudaba_games.kamikisen import cards as kamikisen
from fudaba_games.kamikisen.cards import CARD_TEXTS, STRENGTH_LETTERS
from fudaba_games.match import Match
from fudaba_games.niekhi import cards as niekhi
from fudaba_games.registry import GAMES, game
from tests.support.sizes import exhaustive
from tests.support.terminal.boards import BOARD_COLUMNS, info, positions

Changes = Iterator[Any]
Change = Callable[[Any, random.Random], Changes]


def bits(cards: Iterable[int]) -> int:
    return sum(1 << card for card in cards)


def bits_of(mask: int) -> list[int]:
    return [card for card in range(mask.bit_length()) if mask >> card & 1]


def kamikisen_cards(cards: Iterable[int]) -> int | None:
    try:
        return kamikisen.mask_of(cards)
    except ValueError:  # more copies of a card than there are
        return None


def strengths(cards: Iterable[int]) -> int | None:
    try:
        return niekhi.cards_of(cards)
    except ValueError:
        return None


class Cards:
    """How the cards of a game are written, and another value for some of them: one card is another one."""

    def __init__(
        self, kinds: int, read: Callable[[int], list[int]], write: Callable[[Iterable[int]], int | None]
    ) -> None:
        self.kinds, self.read, self.write = kinds, read, write

    def card(self, value: int, chance: random.Random) -> Changes:
        if value >= 0:
            yield (value + chance.randrange(1, self.kinds)) % self.kinds

    def row(self, value: tuple[int, ...], chance: random.Random) -> Changes:
        for place, card in enumerate(value):
            for other in self.card(card, chance):
                yield (*value[:place], other, *value[place + 1 :])

    def mask(self, value: int, chance: random.Random) -> Changes:
        for other in self.row(tuple(self.read(value)), chance):
            changed = self.write(other)
            if changed is not None and len(self.read(changed)) == len(other):
                yield changed

    def melds(self, value: tuple[Any, ...], chance: random.Random) -> Changes:
        """Of named tuples with `cards`."""
        for place, meld in enumerate(value):
            for cards in self.mask(meld.cards, chance):
                yield (*value[:place], meld._replace(cards=cards), *value[place + 1 :])


def each(change: Change) -> Change:
    """One of several values is changed."""

    def changes(value: tuple[Any, ...], chance: random.Random) -> Changes:
        for place, element in enumerate(value):
            for other in change(element, chance):
                yield (*value[:place], other, *value[place + 1 :])

    return changes


K = Cards(len(CARD_TEXTS), kamikisen.cards_of, kamikisen_cards)
N = Cards(len(STRENGTH_LETTERS), niekhi.strengths_of, strengths)
NAGA = Cards(53, bits_of, bits)
FRENCH = Cards(52, bits_of, bits)
CRUSH = Cards(54, bits_of, bits)


def layouts(value: tuple[Any, ...], chance: random.Random) -> Changes:
    """Other cards in what everybody sees of the seats in Nerts."""
    for place, layout in enumerate(value):
        others = [layout._replace(nerts_top=card) for card in FRENCH.card(layout.nerts_top, chance)]
        others += [layout._replace(waste_top=card) for card in FRENCH.card(layout.waste_top, chance)]
        others += [layout._replace(work_piles=piles) for piles in each(FRENCH.row)(layout.work_piles, chance)]
        for other in others:
            yield (*value[:place], other, *value[place + 1 :])


CARDS: dict[str, dict[str, tuple[str, Change]]] = {
    "houniek": {"table": ("table", K.melds), "cleared": ("cleared", K.mask), "hand": ("hand", K.mask)},
    "makhop": {
        "roads": ("roads", each(K.row)), "hand": ("hand", K.mask), "stock_cards": ("stock_cards", K.mask),
        "vanished": ("vanished", K.mask),
    },
    "makkaik": {
        "public_cards": ("public_cards", K.mask), "taken": ("taken", each(K.mask)), "hand": ("hand", K.mask),
        "drawn": ("drawn", K.mask), "shown": ("shown", each(K.mask)),
    },
    "mokkaik": {
        "laid": ("laid", each(K.mask)), "hand": ("hand", K.mask), "discarded": ("discarded", K.mask),
        "public_cards": ("public_cards", each(K.mask)), "beaten": ("beaten", K.mask),
    },
    "naga": {
        "table": ("table", each(NAGA.mask)), "hand": ("hand", NAGA.mask), "committed": ("committed", NAGA.mask),
        "won": ("won", each(NAGA.mask)), "discarded": ("discarded", NAGA.mask),
    },
    "namto": {"shared": ("shared", K.row), "hand": ("hand", K.mask), "shown": ("shown", each(K.mask))},
    "napoleon": {
        "named": ("named", FRENCH.card), "hand": ("hand", FRENCH.mask), "buried": ("buried", FRENCH.mask),
        "trick": ("trick", FRENCH.row), "tricks": ("tricks", FRENCH.row),
    },
    "nerts": {"seats": ("seats", layouts), "waste": ("waste", FRENCH.row)},
    "niekhi": {
        "table": ("table", N.melds), "hand": ("hand", N.mask), "pile": ("pile", N.mask),
        "removed": ("removed", N.mask), "known_cards": ("known", each(N.mask)),
    },
    "numbers_crush": {
        "base": ("base", CRUSH.card), "pile": ("pile", CRUSH.mask), "penalty_cards": ("penalty_cards", CRUSH.row),
        "hand": ("hand", CRUSH.mask), "known": ("known", each(CRUSH.mask)),
        "known_alone": ("known_alone", each(CRUSH.mask)),
    },
    "tashot": {
        "offered": ("offered", K.card), "hand": ("hand", K.mask), "drawn": ("drawn", K.card),
        "melds": ("melds", K.melds), "discards": ("discards", each(K.mask)), "lights": ("lights", K.row),
        "won_with": ("won_with", K.mask),
    },
}  # fmt: skip
"""For each game and the contract's name of the field, the rules' name, and how its cards are changed."""

NO_CARDS = {("niekhi", "named"), ("namto", "trump"), ("mokkaik", "strength")}
"""Fields of the cards' types that hold strengths which are said, not cards which are somewhere."""


MIN_VIEWS = 300
"""This many views there are at least, of whole matches."""
SOME = 250 if exhaustive() else 50
"""In so many views, and in as many more as it takes, the other fields are changed."""
STRIDES = (1,) if exhaustive() else (7, 13, 29, 61, 127, 251)
"""Of so many views of a match the cards of one are changed. No number of seats divides them: so all seats come."""
MAX_VIEWS_PER_MATCH = 60
"""The stride is the first by which no more than this many views of a match are looked at."""
SELDOM = {"stock_cards", "won_with", "known_alone", "known", "known_cards", "committed", "drawn"}
"""Fields that need not have cards in every match."""


def holds_cards(message: Descriptor) -> bool:
    return any(
        (field.enum_type is not None and field.enum_type.name.endswith(("Card", "Strength")))
        or (field.message_type is not None and holds_cards(field.message_type))
        for field in message.fields
    )


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_no_field_with_cards_is_left_out_of_these_tests(game_id: str) -> None:
    view = game_pb2.View.DESCRIPTOR.fields_by_name[game_id].message_type
    assert view is not None
    found = {
        field.name
        for field in view.fields
        if (field.enum_type is not None and field.enum_type.name.endswith(("Card", "Strength")))
        or (field.message_type is not None and holds_cards(field.message_type))
    }
    asked = found - {field for listed_game, field in NO_CARDS if listed_game == game_id}
    assert asked == set(CARDS.get(game_id, {})), "CARDS says how they change"


def on_screen(game_id: str, seats: int) -> Callable[[int, Any], str]:
    infos = [info(game_id, seat, bots=("house-sensible",) * seats) for seat in range(seats)]
    renderers = [renderer_of(each_info, seat_names(each_info)) for each_info in infos]

    def drawn(seat: int, view: Any) -> str:
        renderer = renderers[seat]
        parts = [
            renderer.title(view),
            renderer.table(view, BOARD_COLUMNS).plain,
            renderer.more(view, BOARD_COLUMNS).plain,
        ]
        parts += [renderer.prompt(view, 9), renderer.waiting(view)]
        return "\n".join(parts)

    return drawn


def as_text(game_id: str, _seats: int) -> Callable[[int, Any], str]:
    return lambda _seat, view: game(game_id).text.render_view(view)


WAYS = {"screen": on_screen, "text": as_text}


@pytest.mark.parametrize("way", [pytest.param("screen", marks=pytest.mark.exhaustive), "text"])
@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_every_card_of_a_view_can_be_read(game_id: str, way: str) -> None:
    chance = random.Random(game_id)
    for seats in sorted({game(game_id).min_seats, game(game_id).max_seats}):
        drawn = WAYS[way](game_id, seats)
        looked_at: set[str] = set()
        for seat, view in some_views(game_id, seats):
            before = drawn(seat, view)
            for field, (name, change) in CARDS.get(game_id, {}).items():
                if name == "taken" and any(view.shown):
                    continue  # the whole hand is there
                others = list(change(getattr(view, name), chance))
                for other in chance.sample(others, min(len(others), 3)):
                    changed = view._replace(**{name: other})
                    if game_id == "nerts" and view.waste:  # its top is there twice
                        changed = changed._replace(waste=(*changed.waste[:-1], changed.seats[seat].waste_top))
                    try:
                        after = drawn(seat, changed)
                    except ValueError:
                        continue  # with this a card is there more often than in the deck
                    looked_at.add(field)
                    assert after != before or changed == view, f"{field} {getattr(view, name)} -> {other}:\n{before}"
        assert looked_at >= set(CARDS.get(game_id, {})) - SELDOM, f"{seats} seats"


def matches(game_id: str, seats: int) -> Iterator[list[tuple[int, Any]]]:
    """Seats and what they see in whole matches, in each of which the last ones show what comes at the end."""
    number = 0
    for seed in range(5, 50):
        seen = [(seat, view) for seat, view, _ in positions(game_id, seed, seats, listed=False) if view is not None]
        yield seen
        number += len(seen)
        if number > MIN_VIEWS:
            return


def some_views(game_id: str, seats: int) -> Iterator[tuple[int, Any]]:
    """Of each match some of them, and what the seats see at the end."""
    for seen in matches(game_id, seats):
        stride = next((candidate for candidate in STRIDES if len(seen) <= candidate * MAX_VIEWS_PER_MATCH), STRIDES[-1])
        yield from seen[:-seats:stride]
        yield from seen[-seats:]


UNSHOWN: dict[str, dict[str, dict[str, str]]] = {
    "screen": {
        "houniek": {"leader": "who has laid first, or has the turn"},
        "namto": {"scores": "the stacks are shown, and they began equal"},
        "numbers_crush": {
            "answered": "who has answered is asked nothing",
            "changed_seats": "whom the rules ask, which follows from what has happened",
        },
    },
    "text": {
        "houniek": {"leader": "who has laid first, or has the turn"},
        "mokkaik": {"leader": "who has laid first, or has the turn"},
        "makkaik": {"opener": "told when the deal began"},
        "namto": {"opener": "told when the deal began"},
        "numbers_crush": {
            "answered": "who has answered is asked nothing",
            "changed_seats": "whom the rules ask, which follows from what has happened",
        },
    },
}  # fmt: skip
"""What is not drawn, and why."""


def another(values: list[Any], value: Any, chance: random.Random) -> Any:
    """Returns another value that the field has in some position; where it is always the same, the next one."""
    others = [candidate for candidate in values if candidate != value]
    if others:
        return chance.choice(others)
    return value + 1 if isinstance(value, int) else value


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_everything_else_in_a_view_can_be_read_too(game_id: str, way: str) -> None:
    chance = random.Random(game_id)
    seats = max(game(game_id).min_seats, min(3, game(game_id).max_seats))
    drawn = WAYS[way](game_id, seats)
    seen = [position for match in matches(game_id, seats) for position in match]
    left = set(seen[0][1]._fields) - {name for name, _ in CARDS.get(game_id, {}).values()}
    values = {name: [getattr(view, name) for _, view in seen] for name in left}
    unshown = set(UNSHOWN[way].get(game_id, {})) | set(NOT_HERE.get(game_id, ()))
    # Some views in which nothing more than that may be found, and as many more as it takes to find all else.
    for number, (seat, view) in enumerate(chance.sample(seen, len(seen))):
        if number >= SOME and left == unshown:
            break
        before = drawn(seat, view)
        for name in sorted(left):
            other = another(values[name], getattr(view, name), chance)
            try:
                after = drawn(seat, view._replace(**{name: other}))
            except (IndexError, KeyError, ValueError):
                continue  # this does not go with the rest of the view
            if after != before:
                left.remove(name)
    assert left == unshown


NOT_HERE = {"nerts": ("chosen",)}
"""What no view has at a decision: see the test of it."""


def test_who_waits_for_a_tick_of_nerts_reads_what_was_chosen() -> None:
    match: Match[Any, Any, Any, Any] = Match(game("nerts"), 2, game("nerts").resolve_options({}), bytes(32))
    flip = next(move for move in match.open_decisions()[0].legal if game("nerts").text.move_kind(move) == "flip")
    match.play(0, flip)
    for way in WAYS.values():
        assert "chosen" in way("nerts", 2)(0, match.view(0))
        assert "flip" in way("nerts", 2)(0, match.view(0)).split("chosen")[1]
        assert "chosen" not in way("nerts", 2)(1, match.view(1))
