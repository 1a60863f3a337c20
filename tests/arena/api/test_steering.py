"""Tournaments of a standing arena are steered: paused, stalled, resumed and closed, and their blocks annulled."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba.v1 import arena_pb2, bots_pb2, matches_pb2
from fudaba_arena.schedule.seeds import commitment
from tests.support.arena.api.reading import WHOLE_FORMS, check_same_from_the_folder, watched
from tests.support.arena.commands.tournaments import PATIENT_CLOCK, PLAYER, RANDOM, STEADY, bot, head
from tests.support.arena.running import PLAYER as PLAYER_PROGRAM
from tests.support.arena.running import Arena as BatchArena
from tests.support.arena.running import Run, Service, command_of, environment, gated
from tests.support.arena.standing import Arena
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, wait_until

PLAYING = arena_pb2.TOURNAMENT_STATE_PLAYING
PAUSED = arena_pb2.TOURNAMENT_STATE_PAUSED
STALLED = arena_pb2.TOURNAMENT_STATE_STALLED
CLOSED = arena_pb2.TOURNAMENT_STATE_CLOSED
FIRST = bot("first", 'builtin = "first"')


def test_only_the_organiser_creates_and_steers(arena: Arena, hosted: Service) -> None:
    arena.create(head("waits") + STEADY + RANDOM, paused=True)
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="visitor"))
        visitor = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="visitor")).token
    request = arena_pb2.CreateTournamentRequest(definition=head("mine") + STEADY + RANDOM)
    for token, reason in (("", "TOKEN_MISSING"), ("nonsense", "TOKEN_UNKNOWN"), (visitor, "ORGANISER_ONLY")):
        assert arena.refusal("CreateTournament", request, token).reason == reason
        for call in ("Pause", "Resume", "Close"):
            steer = getattr(arena_pb2, f"{call}TournamentRequest")(tournament="waits")
            assert arena.refusal(f"{call}Tournament", steer, token).reason == reason
    assert arena.get("waits", visitor).state == PAUSED


@pytest.mark.exhaustive
def test_a_tournament_is_paused_resumed_and_closed(arena: Arena, hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    slow = bot("slow", PLAYER, env=gated(gate, free=6))
    arena.create(head("steered", blocks=20, concurrency=2, clock=PATIENT_CLOCK) + STEADY + slow)
    wait_until(lambda: arena.get("steered").progress.matches_counted >= 2, "some matches count")
    assert arena.command("tournament", "pause", "steered").stdout.startswith("steered is paused")
    gate.touch()
    wait_until(lambda: not arena.get("steered").progress.matches_playing, "the matches in play end")
    wait_until(lambda: hosted.bot_processes() == [], "the bots end")
    counted = arena.get("steered").progress.matches_counted
    assert counted < 40

    arena.command("tournament", "resume", "steered")
    wait_until(lambda: arena.get("steered").progress.matches_counted > counted, "it goes on")
    done = arena.command("tournament", "close", "steered")
    assert done.stdout.startswith("steered is closed"), done.stderr
    over = arena.get("steered")
    assert over.state == CLOSED
    assert commitment(over.master) == over.commitment
    for call in ("Pause", "Resume"):
        request = getattr(arena_pb2, f"{call}TournamentRequest")(tournament="steered")
        assert arena.refusal(f"{call}Tournament", request).reason == "TOURNAMENT_CLOSED"
    states = [
        change.state
        for message in watched(arena, "steered")
        for change in message.changes
        if change.WhichOneof("change") == "state"
    ]
    assert states == [PLAYING, PAUSED, PLAYING, CLOSED]


@pytest.mark.nightly("one stream of a remote bot plays for several tournaments at once, in the same file")
def test_two_tournaments_at_once_share_the_bots_that_the_arena_starts(
    arena: Arena, hosted: Service, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    for name in ("left", "right"):
        shared = bot("shared", PLAYER, env=gated(gate))
        arena.create(head(name, blocks=2, clock=PATIENT_CLOCK) + STEADY + shared)
    wait_until(lambda: all(arena.get(name).progress.matches_playing for name in ("left", "right")), "both are played")

    # One for each bot and none for each tournament; there are more processes while one starts another.
    def bots() -> list[str]:
        """Their commands, each once: whoever sees to it that nothing of a bot is left has the bot's variables too."""
        commands = map(command_of, hosted.bot_processes())
        return [command for command in commands if command and "_reaper_process.py" not in command]

    wait_until(lambda: len(bots()) == 2, lambda: f"two bots are two processes: {bots()}, {arena.output}")
    other = head("third") + STEADY + bot("shared", PLAYER)
    arena.create(other)
    stalled = arena.wait_for("third", STALLED)
    assert "another program is another version" in stalled.stalled_because
    assert not arena.get("third").stalled_because
    gate.touch()
    for name in ("left", "right"):
        assert arena.wait_for(name, CLOSED).progress.matches_counted == 4
    arena.wait_for("third", CLOSED)  # tried again by itself
    wait_until(lambda: hosted.bot_processes() == [], "the bots end")


