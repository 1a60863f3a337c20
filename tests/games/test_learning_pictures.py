"""What the pictures of the page's lessons claim is what the rules say."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fudaba_games.houniek import melds as houniek
from fudaba_games.kamikisen import melds as kamikisen
from fudaba_games.kamikisen.cards import BLACK, CARD_TEXTS, COPIES_OF, RED, STRENGTH_LETTERS
from fudaba_games.kamikisen.text import parse_cards
from fudaba_games.makhop.sums import sum_of
from fudaba_games.makkaik.showdown import best_meld
from fudaba_games.naga import cards as naga_cards
from fudaba_games.naga.hands import Category, better_hand, hand_of_five, hand_of_four
from fudaba_games.namto.melds import meld_of, winners_of
from fudaba_games.napoleon import cards as napoleon
from fudaba_games.napoleon.tricks import trick_winner
from fudaba_games.nerts.cards import fits
from fudaba_games.niekhi.melds import Meld as NiekhiMeld
from fudaba_games.niekhi.melds import melds_of as niekhi_melds
from fudaba_games.niekhi.text import parse_cards as niekhi_cards
from fudaba_games.numbers_crush.cards import CARD_TEXTS as CRUSH_CARDS
from fudaba_games.numbers_crush.cards import NUMBER_OF
from fudaba_games.registry import GAMES
from fudaba_games.tashot.shapes import PLAIN, points_of, shape_of
from tests.support.page.learning import facts, learning, picture

KUTO, ELTAM = 1, naga_cards.ELTAM
CLUBS, DIAMONDS = 0, 1


def naga_mask(cards: str) -> int:
    return naga_cards.parse_cards(cards.split())


def kami(cards: str) -> int:
    return parse_cards(cards.split())


def french(cards: str) -> list[int]:
    return [napoleon.parse_card(card) for card in cards.split()]


def numbers(cards: str) -> list[int]:
    return [NUMBER_OF[CRUSH_CARDS.index(card)] for card in cards.split()]


def niekhi(cards: str) -> NiekhiMeld:
    return niekhi_melds(niekhi_cards(cards.split()))[0]


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_every_card_of_a_picture_is_one_of_the_game(game_id: str) -> None:
    decks = {"naga": naga_cards.CARD_TEXTS, "napoleon": napoleon.CARD_TEXTS, "nerts": napoleon.CARD_TEXTS,
             "numbers_crush": CRUSH_CARDS, "niekhi": tuple(STRENGTH_LETTERS)}  # fmt: skip
    groups = [group["cards"] for groups in facts(game_id)["pictures"] for group in groups]
    for cards in [*groups, learning("facts", "covers")[game_id]]:
        for card in cards.split():
            assert card == "--" or card in decks.get(game_id, CARD_TEXTS), cards
        if game_id not in decks:
            for card in set(cards.split()) - {"--"}:
                assert cards.split().count(card) <= COPIES_OF[CARD_TEXTS.index(card)]


def test_naga() -> None:
    four = hand_of_four(naga_mask(picture("naga", 2)[1]), KUTO)
    assert four.category is Category.FOUR_OF_A_KIND
    left, right = map(naga_mask, picture("naga", 3))
    assert better_hand(left, right, KUTO) == 0
    flush = hand_of_five(naga_mask(" ".join(picture("naga", 4))), ELTAM)
    assert flush.category is Category.STRAIGHT_FLUSH
    left, right = map(naga_mask, picture("naga", 5))
    assert better_hand(left, right, KUTO) == -1


def test_napoleon() -> None:
    strongest_first = [french(cards)[0] for cards in picture("napoleon", 3)]
    low = french("3C 4C 5C 6C")
    for beaten in range(len(strongest_first)):
        trick = [*low[:beaten], *strongest_first[beaten:]]
        assert trick[trick_winner(trick, DIAMONDS, first=False)] == strongest_first[beaten]
    honours = french(picture("napoleon", 4)[0])
    assert len(honours) == napoleon.LOWEST_NUMBER
    assert all(napoleon.HONOURS >> card & 1 for card in honours)
    hearts = french(" ".join(picture("napoleon", 5)))
    assert hearts[trick_winner(hearts, CLUBS, first=False)] == french("2H")[0]
    led, follow, other = map(french, picture("napoleon", 2))
    assert {napoleon.SUIT_OF[card] for card in led + follow} == {CLUBS}
    assert CLUBS not in {napoleon.SUIT_OF[card] for card in other}


def test_nerts() -> None:
    onto, card = french(picture("nerts", 2)[1])
    assert fits(card, onto)
    foundation, *builds = map(french, picture("nerts", 3))
    assert foundation[1] == foundation[0] + 1
    assert all(fits(card, onto) for onto, card in builds)


def test_numbers_crush() -> None:
    base = numbers(picture("numbers_crush", 2)[0])[0]
    assert sum(numbers(picture("numbers_crush", 2)[1])) == base
    assert sum(numbers(picture("numbers_crush", 3)[5])) == base
    assert sum(numbers(picture("numbers_crush", 4)[1])) == base
    assert sum(numbers(picture("numbers_crush", 5)[2])) == numbers(picture("numbers_crush", 5)[0])[0]


def test_mokkaik() -> None:
    led, better, other = (kami(cards) for cards in picture("mokkaik", 3))
    (led_meld,), (better_meld,), (other_meld,) = map(kamikisen.melds_of, (led, better, other))
    assert better_meld.beats(led_meld)
    assert other_meld.beats(led_meld)
    colours = [((cards & RED).bit_count(), (cards & BLACK).bit_count()) for cards in (led, better, other)]
    assert colours == [(1, 1), (1, 1), (0, 2)]


def test_tashot() -> None:
    assert all(shape_of(kami(cards), None) is not None for cards in picture("tashot", 3))
    six = kami(picture("tashot", 4)[0])
    shape = shape_of(six, None)
    assert shape is not None
    assert points_of(shape, six, (), first_round=False).finish * 2 == 6
    rest = kami(picture("tashot", 5)[1])
    finishing = [card for card in CARD_TEXTS if _makes_three(rest, card)]
    assert finishing == ["bS", "b5", "b8"]
    assert shape_of(kami(" ".join(picture("tashot", 1))), None) not in {None, PLAIN}


def _makes_three(two: int, card: str) -> bool:
    return any(meld.size == 3 for meld in kamikisen.melds_of(two | kami(card)))


def test_makkaik() -> None:
    (public, hand, best, table_only) = (kami(cards) for cards in picture("makkaik", 5))
    assert best_meld(hand, public)[:2] == best_meld(kami("b8"), kami("b8 r0 r2 b4"))[:2]
    assert not hand & table_only & ~public
    assert all(len(picture("makkaik", step)[place].split()) % 2 == 1 for step, place in ((1, 1), (5, 0)))
    order = [best_meld(kami(cards), 0)[:2] for cards in picture("makkaik", 3)]
    assert all(better > worse for better, worse in pairwise(order))
    assert best


def test_niekhi() -> None:
    table, run, three, four = map(niekhi, picture("niekhi", 3))
    assert run.beats(table)
    assert three.beats(table)
    assert three.beats(run)
    assert four.beats(three)
    pair, better = map(niekhi, picture("niekhi", 2))
    assert better.beats(pair)


def test_makhop() -> None:
    end, single, three, road, other, joined = (sum_of(kami(cards)) for cards in picture("makhop", 3))
    assert single == three == end
    assert joined == road + other
    aim, laid, last = picture("makhop", 5)
    assert sum_of(kami(laid)) == sum_of(kami(aim))
    assert sum_of(kami(laid.split()[-1])) == sum_of(kami(last))


def test_namto() -> None:
    ranks = [meld_of(kami(cards)) for cards in picture("namto", 3)]
    assert all(better and worse and better.rank > worse.rank for better, worse in pairwise(ranks))
    shared, winner, loser = map(kami, picture("namto", 4))
    assert winners_of({0: winner, 1: loser}, shared) == (0,)
    named, kings = (meld_of(kami(cards)) for cards in picture("namto", 5))
    run = meld_of(kami("r0 r1 r2"))
    assert named
    assert run
    assert kings
    assert named.rank > run.rank > kings.rank


def test_houniek() -> None:
    emperor, ship, soldiers, four = (houniek.melds_of(kami(cards))[0] for cards in picture("houniek", 3))
    assert houniek.outdoes(ship, emperor)
    assert houniek.outdoes(four, soldiers)
    black_set, red, mixed = (kami(cards) for cards in picture("houniek", 5))
    assert not houniek.colours_of(black_set) & red
    assert houniek.colours_of(black_set) & mixed
    assert houniek.outdoes(houniek.melds_of(mixed)[-1], houniek.melds_of(black_set)[-1])
