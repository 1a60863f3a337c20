"""`fudaba record rerun`: what a bot is shown again, and what is said of its answers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from fudaba import records
from fudaba.client import Endpoint, service_error
from fudaba.rerun.recorded_decisions import CannotRerun, How, recorded_seat
from fudaba.rerun.replayed_seat import RerunSeat
from fudaba.rerun.server import serving
from fudaba.v1 import game_pb2, play_pb2, play_pb2_grpc, record_pb2
from fudaba_games.registry import GAMES
from tests.support.kit.commands import run
from tests.support.kit.played_record import Playing, by_chance, first
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import FUDABA, Process

BOT = """#!{python}
import os, sys, time, fudaba

class Own(fudaba.Bot):
    asked = 0
    def choose(self, decision):
        Own.asked += 1
        with open("asked", "a") as file:
            print(decision.id, len(decision.events), decision.legal_count, file=file)
        {what}
        return 0

fudaba.run(Own)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, record: record_pb2.MatchRecord) -> str:
    path = folder / "m.fudaba"
    path.write_bytes(records.pack(record))
    return path.name


def own(folder: Path, statement: str = "pass") -> str:
    path = folder / "own"
    path.write_text(BOT.format(python=sys.executable, what=statement), encoding="utf-8")
    path.chmod(0o755)
    return "./own"


def rerun(file: str, *arguments: str, bot: str = "", seat: int = 0) -> tuple[int, dict[str, Any], str]:
    """Returns its exit code, what it prints as JSON, and what it says besides."""
    result = run("record", "rerun", file, "--seat", str(seat), "--json", *arguments, "--", *([bot] if bot else []))
    assert result.exit_code in {0, 1}, result.output
    return result.exit_code, json.loads(result.stdout), result.stderr


# ---- which decisions there are ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_decision_is_put_with_the_view_that_the_seat_had_and_the_moves_that_it_had(name: str) -> None:
    playing = Playing(name)
    record = playing.play(by_chance(3), most=400)
    for seat, shown in enumerate(playing.shown):
        found = recorded_seat(record, seat)
        answered = [decision for decision in found.decisions if decision.how is How.ANSWERED]
        assert [decision.id for decision in answered] == [decision.decision_id for decision in shown]
        for put, was in zip(answered, shown, strict=True):
            view = game_pb2.View()
            found.replay.codec.view_to_proto(found.replay.game.view(put.state, seat), view)
            assert view.SerializeToString(deterministic=True) == was.view
            assert (len(found.replay.game.legal_moves(put.state, seat)), put.seen) == (was.legal, was.seen)
            found.replay.game.check(put.state, seat, put.move)


def test_in_real_time_a_decision_is_put_as_it_was_under_the_id_that_was_answered() -> None:
    playing = Playing("nerts", options={"pace": "realtime"})
    decision = playing.replay.match.open(0)
    assert decision is not None
    before = playing._shown(decision)
    other = playing.replay.match.open(1)
    assert other is not None
    playing.move(other, len(other.legal) - 1)
    now = playing.replay.match.open(0)
    assert now is not None
    assert now.id != decision.id  # something was seen meanwhile
    playing.move(decision, 0)
    found = recorded_seat(playing.record, 0)
    view = game_pb2.View()
    found.replay.codec.view_to_proto(found.replay.game.view(found.decisions[0].state, 0), view)
    assert found.real_time
    assert (found.decisions[0].id, view.SerializeToString(deterministic=True)) == (decision.id, before.view)


