"""`fudaba challenge`, on a real arena: what it prints, and what it says of what is refused."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from fudaba.cli._challenge_words import sides_table, story
from fudaba.v1 import arena_pb2, arena_pb2_grpc
from tests.support.arena.api.challenges import entered, ladder
from tests.support.arena.api.ladders import author, register
from tests.support.arena.running import Service, environment
from tests.support.arena.standing import Arena
from tests.support.forked import Forked
from tests.support.kit.commands import refused
from tests.support.patience import PATIENCE, wait_until


def test_a_mean_without_an_interval_is_shown_also_if_it_is_zero() -> None:
    even = arena_pb2.ChallengeSide(bot="ada", version="1", wins=2, losses=2, share=arena_pb2.Estimate(value=0.5))
    even.points.SetInParent()
    nothing = arena_pb2.ChallengeSide(bot="bob", version="3")
    _, ada, bob = sides_table(
        arena_pb2.Challenge(challenger=even, challenged=nothing, blocks_counted=2, confidence=0.95)
    ).splitlines()
    assert ada.split() == ["ada@1", "2", "0", "2", "50.0%", "-", "0.00", "-"]
    assert bob.split() == ["bob@3", "0", "0", "0", "-", "-", "-", "-"]


@pytest.mark.exhaustive
def test_who_waits_is_shown_how_it_went(arena: Arena) -> None:
    ladder(arena, "shown")
    done = arena.command(
        *["challenge", "random@1", "--with", "first", "--ladder", "shown", "--blocks", "2", "--id", "try", "--wait"]
    )
    assert (done.returncode, done.stdout.splitlines()[:3]) == (
        0,
        ["try", "challenge try: finished", "first@1 against random@1; naga, as in ladder shown"],
    )
    assert "2 of 2 blocks, 4 of 4 matches" in done.stdout
    head, *rows = done.stdout.splitlines()[-3:]
    assert head.split() == ["bot", "wins", "draws", "losses", "share", "95%", "points", "a", "match", "95%"]
    # Of two blocks that went alike there is no interval.
    share, points = r"[\d.]+% +(?:[\d.]+% to [\d.]+%|-)", r"-?[\d.]+ +(?:-?[\d.]+ to -?[\d.]+|-)"
    for row, name in zip(rows, ("first@1", "random@1"), strict=True):
        assert re.fullmatch(rf"{name} +\d +\d +\d +{share} +{points}", row), row
    shown = arena.command("challenge", "show", "try", "--wait")
    assert (shown.returncode, shown.stdout) == (0, done.stdout.removeprefix("try\n"))
    answer = arena.json("challenge", "show", "try")
    assert (answer["state"], answer["blocks_counted"], answer["label"]) == (
        "CHALLENGE_STATE_FINISHED",
        2,
        "challenge.try",
    )
    [line] = [line for line in arena.command("challenge", "list").stdout.splitlines() if line.startswith("try ")]
    assert "finished  first@1     random@1    naga  2 of 2" in line


@pytest.mark.exhaustive
def test_two_versions_are_compared_with_a_verdict_in_words(arena: Arena) -> None:
    ladder(arena, "compared")
    line = ["first", "random@1", "--ladder", "compared", "--bounds", "-1000,-200", "--blocks", "60", "--id", "which"]
    done = arena.command("arena", "compare", *line)
    assert done.returncode == 0, done.stderr
    answer = arena.json("challenge", "show", "which")
    verdict = {  # of a few blocks either may be the outcome
        "SEQUENTIAL_VERDICT_BETTER": "better: first@1 is ahead of random@1 by more than -1000 normalised Elo",
        "SEQUENTIAL_VERDICT_NOT_BETTER": "not better: first@1 is ahead of random@1 by less than -200 normalised Elo",
    }[answer["sequential_test"]["verdict"]]
    assert re.search(rf"^{verdict}.* \(\d+ blocks, \d+ matches\)$", done.stdout, re.MULTILINE)
    assert "such tests err seldom: about 5% at most" in done.stdout
    assert arena.command("challenge", "show", "which").stdout == done.stdout.removeprefix("which\n")
    wrong = arena.command("challenge", "compare", "first", "random", "--bounds", "30,0")
    assert (wrong.returncode, "--bounds: the lower bound 30 is not below" in wrong.stderr) == (2, True)


class EarlierArena(arena_pb2_grpc.ArenaServiceServicer):
    """An arena of the release before there were sequential tests: it plays a plain challenge in their place."""

    def __init__(self) -> None:
        self.asked: list[arena_pb2.CreateChallengeRequest] = []
        self.cancelled: list[str] = []

    def CreateChallenge(  # noqa: N802 - gRPC's name
        self, request: arena_pb2.CreateChallengeRequest, _: object
    ) -> arena_pb2.CreateChallengeResponse:
        self.asked.append(request)
        made = arena_pb2.Challenge(challenge_id="plain", state=arena_pb2.CHALLENGE_STATE_WAITING, blocks=request.blocks)
        return arena_pb2.CreateChallengeResponse(challenge=made)

    def CancelChallenge(  # noqa: N802 - gRPC's name
        self, request: arena_pb2.CancelChallengeRequest, _: object
    ) -> arena_pb2.CancelChallengeResponse:
        self.cancelled.append(request.challenge_id)
        return arena_pb2.CancelChallengeResponse()


@pytest.fixture
def earlier() -> Iterator[tuple[EarlierArena, str]]:
    plain = EarlierArena()  # type: ignore[abstract]  # the rest is not called
    with ThreadPoolExecutor(1) as pool:
        server = grpc.server(pool)
        arena_pb2_grpc.add_ArenaServiceServicer_to_server(plain, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        yield plain, f"127.0.0.1:{port}"
        server.stop(None).wait()


@pytest.mark.parametrize("more", [(), ("--no-wait", "--json")])
def test_an_arena_that_knows_no_sequential_tests_plays_nothing_in_their_place(
    earlier: tuple[EarlierArena, str], more: tuple[str, ...]
) -> None:
    plain, address = earlier
    words = refused("challenge", "compare", "ada@4", "ada@3", "--arena", address, *more, FUDABA_TOKEN="ann")
    assert "this arena is of an earlier release, which has no sequential tests" in words
    [asked] = plain.asked
    assert asked.blocks == 100  # half of what an account may ask for in a day
    assert plain.cancelled == ["plain"]


def test_the_verdict_of_a_test_is_told_with_its_estimate() -> None:
    found = arena_pb2.Challenge(challenge_id="x", state=arena_pb2.CHALLENGE_STATE_FINISHED, blocks=9, game="naga")
    found.challenger.CopyFrom(arena_pb2.ChallengeSide(bot="ada", version="4"))
    found.challenged.CopyFrom(arena_pb2.ChallengeSide(bot="ada", version="3"))
    test = found.sequential_test
    test.verdict, test.blocks, test.matches, test.error_rate = arena_pb2.SEQUENTIAL_VERDICT_NOT_BETTER, 9, 18, 0.05
    test.bounds.high = 30
    test.normalised_elo.CopyFrom(arena_pb2.Estimate(value=-4, low=-24, high=16))
    assert "not better: ada@4 is ahead of ada@3 by less than 30 normalised Elo, or behind (9 blocks, 18 matches)" in (
        story(found)
    )
    assert "advantage of ada@4: -4.0 ± 20.0 normalised Elo; the interval of 95% holds whenever you look" in story(found)


def test_an_author_challenges_and_ends_it_and_says_who_may_challenge(hosted: Service, arena: Arena) -> None:
    ladder(arena, "said")
    mine, theirs = entered(hosted, arena, "said", "lea", "luna"), author(hosted, "max")
    register(hosted, theirs, "mia")
    made = arena.command("challenge", "luna", "--with", "mia", FUDABA_TOKEN=theirs)
    assert made.returncode == 0
    known = made.stdout.strip()
    assert "mia@1 against luna@1; naga, as in ladder said" in made.stderr
    assert f"fudaba challenge show {known}" in made.stderr
    assert arena.json("challenge", "list")[0]["challenge_id"] == known
    ended = arena.command("challenge", "cancel", known, FUDABA_TOKEN=theirs)
    assert ended.stdout.startswith(f"challenge {known}: cancelled: the author of the challenger has ended it\n")
    assert arena.command("challenge", "show", known, "--wait", FUDABA_TOKEN=mine).returncode == 1
    said = arena.command("challenge", "allow", "said", "luna", "list", "--account", "ann", FUDABA_TOKEN=mine)
    assert said.stdout == "luna takes challenges of: ann\n"
    refused = arena.command("challenge", "luna", "--with", "mia", FUDABA_TOKEN=theirs)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "luna takes challenges of some accounts only" in refused.stderr
    [luna] = [
        line for line in arena.command("ladder", "entries", "said").stdout.splitlines() if line.startswith("luna")
    ]
    assert luna.endswith(" ann")
    default = arena.command("challenge", "allow", "said", "luna", "default", FUDABA_TOKEN=mine)
    assert default.stdout == "luna takes challenges of: everybody\n"
    assert "who may challenge entries: every author" in arena.command("ladder", "show", "said").stdout


def test_who_stops_waiting_is_told_how_to_come_back(hosted: Service, arena: Arena, tmp_path: Path) -> None:
    ladder(arena, "left")
    token = author(hosted, "ned")
    register(hosted, token, "nora")
    words = ["challenge", "random", "--with", "nora", "--ladder", "left", "--id", "left", "--wait"]
    known = environment() | {"FUDABA_ARENA": arena.address, "FUDABA_TOKEN": token}
    log = tmp_path / "log"
    process = Forked(words, log, known)
    wait_until(lambda: log.exists() and "it waits for nora@1" in log.read_text(), "it is said for whom it waits")
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    assert "the challenge goes on; to wait for it again, and to end it:" in log.read_text()
    assert "fudaba challenge show left --wait" in log.read_text()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("challenge luna --blocks 0", "0 is not in the range 1<=x<=100"),
        ("challenge --blocks", "'--blocks' requires an argument"),
        ("challenge allow said luna list", "give --account, which names who may"),
        ("challenge allow said luna off --account ann", "give --account, which names who may"),
        ("challenge cancel", "missing argument 'ID'"),
    ],
)
def test_wrong_usage_is_told(arena: Arena, line: str, why: str) -> None:
    done = arena.command(*line.split())
    assert done.returncode == 2
    assert why in done.stderr
