"""The promises of `fudaba_games.game`, each as a function that raises `AssertionError` where a game breaks it.

They know no game. `test_conformance.py` runs all of them over every registered game; `test_checks_bite.py` shows that
each of them can fail.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any, Final

from fudaba_games.game import IllegalMove, MalformedMove
from fudaba_games.play import play_out
from fudaba_games.registry import AnyGame
from tests.support.conformance import cases as play
from tests.support.conformance.cases import (
    REFEREE,
    AnyMatch,
    Case,
    cases,
    finished,
    looked_at,
    played_from,
    positions,
    positions_in_play,
    seen,
    some_moves,
    step,
)
from tests.support.conformance.deals import the_deal_in_progress_can_be_the_last
from tests.support.conformance.dump import dump, mutable_parts, share
from tests.support.conformance.other_moves import move_pool, mutations
from tests.support.conformance.random_moves import (
    every_legal_move_is_drawn,
    random_moves_are_legal,
    random_moves_have_every_kind_alike,
)
from tests.support.conformance.secrecy import (
    events_tell_no_more_than_views,
    nothing_hidden_is_told,
    redeals_keep_the_view,
    redeals_play_on,
    redeals_vary,
    spectators_see_what_is_public,
    supposing_needs_only_the_view,
)
from tests.support.conformance.timers import only_timers_that_run_fire
from tests.support.sizes import exhaustive, some

JUNK: Final = (
    "", " ", "\n", "\0", "0", "-1", "pass pass pass", "札", "commit", "designate", "play", "play 99 99", "x" * 5000,
    "９",     "designate ٣", "designate 1_0", "designate +3", "{}", "None", "commit D7,D6,D5", "\ud800", "1" * 5000,
    "play " + "1" * 5000, "play x", "bid", "discard", "call",
)  # fmt: skip


def replay_gives_the_same_states(game: AnyGame) -> None:
    """Checks that the log alone, moves as text, gives the same states, views, events and decision ids, to the byte."""
    for case in cases(game, each=some(3)):
        log: list[tuple[int, str, str]] = []
        pictures: list[bytes] = []
        match, chance = case.match(game), case.chance
        pictures.append(_picture(match) + dump(_shown_since(match, None)))
        while not match.over:
            ids = {decision.seat: decision.id for decision in match.open_decisions()}
            before = _shown_lengths(match)
            seat, move = step(match, chance)
            log.append((seat, "", move) if seat == REFEREE else (seat, ids[seat], game.text.format_move(move)))
            looked = _picture(match) if looked_at(game, case, len(log)) or match.over else b""
            pictures.append(looked + dump(_shown_since(match, before)))
        again = case.match(game)
        assert _picture(again) + dump(_shown_since(again, None)) == pictures[0], f"{case.label} begins otherwise again"
        for point, ((seat, decision_id, text), picture) in enumerate(zip(log, pictures[1:], strict=True), 1):
            before = _shown_lengths(again)
            if seat == REFEREE:
                again.fire(text)
            else:
                again.check(seat, decision_id, move := game.text.parse_move(text))
                again.play(seat, move)
            looked = _picture(again) if looked_at(game, case, point) or again.over else b""
            now = looked + dump(_shown_since(again, before))
            assert now == picture, f"replay of {case.label} differs after {text!r}"


def _shown_lengths(match: AnyMatch) -> list[int]:
    return [len(match.shown(seat)) for seat in (None, *range(match.seats))]


def _shown_since(match: AnyMatch, before: list[int] | None) -> list[list[Any]]:
    """Returns what a spectator and each seat were shown after this many events; all of it every time would take too
    long.
    """
    everyone = (None, *range(match.seats))
    return [match.shown(seat)[start:] for seat, start in zip(everyone, before or [0] * len(everyone), strict=True)]


def _picture(match: AnyMatch) -> bytes:
    """Returns all that a match is and shows, but for the events."""
    everyone = [None, *range(match.seats)]
    return dump([
        match.state,
        [match.view(seat) for seat in everyone],
        [
            (decision.seat, decision.id, decision.required, len(decision.legal), some_moves(decision.legal))
            for decision in match.open_decisions()
        ],
        list(match.timers()),
        match.outcome,
    ])  # fmt: skip


def check_agrees_with_legal_moves(game: AnyGame) -> None:
    """Checks that `check` accepts the legal moves and refuses every other one with a reason; looking changes
    nothing."""
    pool = move_pool(game)
    chance = random.Random("pool")
    for case in cases(game):
        for match in positions(game, case):
            before, shown = _picture(match), _shown_since(match, None)
            for due in match.open_decisions():
                legal = list(game.legal_moves(match.state, due.seat))
                assert legal, f"seat {due.seat} has a decision and no legal move in {case.label}"
                assert legal == list(due.legal), f"other moves are legal than a moment ago in {case.label}"
                assert len(set(legal)) == len(legal), f"a legal move stands twice in {case.label}: {legal}"
                for move in some_moves(legal):
                    game.check(match.state, due.seat, move)
                others = chance.sample(pool, min(len(pool), 60)) + mutations(legal[chance.randrange(len(legal))])
                known = set(legal)
                for move in others:
                    if move not in known:
                        _refuses(match, due.seat, due.id, move)
                assert (_picture(match), _shown_since(match, None)) == (before, shown), (
                    f"a refused move of {game.id} changed the match"
                )


def _refuses(match: AnyMatch, seat: int, decision_id: str, move: Any) -> None:
    try:
        match.check(seat, decision_id, move)
    except IllegalMove as refused:
        assert refused.rule == refused.rule.upper() != "", f"{move} is refused without a rule"  # noqa: PT017 - quicker
        assert str(refused), f"{move} is refused without a message"  # noqa: PT017 - than `raises`, and there are many
    except Exception as crash:
        raise AssertionError(f"{move} made `check` raise {crash!r}") from crash
    else:
        raise AssertionError(f"{move} is accepted, and is no legal move")


def kinds_stand_together(game: AnyGame) -> None:
    """Checks that the moves of a kind stand together, `legal_kinds` counts them, every kind is declared."""
    for case in cases(game):
        for match in positions(game, case):
            for due in match.open_decisions():
                runs: list[tuple[str, int]] = []
                for move in due.legal:
                    kind = game.text.move_kind(move)
                    assert kind in game.move_kinds, f"{kind} is not a declared kind of move"
                    if runs and runs[-1][0] == kind:
                        runs[-1] = (kind, runs[-1][1] + 1)
                    else:
                        runs.append((kind, 1))
                assert len({kind for kind, _ in runs}) == len(runs), f"kinds are mixed in {case.label}: {runs}"
                assert list(map(tuple, game.legal_kinds(match.state, due.seat))) == runs, "kinds are counted wrongly"


def moves_have_one_text(game: AnyGame) -> None:
    """Checks that a move's text begins with its kind and gives the move back; different moves have different texts."""
    texts: dict[str, Any] = {}
    for move in move_pool(game):
        text = game.text.format_move(move)
        assert text.split()[0] == game.text.move_kind(move), f"{text!r} does not begin with its kind"
        assert game.text.parse_move(text) == move, f"{text!r} gives another move than {move}"
        assert texts.setdefault(text, move) == move, f"{text!r} stands for {move} and {texts[text]}"


