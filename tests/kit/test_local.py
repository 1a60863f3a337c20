"""Playing in process: what a bot sees and how it is judged there is what a service would do."""

from __future__ import annotations

import asyncio
import sys
from itertools import product
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fudaba
from fudaba.answers import OnError
from fudaba.bot import Bot, Decision
from fudaba.bots import Random, Sensible, built_in
from fudaba.errors import BotNotLoaded
from fudaba.local import MAX_ILLEGAL, MAX_TIMEOUTS, LocalRunner, play_local
from fudaba_games.game import BadOption, BadSeats
from fudaba_games.match import Match
from fudaba_games.registry import GAMES, UnknownGame, game
from tests.support.conformance.cases import one_deal
from tests.support.kit.scripted import First, recording
from tests.support.sizes import exhaustive

SEED = bytes(range(32))


class Wrong(Bot):
    """Answers every decision with a move that is never legal."""

    instant = True

    def choose(self, decision: Decision) -> Any:
        return "designate 4"


class Raising(Bot):
    instant = True

    def choose(self, decision: Decision) -> Any:
        raise ZeroDivisionError("my own mistake")


@given(st.binary(min_size=32, max_size=32))
@settings(max_examples=20, deadline=None)
def test_a_bot_sees_what_the_rules_show(seed: bytes) -> None:
    bots: Any = recording(lambda decision: decision.legal_moves[-1])
    result = play_local([bots, bots], "naga", seed=seed)
    rules = game("naga")
    match: Match[Any, Any, Any, Any] = Match(rules, 2, rules.resolve_options({}), seed)
    asked = {decision.seat: iter(bot.decisions) for bot in bots.made for decision in bot.decisions[:1]}
    heard = {bot.infos[0].seat: bot.events for bot in bots.made}
    while (due := next(iter(match.open_decisions()), None)) is not None:
        decision = next(asked[due.seat])
        assert decision.id == due.id
        assert decision.view == match.view(due.seat)
        assert list(decision.legal_moves) == list(due.legal)
        match.play(due.seat, due.legal[-1])
    assert match.outcome is not None
    assert result.scores == match.outcome.scores
    for seat, events in heard.items():
        assert events == match.shown(seat)[: len(events)]


@pytest.mark.parametrize("contract", [True, False])
def test_the_way_through_the_messages_changes_nothing(contract: bool) -> None:
    with LocalRunner("naga", {"deals": 3}, contract=contract) as runner:
        played = [runner.play([built_in("random", 1), built_in("random", 2)], ["a", "b"], "m", SEED) for _ in range(2)]
    with LocalRunner("naga", {"deals": 3}) as runner:
        again = runner.play([built_in("random", 1), built_in("random", 2)], ["a", "b"], "m", SEED)
    assert played[0].scores == played[1].scores == again.scores
    assert played[0].moves == played[1].moves == again.moves


def test_ten_refused_answers_forfeit_the_match() -> None:
    result = play_local([Wrong, First], "naga", {"deals": 9}, seed=SEED)
    assert (result.result.forfeited_seat, result.result.forfeit_cause) == (0, "ILLEGAL")
    assert result.seats[0].refused == MAX_ILLEGAL
    assert result.scores[0] < 0


def test_three_exceptions_forfeit_the_match(capsys: pytest.CaptureFixture[str]) -> None:
    result = play_local([First, Raising], "naga", seed=SEED)
    assert (result.result.forfeited_seat, result.result.forfeit_cause) == (1, "TIMEOUTS")
    assert result.seats[1].errors == MAX_TIMEOUTS
    assert "ZeroDivisionError: my own mistake" in capsys.readouterr().err


def test_an_exception_can_cost_only_its_decision_or_the_match() -> None:
    default = play_local([First, Raising], "naga", seed=SEED, on_error=OnError.DEFAULT)
    assert default.result.forfeited_seat is None
    assert default.scores == play_local([First, First], "naga", seed=SEED).scores
    resigned = play_local([First, Raising], "naga", seed=SEED, on_error=OnError.RESIGN)
    assert resigned.result.forfeit_cause == "RESIGNED"
    assert resigned.seats[1].errors == 1


