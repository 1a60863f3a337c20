"""Whole tournaments: a real service, real bots, the arena's command line."""

from __future__ import annotations

import contextlib
import csv
import os
import pty
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from fudaba.errors import ServiceError
from fudaba.v1 import matches_pb2
from fudaba_arena.schedule.seeds import commitment
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.arena.commands.tournaments import (
    PATIENT_CLOCK,
    PLAYER,
    RANDOM,
    STEADY,
    bot,
    counted_ids,
    head,
    played_schedule,
)
from tests.support.arena.running import ARENA, Arena, Service, check_deals, environment, gated
from tests.support.arena.scraping import scrape, value
from tests.support.patience import wait_until
from tests.support.service.processes import free_port
from tests.support.sizes import some


def tells_ratings(scraped: str) -> str:
    """Returns the metrics, if they tell how certain the ratings are, what is parked, and that matches count."""
    if "rating_uncertainty_elo{" not in scraped or "\nfudaba_arena_blocks_parked " not in scraped:
        return ""
    return scraped if value(scraped, "fudaba_arena_matches_counted") > 0 else ""


@pytest.mark.exhaustive
def test_a_tournament_is_played_to_the_end_as_scheduled_each_match_once(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    bots = [
        STEADY,
        RANDOM,
        bot("forgets", PLAYER, stateless="true", author='"one"', env="{ SLOW = '0.002' }"),
        bot("remembers", PLAYER, author='"two"', version='"7"', env="{ SLOW = '0.002' }"),
        bot("also-remembers", PLAYER, author='"one"', capacity="1", env=gated(gate)),
    ]
    deals = some(2)
    arena = Arena(hosted, tmp_path, head("whole", deals=deals, clock=PATIENT_CLOCK) + "".join(bots))
    port = free_port()
    with arena.run("--metrics", f"127.0.0.1:{port}") as running:
        # It does not end before it was seen what its metrics tell.
        best = wait_until(lambda: tells_ratings(scrape(port)), "ratings")
        gate.touch()
        assert running.wait() == 0, running.output
    output = running.output

    # As scheduled, each once; the service has been asked for nothing else.
    schedule = played_schedule(arena)
    results = {match["match_id"]: match for match in arena.json("matches")}
    matches = {match.match_id: match for block in schedule for match in block.matches}
    assert results.keys() == matches.keys() == hosted.matches("whole").keys()
    assert len(matches) == schedule.matches == 9 * 2 * deals  # forgets and also-remembers are one author's
    assert {tuple(match["bots"]) for match in results.values() if match["counts"] != "yes"} == set()
    assert all(tuple(results[match_id]["bots"]) == match.bots for match_id, match in matches.items())

    # Everybody may see the records, and check them: results, versions, seeds.
    about = arena.json("standings")
    seeds: dict[tuple[int, int], bytes] = {}
    met: Counter[tuple[str, bytes]] = Counter()
    for block in schedule:
        for match in block.matches:
            record = hosted.record(match.match_id, stranger=True)
            assert list(record.end.outcome.scores) == results[match.match_id]["scores"]
            assert tuple(player.bot for player in record.header.players) == match.bots
            assert {player.version for player in record.header.players if player.bot == "remembers"} <= {"7"}
            assert seeds.setdefault((block.number, match.deal), record.seed) == record.seed
            met.update((name, record.seed) for name in match.bots)
    master = bytes.fromhex(about["master"])
    assert commitment(master).hex() == about["commitment"]
    assert about["commitment"] in output
    assert about["id"] == f"whole-{about['commitment'][:8]}"
    check_deals(master, seeds)

    # Who can remember meets a deal once; who cannot replays it.
    replayed = {name for (name, _), times in met.items() if times > 1}
    assert replayed
    assert replayed <= {"steady", "random", "forgets"}

    # The ladder and the metrics.
    assert about["complete"]
    assert about["matches"] == about["planned"] == schedule.matches
    check_ladder(arena, about["standings"], Counter(name for match in matches.values() for name in match.bots))
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
    assert value(scraped, 'fudaba_arena_blocks_voided_total{cause="no_show"}') == 0
    assert value(scraped, 'fudaba_arena_rating_uncertainty_elo{stat="max"}') > 0
    for name in ("matches_failed_total", "matches_retried_total", "bot_restarts_total", "blocks_parked"):
        assert value(scraped, f"fudaba_arena_{name}") == 0
        assert f"# HELP fudaba_arena_{name.removesuffix('_total')}" in scraped


@pytest.mark.exhaustive
def test_two_arenas_do_not_play_one_tournament_of_one_redis(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with EmbeddedValkey(hosted.folder / "shared") as redis:
        arena = Arena(
            hosted, tmp_path, head("shared", clock=PATIENT_CLOCK) + RANDOM + bot("gated", PLAYER, env=gated(gate))
        )
        with arena.run("--redis", redis.url) as running:
            wait_until(lambda: hosted.matches("shared"), "the first match")
            other = arena.run_to_the_end("--redis", redis.url, "--data", str(tmp_path / "other"))
            assert other.process.returncode == 1
            assert f"process {running.process.pid}, since" in other.output
            assert "plays tournament shared from the same Redis; stop that one first" in other.output
            gate.touch()
            assert running.wait() == 0, running.output
        about = arena.json("standings", "--redis", redis.url)
        assert about["complete"]
        assert not (tmp_path / "data" / "store").exists()


@pytest.mark.exhaustive
def test_a_terminal_shows_how_far_it_is(hosted: Service, tmp_path: Path) -> None:
    blocks = some(10, least=2)
    arena = Arena(hosted, tmp_path, head("seen", blocks=blocks) + RANDOM + STEADY)
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
    assert f"/{2 * blocks}" in text
    assert "matches" in text
    assert "± 95%" in text
    assert f"commitment to the deals: {arena.json('standings')['commitment']}" in text


def refusal(hosted: Service, match_id: str) -> str:
    with pytest.raises(ServiceError) as caught:
        hosted.record(match_id, stranger=True)
    return caught.value.reason


@pytest.mark.exhaustive
def test_a_block_is_held_back_until_it_is_over(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    waits = bot("gated", PLAYER, stateless="true", capacity="1", env=gated(gate, free=1))
    arena = Arena(hosted, tmp_path, head("held", clock=PATIENT_CLOCK, premiere_seconds=0) + RANDOM + waits)
    with arena.run() as running:
        wait_until(lambda: len(hosted.matches("held")) == 2, "the second match")
        first, second = sorted(hosted.matches("held"))
        assert wait_until(lambda: arena.json("matches"), "the first result")[0]["counts"] == "not yet"
        assert hosted.matches("held")[first].state == matches_pb2.MATCH_STATE_FINISHED
        assert refusal(hosted, first) == "MATCH_HIDDEN"
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


def shown_to_all(hosted: Service, match_id: str) -> matches_pb2.Match:
    with hosted.client(stranger=True) as client:
        return client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id)).match


@pytest.mark.parametrize(
    ("seconds", "premieres"),
    [(1, True), *(pytest.param(seconds, False, marks=pytest.mark.exhaustive) for seconds in (0, 3_600))],
)
def test_matches_that_took_long_enough_are_shown_after_their_block_before_their_results_are(
    hosted: Service, tmp_path: Path, seconds: int, premieres: bool
) -> None:
    slow = bot("slow", PLAYER, stateless="true", env="{ SLOW = '1.1' }")
    rules = head(f"shown-{seconds}", premiere_seconds=seconds, options="{ deals = 1 }", clock=PATIENT_CLOCK)
    arena = Arena(hosted, tmp_path, rules + RANDOM + slow)
    # However slow the machine is, no premiere is over when it is looked at.
    arena.first = "from fudaba_arena.play.service import service_client as calls; calls._PREMIERE_LEAD_MS = 3_600_000"
    assert arena.run_to_the_end().process.returncode == 0
    ids = [result["match_id"] for result in arena.json("matches")]
    assert len(ids) == 2
    for match_id in ids:
        match = shown_to_all(hosted, match_id)
        assert (match.hidden, match.premiere, match.HasField("end")) == (premieres, premieres, not premieres)
        assert match.header.label == f"shown-{seconds}"
        assert hosted.record(match_id).end.HasField("outcome")


@pytest.mark.exhaustive
def test_an_aborted_match_voids_its_block_which_is_played_on_new_deals_until_it_is_parked(
    hosted: Service, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    waits = bot("gated", PLAYER, stateless="true", env=gated(gate))
    arena = Arena(hosted, tmp_path, head("aborted", attempts=2, clock=PATIENT_CLOCK) + RANDOM + waits)

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