def junk_is_malformed(game: AnyGame) -> None:
    """Checks that what is not a move of the game is refused as malformed, with advice; nothing else is ever raised."""
    chance = random.Random("junk")
    texts = [game.text.format_move(move) for move in move_pool(game)]
    for text in (*JUNK, *[_scrambled(chance.choice(texts), chance) for _ in range(1000)]):
        try:
            move = game.text.parse_move(text)
        except MalformedMove as refused:
            if not str(refused):
                raise AssertionError(f"{text!r} is refused without a message") from refused
        except Exception as crash:
            raise AssertionError(f"{text[:80]!r} made the parser raise {crash!r}") from crash
        else:
            assert game.text.parse_move(game.text.format_move(move)) == move, (
                f"{text[:80]!r} was read as something without a text"
            )


def _scrambled(text: str, chance: random.Random) -> str:
    letters = list(text)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(letters) + 1)
        letters[at : at + chance.randrange(2)] = chance.choice(["", " ", "0", "9", "-", "D", "M", "²", "x", text])
    return "".join(letters)


def simultaneous_choices_commute(game: AnyGame) -> None:
    """Checks that required decisions that are open together can be made in any order: the same state and events
    follow."""
    for case in cases(game):
        chance = random.Random("commute")
        for match in positions(game, case):
            due = [decision for decision in match.open_decisions() if decision.required]
            for first, second in combinations(due, 2):
                moves = {
                    decision.seat: decision.legal[chance.randrange(len(decision.legal))] for decision in (first, second)
                }
                first_seat, other = first.seat, second.seat
                there, back = match.state.clone(), match.state.clone()
                events = game.apply(there, first_seat, moves[first_seat]) + game.apply(there, other, moves[other])
                again = game.apply(back, other, moves[other]) + game.apply(back, first_seat, moves[first_seat])
                assert dump(there) == dump(back), f"the order of two choices matters in {case.label}"
                for seat in (None, *range(case.seats)):
                    assert seen(events, seat) == seen(again, seat), f"seat {seat} sees who chose first"


