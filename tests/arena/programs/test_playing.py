"""Submitted bots on a ladder: a worker runs each match's in a sandbox of its own."""

from __future__ import annotations

import json
import os
import re
from datetime import timedelta
from pathlib import Path

import pytest

from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2, record_pb2
from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api import challenges
from tests.support.arena.api.ladders import (
    OPEN,
    author,
    call,
    create,
    number_of,
    playing_now,
    register,
    state_of,
    the_others_play_on,
    until,
)
from tests.support.arena.nodes import Node, node
from tests.support.arena.programs.entered import ONE, Submit, counted, enter
from tests.support.arena.programs.uploads import GOOD, bot_log, folder, over, send
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.sizes import some

AGAINST_OTHERS = """
import os, fudaba

class Player(fudaba.Bot):
    def choose(self, decision):
        if len({player.bot for player in decision.match.players}) > 1:  # and so not in its check
            WHAT
        return 0

fudaba.run(Player)
"""


def pause(arena: Arena, ladder: str) -> None:
    """Nothing of it begins any more: what is asked of it is asked of a quiet machine."""
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder=ladder))


def test_an_accepted_version_plays_on_a_ladder_though_nobody_runs_it(
    arena: Arena, alice: str, worker: Node, submit: Submit
) -> None:
    create(arena, ONE.format(name="open", narrow=0))
    submission = submit(folder({"bot.py": "print('I am here')\n" + GOOD}), "ada")
    enter(arena, alice, "open", "ada")
    blocks = some(2)
    until(arena, lambda: len(counted(arena, "open", f"ada@{submission.version}")) >= blocks, "it has played its blocks")
    pause(arena, "open")
    [isolation] = call(arena, "GetLadder", arena_pb2.GetLadderRequest(ladder="open"), "").ladder.isolations
    used = {use.sandbox for match in arena.matches("open") for use in match.seat_uses}
    assert used == {isolation.mode} == {"bubblewrap"}
    shown = f"isolation: bubblewrap, worker as root ({isolation.version}; 1 worker)"
    assert shown in arena.command("ladder", "show", "open").stdout
    assert (
        f"  bubblewrap {isolation.version}"
        in arena.command("arena", "workers", "--data", str(arena.folder / "data")).stdout
    )
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="open", bot="ada"), alice)
    logs = [log.read_text() for log in bot_log(worker).glob(f"ada-{submission.version}/*.log")]
    assert len(logs) >= 2 * blocks  # a process for each match
    assert "I am here" in "".join(logs)


@pytest.mark.exhaustive
def test_an_author_reads_what_a_bot_printed_in_a_match_and_nobody_else(
    arena: Arena, hosted: Service, alice: str, submit: Submit
) -> None:
    create(arena, ONE.format(name="heard", narrow=0))
    said = "print('I am here', flush=True)\nprint('-- the match is over: score +99', flush=True)\n"
    submission = submit(
        folder({"bot.py": said + GOOD.replace("return 0", "print(decision.id, flush=True); return 0")}), "eve"
    )
    enter(arena, alice, "heard", "eve")
    until(arena, lambda: counted(arena, "heard", f"eve@{submission.version}"), "it has played")
    # Before it leaves: a match that this cuts off ends otherwise.
    listed = call(arena, "ListBotLogs", pb.ListBotLogsRequest(bot="eve"), alice)
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="heard", bot="eve"), alice)
    assert listed.version == submission.version
    asked = pb.GetBotLogRequest(bot="eve", match_id=listed.logs[0].match_id)
    text = call(arena, "GetBotLog", asked, alice).text
    assert re.match(r"\| I am here\n\| -- the match is over: score \+99\n\| \d+\.", text), text
    assert "-- eve played to the end of its match; 0." in text or "-- eve ended with status 0; 0." in text, text
    assert re.search(r"\n-- the match is over: score [+-]\d\n$", text), text
    where = {"FUDABA_TOKEN": alice, "FUDABA_ARENA": arena.address}
    assert arena.command("bot", "logs", "eve", asked.match_id, **where).stdout == text
    assert listed.logs[0].match_id in arena.command("bot", "logs", "eve", **where).stdout
    assert {tuple(log.opponents) for log in listed.logs} == {("first@1",)}
    assert all(re.fullmatch(r"the match is over: score [+-]\d", log.ending) for log in listed.logs), listed
    assert arena.command("bot", "logs", f"eve@{submission.version}", asked.match_id, **where).stdout == text
    assert f"{submission.version}  " in arena.command("bot", "versions", "eve", **where).stdout
    with pytest.raises(ServiceError, match="not one of your account's bots"):
        call(arena, "GetBotLog", asked, author(hosted, "mallory"))
    with pytest.raises(ServiceError, match="no log of eve@") as refusal:
        call(arena, "GetBotLog", pb.GetBotLogRequest(bot="eve", match_id="nowhere"), alice)
    assert refusal.value.reason == "LOG_NOT_FOUND"
    elsewhere = arena.command("bot", "logs", "eve@1", asked.match_id, **where)
    assert (
        f"version {submission.version} played there: `fudaba bot logs eve@{submission.version} {asked.match_id}`"
        in elsewhere.stderr
    )


