"""What the tables draw: of every game, in every position of whole matches, within a narrow terminal."""

from __future__ import annotations

import random
from typing import Any

import pytest
from rich.text import Text

from fudaba.bot import MatchInfo, Player
from fudaba.cli.output import width
from fudaba.terminal.person_seat import MAX_NAME_CHARS, seat_names
from fudaba.terminal.renderers import PlainRenderer, Renderer, renderer_of
from fudaba.terminal.renderers.listing import listing
from fudaba.terminal.widgets import pages
from fudaba_games import makkaik, naga, napoleon, nerts, niekhi, numbers_crush, tashot
from fudaba_games.game import IllegalMove
from fudaba_games.kamikisen.cards import CARD_TEXTS as DECK
from fudaba_games.kamikisen.text import parse_cards, text_of
from fudaba_games.match import Match
from fudaba_games.naga import CARD_TEXTS, NagaView, cards_of, mask_of
from fudaba_games.registry import GAMES, game
from tests.support.conformance.cases import some_moves
from tests.support.terminal.boards import BOARD_COLUMNS, info, positions, two_deals

MAX_BOARD_LINES = 13
"""Its lines in a terminal of 24."""
GAME_IDS = [pytest.param(name, marks=[pytest.mark.exhaustive] * (name == "numbers_crush")) for name in sorted(GAMES)]
"""All games. A sample leaves out the one whose deal takes as long to draw as those of all the others."""
OTHER_DEALS = pytest.mark.nightly("the same of one deal with the fewest seats, and of one with the most")


@pytest.mark.parametrize("game_id", GAME_IDS)
@pytest.mark.parametrize(
    "seed",
    [
        0,
        *(pytest.param(more, marks=OTHER_DEALS) for more in (1, 2)),
        pytest.param(3, marks=pytest.mark.exhaustive),
    ],
)
def test_every_position_and_event_of_every_game_can_be_drawn_and_fits(game_id: str, seed: int) -> None:
    seats = game(game_id).max_seats if seed == 3 else game(game_id).min_seats
    infos = [info(game_id, seat, bots=("house-sensible",) * seats) for seat in range(seats)]
    renderers = [renderer_of(seat_info, seat_names(seat_info)) for seat_info in infos]
    for seat, view, more in positions(game_id, seed, seats):
        renderer = renderers[seat]
        if view is None:
            line = renderer.event(more).plain
            assert line.strip() or (isinstance(more, tashot.TurnBegan) and more.seat == seat)
            continue
        drawn = renderer.table(view, BOARD_COLUMNS).plain.splitlines()
        assert len(drawn) <= MAX_BOARD_LINES
        besides = renderer.more(view, BOARD_COLUMNS).plain.splitlines()
        assert max(width(line) for line in [*drawn, *besides]) <= BOARD_COLUMNS, "\n".join([*drawn, *besides])
        assert "\x1b" not in "\n".join([*drawn, *besides])
        assert width(renderer.title(view)) < 50
        assert renderer.prompt(view, len(more))
        for move in more:
            shown = renderer.move(view, move).plain
            for word in renderer.rules.text.format_move(move).split():
                assert word in shown.split(), f"{word} cannot be seen in {shown!r}"


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_a_table_says_why_the_rules_refuse_a_move_from_the_view_alone(game_id: str) -> None:
    rules, chance = game(game_id), random.Random(9)
    options = two_deals(rules)
    match: Match[Any, Any, Any, Any] = Match(rules, rules.min_seats, options, chance.randbytes(32))
    renderers = [Renderer(info(game_id, seat), ("you",) * rules.min_seats) for seat in range(rules.min_seats)]
    seen: list[Any] = []
    refusals = 0
    while (decision := next(iter(match.open_decisions()), None)) is not None and len(seen) < 60:
        legal = list(some_moves(decision.legal))
        view = match.view(decision.seat)
        for move in (*legal[:3], *seen[-3:]):
            try:
                rules.check(match.state, decision.seat, move)
                reason = ""
            except IllegalMove as refused:
                reason, refusals = str(refused), refusals + 1
            renderer = renderers[decision.seat]
            assert renderer.why_not(view, move) == renderer.named(reason)
        seen.append(chance.choice(legal))
        match.play(decision.seat, seen[-1])
    assert refusals


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_a_game_without_a_table_of_its_own_is_shown_by_its_rules_texts(game_id: str) -> None:
    match_info = info(game_id)
    renderer: Renderer = PlainRenderer(match_info, seat_names(match_info))
    for seat, view, more in positions(game_id, 1):
        if view is None:
            assert renderer.event(more).plain
        elif seat == 0:
            assert "(you)" in renderer.table(view, BOARD_COLUMNS).plain
            assert all(renderer.move(view, move).plain == renderer.rules.text.format_move(move) for move in more)