def every_match_ends(game: AnyGame) -> None:
    """Checks that random play ends; nobody is asked then, somebody always before; scores add up to zero, one a seat."""
    for case in cases(game, each=some(10, least=3)):
        match, chance = case.match(game), case.chance
        for _ in range(play.MAX_MOVES):
            goes_on = bool(game.decisions(match.state)) or bool(game.timers(match.state))
            assert goes_on == (game.outcome(match.state) is None), "somebody is asked when it is over, or nobody before"
            if match.over:
                break
            step(match, chance)
        assert match.outcome is not None, f"{case.label} does not end within {play.MAX_MOVES} moves"
        assert len(match.outcome.scores) == case.seats, "there is not one score a seat"
        assert sum(match.outcome.scores) == 0, f"scores {match.outcome.scores} do not add up to zero"


def giving_up_never_pays(game: AnyGame) -> None:
    """Checks that a forfeit's scores add up to zero, and playing on at random never ends worse for the seat."""
    for case in cases(game):
        chance = random.Random("forfeit")
        for number, match in enumerate(positions(game, case)):
            if match.over or not played_from(game, number):
                continue
            # One way to play on is the same for all seats: what each has in the end stands beside its own forfeit.
            ends = [finished(game, match.state.clone(), chance).scores for _ in range(2)]
            for seat in range(case.seats):
                scores = game.forfeit(match.state, seat).scores
                assert len(scores) == case.seats, "there is not one score a seat"
                assert sum(scores) == 0, f"scores {scores} do not add up to zero"
                assert all(scores[seat] <= end[seat] for end in ends), f"giving up pays for seat {seat}"


def turn_is_that_of_the_first_decision(game: AnyGame) -> None:
    """Checks that the quick way to whose decision is open says the same."""
    for case in cases(game):
        for match in positions(game, case):
            due = game.decisions(match.state)
            assert game.turn(match.state) == (due[0].seat if due else -1), f"it is another's turn in {case.label}"


def random_play_reaches_everything(game: AnyGame) -> None:
    """Checks that random play, kind first, meets every declared kind of move and event; events and views have a
    text."""
    moves, events, every = set[str](), set[str](), (set(game.move_kinds), set(game.event_kinds))
    first = list(cases(game))
    for number, case in enumerate([*first, *cases(game, each=10)]):
        if number >= len(first) and (moves, events) == every and not exhaustive():
            break
        match, chance = case.match(game), case.chance
        while not match.over:
            seat, move = step(match, chance)
            if seat != REFEREE:
                moves.add(game.text.move_kind(move))
        for seat in (None, *range(case.seats)):
            assert game.text.render_view(match.view(seat)).strip()
            for event in match.shown(seat):
                events.add(game.text.event_kind(event))
                line = game.text.describe_event(event)
                assert line.strip()
                assert "\n" not in line, f"the text of an event is one line: {line!r}"
    assert moves == every[0], f"moves not reached: {every[0] - moves}"
    assert events == every[1], f"events not reached: {every[1] - events}"