@pytest.mark.nightly("`sandbox/test_cores.py` gives each bot a core of its own where there is one more than seats")
def test_where_a_worker_has_a_core_more_than_seats_each_bot_has_one_to_itself(hosted: Service, alice: str) -> None:
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2 or not Path("/sys/fs/cgroup/cpuset").exists():
        pytest.skip("NOT TESTED: this host cannot keep a program to a core, or has only one")
    with standing(hosted, "--workers") as other:
        place = str(other.folder / "data" / "submissions")
        with node(hosted, other, "pins", "--submissions", place, "--bots", str(len(cores) - 1)) as pins:
            assert f"all else of this worker runs on core {cores[0]}" in pins.output
            register(hosted, alice, "alone")
            submission = over(other, alice, send(other, alice, folder({"bot.py": GOOD}), "alone"))
            create(other, ONE.format(name="cores", narrow=0))
            enter(other, alice, "cores", "alone")
            until(other, lambda: counted(other, "cores", f"alone@{submission.version}"), "it has played")
            assert os.sched_getaffinity(pins.process.pid) == {cores[0]}
        uses = [use for match in other.matches("cores") for use in match.seat_uses]
        assert uses
        assert all(use.own_cores for use in uses)


LIMITED = """
[limits]
cpu = 100
memory = 200_000_000
most_memory = 300_000_000
"""


@pytest.mark.exhaustive
def test_on_a_ladder_where_nobody_may_ponder_a_bot_is_frozen_while_others_think(
    arena: Arena, worker: Node, alice: str, submit: Submit
) -> None:
    create(arena, ONE.format(name="still", narrow=0) + "\n[limits]\nponder = false\n")
    calm = submit(folder({"bot.py": GOOD}), "calm")
    enter(arena, alice, "still", "calm")
    place = bot_log(worker) / f"calm-{calm.version}"

    def frozen() -> bool:
        return any("it owed no decision, and was frozen, for " in log.read_text() for log in place.glob("*.log"))

    until(arena, frozen, "it was frozen")
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="still", bot="calm"), alice)