def test_seats_are_called_by_short_names_that_tell_them_apart() -> None:
    match_info = info("napoleon", 2, bots=("house-first", "house-first", "anna", "x" * 40, "bert"))
    assert seat_names(match_info) == ("first 0", "first 1", "you", "x" * (MAX_NAME_CHARS - 1) + "…", "bert")


def test_the_naga_table_shows_the_own_cards_and_no_others() -> None:
    match_info = info("naga", 1)
    renderer = renderer_of(match_info, seat_names(match_info))
    hand, committed = mask_of([0, 8, 16, 24, 50]), mask_of([8, 16, 50])
    view = NagaView(
        deal=0, battle=2, dealer=0, place=3, to_designate=1, table=(0, 1 << 2, 1 << 3, 1 << 4, 7 << 30, 0, 0, 0),
        hand=hand, committed=committed, won=(1 << 20, 0), discarded=0, stock=20, scores=(1, -1),
    )  # fmt: skip
    drawn = renderer.table(view, BOARD_COLUMNS).plain
    last = drawn.split("hand")[1]
    assert {text for text in CARD_TEXTS if text in last} == {CARD_TEXTS[card_index] for card_index in cards_of(hand)}
    assert last.split("face down")[1].split() == [CARD_TEXTS[card_index] for card_index in cards_of(committed)]
    assert "▶ 3 Avoria" in drawn
    assert renderer.prompt(view, 1) == "Commit three cards for Avoria, where wood is trump"


def test_the_naga_table_judges_hands_as_the_rules_do() -> None:
    match_info = info("naga")
    renderer = renderer_of(match_info, seat_names(match_info))
    view = NagaView(
        deal=0, battle=0, dealer=1, place=1, to_designate=0, table=(0, 1 << 6, 0, 0, 0, 0, 0, 0),
        hand=mask_of([0, 1, 2, 30, 40]), committed=0, won=(0, 0), discarded=0, stock=32, scores=(0, 0),
    )  # fmt: skip
    assert renderer.move(view, naga.Commit(mask_of([0, 1, 2]))).plain.endswith("flush")
    battled = naga.Battled(1, (mask_of([0, 1, 2]), mask_of([13, 20, 27])), 1 << 6, 1)
    text = renderer.event(battled).plain
    assert "flush" in text
    assert "four of a kind" in text
    assert text.endswith("sensible 1 takes D7")


def test_the_makhop_table_asks_for_what_can_be_done() -> None:
    match_info = info("makhop")
    renderer = renderer_of(match_info, seat_names(match_info))
    rules = game("makhop")
    state, _ = rules.new_match(2, two_deals(rules), bytes(32))

    def asks(roads: tuple[tuple[int, ...], ...], hand: int, moves: int = 2) -> str:
        return renderer.prompt(rules.view(state, 0)._replace(roads=roads, hand=hand), moves)

    soldier, brush, king = 2, 7, 10
    assert asks(((brush,), (soldier,)), 2) == "Lay a sum of 1 or 6, join two roads, or open a road"
    assert asks(((brush,), (king,)), 1) == "Lay a sum of 6, any one value card, clear them, or open a road"
    assert asks(((king,), (king,)), 2) == "Lay any one value card, or open a road"
    assert asks(((brush,),), 2, moves=1) == "Nothing fits: open a road"
    assert asks(((brush,),) * 8, 2, moves=1) == "Nothing fits: open, which does nothing now"
    drawn = renderer.table(rules.view(state, 0)._replace(roads=((soldier, brush), (king,))), BOARD_COLUMNS).plain
    assert "\n  0 r6 ×2  1 rK ×1" in drawn


@pytest.mark.parametrize(("game_id", "moves", "line_start"), [
    ("makkaik", ["draw", "keep", "draw", "keep", *["stay 1", "stay"] * 3], "You show {} {} {}: "),
    ("namto", ["bet 1"] * 8, "You show {} {}: "),
])  # fmt: skip
def test_a_showdown_tells_the_cards_of_the_melds(game_id: str, moves: list[str], line_start: str) -> None:
    match_info = info(game_id)
    renderer = renderer_of(match_info, seat_names(match_info))
    match: Match[Any, Any, Any, Any] = Match(game(game_id), 2, two_deals(game(game_id)), bytes(32))
    for text in moves:
        (decision,) = match.open_decisions()
        match.play(
            decision.seat, next(move for move in decision.legal if match.game.text.format_move(move).startswith(text))
        )
    showdown = next(event for event in match.shown(0) if type(event).__name__ == "Showdown")
    line = renderer.event(showdown).plain
    mine = showdown.hands[0]
    assert line.startswith(line_start.format(*text_of(mine.hand).split()))
    assert text_of(mine.cards) in line.split(" · ")[0].split(": ")[1]