def advance_does_as_apply(game: AnyGame) -> None:
    """Checks that playing without events leads to the same state as with them."""
    for case in cases(game):
        match, other, chance = case.match(game), case.match(game).state, case.chance
        point = 0
        while not match.over:
            seat, move = step(match, chance)
            if seat == REFEREE:
                game.fire(other, move)
            else:
                game.advance(other, seat, move)
            point += 1
            if looked_at(game, case, point) or match.over:
                assert dump(other) == dump(match.state), f"{move} leads to another state without events"


def clones_are_apart(game: AnyGame) -> None:
    """Checks that a clone is equal, shares nothing mutable, and goes its own way."""
    for case in cases(game):
        chance = random.Random("clone")
        for match in positions_in_play(game, case):
            before = dump(match.state)
            clone = match.state.clone()
            assert dump(clone) == before, "a clone is not equal"
            assert not share(match.state, clone), "a clone shares something mutable with its state"
            for _ in range(3):
                if due := game.decisions(clone):
                    legal = game.legal_moves(clone, due[0].seat)
                    game.apply(clone, due[0].seat, legal[chance.randrange(len(legal))])
                elif timer := game.next_timer(clone):
                    game.fire(clone, timer.name)
            assert dump(match.state) == before, "what a clone plays changed the state that it was made of"


def values_are_immutable(game: AnyGame) -> None:
    """Moves, views and events hold nothing that can be changed; moves can be hashed; a view keeps when play goes on."""
    for case in cases(game):
        old: list[tuple[Any, bytes]] = []
        for match in positions_in_play(game, case):
            for seat in (None, *range(case.seats)):
                view = match.view(seat)
                assert not list(mutable_parts(view)), f"a view holds something mutable: {view}"
                assert view == match.view(seat), "the same state has two views"
                old.append((view, dump(view)))
            for due in match.open_decisions():
                again = some_moves(game.legal_moves(match.state, due.seat))
                assert len({*some_moves(due.legal), *again}) == len(again), "the same moves are not equal"
                assert not [part for move in again for part in mutable_parts(move)], "a move holds something mutable"
        for seat in (None, *range(case.seats)):
            parts = [part for event in match.shown(seat) for part in mutable_parts(event)]
            assert not parts, f"an event holds something mutable: {parts}"
        assert all(dump(view) == picture for view, picture in old), "a view changed when play went on"


def options_are_documented(game: AnyGame) -> None:
    """Checks that every option has a text, and its default is a value that it allows."""
    for option in game.options:
        assert option.description.endswith("."), f"option {option.name} has no text, or none that ends as a sentence"
        assert option.parse(option.default) == option.default, f"option {option.name} does not allow its default"
    assert list(game.resolve_options({})) == [option.name for option in game.options], "options are in another order"


def the_largest_options_end(game: AnyGame) -> None:
    """Checks that a match with every number at its largest ends too."""
    largest = {
        option.name: option.maximum
        for option in game.options
        if isinstance(option.default, int) and not isinstance(option.default, bool)
    }
    case = Case(game.max_seats, game.resolve_options(largest), 0)
    state, _ = game.new_match(case.seats, case.options, case.seed)
    play_out(game, state, case.chance, play.MAX_MOVES_BY_OPTIONS)
    assert game.outcome(state) is not None, f"{case.label} does not end within {play.MAX_MOVES_BY_OPTIONS} moves"


CHECKS: Final[tuple[Callable[[AnyGame], None], ...]] = (
    replay_gives_the_same_states,
    check_agrees_with_legal_moves,
    kinds_stand_together,
    moves_have_one_text,
    junk_is_malformed,
    redeals_keep_the_view,
    redeals_vary,
    redeals_play_on,
    supposing_needs_only_the_view,
    nothing_hidden_is_told,
    events_tell_no_more_than_views,
    spectators_see_what_is_public,
    simultaneous_choices_commute,
    every_match_ends,
    giving_up_never_pays,
    turn_is_that_of_the_first_decision,
    only_timers_that_run_fire,
    the_deal_in_progress_can_be_the_last,
    random_play_reaches_everything,
    random_moves_are_legal,
    random_moves_have_every_kind_alike,
    every_legal_move_is_drawn,
    advance_does_as_apply,
    clones_are_apart,
    values_are_immutable,
    options_are_documented,
    the_largest_options_end,
)
"""All of them, in the order in which their failures are most telling."""