def test_a_refused_answer_is_asked_again_with_the_reason() -> None:
    seen: list[Any] = []

    def answer(decision: Decision) -> Any:
        seen.append(decision.refusal)
        return "commit" if decision.id == "0.0" and decision.refusal is None else 0

    result = play_local([recording(answer), First], "naga", seed=SEED)
    assert result.result.forfeited_seat is None
    assert [refusal.reason for refusal in seen if refusal is not None] == ["MALFORMED_MOVE"]
    assert (result.seats[0].refused, result.seats[0].unanswered) == (1, 0)


@pytest.mark.parametrize("answer", [None, 10_000, -1, object(), "\ud800", 1.5])
def test_what_cannot_be_sent_is_refused_but_never_forfeits(answer: object) -> None:
    result = play_local([recording(lambda decision: answer), First], "naga", {"deals": 3}, seed=SEED)
    report = result.seats[0]
    assert result.result.forfeited_seat is None
    assert result.scores == play_local([First, First], "naga", {"deals": 3}, seed=SEED).scores
    assert (report.refused, report.illegal, report.unanswered) == (3 * report.decisions, 0, report.decisions)
    assert report.refused > MAX_ILLEGAL


def test_an_exception_outside_choose_is_no_decision_that_ran_out_of_time() -> None:
    class Late(Raising):
        def started(self, match: Any) -> None:
            raise ValueError("at the start")

        def choose(self, decision: Decision) -> Any:
            if decision.id in {"0.0", "0.1"}:
                raise ValueError("early")
            return 0

    result = play_local([Late, First], "naga", seed=SEED)
    assert result.result.forfeited_seat is None
    assert result.seats[0].errors == result.seats[0].timed_out + 1


def test_a_bot_that_exits_loses_its_decision_only() -> None:
    class Exits(Bot):
        instant = True

        def choose(self, decision: Decision) -> Any:
            sys.exit("enough")

    class ExitsLater(Bot):
        async def choose(self, decision: Decision) -> Any:
            await asyncio.sleep(0)
            sys.exit("enough")

    for bot in (Exits, ExitsLater):
        result = play_local([bot, First], "naga", seed=SEED, on_error=OnError.DEFAULT)
        assert result.scores == play_local([First, First], "naga", seed=SEED).scores
        assert result.seats[0].errors == result.seats[0].decisions > 0