def test_a_table_of_nerts_counts_ticks_where_there_are_any() -> None:
    for pace, title in (("ticks", "deal 1, tick 1"), ("realtime", "deal 1")):
        options = game("nerts").resolve_options({"pace": pace})
        match: Match[Any, Any, Any, Any] = Match(game("nerts"), 2, options, bytes(32))
        match_info = MatchInfo("m", "nerts", 0, (Player("a", "1"), Player("b", "1")), options)
        assert renderer_of(match_info, ("you", "b")).title(match.view(0)) == title


def line(game_id: str, seat: int, event: object) -> str:
    """Returns an event as this seat of three is told of it."""
    players = (Player("house-anna", "1"), Player("house-bert", "1"), Player("house-cora", "1"))
    match_info = MatchInfo("m", game_id, seat, players, two_deals(game(game_id)))
    return renderer_of(match_info, seat_names(match_info)).event(event).plain


def test_tables_call_seats_by_their_names_and_the_own_one_you() -> None:
    assert line("numbers_crush", 1, numbers_crush.Passed(1)) == "You pass."
    assert line("numbers_crush", 1, numbers_crush.Passed(2)) == "cora passes."
    assert line("numbers_crush", 1, numbers_crush.Skipped(1)) == "You do not draw."
    assert line("numbers_crush", 1, numbers_crush.TurnBegan(1, 7)) == "Turn 7: you."
    assert line("numbers_crush", 1, numbers_crush.Gave(0, 1)) == "anna gives you a card."
    assert line("numbers_crush", 1, numbers_crush.DealEnded(5, 5, (1, -2, 1))) == (
        "anna and cora win with the fewest cards: you -2"
    )
    assert line("nerts", 0, nerts.Flipped(0, 3, 12)) == "You turn 3 up, on top KC"
    assert line("nerts", 0, nerts.Flipped(1, 1, 0)) == "bert turns 1 up, on top AC"
    assert line("nerts", 0, nerts.Called(2)) == "cora calls Nerts!"
    assert line("nerts", 0, nerts.Tucked(0, 11, 2, -1)) == "You slide QC from the Nerts pile under work pile 2."


def test_the_table_of_numbers_crush_shows_the_penalty_cards_that_may_be_set() -> None:
    rules = game("numbers_crush")
    match: Match[Any, Any, Any, Any] = Match(rules, 2, rules.resolve_options({}), bytes(32))
    view = match.view(0)._replace(phase=numbers_crush.Phase.PENALTY, bind=1, bind_maker=1, penalty_cards=(52, 24))
    match_info = info("numbers_crush")
    renderer = renderer_of(match_info, seat_names(match_info))
    assert "drawn X1 QD; only black\n" in renderer.table(view, BOARD_COLUMNS).plain
    assert (
        "  only black, by sensible 1\n"
        in renderer.table(view._replace(phase=numbers_crush.Phase.SET), BOARD_COLUMNS).plain
    )
    view = view._replace(phase=numbers_crush.Phase.SET, bind_maker=0)
    assert "  only black, by you\n" in renderer.table(view, BOARD_COLUMNS).plain


@pytest.mark.parametrize("seats", [2, 5, 6])
def test_the_table_of_tashot_says_who_has_discarded_what(seats: int) -> None:
    rules = game("tashot")
    match: Match[Any, Any, Any, Any] = Match(rules, seats, rules.resolve_options({}), bytes(32))
    discards = (parse_cards(["r1", "b7"]), parse_cards(["r8"]), *[0] * (seats - 2))
    view = match.view(0)._replace(discards=discards, paid=(6, -6, *[0] * (seats - 2)))
    match_info = info("tashot", bots=("house-anna", "house-bert", *[f"x{number}" for number in range(2, seats)]))
    renderer = renderer_of(match_info, seat_names(match_info))
    drawn, more = renderer.table(view, BOARD_COLUMNS).plain, renderer.more(view, BOARD_COLUMNS).plain
    assert "\n you  r1 b7\n bert r8" in f"\n{more if seats == 6 else drawn}"
    assert "this deal you +6 bert -6" in " ".join(more.split())


