"""`fudaba arena annul`, on a tournament whose results are made up and really stored."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fudaba_arena.audit.verify import verify
from fudaba_arena.commands.cli import arena
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.closed_blocks import ClosedBlock, MatchResult
from fudaba_arena.store.folder import open_to_play
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import GameEntry

MASTER = bytes(range(32))
DAY = 86_400_000
FAR = "far-0a1b2c3d"


async def fill(data: Path) -> None:
    """Three bots meet four times each: a is always better than b, and b than c. Block n ended on day n of 1970."""
    bots = tuple(BotEntry(name, "random", stateless=True) for name in ("a", "b", "c"))
    tournament = Tournament("t", (GameEntry("naga", blocks=4),), bots)
    async with open_to_play(data, None, print) as home:
        await home.store.begin("t", tournament.definition(), MASTER)
        stored = await home.store.load("t")
        assert stored is not None
        for block in TournamentState(tournament, stored).schedule:
            results = []
            worker = FAR if block.number % 3 == 0 else "near-0a1b2c3d"
            for match in block.matches:
                score = 1 if match.bots[0] < match.bots[1] else -1
                result = MatchResult(
                    match.match_id, block.number, match.deal, match.bots, (score, -score), worker=worker
                )
                await home.store.store_result("t", block.slot, 0, result)
                results.append(result)
            closed = ClosedBlock(block.number, block.slot, "naga", tuple(results), 2, at_ms=block.number * DAY)
            await home.store.store_closed("t", closed, 0, [match.match_id for match in block.matches])
        await home.store.close_tournament("t")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    asyncio.run(fill(tmp_path / "data"))
    return tmp_path / "data"


def command(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(arena, [*arguments, "--data", str(data)], prog_name="fudaba arena")


def about(data: Path) -> dict[str, Any]:
    done = command(data, "standings", "--json")
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_annulled_blocks_are_listed_and_not_rated(data: Path, tmp_path: Path) -> None:
    before = {row["bot"]: row for row in about(data)["standings"]}
    assert [before[bot]["blocks"] for bot in "abc"] == [8, 8, 8]
    done = command(data, "annul", "--bot", "c", "--until", "1970-01-06", "--reason", "c ran another version")
    assert done.exit_code == 0, done.stderr
    matches = json.loads(command(data, "matches", "--json").stdout)
    annulled = {match["block"] for match in matches if match["counts"] == "annulled"}
    assert annulled == {match["block"] for match in matches if "c" in match["bots"] and match["block"] < 5}
    assert done.stderr == f"annulled: {len(annulled)} blocks of t; {12 - len(annulled)} are rated\n"

    now = about(data)
    assert now["annulled"] == sorted(annulled)
    assert now["complete"]
    after = {row["bot"]: row for row in now["standings"]}
    assert after["c"]["blocks"] == 8 - len(annulled)
    assert after["c"]["rating"] > before["c"]["rating"]
    assert f"{len(annulled)} blocks are annulled, and not rated" in command(data, "standings").stdout

    file = tmp_path / "t.jsonl"
    assert command(data, "export", "-o", str(file)).exit_code == 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    told = {line["block"]: line["annulled"]["reason"] for line in lines if line.get("annulled")}
    assert told == dict.fromkeys(sorted(annulled), "c ran another version")
    assert verify(file.read_text().splitlines()).faults == []


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "say which blocks"),
        (["--block", "12"], "block 12 cannot be annulled: it is still to be played"),
        (["--block", "1", "--since", "1970-01-05"], "does not fit"),
        (["--block", "1", "--until", "1970-01-01T01:00:00+01:00"], "does not fit"),
        (["--bot", "nobody"], "no block that counts fits"),
    ],
)
def test_what_cannot_be_annulled_is_refused_and_changes_nothing(data: Path, arguments: list[str], why: str) -> None:
    done = command(data, "annul", *arguments, "--reason", "a mistake")
    assert (done.exit_code, why in done.stderr) == (1, True), done.stderr
    assert about(data)["annulled"] == []


def test_a_block_is_annulled_once(data: Path) -> None:
    assert command(data, "annul", "--block", "3", "--reason", "one").exit_code == 0
    assert command(data, "annul", "--block", "3", "--reason", "two").exit_code == 1
    assert about(data)["annulled"] == [3]
    [noted] = json.loads(command(data, "actions", "--json").stdout)
    assert (noted["method"], noted["subject"]) == (
        "ArenaService.AnnulBlocks",
        {"tournament": "t", "blocks": "3", "reason": "one"},
    )


def test_blocks_are_annulled_by_the_worker_that_played_them(data: Path) -> None:
    done = command(data, "annul", "--worker", "far", "--reason", "its clock was wrong")
    assert done.exit_code == 0, done.stderr
    matches = json.loads(command(data, "matches", "--json").stdout)
    assert about(data)["annulled"] == sorted({match["block"] for match in matches if match["worker"] == FAR})
    assert "its clock was wrong" in command(data, "actions").stdout
    assert command(data, "annul", "--worker", FAR, "--reason", "once more").exit_code == 1