@pytest.mark.exhaustive
def test_one_stream_of_a_remote_bot_plays_for_several_tournaments_and_arenas_at_once(
    arena: Arena, hosted: Service, tmp_path: Path
) -> None:
    names = ("here", "there", "elsewhere")
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="everywhere"))
        token = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="everywhere")).token
    gate, everywhere = tmp_path / "gate", bot("everywhere", "remote = true")
    whose = environment() | {"FUDABA_SERVER": hosted.address, "FUDABA_TOKEN": token, "GATE": str(gate)}
    (tmp_path / "gated.py").write_text(PLAYER_PROGRAM.replace("fudaba.run(Player)", ""), encoding="utf-8")
    process = Forked(["bot", "run", f"{tmp_path}/gated.py:Player"], tmp_path / "bot.log", whose)
    other = Run(BatchArena(hosted, tmp_path, head("elsewhere") + FIRST + everywhere), tmp_path / "run.log", ())
    try:
        for name in names[:2]:
            arena.create(head(name) + STEADY + everywhere)

        def playing() -> set[str]:
            """The tournaments of the matches that have begun and go on."""
            with hosted.client() as client:
                request = matches_pb2.ListMatchesRequest(bot="everywhere", state=matches_pb2.MATCH_STATE_PLAYING)
                return {match.header.label for match in client.matches.ListMatches(request, timeout=PATIENCE).matches}

        wait_until(lambda: playing() == set(names), lambda: f"it plays in all three: {other.output}")
        gate.touch()
        for name in names[:2]:
            over = arena.wait_for(name, CLOSED)
            assert (over.progress.matches_counted, over.progress.blocks_void) == (2, 0)
        assert other.wait() == 0, other.output
        said = (tmp_path / "bot.log").read_text(encoding="utf-8")
        assert said.count("connected to") == 1, said
    finally:
        for bot_process in (other.process, process):
            bot_process.kill()
            bot_process.wait()


@pytest.mark.exhaustive
def test_a_bot_that_is_absent_stalls_its_tournament_until_the_organiser_resumes_it(
    arena: Arena, hosted: Service
) -> None:
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="absent"))
    arena.create(head("stalls", connect_seconds=1, attempts=1, no_shows=9) + STEADY + bot("absent", "remote = true"))
    stalled = arena.wait_for("stalls", STALLED)
    assert "1 of 1 block is parked" in stalled.stalled_because
    parked = arena_pb2.StallReason(cause=arena_pb2.STALL_CAUSE_PARKED, blocks_parked=1, blocks=1)
    assert stalled.stall_reason == parked
    assert not arena.get("stalls").HasField("stall_reason"), "only the organiser sees it"
    [void] = arena.json("arena", "matches", "--void", "--tournament", "stalls")
    assert (void["cause"], void["parked"]) == ("no_show", True)
    assert "absent" in void["bots"]
    arena.command("tournament", "resume", "stalls")
    wait_until(lambda: arena.get("stalls").progress.blocks_void == 2, "it is tried again")
    assert arena.command("tournament", "close", "stalls").returncode == 0
    check_same_from_the_folder(arena, "stalls")