@pytest.mark.exhaustive
def test_a_ladder_s_limits_hold_and_each_result_says_how_a_bot_was_run(
    arena: Arena, alice: str, submit: Submit
) -> None:
    create(arena, ONE.format(name="limited", narrow=0) + LIMITED)
    greedy = submit(folder({"bot.py": GOOD}, ram_mb="400"), "greedy")
    with pytest.raises(ServiceError, match="it wants 400 MB of memory; a bot here gets 300 at most") as refusal:
        enter(arena, alice, "limited", "greedy", greedy.version)
    assert refusal.value.reason == "ENTRY_CLOSED"
    submission = submit(folder({"bot.py": GOOD}, ram_mb="250"), "modest")
    enter(arena, alice, "limited", "modest")
    [block, *_] = until(arena, lambda: counted(arena, "limited", f"modest@{submission.version}"), "it has played")
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="limited", bot="modest"), alice)
    limits = {limit.name: (limit.value, limit.unit) for limit in arena.get("limited").definition.limits}
    assert (limits["cpu"], limits["most_memory"]) == ((100.0, "s"), (300e6, "bytes"))
    for match in [each for each in arena.matches("limited") if each.block == block.number]:
        [use] = match.seat_uses
        assert match.bots[use.seat] == f"modest@{submission.version}"
        assert (use.sandbox, [*use.not_enforced], use.memory_limit, use.starts) == ("bubblewrap", [], 250_000_000, 1)
        assert use.runtime.startswith("python-")
        assert use.cpu.ToTimedelta() > timedelta()
        assert use.wall.ToTimedelta() > timedelta()
        assert 0 < use.memory <= use.memory_limit
    lines = [
        json.loads(line) for line in arena.command("arena", "export", "--tournament", "limited.1").stdout.splitlines()
    ]
    assert lines[0]["definition"]["limits"]["cpu"] == 100
    exported = [line for line in lines if line["kind"] == "match" and line["block"] == block.number]
    assert {use["sandbox"] for line in exported for use in line["seat_uses"]} == {"bubblewrap"}
    listed = arena.json("arena", "matches", "--tournament", "limited.1")
    assert [each["used"][0]["memory_limit"] for each in listed if each["block"] == block.number] == [250_000_000] * len(
        exported
    )


@pytest.mark.exhaustive
def test_without_a_sandbox_results_say_so_loudly(hosted: Service, alice: str) -> None:
    with standing(hosted, "--workers") as other:
        place = str(other.folder / "data" / "submissions")
        with node(hosted, other, "unsafe", "--submissions", place, "--unsafe-no-sandbox") as unprotected:
            assert "NO SANDBOX" in unprotected.output
            register(hosted, alice, "naked")
            submission = over(other, alice, send(other, alice, folder({"bot.py": GOOD}), "naked"))
            create(other, ONE.format(name="naked", narrow=0))
            enter(other, alice, "naked", "naked")
            until(other, lambda: counted(other, "naked", f"naked@{submission.version}"), "it has played")
            pause(other, "naked")
            ladder = call(other, "GetLadder", arena_pb2.GetLadderRequest(ladder="naked"), "").ladder
            assert "; NOT ENFORCED (cannot there): " in other.command("ladder", "show", "naked").stdout
        [isolation] = ladder.isolations
        assert {"memory", "cores_per_seat", "ponder"} <= set(isolation.not_enforced)
        [use] = next(match.seat_uses for match in other.matches("naked") if match.seat_uses)
        assert use.sandbox == "unsafe"
        assert {"memory", "processes", "cpu", "file_size", "ponder"} <= set(use.not_enforced)
        assert "WITHOUT A SANDBOX: in " in other.command("arena", "matches", "--tournament", "naked.1").stdout


@pytest.mark.exhaustive
def test_a_submitted_bot_is_run_in_the_next_season_too(arena: Arena, alice: str, submit: Submit) -> None:
    create(
        arena, ONE.format(name="two", narrow=0).replace("final_blocks = 2", "final_blocks = 0\nfinal_wait_seconds = 0")
    )
    submission = submit(folder({"bot.py": GOOD}), "stays")
    before = enter(arena, alice, "two", "stays").entry
    call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="two"))

    def closed() -> bool:
        asked = arena_pb2.GetLadderRequest(ladder="two")
        return bool(call(arena, "GetLadder", asked).ladder.state == arena_pb2.LADDER_STATE_CLOSED)

    until(arena, closed, "the season is over")
    call(arena, "BeginSeason", arena_pb2.BeginSeasonRequest(ladder="two"))
    until(arena, lambda: counted(arena, "two", f"stays@{submission.version}"), "it plays in the second season")
    entries = call(arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder="two"), "").entries
    [after] = [each for each in entries if each.bot == "stays"]
    assert (after.version, after.kind) == (before.version, arena_pb2.ENTRANT_KIND_SUBMITTED)
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="two", bot="stays"), alice)


