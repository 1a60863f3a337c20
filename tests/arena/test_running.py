"""Whole tournaments: a real service, real bots, the arena's command line."""

from __future__ import annotations

import contextlib
import csv
import http.client
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fudaba.errors import ServiceError
from fudaba.v1 import bots_pb2, matches_pb2
from fudaba.valkey import EmbeddedValkey
from fudaba_arena.blocks import commitment, seed_faults
from fudaba_arena.cli import arena as command_line
from fudaba_arena.schedule import Schedule
from fudaba_arena.tournament import read_tournament
from tests.arena.running import ARENA, Arena, Service, environment, gated, service, wait_until
from tests.service.processes import free_port


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    with service() as running:
        yield running


def bot(name: str, kind: str, **more: str) -> str:
    return "\n".join(["[[bots]]", f'name = "{name}"', kind, *(f"{key} = {value}" for key, value in more.items()), ""])


PLAYER = 'command = ["python", "player.py"]'
RANDOM = bot("random", 'builtin = "random"')
SENSIBLE = bot("sensible", 'builtin = "sensible"')


def head(name: str, **more: object) -> str:
    lines = [f'name = "{name}"', 'game = "naga"', *(f"{key} = {value}" for key, value in more.items())]
    return "\n".join([*lines, ""])


def schedule_of(arena: Arena) -> Schedule:
    return read_tournament(arena.file).schedule(arena.json("standings")["id"])


def planned_ids(arena: Arena) -> set[str]:
    return {table.match_id for block in schedule_of(arena) for table in block.tables}


def counted_ids(arena: Arena) -> list[str]:
    return sorted(match["match_id"] for match in arena.json("matches") if match["counts"] == "yes")