def test_what_had_no_answer_says_why() -> None:
    for cause, ending in ((0, How.FORFEITED), (1, How.UNANSWERED)):
        playing = Playing("naga")
        playing.play(first, most=4)
        forfeit = record_pb2.Forfeit(cause=record_pb2.FORFEIT_CAUSE_ILLEGAL)
        decision = next(iter(playing.replay.match.open_decisions()))
        illegal = record_pb2.IllegalAnswer(reason="ILLEGAL_MOVE", message="no such place")
        playing.log(record_pb2.LogEntry(seat=decision.seat, decision_id=decision.id, illegal=illegal))
        loser = decision.seat if cause == 0 else 1 - decision.seat
        playing.log(record_pb2.LogEntry(seat=loser, forfeit=forfeit))
        found = recorded_seat(playing.ended(), decision.seat)
        assert (found.decisions[-1].how, found.decisions[-1].id) == (ending, decision.id)
        assert found.decisions[-1].refused == ["ILLEGAL_MOVE: no such place"]
    aborted = Playing("naga")
    aborted.play(first, most=3)
    aborted.log(record_pb2.LogEntry(abort=record_pb2.Abort(cause=record_pb2.ABORT_CAUSE_ORGANISER)))
    hows = {recorded.how for seat in range(2) for recorded in recorded_seat(aborted.ended(), seat).decisions}
    assert hows == {How.ANSWERED, How.UNANSWERED}