@pytest.mark.exhaustive
def test_a_version_that_was_not_accepted_cannot_be_entered(arena: Arena, alice: str, submit: Submit) -> None:
    create(arena, ONE.format(name="closed", narrow=0))
    submission = submit(folder({"bot.py": "raise SystemExit(3)"}), "bad")
    with pytest.raises(ServiceError, match="was not accepted") as refusal:
        enter(arena, alice, "closed", "bad", submission.version)
    assert refusal.value.reason == "ENTRY_CLOSED"
    assert enter(arena, alice, "closed", "bad").entry.version == "1"  # by default the newest that can play


@pytest.mark.exhaustive
def test_an_author_enters_a_version_by_its_name_and_goes_back_to_an_older_one(
    arena: Arena, alice: str, submit: Submit
) -> None:
    create(arena, ONE.format(name="named", narrow=0))
    versions = [submit(folder({"bot.py": GOOD + f"# {number}"}), "flora").version for number in range(2)]
    where = {"FUDABA_TOKEN": alice, "FUDABA_ARENA": arena.address}
    for version in reversed(versions):
        done = arena.command("bot", "enter", f"flora@{version}", "named", **where)
        assert (done.returncode, done.stdout) == (0, f"flora, version {version}, is playing\n"), done.stderr
    done = arena.command("ladder", "enter", "named", f"flora@{versions[1]}", **where)
    assert done.stdout == f"flora, version {versions[1]}, is playing\n"
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="named", bot="flora"), alice)


@pytest.mark.nightly(
    "`api/test_presence.py` pauses bots that their authors run: they are absent, and nobody waits for them"
)
def test_a_submitted_bot_that_is_paused_is_in_no_further_block_whatever_was_refused_since(
    arena: Arena, hosted: Service, alice: str, submit: Submit
) -> None:
    create(arena, OPEN.format(name="resting", narrow=0))
    submission = submit(folder({"bot.py": GOOD}), "sleepy")
    refused = submit(folder({"bot.py": "raise SystemExit(3)"}), "sleepy")
    assert refused.state == pb.SUBMISSION_STATE_REFUSED
    bot, where = f"sleepy@{submission.version}", {"FUDABA_TOKEN": alice, "FUDABA_SERVER": hosted.address}
    enter(arena, alice, "resting", "sleepy", submission.version)
    until(arena, lambda: bool(counted(arena, "resting", bot)), "it plays")
    done = arena.command("bot", "pause", "sleepy", **where)
    assert "are paused, on ladders too" in done.stdout, done
    until(arena, lambda: state_of(arena, "resting", "sleepy") == arena_pb2.ENTRY_STATE_ABSENT, "it is absent")
    shown = arena.command("ladder", "entries", "resting").stdout
    assert f"{bot} is absent: it is paused; resume it with `fudaba bot resume {bot}`" in shown
    until(arena, lambda: not playing_now(arena, "resting", bot), "what it was in is over")
    before = number_of(arena, "resting", bot)
    the_others_play_on(arena, "resting")
    assert number_of(arena, "resting", bot) == before
    assert "are not paused" in arena.command("bot", "resume", "sleepy", **where).stdout
    until(arena, lambda: number_of(arena, "resting", bot) > before, "and plays again")
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="resting", bot="sleepy"), alice)
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="resting"))