def scrape(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return str(answer.read().decode())
    except (OSError, http.client.HTTPException):  # not yet, or no longer
        return ""


def value(scraped: str, name: str) -> float:
    return next(float(line.split()[-1]) for line in scraped.splitlines() if line.startswith(f"{name} "))


def tells_ratings(scraped: str) -> str:
    """The metrics, if they tell how certain the ratings are, and that matches count."""
    if "rating_uncertainty_elo{" not in scraped:
        return ""
    return scraped if value(scraped, "fudaba_arena_matches_counted") > 0 else ""


def test_a_tournament_is_played_to_the_end_as_scheduled_each_match_once(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    bots = [
        SENSIBLE,
        RANDOM,
        bot("forgets", PLAYER, memoryless="true", author='"one"', env="{ SLOW = '0.002' }"),
        bot("remembers", PLAYER, author='"two"', version='"7"', env="{ SLOW = '0.002' }"),
        bot("also-remembers", PLAYER, author='"one"', capacity="1", env=gated(gate)),
    ]
    arena = Arena(hosted, tmp_path, head("whole", deals=2) + "".join(bots))
    port = free_port()
    with arena.run("--metrics", f"127.0.0.1:{port}") as running:
        # It does not end before it was seen what its metrics tell.
        best = wait_until(lambda: tells_ratings(scrape(port)), "ratings")
        gate.touch()
        assert running.wait() == 0, running.output
    output = running.output

    # As scheduled, each once; the service has been asked for nothing else.
    schedule = schedule_of(arena)
    results = {match["match_id"]: match for match in arena.json("matches")}
    tables = {table.match_id: table for block in schedule for table in block.tables}
    assert results.keys() == tables.keys() == hosted.matches("whole").keys()
    assert len(tables) == schedule.matches == 9 * 4  # forgets and also-remembers are one author's
    assert {tuple(match["bots"]) for match in results.values() if match["counts"] != "yes"} == set()
    assert all(tuple(results[match_id]["bots"]) == table.bots for match_id, table in tables.items())

    # Everybody may see the records, and check them: results, versions, seeds.
    about = arena.json("standings")
    seeds: dict[tuple[int, int], bytes] = {}
    met: Counter[tuple[str, bytes]] = Counter()
    for block in schedule:
        for table in block.tables:
            record = hosted.record(table.match_id, stranger=True)
            assert list(record.end.outcome.scores) == results[table.match_id]["scores"]
            assert tuple(player.bot for player in record.header.players) == table.bots
            assert {player.version for player in record.header.players if player.bot == "remembers"} <= {"7"}
            assert seeds.setdefault((block.number, table.deal), record.seed) == record.seed
            met.update((name, record.seed) for name in table.bots)
    master = bytes.fromhex(about["master"])
    assert commitment(master).hex() == about["commitment"]
    assert about["commitment"] in output
    assert about["id"] == f"whole-{about['commitment'][:8]}"
    assert seed_faults(commitment(master), master, seeds) == ()

    # Who can remember meets a deal once; who cannot replays it.
    replayed = {name for (name, _), times in met.items() if times > 1}
    assert replayed
    assert replayed <= {"sensible", "random", "forgets"}

    # The ladder and the metrics.
    assert about["complete"]
    assert about["matches"] == about["planned"] == schedule.matches
    check_ladder(arena, about["standings"], Counter(name for table in tables.values() for name in table.bots))
    assert output.index("rank  bot") < output.index("the deals are open")
    assert value(best, "fudaba_arena_matches_planned") == schedule.matches
    check_metrics(best)
    assert hosted.bot_processes() == []


def check_ladder(arena: Arena, standings: list[dict[str, Any]], matches: Mapping[str, int]) -> None:
    rows = {row["bot"]: row for row in standings}
    assert rows["remembers"]["version"] == "7"
    assert sum(row["points"] for row in rows.values()) == 0
    assert {name: row["matches"] for name, row in rows.items()} == matches
    assert [row["bot"] for row in csv.DictReader(StringIO(arena.command("standings", "--csv").stdout))] == list(rows)
    assert arena.command("standings", str(arena.file)).stdout.split("\n")[1].split()[1] == standings[0]["bot"]


def check_metrics(scraped: str) -> None:
    finished = value(scraped, "fudaba_arena_matches_finished_total")
    assert value(scraped, "fudaba_arena_matches_scheduled_total") >= finished
    assert finished >= value(scraped, "fudaba_arena_matches_counted") > 0
    assert value(scraped, 'fudaba_arena_void_blocks_total{cause="no_show"}') == 0
    assert value(scraped, 'fudaba_arena_rating_uncertainty_elo{stat="max"}') > 0
    for name in ("matches_failed_total", "matches_retried_total", "bot_restarts_total", "parked_blocks"):
        assert value(scraped, f"fudaba_arena_{name}") == 0
        assert f"# HELP fudaba_arena_{name.removesuffix('_total')}" in scraped


def test_bots_that_crash_or_never_come_are_withdrawn_and_the_others_play_on(hosted: Service, tmp_path: Path) -> None:
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="never-comes", version="1"))
    bots = [SENSIBLE, RANDOM, bot("never-comes", "remote = true"), bot("crashes", 'command = ["python", "crash.py"]')]
    arena = Arena(hosted, tmp_path, head("absent", connect_seconds=15, no_shows=1) + "".join(bots))
    (tmp_path / "crash.py").write_text("raise SystemExit('there is no model.bin')\n")
    running = arena.run_to_the_end()
    assert running.process.returncode == 1
    assert "bot never-comes is withdrawn: it did not connect within 15 s\n" in running.output
    assert ": never-comes did not connect; it is played again on new deals" in running.output
    for said in (running.output.partition("rank  bot")[2], arena.command("standings").stdout):
        (told,) = re.findall(r"^bot crashes is withdrawn: .*its last lines .*:\n(.*)$", said, re.MULTILINE)
        assert told == "    there is no model.bin"
    assert re.search(r"\d of \d+ blocks are parked.*; try again with --retry-parked, or end without", running.output)

    about = arena.json("standings")
    assert not about["complete"]
    assert about["master"] is None
    assert set(about["withdrawn"]) == {"never-comes", "crashes"}
    played = {tuple(sorted(match["bots"])) for match in arena.json("matches") if match["counts"] == "yes"}
    assert played == {("random", "sensible")}
    voids = {row["bot"]: row["voids"] for row in about["standings"]}
    assert [(row["bot"], row["rank"]) for row in about["standings"]][2:] == [("crashes", None), ("never-comes", None)]
    assert {row["rank"] for row in about["standings"][:2]} <= {1, 2}
    assert re.search(r"^ *- +crashes +1 +- +-", running.output, re.MULTILINE)
    assert voids["never-comes"] == 1
    assert voids["sensible"] == voids["random"] == 0
    assert all(row["points"] == 0 for row in about["standings"] if row["bot"] in about["withdrawn"])
    assert {void["cause"] for void in arena.json("matches", "--void")} == {"no_show"}

    closed = arena.run_to_the_end("--close")
    assert closed.process.returncode == 0
    assert "; left out for good" in closed.output
    assert arena.json("standings")["master"] in closed.output
    refused = arena.run_to_the_end("--retry-parked")
    assert refused.process.returncode == 1
    assert "tournament absent is over and its deals are open; begin another one under a new name" in refused.output