def test_who_waits_reads_whose_turn_it_is() -> None:
    rules, match_info = game("naga"), info("naga")
    match: Match[Any, Any, Any, Any] = Match(rules, 2, rules.resolve_options({"first_dealer": 0}), bytes(32))
    renderer = renderer_of(match_info, seat_names(match_info))
    assert renderer.waiting(match.view(0)) == "sensible 1 names the place that the next battle is for"
    match.play(1, match.open_decisions()[0].legal[0])
    assert renderer.waiting(match.view(0)) == "Waiting for sensible 1"
    match_info, rules = info("houniek"), game("houniek")
    match = Match(rules, 2, rules.resolve_options({"first_dealer": 1}), bytes(32))
    assert renderer_of(match_info, seat_names(match_info)).waiting(match.view(0)) == "Waiting for sensible 1"


def test_what_has_no_room_below_the_table_is_on_pages_of_its_own() -> None:
    table, more = Text("\n").join([Text("t")] * 8), Text("\n").join([Text("m")] * 14)
    assert [page.plain for page in pages(table, Text(""), 13)] == [table.plain]
    assert [page.plain for page in pages(table, more, 23)] == [f"{table.plain}\n\n{more.plain}"]
    assert [len(page.plain.splitlines()) for page in pages(table, more, 13)] == [8, 13, 1]
    assert [len(page.plain.splitlines()) for page in pages(table, more, 0)] == [5, 3, 5, 5, 4]
    assert [len(page.plain.splitlines()) for page in pages(table, Text(""), 6)] == [6, 2]


def test_a_listing_breaks_its_lines_and_keeps_to_the_width() -> None:
    items = [Text(word) for word in ("r1", "r2", "r3", "r4", "r5")]
    assert listing([("one", items), ("none", []), ("two", items[:1])], 40).plain == " one r1 r2 r3 r4 r5\n two r1"
    for columns in (0, 10, 14, 20, 40):
        drawn = listing([("a long name", items)], columns).plain.splitlines()
        assert max(map(len, drawn)) <= max(columns, 2)


def test_the_pot_of_makkaik_is_empty_once_it_was_won() -> None:
    rules, match_info = game("makkaik"), info("makkaik")
    match: Match[Any, Any, Any, Any] = Match(rules, 2, rules.resolve_options({"deals": 1}), bytes(32))
    renderer = renderer_of(match_info, seat_names(match_info))
    while not match.over:
        assert f"pot {match.view(0).pot}" in renderer.table(match.view(0), BOARD_COLUMNS).plain
        (decision,) = match.open_decisions()
        match.play(decision.seat, decision.legal[0])
    assert match.view(0).pot
    assert "pot 0\n" in renderer.table(match.view(0), BOARD_COLUMNS).plain


@pytest.mark.parametrize(("window_ms", "waiting_text"), [
    (2500, "A pause of 2.5 s, in which others may act"), (0, "Waiting for the others"),
])  # fmt: skip
def test_who_waits_in_a_window_reads_how_long_it_lasts(window_ms: int, waiting_text: str) -> None:
    for game_id, phase, other in (
        ("tashot", tashot.Phase.WINDOW, tashot.Phase.TURN),
        ("numbers_crush", numbers_crush.Phase.COUNTER, numbers_crush.Phase.DRAW),
    ):
        rules = game(game_id)
        options = rules.resolve_options({"window_ms": window_ms})
        match: Match[Any, Any, Any, Any] = Match(rules, 2, options, bytes(32))
        match_info = MatchInfo("m", game_id, 0, (Player("a", "1"), Player("b", "1")), options)
        renderer = renderer_of(match_info, ("you", "b"))
        assert renderer.waiting(match.view(0)._replace(phase=other)) == "Waiting for the others"
        assert renderer.waiting(match.view(0)._replace(phase=phase)) == waiting_text