# ---- a bot's answers ----------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_a_bot_that_answers_as_before_is_told_apart_from_one_that_does_not(here: Path) -> None:
    playing = Playing("naga")
    file = written(here, playing.play(lambda decision: len(decision.legal) // 2 if decision.seat else 0))
    code, found, said = rerun(file, bot=own(here))
    assert (code, found["ended_early"]) == (0, None)
    assert [row["new"]["move"] for row in found["decisions"]] == [row["recorded"]["move"] for row in found["decisions"]]
    asked = [line.split()[0] for line in (here / "asked").read_text().splitlines()]
    assert asked == [shown_decision.decision_id for shown_decision in playing.shown[0]]
    assert "put the match back" not in said
    code, found, said = rerun(file, bot="first", seat=1)
    assert code == 1
    differing = [row for row in found["decisions"] if row["differs"]]
    assert differing
    assert all(row["new"]["move"] != row["recorded"]["move"] for row in differing)
    assert all("hand: " in row["position"] for row in found["decisions"])
    # What follows is what was played, and the bot is told that its own answer does not stand.
    assert "put the match back" in said


@pytest.mark.exhaustive
def test_people_are_shown_where_a_bot_answers_otherwise(here: Path) -> None:
    file = written(here, Playing("naga").play(lambda decision: len(decision.legal) // 2))
    result = run("record", "rerun", file, "--seat", "1", "--", "first")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("naga, match played-naga, seat 1 (bot-1 1): ")
    place = next(number for number, line in enumerate(lines) if line.endswith(" differs"))
    assert lines[place + 1].startswith("  recorded: designate ")
    assert lines[place + 2].startswith("  new:      designate ")
    assert any(line.startswith("    hand: ") for line in lines[place:])
    assert " different" in lines[-1]
    shown = run("record", "rerun", file, "--seat", "1", "--all", "--", "first").stdout
    assert sum(line.startswith("decision ") for line in shown.splitlines()) == len(
        recorded_seat(records.read(here / file), 1).decisions
    )


@pytest.mark.exhaustive
def test_of_a_match_in_real_time_it_is_said_what_cannot_be_compared(here: Path) -> None:
    file = written(here, Playing("nerts", options={"pace": "realtime"}).play(first, most=30))
    code, found, _ = rerun(file, bot="first")
    assert (code, found["real_time"], len(found["decisions"])) == (0, True, 15)
    text = run("record", "rerun", file, "--seat", "0", "--", "first").stdout
    assert "in real time" in text.splitlines()[1]


@pytest.mark.parametrize(
    ("statement", "move_ms", "why"),
    [
        ("if Own.asked == 2: os._exit(3)", 60_000, "at decision 2 the bot ended with exit status 3; 1 of "),
        ("raise ValueError(7)", 1, "the bot gave no answer in time 3 times; 3 of "),
    ],
)
def test_a_bot_that_fails_is_told_with_what_it_said(here: Path, statement: str, move_ms: int, why: str) -> None:
    playing = Playing("naga")
    playing.play(first)
    playing.record.header.clock.move_ms, playing.record.header.clock.bank_ms = move_ms, 0
    file = written(here, playing.record)
    code, found, said = rerun(file, bot=own(here, f"print('hello', flush=True)\n        {statement}"))
    assert code == 1
    assert why in said.splitlines()[-1]
    assert ("bot | hello" in said.splitlines()) >= (move_ms > 1)
    assert found["ended_early"] in said


def test_of_what_a_bot_prints_without_end_the_beginning_and_the_end_are_shown(here: Path) -> None:
    file = written(here, Playing("naga").play(first))
    bot = own(here, "sys.stderr.write('y' * 100_000 + ' last words\\n')")
    result = run("record", "rerun", file, "--seat", "0", "--", bot)
    shown = [line for line in result.stderr.splitlines() if line.startswith("bot | y")]
    words = f"bot | {'y' * 2048} [… 95,915 bytes left out …] {'y' * (2048 - len(' last words'))} last words"
    assert shown
    assert set(shown) == {words}


def test_a_bot_that_answers_illegally_is_shown_why(here: Path) -> None:
    file = written(here, Playing("naga").play(first))
    code, found, _ = rerun(file, bot=own(here, "if decision.refusal is None and Own.asked == 1: return 'designate 4'"))
    assert code == 1
    row = found["decisions"][0]
    assert row["differs"]
    assert row["new"]["refused"][0].startswith("ILLEGAL_MOVE: ")
    assert row["new"]["move"] == row["recorded"]["move"]
    assert not any(other["differs"] for other in found["decisions"][1:])


def test_a_bot_that_does_not_connect_is_told(here: Path) -> None:
    file = written(here, Playing("naga").play(first))
    result = run("record", "rerun", file, "--seat", "0", "--", "sh", "-c", "echo no model; exit 4")
    assert result.exit_code == 1
    assert "bot | no model" in result.stderr
    assert "error: the bot does not connect: the bot ended with exit status 4; 0 of " in result.stderr


class Line:
    """A stream of a bot that is written by hand."""

    def __init__(self, endpoint: Endpoint, token: str = "") -> None:
        self._channel = endpoint.aio_channel()
        metadata = (("authorization", f"Bearer {token or endpoint.token}"),)
        self.call: Any = play_pb2_grpc.PlayServiceStub(self._channel).Play(metadata=metadata)

    async def hello(self, seen: int = 0) -> play_pb2.SeatUpdate:
        """Greets, and returns the first update."""
        hello = play_pb2.Hello(delivery=play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_TEXT))
        if seen:
            hello.seen.add(match_id="played-naga", seen=seen)
        await self.call.write(play_pb2.PlayRequest(hello=hello))
        assert (await self.call.read()).WhichOneof("message") == "welcome"
        return await self.update()

    async def update(self) -> play_pb2.SeatUpdate:
        update: play_pb2.SeatUpdate = (await self.call.read()).update
        return update

    async def answer(self, update: play_pb2.SeatUpdate, text: str) -> None:
        answer = play_pb2.Answer(match_id=update.match_id, decision_id=update.decision.decision_id, text=text)
        await self.call.write(play_pb2.PlayRequest(answer=answer))

    async def ends(self) -> str:
        """Returns the reason for which it ends."""
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self.call.read()
        return service_error(caught.value).reason


async def test_a_bot_that_connects_again_is_put_the_same_decision_and_goes_on(here: Path) -> None:
    found = recorded_seat(Playing("naga").play(first), 0)
    seat = RerunSeat(found)
    async with serving(seat) as (_, endpoint):
        assert await Line(endpoint, "another").ends() == "TOKEN_UNKNOWN"
        first_bot, two = Line(endpoint), Line(endpoint)
        answer = seat.put(found.decisions[0], rewound=False)
        before = await first_bot.hello()
        again = await two.hello(before.seen)
        assert await first_bot.ends() == "SUPERSEDED"
        assert before.HasField("started")
        assert again.HasField("started")
        assert again.decision == before.decision
        assert (len(before.events), len(again.events)) == (before.seen, 0)
        await two.answer(again, before.decision.legal_texts[1])
        given = await answer
        assert given.move == seat._legal[1]
        seat.put(found.decisions[1], rewound=True)
        update = await two.update()
        assert (update.rewound, list(update.accepted)) == (True, [])
        assert len(update.events) == update.seen - before.seen
        seat.end()
        assert (await two.update()).over == found.record.end
        assert await two.ends() == "MATCH_OVER"


async def test_a_stream_is_told_that_the_match_is_over_when_the_server_ends(here: Path) -> None:
    found = recorded_seat(Playing("naga").play(first), 0)
    seat = RerunSeat(found)
    async with serving(seat) as (_, endpoint):
        seat.put(found.decisions[0], rewound=False)
        line = Line(endpoint)
        await line.hello()
    update = await line.update()
    assert (update.over, list(update.accepted)) == (found.record.end, [])
    assert await line.ends() == "MATCH_OVER"


# ---- a debugger ---------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_at_a_decision_it_waits_for_a_debugger_and_the_bot_is_not_asked_before(here: Path) -> None:
    file = written(here, Playing("naga").play(first))
    result = run("record", "rerun", file, "--seat", "0", "--at", "99", "--", "first")
    assert (result.exit_code, "--at 99: seat 0 made " in result.stderr) == (2, True)
    command = [str(FUDABA), "record", "rerun", file, "--seat", "0", "--at", "3", "--", own(here)]
    log = here / "log"
    with log.open("wb") as output:
        held = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output)
    try:
        wait_until(lambda: "Press Enter to put the decision." in log.read_text() or held.poll() is not None)
        assert "The bot is process " in log.read_text()
        assert len((here / "asked").read_text().splitlines()) == 2
        held.communicate(b"\n", timeout=PATIENCE)
    finally:
        held.kill()
    assert held.returncode == 0
    assert len((here / "asked").read_text().splitlines()) == 3
    assert "decision 3 (" in log.read_text()


def test_without_a_command_it_says_where_a_bot_is_to_connect_and_waits_for_one(here: Path) -> None:
    file = written(here, Playing("naga").play(first))
    with Process(here, "waiting") as waiting, Process(here, "bot") as bot:
        waiting.launch([str(FUDABA), "record", "rerun", file, "--seat", "0"])
        log = waiting.log_path
        wait_until(lambda: "FUDABA_TOKEN=" in log.read_text() or not waiting.running)
        given = dict(re.findall(r"export (\w+)=(\S+)", waiting.log))
        bot.launch([str(FUDABA), "bot", "run", "first"], given)
        assert waiting.wait() == 0, waiting.log
        assert bot.wait() == 0, bot.log


# ---- what cannot be put again -------------------------------------------------------------------------------------


def test_a_record_of_another_version_of_the_rules_is_refused(here: Path) -> None:
    record = Playing("naga").play(first)
    record.header.rules_version += 1
    result = run("record", "rerun", written(here, record), "--seat", "0", "--", "first")
    assert result.exit_code == 2
    later = record.header.rules_version
    assert f"it was played by version {later} of the rules of naga, and this release has version" in result.stderr


def test_what_is_no_record_or_has_no_such_seat_is_refused(here: Path) -> None:
    record = Playing("naga").play(first)
    file = written(here, record)
    for arguments, words in (
        ((file, "--seat", "2", "--", "first"), "there is no seat 2: the seats are 0 to 1"),
        ((file, "--seat", "0", "--", "./none"), "there is no program ./none"),
        (("none.fudaba", "--seat", "0", "--", "first"), "none.fudaba cannot be read"),
        ((file, "--", "first"), "missing option '--seat'"),
    ):
        result = run("record", "rerun", *arguments)
        assert (result.exit_code, words in result.stderr) == (2, True), result.output
    (here / "text").write_text("hello")
    result = run("record", "rerun", "text", "--seat", "0", "--", "first")
    assert (result.exit_code, "is not a record file" in result.stderr) == (2, True)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_damaged_record_is_refused(here: Path, seat: int) -> None:
    record = Playing("naga").play(first)
    entry = next(entry for entry in record.log if entry.HasField("move"))
    entry.decision_id += "f"
    result = run("record", "rerun", written(here, record), "--seat", str(seat), "--", "first")
    assert (result.exit_code, "was never asked decision" in result.stderr) == (2, True), result.output
    record = Playing("naga").play(first)
    del record.log[3]
    with pytest.raises(CannotRerun, match="entry 4 cannot be played"):
        recorded_seat(record, seat)