def finished(hosted: Service, tournament: str) -> int:
    states = [match.state for match in hosted.matches(tournament).values()]
    return states.count(matches_pb2.MATCH_STATE_FINISHED)


def test_a_killed_arena_leaves_no_bots_and_goes_on_with_the_same_matches(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    slow = bot("slow", PLAYER, env=gated(gate, free=12))
    arena = Arena(hosted, tmp_path, head("killed", blocks=18) + RANDOM + slow)
    with arena.run() as running:
        wait_until(lambda: finished(hosted, "killed") >= 6, "play")
        running.process.kill()
        running.wait()
    wait_until(lambda: not hosted.bot_processes(), "the bots end with the arena")
    before = {match["match_id"]: match["scores"] for match in arena.json("matches")}
    assert 0 < len(before) < 36

    gate.touch()
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    assert arena.json("matches", "--void") == []
    after = {match["match_id"]: match["scores"] for match in arena.json("matches")}
    assert after.items() >= before.items()
    assert sorted(after) == counted_ids(arena) == sorted(planned_ids(arena)) == sorted(hosted.matches("killed"))


def test_matches_that_lost_their_bots_for_long_with_a_killed_arena_do_not_count(
    hosted: Service, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    clock = "[clock]\nmove_ms = 6000\nbank_ms = 0\nmax_timeouts = 1\n"
    waits = bot("gated", PLAYER, memoryless="true", capacity="1", env=gated(gate))
    arena = Arena(hosted, tmp_path, head("away", attempts=1) + clock + RANDOM + waits)
    with arena.run() as running:
        wait_until(lambda: any(m.HasField("start_time") for m in hosted.matches("away").values()), "play")
        running.process.kill()
        running.wait()
    wait_until(lambda: finished(hosted, "away"), "its end by the clock")
    gate.touch()
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    assert [(void["cause"], void["bots"]) for void in arena.json("matches", "--void")] == [("away", [])]
    counted = [match for match in arena.json("matches") if match["counts"] == "yes"]
    assert [(match["block"], match["forfeited"]) for match in counted] == [(1, ""), (1, "")]


def processes_of_store(folder: Path) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # gone
        if b"--appendonly" in words and str(folder).encode() in words:
            found.append(int(place.name))
    return found


def test_a_service_and_a_store_that_die_in_between_cost_time_and_no_result(tmp_path: Path) -> None:
    with service() as hosted:
        gate = tmp_path / "gate"
        slow = bot("slow", PLAYER, env=gated(gate, free=5))
        arena = Arena(hosted, tmp_path, head("outage", blocks=9) + RANDOM + slow)
        with arena.run() as running:
            wait_until(lambda: finished(hosted, "outage") >= 2, "play")
            (store,) = processes_of_store(tmp_path / "data" / "store")
            os.kill(store, signal.SIGKILL)
            hosted.kill()
            running.wait_for("cannot reach the service")
            hosted.start_again()
            gate.touch()
            assert running.wait() == 0, running.output
        assert "the service answers again, after" in running.output
        assert "the arena's store died; starting it again" in running.output
        assert counted_ids(arena) == sorted(planned_ids(arena)) == sorted(hosted.matches("outage"))


def test_matches_that_the_service_lost_are_not_dealt_again(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with service() as hosted:
        arena = Arena(hosted, tmp_path, head("lost") + RANDOM + bot("gated", PLAYER, env=gated(gate)))
        with arena.run() as running:
            wait_until(lambda: any(m.HasField("start_time") for m in hosted.matches("lost").values()), "play")
            hosted.kill()
            shutil.rmtree(hosted.folder / "data")
            running.process.kill()
            running.wait()
        hosted.start_again()
        gate.touch()
        again = arena.run_to_the_end()
        assert again.process.returncode == 0, again.output
        voids = arena.json("matches", "--void")
        assert [(void["block"], void["cause"], void["bots"]) for void in voids] == [(0, "lost", [])]
        assert {name.split("-")[-2] for name in hosted.matches("lost")} == {"b1"}


def test_two_arenas_do_not_play_one_tournament_of_one_redis(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with EmbeddedValkey(hosted.folder / "shared") as redis:
        arena = Arena(hosted, tmp_path, head("shared") + RANDOM + bot("gated", PLAYER, env=gated(gate)))
        with arena.run("--redis", redis.url) as running:
            wait_until(lambda: hosted.matches("shared"), "the first match")
            other = arena.run_to_the_end("--redis", redis.url, "--data", str(tmp_path / "other"))
            assert other.process.returncode == 1
            assert "another arena plays tournament shared from the same Redis" in other.output
            gate.touch()
            assert running.wait() == 0, running.output
        about = arena.json("standings", "--redis", redis.url)
        assert about["complete"]
        assert not (tmp_path / "data" / "store").exists()


def test_a_terminal_shows_how_far_it_is(hosted: Service, tmp_path: Path) -> None:
    arena = Arena(hosted, tmp_path, head("seen", blocks=20) + RANDOM + SENSIBLE)
    main, terminal = pty.openpty()
    os.set_blocking(main, False)
    seen = b""
    env = environment() | {"FUDABA_TOKEN": hosted.token, "TERM": "xterm", "COLUMNS": "120"}
    command = [sys.executable, "-c", ARENA, "run", str(arena.file), "--server", hosted.address]
    with subprocess.Popen(
        [*command, "--data", str(tmp_path / "data")], stderr=terminal, stdout=subprocess.DEVNULL, env=env
    ) as process:
        ended = False
        while not ended:
            ended = process.poll() is not None  # then what it has said last is read too
            time.sleep(0.02)
            with contextlib.suppress(BlockingIOError):
                while part := os.read(main, 65536):
                    seen += part
    os.close(terminal)
    os.close(main)
    assert process.returncode == 0
    text = seen.decode()
    assert "/40" in text
    assert "matches" in text
    assert "± 95%" in text
    assert f"commitment to the deals: {arena.json('standings')['commitment']}" in text


def refusal(hosted: Service, match_id: str) -> str:
    with pytest.raises(ServiceError) as caught:
        hosted.record(match_id, stranger=True)
    return caught.value.reason


def test_a_block_is_held_back_until_it_is_over(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    waits = bot("gated", PLAYER, memoryless="true", capacity="1", env=gated(gate, free=1))
    arena = Arena(hosted, tmp_path, head("held") + RANDOM + waits)
    with arena.run() as running:
        wait_until(lambda: len(hosted.matches("held")) == 2, "the second match")
        first, second = sorted(hosted.matches("held"))
        assert wait_until(lambda: arena.json("matches"), "the first result")[0]["counts"] == "not yet"
        assert hosted.matches("held")[first].state == matches_pb2.MATCH_STATE_FINISHED
        assert refusal(hosted, first) == "MATCH_WITHHELD"
        assert refusal(hosted, second) == "MATCH_NOT_OVER"
        assert hosted.record(first).header.match_id == first

        # The folder is this run's, and the tournament has not changed under it.
        other = arena.command("run", str(arena.file), "--server", hosted.address)
        assert other.returncode == 1
        assert f"The folder {tmp_path}/data is in use by process {running.process.pid}" in other.stderr

        gate.touch()
        assert running.wait() == 0, running.output
    assert hosted.record(first, stranger=True).seed == hosted.record(second, stranger=True).seed

    arena.file.write_text(arena.file.read_text().replace("FREE = '1'", "FREE = '2'"), encoding="utf-8")
    changed = arena.run_to_the_end()
    assert changed.process.returncode == 1
    assert "tournament held was begun with another file: env of bot gated was {'FREE': '1'" in changed.output


def test_a_stopped_arena_says_how_to_go_on_and_what_it_cut_off_is_played_anew(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    bots = [RANDOM, SENSIBLE, bot("gated", PLAYER, env=gated(gate))]
    arena = Arena(hosted, tmp_path, head("stopped", attempts=1) + "".join(bots))
    with arena.run("--grace", "0.2") as running:
        wait_until(lambda: len(hosted.matches("stopped")) >= 3, "play")
        running.signal(signal.SIGINT)
        assert running.wait() == 1
    assert "the same command continues" in running.output
    assert hosted.bot_processes() == []
    voids = arena.json("matches", "--void")
    assert {(void["cause"], *void["bots"]) for void in voids} == {("stopped",)}

    gate.touch()
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    schedule = schedule_of(arena)
    replaced = {void["block"] for void in voids}
    wanted = [b if b.number not in replaced else schedule.replacement(b) for b in schedule]
    assert counted_ids(arena) == sorted(table.match_id for block in wanted for table in block.tables)


def test_matches_in_play_are_finished_before_a_stop(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    slow = bot("slow", PLAYER, env=gated(gate, free=2))
    arena = Arena(hosted, tmp_path, head("calm", blocks=60) + RANDOM + slow)
    with arena.run() as running:
        wait_until(lambda: finished(hosted, "calm") >= 2 and len(hosted.matches("calm")) >= 3, "play")
        running.signal(signal.SIGTERM)
        gate.touch()
        assert running.wait() == 1
    assert "stopped with" in running.output
    assert arena.json("matches", "--void") == []
    states = {match.state for match in hosted.matches("calm").values()}
    assert states == {matches_pb2.MATCH_STATE_FINISHED}
    assert len(arena.json("matches")) == len(hosted.matches("calm"))


def test_an_aborted_match_voids_its_block_which_is_played_on_new_deals_until_it_is_parked(
    hosted: Service, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    waits = bot("gated", PLAYER, memoryless="true", env=gated(gate))
    arena = Arena(hosted, tmp_path, head("aborted", attempts=2) + RANDOM + waits)

    def abort_one(number: int) -> None:
        live = wait_until(lambda: [name for name in hosted.matches("aborted") if f"-b{number}-" in name], "the block")
        with hosted.client() as client:
            client.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=live[0]))

    with arena.run() as running:
        abort_one(0)
        abort_one(1)
        assert running.wait() == 1
    assert "block 0 is void: the organiser aborted a match; it is played again on new deals" in running.output
    assert "block 1 is void: the organiser aborted a match; it is parked after 2 attempts" in running.output
    voids = arena.json("matches", "--void")
    assert [(void["block"], void["slot"], void["cause"], void["parked"]) for void in voids] == [
        (0, 0, "organiser", True),
        (1, 0, "organiser", True),
    ]
    assert "1 of 1 block is parked; try again with --retry-parked" in running.output
    assert "1 of 1 block is parked; see fudaba arena matches --void" in arena.command("standings").stdout
    shown = [line.split("  ") for line in arena.command("matches", "--void").stdout.splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in shown]
    assert cells[0] == ["block", "played for", "why it is void", "absent", "match", "again", "since (UTC)"]
    assert cells[1][:2] == ["0", "the organiser aborted a match"]
    assert cells[2][:3] == ["1", "0", "the organiser aborted a match"]
    assert cells[2][-2] == "no, parked"
    assert {match.state for match in hosted.matches("aborted").values()} == {matches_pb2.MATCH_STATE_ABORTED}

    gate.touch()
    again = arena.run_to_the_end("--retry-parked")
    assert again.process.returncode == 0, again.output
    assert [name.split("-")[-2] for name in counted_ids(arena)] == ["b2", "b2"]
    seeds = {match_id: hosted.record(match_id, stranger=True).seed for match_id in hosted.matches("aborted")}
    assert len(set(seeds.values())) == 3


def test_a_remote_bot_that_comes_late_is_waited_for(hosted: Service, tmp_path: Path) -> None:
    arena = Arena(hosted, tmp_path, head("late") + RANDOM + bot("late-one", "remote = true", author='"me"'))
    unknown = arena.run_to_the_end()
    assert unknown.process.returncode == 1
    assert 'fudaba bot create late-one --version 1 --author "me"' in unknown.output
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="late-one", author="you"))
        other = arena.run_to_the_end()
        line = arena.file.read_text().splitlines().index('author = "me"') + 1
        assert (
            f'{arena.file}:{line}: bot late-one is by me here, and by you on the service; write author = "you"'
            in other.output
        )
        # Who leaves the author out takes the service's, also when the run goes on later.
        arena.file.write_text(arena.file.read_text().replace('author = "me"\n', ""), encoding="utf-8")
        token = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="late-one")).token
    with arena.run() as running:
        wait_until(lambda: hosted.matches("late"), "the first match")
        env = environment() | {"FUDABA_SERVER": hosted.address, "FUDABA_TOKEN": token}
        with subprocess.Popen([sys.executable, tmp_path / "player.py"], env=env) as player:
            assert running.wait() == 0, running.output
            assert player.poll() is None
            player.terminate()
    assert arena.json("matches", "--void") == []
    assert len(counted_ids(arena)) == 2
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    arena.file.write_text(arena.file.read_text() + 'author = "me"\n', encoding="utf-8")
    changed = arena.run_to_the_end()
    assert "author of bot late-one was 'you', is 'me'" in changed.output


def test_bots_whose_authors_turn_out_to_be_one_cannot_meet(hosted: Service, tmp_path: Path) -> None:
    bots = bot("twin-a", "remote = true") + bot("twin-b", "remote = true")
    arena = Arena(hosted, tmp_path, head("twins") + bots)
    with hosted.client() as client:
        for name in ("twin-a", "twin-b"):
            client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name, author="Ann"))
    running = arena.run_to_the_end()
    assert running.process.returncode == 1
    assert "with the authors that the service knows, all bots are of one author; enter others" in running.output
    assert "there is none yet" in arena.command("standings").stderr