@pytest.mark.parametrize("game_id", sorted(GAMES))
@pytest.mark.exhaustive
def test_a_window_without_room_for_a_table_does_no_harm(game_id: str) -> None:
    match_info = info(game_id)
    renderer = renderer_of(match_info, seat_names(match_info))
    views = [view for seat, view, _ in positions(game_id, 1) if seat == 0 and view is not None]
    for view in (views[0], views[len(views) // 2], views[-1]):
        for columns in (-2, 0, 1, 5, 12, 20):
            assert renderer.table(view, columns).plain
            renderer.more(view, columns)


def test_tables_call_what_was_done_as_the_rules_pages_do() -> None:
    assert line("makkaik", 0, makkaik.Stayed(0, 3)) == "You stay for 3"
    assert line("makkaik", 1, makkaik.Stayed(0, 3)) == "anna stays for 3"
    assert line("niekhi", 0, niekhi.Declined(0)) == "You do nothing with the generals"
    assert line("niekhi", 0, niekhi.Declined(1)) == "bert does nothing with the generals"
    assert line("napoleon", 1, napoleon.Buried(1)) == "You take the widow and bury two cards"
    assert line("napoleon", 1, napoleon.Revealed(2)) == "cora had the named card"
    assert line("niekhi", 2, niekhi.DealEnded((0, 1), (0, 0, 1), (1, 1, -2))).startswith("anna and bert share the deal")


def test_who_shares_something_with_others_is_you_at_the_beginning_of_a_sentence() -> None:
    match_info = MatchInfo("m", "makkaik", 0, (Player("anna", "1"), Player("bert", "1")), two_deals(game("makkaik")))
    renderer = renderer_of(match_info, seat_names(match_info))
    assert renderer.together((0, 1)) == "You and bert"
    assert renderer.together((1, 0)) == "bert and you"
    assert renderer.together((1,)) == "bert"


def test_what_a_seat_has_drawn_itself_is_one_line_of_the_history_of_tashot() -> None:
    card = parse_cards(["r7"])
    assert line("tashot", 0, tashot.TurnBegan(0, 30)) == ""
    assert line("tashot", 0, tashot.Received(0, card)) == "You draw r7"
    assert line("tashot", 0, tashot.TurnBegan(1, 30)) == "bert draws"
    hand = parse_cards(["r1", "r2", "r3", "r4", "b5"])
    assert line("tashot", 0, tashot.Received(0, hand)) == "You get r1 r2 r3 r4 b5"


def test_the_table_of_tashot_asks_for_what_can_be_done() -> None:
    match_info, rules = info("tashot"), game("tashot")
    renderer = renderer_of(match_info, seat_names(match_info))
    match: Match[Any, Any, Any, Any] = Match(rules, 2, rules.resolve_options({}), bytes(32))
    view = match.view(0)._replace(hand=parse_cards(["r1", "r1", "b1", "b1", "r5", "b8"]), drawn=DECK.index("r5"))
    assert renderer.prompt(view, 4) == "Discard a card"
    assert renderer.prompt(view, 5) == "Discard a card or lay a set of four open"
    view = view._replace(hand=parse_cards(["r1", "r1", "b1", "b1", "r5", "b5"]))
    assert renderer.prompt(view, 6) == "Discard a card, lay a set of four open or win"
    hand = parse_cards(["r1", "b1", "r6", "r7", "b5"])
    window = view._replace(phase=tashot.Phase.WINDOW, turn=1, drawn=-1, offered=DECK.index("b5"), hand=hand)
    assert renderer.prompt(window, 2) == "Call b5, or decline"
    hand = parse_cards(["r1", "b1", "r6", "b6", "r5"])
    assert renderer.prompt(window._replace(hand=hand), 3) == "Win with or call b5, or decline"


def test_the_table_of_niekhi_says_whose_meld_is_to_be_beaten_in_the_letters_of_the_hand() -> None:
    match_info, rules = info("niekhi"), game("niekhi")
    renderer = renderer_of(match_info, seat_names(match_info))
    match: Match[Any, Any, Any, Any] = Match(rules, 2, rules.resolve_options({}), bytes(32))
    for text, shown in (
        ("single K", "single, strength K"), ("set 1 1 1", "set of 3, strength 1"), ("run 3 4 5", "run of 3, 3-5"),
    ):  # fmt: skip
        lay = rules.text.parse_move(text)
        view = match.view(0)._replace(table=(niekhi.Laid(1, lay.cards, lay.length, lay.strength),))
        assert renderer.table(view, BOARD_COLUMNS).plain.splitlines()[0] == f"  {shown}: sensible 1"


def test_the_title_of_naga_says_when_the_match_is_over() -> None:
    match_info, rules = info("naga"), game("naga")
    renderer = renderer_of(match_info, seat_names(match_info))
    match: Match[Any, Any, Any, Any] = Match(rules, 2, two_deals(rules), bytes(32))
    while not match.over:
        assert "battle" in renderer.title(match.view(0))
        decision = match.open_decisions()[0]
        match.play(decision.seat, decision.legal[0])
    assert renderer.title(match.view(0)) == "deal 2 of 2, over"
