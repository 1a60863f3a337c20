"""What the arena's commands refuse."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from fudaba.v1 import bots_pb2
from fudaba_arena.commands.cli import arena as command_line
from tests.support.arena.commands.tournaments import RANDOM, SENSIBLE, bot, head
from tests.support.arena.running import Arena, Service


def test_nothing_is_begun_without_a_service_or_without_the_right_token(hosted: Service, tmp_path: Path) -> None:
    arena = Arena(hosted, tmp_path, head("none") + RANDOM + SENSIBLE)
    away = arena.command("run", str(arena.file), "--server", f"unix:{tmp_path}/x")
    assert away.returncode == 1
    assert "there is no such socket; does `fudaba serve` or `fudaba arena serve` run there?" in away.stderr
    wrong = arena.command("run", str(arena.file), "--server", hosted.address, FUDABA_TOKEN="wrong")
    assert wrong.returncode == 1
    assert "give the token with FUDABA_TOKEN" in wrong.stderr
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="by-token"))
        token = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="by-token")).token
    bots_token = arena.command("run", str(arena.file), "--server", hosted.address, FUDABA_TOKEN=token)
    assert bots_token.returncode == 1
    assert "(WRONG_SCOPE)" in bots_token.stderr
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
    assert "cannot serve metrics on nonsense: write HOST:PORT" in metrics.stderr
    assert arena.command("run").returncode == 2
    assert arena.command("run", str(tmp_path / "none.toml")).returncode == 2
    folder = arena.command("standings", FUDABA_ARENA_DATA=str(tmp_path / "none"))
    assert folder.returncode == 1
    assert "is not an arena's data folder" in folder.stderr
    taken = tmp_path / "taken"
    taken.write_text("")
    redis = arena.command("run", str(arena.file), "--redis", f"unix://{tmp_path}/none")
    assert redis.returncode == 1
    assert "the arena's store cannot be reached" in redis.stderr
    place = arena.command("run", str(arena.file), "--data", str(tmp_path / "a" / "b"))
    assert place.returncode == 1
    assert "Create that first" in place.stderr


def test_the_list_of_commands_cuts_no_help_short() -> None:
    shown = CliRunner().invoke(command_line, ["--help"])
    assert shown.exit_code == 0
    listed = shown.output.partition("Commands:")[2]
    assert "..." not in listed
    for name in command_line.commands:
        assert re.search(rf"^  {name} +[A-Z].*[a-z]\.$", listed, re.MULTILINE)