def test_a_bot_that_loses_on_time_loses_and_no_block_is_void(hosted: Service, tmp_path: Path) -> None:
    clock = "[clock]\nmove_ms = 5000\nbank_ms = 0\nmax_timeouts = 1\n"
    arena = Arena(hosted, tmp_path, head("slow") + clock + RANDOM + bot("sleeps", PLAYER, env="{ SLOW = '600' }"))
    running = arena.run_to_the_end()
    assert running.process.returncode == 0, running.output
    assert {(match["forfeited"], match["forfeit_cause"]) for match in arena.json("matches")} == {("sleeps", "timeouts")}
    assert {row["bot"]: row["points"] for row in arena.json("standings")["standings"]} == {"random": 2, "sleeps": -2}
    assert arena.json("standings")["forfeits"] == {"sleeps": {"timeouts": 2}}
    log = tmp_path / "data" / "logs" / "slow" / "sleeps.log"
    assert f"bot sleeps forfeited 2 of 2 matches (2 by timeouts); see its log: {log}" in running.output
    assert "bot random forfeited" not in running.output


def test_a_bot_that_raises_in_every_decision_is_named_at_the_end(hosted: Service, tmp_path: Path) -> None:
    raises = bot("raises", 'command = ["python", "-m", "fudaba", "bot", "run", "--on-error", "resign", "bad.py:Bad"]')
    arena = Arena(hosted, tmp_path, head("raising") + RANDOM + raises)
    code = "import fudaba\nclass Bad(fudaba.Bot):\n    def choose(self, decision):\n        raise KeyError('deck')\n"
    (tmp_path / "bad.py").write_text(code)
    running = arena.run_to_the_end()
    assert running.process.returncode == 0, running.output
    log = tmp_path / "data" / "logs" / "raising" / "raises.log"
    assert f"bot raises forfeited 2 of 2 matches (2 by resigning); see its log: {log}" in running.output
    assert "KeyError: 'deck'" in log.read_text()