@pytest.mark.exhaustive
def test_blocks_are_annulled_while_the_arena_plays_by_a_call_and_in_its_folder(
    arena: Arena, hosted: Service, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    waits = bot("annul-waits", PLAYER, env=gated(gate, free=6))
    arena.create(head("annulled", blocks=9, concurrency=1, clock=PATIENT_CLOCK) + STEADY + waits)

    def counted() -> bool:
        return arena.get("annulled").progress.blocks_counted >= 3

    wait_until(counted, "blocks count")
    request = arena_pb2.AnnulBlocksRequest(tournament="annulled", blocks=[0], reason="the network failed")
    assert arena.refusal("AnnulBlocks", request, "").reason == "TOKEN_MISSING"
    with arena.client() as client:
        done = client.arena.AnnulBlocks(request, timeout=PATIENCE)
    assert (list(done.blocks), done.tournament.progress.blocks_counted) == ([0], 2)
    assert arena.refusal("AnnulBlocks", request).reason == "NOTHING_TO_ANNUL"

    def rated() -> int:
        return int(arena.json("arena", "standings", "--tournament", "annulled")["standings"][0]["blocks"])

    assert rated() == 2
    folder = {"FUDABA_ARENA_DATA": str(arena.folder / "data"), "FUDABA_ARENA": ""}
    words = ("arena", "annul", "--tournament", "annulled", "--block", "1", "--yes", "--reason", "so did the power")
    assert arena.command(*words, **folder).returncode == 0
    wait_until(lambda: arena.get("annulled").progress.blocks_counted == 1, "the arena has heard of it")
    by_call = (
        "arena",
        "annul",
        "--tournament",
        "annulled",
        "--bot",
        "annul-waits",
        "--yes",
        "--reason",
        "and the rest",
    )
    done_by_hand = arena.command(*by_call)
    assert "of annulled (annulment 3); 0 are rated" in done_by_hand.stderr
    with arena.client("") as client:
        listed = arena_pb2.ListBlocksRequest(tournament="annulled", state=arena_pb2.BLOCK_STATE_ANNULLED)
        blocks = client.arena.ListBlocks(listed, timeout=PATIENCE).blocks
    assert {block.number: block.annul_reason for block in blocks} == {
        0: "the network failed", 1: "so did the power", 2: "and the rest",
    }  # fmt: skip
    gate.touch()
    over = arena.wait_for("annulled", CLOSED)
    assert (over.progress.blocks_counted, over.progress.complete) == (6, True)
    changes = [change for message in watched(arena, "annulled") for change in message.changes]
    reported = [change.block.number for change in changes if change.HasField("block")]
    assert reported.count(0) == 2  # when it was closed, and when it was annulled
    # Rated anew as soon as something else is annulled, be it as much as before.
    with arena.client() as client:
        undo = arena_pb2.UndoAnnulmentRequest(tournament="annulled", annulment=3, reason="it was right")
        seen = client.arena.UndoAnnulment(arena_pb2.UndoAnnulmentRequest(
            tournament="annulled", annulment=3, validate_only=True), timeout=PATIENCE)  # fmt: skip
        assert (seen.effect.blocks_before, seen.effect.blocks_after) == (6, 7)
        assert client.arena.UndoAnnulment(undo, timeout=PATIENCE).tournament.progress.blocks_counted == 7
    assert arena.refusal("UndoAnnulment", undo).reason == "NOTHING_TO_ANNUL"
    assert rated() == 7
    reported = [change.block.state for message in watched(arena, "annulled") for change in message.changes
            if change.block.number == 2 and change.HasField("block")]  # fmt: skip
    assert len(reported) == 3, "when it was closed, when it was annulled, and when that was undone"
    check_same_from_the_folder(arena, "annulled", forms=WHOLE_FORMS)
