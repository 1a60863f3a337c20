"""The measurements refuse arguments with which they would measure nothing."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

from bench import (
    against,
    arena,
    boardgame,
    canary,
    caps,
    channels,
    closing,
    fairness,
    fairplay,
    fitting,
    isolation,
    many,
    memory,
    newcomer,
    ratings,
    sequential,
    starts,
    steady,
    strength,
)
from bench.generator import generator
from bench.processes import started
from bench.service_process import service
from bench.simulated_ladder import Ladder
from fudaba.client import Client
from fudaba.sequential import SequentialTest
from fudaba.v1 import bots_pb2
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ClosedBlock
from fudaba_arena.store.store import Store
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.season import Span
from tests.support.build_cache import compilers
from tests.support.patience import wait_until

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("wrong", "carried"), [(0.0, 1.0), (0.5, 0.0), (0.11, 0.5), (1.0, 1.0)])
def test_of_a_channel_with_wrong_bits_a_code_carries_what_shannon_says(wrong: float, carried: float) -> None:
    assert channels.capacity(wrong) == pytest.approx(carried, abs=0.001)


def test_a_bit_is_told_where_the_other_program_was_slower_than_most() -> None:
    sent = [True, False, False, True]
    assert channels.wrong_share(sent, [9.0, 1.0, 2.0, 8.0]) == 0
    assert channels.wrong_share(sent, [9.0, 1.0, 8.0, 2.0]) == 0.5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["naga", "--bot", "serch"], "'serch' is not one of"),
        (["naga", "--budget", "abc"], "search-tree:500"),
        (["naga", "--deals", "0"], "0 is not in the range"),
        (["chess"], "'chess' is not one of"),
    ],
)
def test_strength_refuses_what_it_can_not_play(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(strength.main, arguments)
    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.parametrize("wrong", [["--runs", "0"], ["--seconds", "0"], ["--matches", "0"]])
def test_fairness_refuses_to_measure_nothing(wrong: list[str]) -> None:
    done = CliRunner().invoke(fairness.main, wrong)
    assert done.exit_code == 2
    assert "not in the range" in done.output


@pytest.mark.parametrize(
    ("part", "wrong", "said"),
    [
        (memory.main, ["--runs", "0"], "not in the range"),
        (memory.main, ["--waves", "0"], "not in the range"),
        (many.main, ["--minutes", "0"], "not in the range"),
        (many.main, ["--matches", "10", "--playing", "10"], "must be less than --matches"),
        (boardgame.main, ["--runs", "0"], "not in the range"),
    ],
)
def test_what_measures_matches_refuses_to_measure_none(part: click.Command, wrong: list[str], said: str) -> None:
    done = CliRunner().invoke(part, wrong)
    assert done.exit_code == 2
    assert said in done.output


def _check_of_the_port(need_tool: Callable[[str], Path], scripts: list[dict[str, Any]]) -> str:
    """Returns what the port of Naga to boardgame.io says of matches that were played by our rules."""
    check = Path(boardgame.__file__).with_name("boardgame_io") / "check.js"
    command = [str(need_tool("node")), str(check)]
    return subprocess.run(command, input=json.dumps(scripts), text=True, capture_output=True, check=False).stdout


@pytest.mark.exhaustive
def test_the_port_of_naga_to_boardgame_io_plays_as_we_do(need_tool: Callable[[str], Path]) -> None:
    scripts = boardgame.scripts(40, 5, seed=7)
    assert _check_of_the_port(need_tool, scripts) == "40 of 40 matches agree\n"
    scripts[3]["scores"] = [99, -99]
    assert _check_of_the_port(need_tool, scripts).endswith("39 of 40 matches agree\n")


@pytest.mark.exhaustive
def test_the_load_generator_goes_round_trips_with_the_echo(
    need_tool: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    need_tool("go")
    for name in ("GOCACHE", "GOFLAGS"):  # else all of gRPC may be compiled for it
        monkeypatch.setenv(name, compilers()[name])
    with (
        started("-m", "bench.echo_server") as (_, port),
        generator(None, kind="echo", port=port, streams=2, up=40, down=300) as tripping,
    ):
        wait_until(lambda: tripping.looked().units > 100, "a hundred round trips")
        taken = tripping.taken()
        assert (taken.up, taken.down, taken.ended) == (40, 300, 0)


def test_strength_plays_the_bot_that_is_named() -> None:
    assert {"search-flat", "search-tree", "sensible"} == set(strength.BOTS)
    done = CliRunner().invoke(
        strength.main, ["naga", "--bot", "search-flat", "--budget", "1", "--deals", "2", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert [line.split('"bot": "')[1][:11] for line in done.stdout.splitlines()] == ["search-flat"] * 2


def test_services_under_measurement_may_share_a_store(tmp_path: Path) -> None:
    with service(tmp_path) as first, service(tmp_path, "--redis", first.redis_url) as second:
        with Client(f"127.0.0.1:{first.port}", first.token) as client:
            client.bots.CreateBot(bots_pb2.CreateBotRequest(name="taro"))
        with Client(f"127.0.0.1:{second.port}", first.token) as client:
            assert [bot.name for bot in client.bots.ListBots(bots_pb2.ListBotsRequest()).bots] == ["taro"]
        assert second.token == ""


def test_a_service_under_measurement_that_does_not_start_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="the service ended"), service(tmp_path, "--no-such-option"):
        pass


def test_a_start_is_measured_until_the_command_has_ended_or_serves(tmp_path: Path) -> None:
    assert 0 < starts.cpu_of(tmp_path, "--version") < starts.cpu_of(tmp_path, *starts.MATCH)
    assert len(list(tmp_path.glob("local-matches/*/*.fudaba"))) == 1
    with pytest.raises(RuntimeError, match="fudaba nonsense ended with 2"):
        starts.cpu_of(tmp_path, "nonsense")
    assert starts.until_up(tmp_path) > 0


@pytest.mark.exhaustive
def test_a_commit_is_measured_in_turn_with_this_checkout_by_the_same_bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUDABA_BUILD_CACHE", str(tmp_path))
    done = CliRunner().invoke(against.main, ["HEAD", "search", "--runs", "1", "--seconds", "0.1", "--json"])
    assert done.exit_code == 0, done.output
    [measured] = json.loads(done.stdout)
    assert measured["ratios"] == [measured["ratio"]] == [measured["now"] / measured["then"]]
    [folder] = (tmp_path / "against").iterdir()
    assert (folder / "games" / "fudaba_games" / "registry.py").is_file()


def test_the_other_build_may_be_a_wheel_and_must_be_one_or_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUDABA_BUILD_CACHE", str(tmp_path))
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as wheel:
        for package in ("fudaba", "fudaba_games"):
            wheel.writestr(f"{package}/__init__.py", "")
    env = against.unpacked(str(tmp_path / "other.whl"))
    code = "import fudaba; print(fudaba.__file__)"
    found = subprocess.run([sys.executable, "-c", code], env=env, text=True, capture_output=True, check=True)
    assert Path(found.stdout.strip()).is_relative_to(tmp_path / "against")
    for wrong, said in (
        ("gone.whl", "there is no wheel"),
        ("no-commit", "neither a commit"),
        ("--all", "No such option"),
    ):
        done = CliRunner().invoke(against.main, [wrong, "starts"])
        assert (done.exit_code, said in done.output) == (2, True), done.output


def test_a_row_of_one_build_alone_is_left_out_and_one_of_nothing_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def rows(_: str, env: Mapping[str, str], __: float) -> list[dict[str, Any]]:
        both = {"subject": "moves", "ours": 2.0 if "THEN" in env else 3.0, "unit": "a second"}
        return [both, {"subject": "waits", "ours": 0.0, "unit": "s"}] if "THEN" in env else [both]

    monkeypatch.setattr(against, "_measured", rows)
    assert [row.subject for row in against.compared("play", {"THEN": "1"}, 2, 1.0)] == ["moves"]
    assert "waits: measured with one of the builds only" in capsys.readouterr().err
    monkeypatch.setattr(against, "_measured", lambda *_: [{"subject": "moves", "ours": 0.0, "unit": "a second"}])
    with pytest.raises(click.ClickException, match="moves was 0 with the other build"):
        against.compared("play", {}, 2, 1.0)


def test_canary_tells_how_late_a_workers_canary_was() -> None:
    done = CliRunner().invoke(canary.main, ["--seconds", "3", "--busy", "0", "--late", "3600"])
    assert done.exit_code == 0, done.output
    assert done.output.endswith(" ms; 0 late, 0 alarms\n")


def test_what_isolation_costs_is_measured_in_one_window_by_benches_that_there_are() -> None:
    assert sum(part.seconds for part in isolation.PARTS) <= isolation.MINUTES * 60
    for part in isolation.PARTS:
        command = importlib.import_module(f"bench.{part.module}").main
        for given in (part.arguments, part.least):
            assert command.make_context(part.module, [*given]).args == [], "it takes these arguments"
        assert f"\n## {part.section.partition(':')[0]}\n" in (ROOT / "docs/measurements.md").read_text(encoding="utf-8")
        assert "Takes about " in command.help
    done = CliRunner().invoke(isolation.main, ["--list", "sealing"])
    assert (done.exit_code, done.stdout.count("### ")) == (0, 1)


async def test_the_blocks_that_closing_makes_up_are_as_the_arena_stores_them() -> None:
    with closing.redis_server() as (url, _):
        store, tournament = Store(url), closing.tournament("t", 101, 4, 20)
        await closing.fill(store, tournament, 101, 20)
        stored = await store.load("t", keep_blocks=True)
        assert stored is not None
        state = ScheduledTournament(tournament, stored)
        assert (stored.blocks.counted, set(stored.blocks.void)) == (101, {0, 50, 100})
        assert stored.blocks.lines is not None
        for number, line in stored.blocks.lines.items():
            closed = ClosedBlock.from_line(line)
            block = state.schedule.block(number)
            assert closed.line() == line
            planned = [(match.match_id, match.bots) for match in block.matches]
            assert [(result.match_id, result.bots) for result in closed.results] in ([], planned)
        closer = closing.Closing(store, tournament, state)
        for void in (False, True):
            assert await closer.close(void=void) > 0
        await store.close()


@pytest.mark.parametrize("ladder", [False, True])
def test_what_the_arena_is_given_to_play_is_a_definition(ladder: bool) -> None:
    for bots in (arena.built_in("random"), arena.given(["sleep", "1"])):
        name, text = arena.tournament(bots, ladder=ladder)
        span = Span() if ladder else None
        read = Source(text, "bench.toml", Path(), hosted=True, span=span).read()
        assert (read.name, len(read.bots)) == (name, 4)


@pytest.mark.parametrize("wrong", [["--ladders", "0"], ["--half", "0"], ["--narrow", "0"]])
def test_newcomer_refuses_to_simulate_nothing(wrong: list[str]) -> None:
    done = CliRunner().invoke(newcomer.main, wrong)
    assert done.exit_code == 2
    assert "not in the range" in done.output


def test_fitting_has_a_row_for_each_number_of_blocks() -> None:
    done = CliRunner().invoke(fitting.main, ["--entries", "5", "--blocks", "40", "--blocks", "80", "--points"])
    assert done.exit_code == 0, done.output
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.output.splitlines()[2:]]
    assert [(row[1], row[2]) for row in rows] == [("5", "40"), ("5", "80")]
    assert all(float(row[-1]) > 0 for row in rows)


@pytest.mark.parametrize("wrong", [["--honest", "0", "--ladders", "0"], ["--honest", "-1"], ["--blocks", "1"]])
def test_fairplay_refuses_to_simulate_nothing(wrong: list[str]) -> None:
    assert CliRunner().invoke(fairplay.main, wrong).exit_code == 2


def test_a_share_of_few_ladders_has_a_wide_interval() -> None:
    assert fairplay.interval_of(0, 100) == pytest.approx((0.0, 0.037), abs=0.001)
    assert fairplay.interval_of(5, 10) == pytest.approx((0.237, 0.763), abs=0.001)


@pytest.mark.parametrize("wrong", [["--tests", "0"], ["--low", "30", "--high", "0"], ["--max-blocks", "0"]])
def test_sequential_refuses_to_simulate_nothing(wrong: list[str]) -> None:
    assert CliRunner().invoke(sequential.main, wrong).exit_code == 2


def test_made_up_blocks_have_the_normalised_elo_that_their_row_names() -> None:
    for world in (sequential.WORLDS[0], sequential.WORLDS[2]):
        deviation = world.deviation()
        found = world.differences(0.3, 100_000, deviation, np.random.default_rng(1))
        assert found.mean() / found.std() == pytest.approx(0.3, abs=0.02)


def test_a_sequential_test_is_shorter_than_a_fixed_one() -> None:
    found = sequential.measured(sequential.WORLDS[0], SequentialTest(0, 150), 150, tests=50, max_blocks=500)
    assert found.better > 0.8
    assert found.mean_matches < found.fixed_matches


def test_a_newcomer_plays_the_more_blocks_the_narrower_its_interval_is_to_be_and_meets_its_neighbours() -> None:
    ladder = Ladder(replace(ratings.WORLDS[0], bots=6, spread=300.0), narrow=200.0, seed=1)
    ladder.settle()
    entered = newcomer.Newcomer(ladder, 300.0)
    wide, narrow = entered.blocks_until([250.0, 180.0])
    assert 1 <= wide < narrow == len(entered.met)
    near, everybody = entered.distances()
    assert sum(near) / len(near) < sum(everybody) / len(everybody)


def test_friends_lift_a_bot_and_meet_it_no_more_often_than_the_caps_allow() -> None:
    (gain, share), (_, capped_share) = (caps.lifted(shares, ("x", "x", "x"), 400, seed=2) for shares in caps.SHARES)
    assert gain > 50
    assert capped_share <= 0.4 < share


@pytest.mark.parametrize("wrong", [["--ladders", "1"], ["--half", "0"], ["--blocks", "0"]])
def test_caps_refuses_to_simulate_nothing(wrong: list[str]) -> None:
    done = CliRunner().invoke(caps.main, wrong)
    assert done.exit_code == 2
    assert "not in the range" in done.output


def test_a_form_that_lasts_makes_the_blocks_of_a_stretch_go_alike() -> None:
    lasting = replace(ratings.WORLDS[1], bots=2, spread=0.0, form=2000.0, form_blocks=10)
    scores = [block.matches[0].scores[0] for block in lasting.play(100, np.random.default_rng(1))]
    first_bots = [block.matches[0].bots[0] for block in lasting.play(100, np.random.default_rng(1))]
    own = [score if bot == "bot000" else -score for score, bot in zip(scores, first_bots, strict=True)]
    stretches = [own[begin : begin + 10] for begin in range(0, 100, 10)]
    assert all(len({score > 0 for score in stretch}) == 1 for stretch in stretches if abs(sum(stretch)) > 200)
    assert {sum(stretch) > 0 for stretch in stretches} == {True, False}


def _sample(piece: int, seconds: float, p99: float) -> steady.Sample:
    return steady.Sample(piece, seconds, 1000, 1, p99, 100, 50, 30, 0.5, 7)


def test_steady_leaves_out_the_beginning_of_each_piece_and_compares_the_thirds_of_the_rest() -> None:
    pieces = [_sample(piece, seconds, 5) for piece in (1, 2) for seconds in range(100, 1000, 10)]
    begins = [_sample(piece, seconds, 99) for piece in (1, 2) for seconds in range(0, 100, 10)]
    samples = sorted([*pieces, *begins], key=lambda sample: (sample.piece, sample.seconds))
    assert steady.flatness(samples, lambda sample: sample.p99_ms) == (5, 5)
    grown = [replace(sample, p99_ms=sample.p99_ms + 5 * (sample.piece - 1)) for sample in samples]
    assert steady.flatness(grown, lambda sample: sample.p99_ms) == (5, 10)
    assert 'x-axis "hours" 0 --> 0.55' in steady.plot(samples, "p99, ms")


def test_steady_shows_nothing_of_a_folder_without_samples(tmp_path: Path) -> None:
    done = CliRunner().invoke(steady.main, [str(tmp_path), "--report"])
    assert (done.exit_code, "has no samples" in done.output) == (2, True)