def test_why_answers_are_refused_is_told_a_few_times_then_counted(caplog: pytest.LogCaptureFixture) -> None:
    play_local([Wrong, First], "naga", {"deals": 9}, seed=SEED)
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 6
    assert messages[0].startswith("local: Wrong: ")
    assert " refused (" in messages[0]
    assert messages[0].endswith("; the bot is asked again")
    assert messages[2].endswith("; the default move is played")
    assert messages[-1] == "Wrong: 5 more answers were refused"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_traceback_is_told_once_without_the_frames_of_the_kit(
    asynchronous: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    class RaisingLater(Bot):
        async def choose(self, decision: Decision) -> Any:
            raise ZeroDivisionError("my own mistake")

    play_local([First, RaisingLater if asynchronous else Raising], "naga", seed=SEED)
    output = capsys.readouterr().err
    name = "RaisingLater" if asynchronous else "Raising"
    assert output.startswith(f"local: {name} raised an exception in choose. ")
    assert output.count("Traceback (most recent call last)") == 1
    assert output.count('  File "') == 1
    assert __file__ in output
    assert output.endswith(
        f"{name} raised the same exception in choose 2 more times: ZeroDivisionError: my own mistake\n"
    )


def test_a_bot_that_cannot_be_made_is_told_with_its_name() -> None:
    class Broken(First):
        def __init__(self) -> None:
            raise KeyError("model.bin")

    with pytest.raises(BotNotLoaded, match=r"Broken cannot be made, its constructor raised KeyError: 'model.bin'"):
        play_local([First, Broken], "naga", seed=SEED)


def test_what_is_no_answer_is_refused_as_on_a_service() -> None:
    wrong = iter([None, 10_000, object()])
    bots: Any = recording(lambda decision: next(wrong, 0))
    result = play_local([bots, First], "naga", seed=SEED)
    assert result.seats[0].refused == 3
    assert result.seats[0].unanswered == 1
    assert result.result.forfeited_seat is None


def test_async_bots_play_in_process() -> None:
    class Async(Bot):
        async def choose(self, decision: Decision) -> Any:
            return decision.legal_moves[0]

    assert play_local([Async, Async], "naga", seed=SEED).scores == play_local([First, First], "naga", seed=SEED).scores


def test_a_bot_that_wants_no_list_of_moves_is_told_so_when_it_asks(capsys: pytest.CaptureFixture[str]) -> None:
    bots: Any = recording(lambda decision: decision.legal_moves[0], wants_legal_moves=False)
    play_local([bots, First], "naga", seed=SEED)
    assert "wants_legal_moves = False" in capsys.readouterr().err


def test_each_match_has_its_own_bot_and_its_own_result() -> None:
    bots: Any = recording()
    with LocalRunner("naga") as runner:
        for number in range(3):
            runner.play([bots, First], ["a", "b"], f"m{number}", bytes([number]) * 32)
    assert [bot.infos[0].id for bot in bots.made] == ["m0", "m1", "m2"]
    assert all(len(bot.results) == 1 for bot in bots.made)


def test_what_cannot_be_played_is_refused_with_what_exists() -> None:
    with pytest.raises(UnknownGame, match="naga"):
        play_local([First, First], "chess")
    with pytest.raises(BadOption, match="deals"):
        play_local([First, First], "naga", {"deal": 1})
    with pytest.raises(BadSeats, match="2 seats"):
        play_local([First], "naga")


# By chance Numbers Crush takes as long as all other games together.
_LONGEST: Final = pytest.param(
    "random",
    "numbers_crush",
    marks=pytest.mark.nightly("`first` plays it, `random` all others, and tests of conformance play it by chance"),
)


@pytest.mark.parametrize(
    ("bot", "game_id"),
    [_LONGEST if pair == ("random", "numbers_crush") else pair for pair in product(("random", "first"), GAMES)],
)
def test_built_in_bots_play_every_game(game_id: str, bot: str) -> None:
    seats = GAMES[game_id].min_seats
    options = {} if exhaustive() else one_deal(GAMES[game_id], seats)
    result = play_local([built_in(bot, 5)] * seats, game_id, options, seed=SEED)
    assert sum(result.scores) == 0
    assert all(report.refused == report.errors == 0 for report in result.seats)


def test_random_draws_every_kind_of_move_and_is_repeatable() -> None:
    def texts(seed: int) -> list[Any]:
        factory = built_in("random", seed)
        chosen: list[Any] = []

        class Watching(Bot):
            instant = True

            def __init__(self) -> None:
                self.bot = factory()

            def choose(self, decision: Decision) -> Any:
                chosen.append(self.bot.choose(decision))
                return chosen[-1]

        play_local([Watching, Watching], "naga", {"deals": 5}, seed=SEED)
        return chosen

    assert texts(1) == texts(1)
    assert texts(1) != texts(2)


@pytest.mark.exhaustive
def test_sensible_beats_random() -> None:
    with LocalRunner("naga") as runner:
        scores = [
            runner.play([Sensible, Random], ["s", "r"], "m", bytes([number]) * 32).scores[0] for number in range(24)
        ]
    assert sum(scores) > 6


def test_the_public_face_is_light_and_complete() -> None:
    for name in fudaba.__all__:
        assert getattr(fudaba, name) is not None
    assert set(fudaba.__all__) <= set(dir(fudaba))
    with pytest.raises(AttributeError, match="no attribute 'Bott'"):
        fudaba.Bott  # noqa: B018