def test_nothing_is_begun_without_a_service_or_without_the_right_token(hosted: Service, tmp_path: Path) -> None:
    arena = Arena(hosted, tmp_path, head("none") + RANDOM + SENSIBLE)
    away = arena.command("run", str(arena.file), "--server", f"unix:{tmp_path}/x")
    assert away.returncode == 1
    assert "there is no such socket; is `fudaba serve` running there?" in away.stderr
    wrong = arena.command("run", str(arena.file), "--server", hosted.address, FUDABA_TOKEN="wrong")
    assert wrong.returncode == 1
    assert "give the token with FUDABA_TOKEN" in wrong.stderr
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="by-token"))
        token = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="by-token")).token
    bots_token = arena.command("run", str(arena.file), "--server", hosted.address, FUDABA_TOKEN=token)
    assert bots_token.returncode == 1
    assert "(ORGANISER_ONLY)" in bots_token.stderr
    assert "there is none yet" in arena.command("standings").stderr


def test_the_command_line_refuses_what_it_cannot_use(hosted: Service, tmp_path: Path) -> None:
    arena = Arena(hosted, tmp_path, head("usage", blocks=0) + RANDOM + SENSIBLE)
    wrong = arena.command("check", str(arena.file))
    assert wrong.returncode == 2
    assert wrong.stderr == f"{arena.file}:3: blocks is 0; write a whole number from 1 to 1,000,000\n"
    arena.file.write_text(head("usage", blocks=2) + RANDOM + SENSIBLE, encoding="utf-8")
    right = arena.command("check", str(arena.file))
    assert (right.returncode, right.stdout.split(": ")[1]) == (0, "2 bots, 2 blocks, 4 matches of naga\n")
    remembering = "".join(bot(name, 'command = ["python", "x.py"]') for name in "abcd")
    arena.file.write_text(head("usage", blocks=3) + remembering, encoding="utf-8")
    spanning = arena.command("check", str(arena.file)).stdout.partition(": ")[2]
    assert spanning == "4 bots, 9 blocks (a block spans up to 2 of the 6 pairings), 36 matches of naga\n"
    arena.file.write_text(head("usage", blocks=2) + RANDOM + SENSIBLE, encoding="utf-8")
    metrics = arena.command("run", str(arena.file), "--metrics", "nonsense")
    assert "metrics cannot be served on nonsense: write HOST:PORT" in metrics.stderr
    assert arena.command("run").returncode == 2
    assert arena.command("run", str(tmp_path / "none.toml")).returncode == 2
    folder = arena.command("standings", FUDABA_ARENA_DATA=str(tmp_path / "none"))
    assert folder.returncode == 1
    assert "is no arena's data folder" in folder.stderr
    taken = tmp_path / "taken"
    taken.write_text("")
    redis = arena.command("run", str(arena.file), "--redis", f"unix://{tmp_path}/none")
    assert redis.returncode == 1
    assert "the arena's store cannot be reached" in redis.stderr
    place = arena.command("run", str(arena.file), "--data", str(tmp_path / "a" / "b"))
    assert place.returncode == 1
    assert "Make that first" in place.stderr


def test_the_list_of_commands_cuts_no_help_short() -> None:
    shown = CliRunner().invoke(command_line, ["--help"])
    assert shown.exit_code == 0
    listed = shown.output.partition("Commands:")[2]
    assert "..." not in listed
    for name in command_line.commands:
        assert re.search(rf"^  {name} +[A-Z].*[a-z]\.$", listed, re.MULTILINE)