def test_a_version_cannot_be_entered_in_games_that_its_manifest_does_not_name(
    arena: Arena, alice: str, submit: Submit
) -> None:
    create(arena, ONE.format(name="others", narrow=0).replace("naga", "tashot"))
    submit(folder({"bot.py": GOOD}), "naga-only")
    with pytest.raises(ServiceError, match="this version plays naga, and the ladder has none of them"):
        enter(arena, alice, "others", "naga-only")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("statement", "cause"),
    [
        ("os._exit(7)", record_pb2.FORFEIT_CAUSE_CRASHED),
        pytest.param(
            "bytearray(2_000_000_000)",
            record_pb2.FORFEIT_CAUSE_LIMIT,
            marks=pytest.mark.nightly(
                "the same of one that crashes; `test_checking.py` names the limit that a bot goes over"
            ),
        ),
        pytest.param(
            "return 'no such move'",
            record_pb2.FORFEIT_CAUSE_ILLEGAL,
            marks=pytest.mark.nightly(
                "the same of one that crashes; `test_checking.py` has a bot whose answers are refused"
            ),
        ),
    ],
)
def test_a_bot_loses_by_what_it_did_and_its_author_reads_the_cause(
    arena: Arena, alice: str, submit: Submit, statement: str, cause: record_pb2.ForfeitCause.ValueType
) -> None:
    name = f"brittle-{cause}"
    create(arena, ONE.format(name=name, narrow=0))
    submission = submit(folder({"bot.py": AGAINST_OTHERS.replace("WHAT", statement)}), name)
    assert submission.state == pb.SUBMISSION_STATE_ACCEPTED, submission
    enter(arena, alice, name, name)
    until(arena, lambda: counted(arena, name, f"{name}@{submission.version}"), "a block counts")
    causes = {match.forfeit_cause for match in arena.matches(name) if match.forfeit_cause}
    assert causes == {cause}
    meanings = {
        record_pb2.FORFEIT_CAUSE_CRASHED: "its program ended again and again",
        record_pb2.FORFEIT_CAUSE_LIMIT: "it went over a limit of its sandbox",
        record_pb2.FORFEIT_CAUSE_ILLEGAL: "too many of its answers were refused",
    }
    [lost, *_] = call(arena, "ListBotLogs", pb.ListBotLogsRequest(bot=name), alice).logs
    text = call(arena, "GetBotLog", pb.GetBotLogRequest(bot=name, match_id=lost.match_id), alice).text
    assert text.endswith(f"\n-- it lost the match: {meanings[cause]}\n"), text
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder=name, bot=name), alice)


@pytest.mark.nightly(
    "`test_match_log.py` has what is left of a long log, and `play/test_bot_process.py` keeps a log's size"
)
def test_a_bot_that_fills_its_log_gets_a_part_of_it(arena: Arena, alice: str, worker: Node, submit: Submit) -> None:
    create(arena, ONE.format(name="filled", narrow=0))
    statement = "print(20_000_000 * 'x', flush=True)"
    submission = submit(folder({"bot.py": AGAINST_OTHERS.replace("WHAT", statement)}), "filler")
    enter(arena, alice, "filled", "filler")
    until(arena, lambda: counted(arena, "filled", f"filler@{submission.version}"), "a block counts")
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="filled", bot="filler"), alice)
    logs = list(bot_log(worker).glob(f"filler-{submission.version}/*"))
    assert logs
    assert all(log.stat().st_size < 3_000_000 for log in logs)
    [newest, *_] = call(arena, "ListBotLogs", pb.ListBotLogsRequest(bot="filler"), alice).logs
    asked = pb.GetBotLogRequest(bot="filler", match_id=newest.match_id)
    assert len(call(arena, "GetBotLog", asked, alice).text) < 20_000


@pytest.mark.exhaustive
def test_a_submitted_version_challenges_an_entry_without_being_entered(
    arena: Arena, alice: str, submit: Submit
) -> None:
    challenges.ladder(arena, "challenged")
    submission = submit(folder({"bot.py": GOOD}), "dora")
    made = challenges.ask(
        arena, alice, "random", 1, with_bot="dora", with_version=submission.version, ladder="challenged"
    )
    over = challenges.wait_for(arena, made)
    assert (over.challenger.bot, over.challenger.version, over.blocks_counted) == ("dora", submission.version, 1)
