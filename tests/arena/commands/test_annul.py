"""`fudaba arena annul`, on a tournament whose results are made up and really stored."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner, Result

from fudaba.client import AsyncClient
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2
from fudaba_arena.audit.verify import verify
from fudaba_arena.commands.annulments import AnnulOptions, _Annulling, _ask
from fudaba_arena.commands.cli import arena
from fudaba_arena.errors import ArenaError
from fudaba_arena.store.data_folder import open_to_play
from tests.support.arena.commands.stored_results import FAR, store_results
from tests.support.folders import short_folder
from tests.support.terminal.terminal import Terminal


async def fill(data: Path) -> None:
    async with open_to_play(data, None, print) as home:
        await store_results(home.store, "t")


@pytest.fixture(scope="module")
def filled() -> Iterator[Path]:
    """Yields the folder as it is before each test."""
    with short_folder() as place:
        asyncio.run(fill(place / "data"))
        yield place / "data"


@pytest.fixture
def data(filled: Path) -> Iterator[Path]:
    with short_folder() as place:
        yield shutil.copytree(filled, place / "data")


def command(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(arena, [*arguments, "--data", str(data)], prog_name="fudaba arena")


def annul(data: Path, *arguments: str) -> Result:
    return command(data, "annul", "--yes", *arguments)


def about(data: Path) -> dict[str, Any]:
    done = command(data, "standings", "--json")
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class EarlierArena:
    """An arena of the release before there were pairs and games: it knows of a request what that knew."""

    def __init__(self) -> None:
        self.arena = self
        self.AnnulBlocks = self._annul
        self.annulled: list[int] = []

    async def _annul(self, request: arena_pb2.AnnulBlocksRequest, **_: float) -> arena_pb2.AnnulBlocksResponse:
        if not (request.blocks or request.bot or request.worker):
            words = "say which blocks: --blocks, --bot, --worker, --since or --until"
            raise ServiceError("FAILED_PRECONDITION", words, reason="NOTHING_TO_ANNUL")
        if not request.validate_only:
            self.annulled += request.blocks
        return arena_pb2.AnnulBlocksResponse(blocks=request.blocks)


@pytest.mark.parametrize("blocks", [(), (1, 2)])
@pytest.mark.parametrize(
    ("meant", "option"), [({"pair": ("a", "b")}, "--pair"), ({"game": "naga"}, "--game")], ids=["pair", "game"]
)
async def test_an_arena_that_knows_no_pairs_or_games_annuls_nothing_else_in_their_place(
    blocks: tuple[int, ...], meant: dict[str, Any], option: str
) -> None:
    earlier = EarlierArena()
    request = arena_pb2.AnnulBlocksRequest(tournament="t", blocks=blocks, **meant)
    change = _Annulling(cast(AsyncClient, earlier), request)
    with pytest.raises(ArenaError, match=f"release does not know {option}; update the arena first"):
        await _ask(change, "one threw to the other", AnnulOptions(dry_run=False, yes=True, as_json=False), "annul")
    assert earlier.annulled == []


def test_a_pair_goes_alone_and_takes_back_what_the_two_played(data: Path) -> None:
    for wrong in (("a", ""), ("a", "b", "--bot", "c"), ("a", "b", "--until", "1970-01-06")):
        refused = annul(data, "--pair", *wrong, "--reason", "one threw to the other")
        assert refused.exit_code == 2
        assert "--pair is two bots, and goes with --blocks and --game only" in refused.stderr
    done = annul(data, "--pair", "b", "a", "--reason", "one threw to the other")
    assert done.exit_code == 0, done.stderr
    after = {row["bot"]: row["blocks"] for row in about(data)["standings"]}
    assert after == {"a": 4, "b": 4, "c": 8}


def test_annulled_blocks_are_listed_and_not_rated(data: Path, tmp_path: Path) -> None:
    before = {row["bot"]: row for row in about(data)["standings"]}
    assert [before[bot]["blocks"] for bot in "abc"] == [8, 8, 8]
    done = annul(data, "--bot", "c", "--until", "1970-01-06", "--reason", "c ran another version")
    assert done.exit_code == 0, done.stderr
    matches = json.loads(command(data, "matches", "--json").stdout)
    annulled = {match["block"] for match in matches if match["counts"] == "annulled"}
    assert annulled == {match["block"] for match in matches if "c" in match["bots"] and match["block"] < 5}
    amount = f"{len(annulled)} blocks, {2 * len(annulled)} matches"
    assert done.stderr == f"annulled: {amount} of t (annulment 1); {12 - len(annulled)} are rated\n"

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
    reasons = {line["block"]: line["annulled"]["reason"] for line in lines if line.get("annulled")}
    assert reasons == dict.fromkeys(sorted(annulled), "c ran another version")
    assert verify(file.read_text().splitlines()).faults == []


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "say which blocks"),
        (["--block", "12"], "block 12 cannot be annulled: it is still to be played"),
        (["--block", "1", "--since", "1970-01-05"], "does not fit"),
        (["--block", "1", "--until", "1970-01-01T01:00:00+01:00"], "does not fit"),
        (["--bot", "nobody"], "no bot nobody has played in it"),
    ],
)
def test_what_cannot_be_annulled_is_refused_and_changes_nothing(data: Path, arguments: list[str], why: str) -> None:
    done = annul(data, *arguments, "--reason", "a mistake")
    assert (done.exit_code, why in done.stderr) == (1, True), done.stderr
    assert about(data)["annulled"] == []


def test_a_block_is_annulled_once(data: Path) -> None:
    assert annul(data, "--block", "3", "--reason", "one").exit_code == 0
    assert annul(data, "--block", "3", "--reason", "two").exit_code == 1
    assert about(data)["annulled"] == [3]
    [noted] = json.loads(command(data, "actions", "--json").stdout)
    assert (noted["method"], noted["subject"]) == (
        "ArenaService.AnnulBlocks",
        {"tournament": "t", "blocks": "3", "reason": "one"},
    )


def test_blocks_are_annulled_by_the_worker_that_played_them(data: Path) -> None:
    done = annul(data, "--worker", "far", "--reason", "its clock was wrong")
    assert done.exit_code == 0, done.stderr
    matches = json.loads(command(data, "matches", "--json").stdout)
    assert about(data)["annulled"] == sorted({match["block"] for match in matches if match["worker"] == FAR})
    assert "its clock was wrong" in command(data, "actions").stdout
    assert annul(data, "--worker", FAR, "--reason", "once more").exit_code == 1


@pytest.mark.parametrize(
    ("written", "meant"), [("4-6", [4, 5, 6]), ("4-6,9", [4, 5, 6, 9]), (" 3 , 1-2", [1, 2, 3]), ("7-7", [7])]
)
def test_ranges_of_blocks_are_understood(data: Path, written: str, meant: list[int]) -> None:
    assert annul(data, "--blocks", written, "--reason", "the network failed").exit_code == 0
    assert about(data)["annulled"] == meant


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--blocks", "4-6x"], "'4-6x' at character 1 is neither a block's number nor a range"),
        (["--blocks", "4,,6"], "'' at character 3 is neither"),
        (["--blocks", "1,6-4"], "'6-4' at character 3 ends before it begins; write 4-6"),
        (["--blocks", ""], "'' at character 1 is neither"),
        (["--blocks", "0-99999999"], "are more than 100000 blocks"),
        (["--bot", ""], "--bot is empty"),
        (["--worker", " "], "--worker is empty"),
        (["--since", ""], "is not a date"),
    ],
)
def test_input_that_is_not_understood_is_refused_with_its_place_and_annuls_nothing(
    data: Path, arguments: list[str], why: str
) -> None:
    done = annul(data, *arguments, "--reason", "a mistake")
    assert (done.exit_code, why in done.stderr) == (2, True), done.stderr
    assert about(data)["annulled"] == []


def test_a_dry_run_says_what_is_left_of_each_bot_and_changes_nothing(data: Path) -> None:
    before = about(data)
    shown = command(data, "annul", "--bot", "c", "--dry-run")
    assert shown.exit_code == 0, shown.stderr
    rows = [line.split() for line in shown.stdout.splitlines()]
    assert rows == [
        ["bot", "blocks", "then", "matches", "then"],
        ["a", "8", "4", "16", "8"],
        ["b", "8", "4", "16", "8"],
        ["c", "8", "0", "16", "0"],
        ["in", "all", "12", "4", "24", "8"],
    ]
    report = json.loads(command(data, "annul", "--bot", "c", "--dry-run", "--json").stdout)
    assert (report["dry_run"], report["annulment"], len(report["blocks"])) == (True, None, 8)
    assert report["bots"]["c"] == {"blocks_before": 8, "blocks_after": 0, "matches_before": 16, "matches_after": 0}
    assert about(data) == before
    assert json.loads(command(data, "actions", "--json").stdout) == []


def test_an_annulment_is_asked_about_with_its_numbers_and_nobody_to_ask_is_a_no(data: Path) -> None:
    done = command(data, "annul", "--blocks", "1-3", "--reason", "the network failed")
    assert (done.exit_code, "nothing was annulled" in done.stderr) == (1, True), done.stderr
    assert about(data)["annulled"] == []


@pytest.mark.exhaustive
def test_an_undone_annulment_leaves_everything_as_it_was_and_both_listed(data: Path, tmp_path: Path) -> None:
    before = about(data)
    assert annul(data, "--blocks", "3-5", "--reason", "the wrong blocks").exit_code == 0
    assert annul(data, "--blocks", "7", "--reason", "the right one").exit_code == 0
    shown = command(data, "undo-annulment", "--number", "1", "--dry-run", "--json")
    assert json.loads(shown.stdout)["blocks_after"] == 11
    assert about(data)["annulled"] == [3, 4, 5, 7]
    done = command(data, "undo-annulment", "--number", "1", "--reason", "wrong ones", "--yes")
    assert done.exit_code == 0, done.stderr
    assert done.stderr == "restored: 3 blocks, 6 matches of t; 11 are rated\n"
    assert about(data)["annulled"] == [7]
    listed = json.loads(command(data, "annulments", "--json").stdout)
    assert [
        (annulment["number"], annulment["blocks"], annulment["undoes"], annulment["undone_by"]) for annulment in listed
    ] == [
        (1, [3, 4, 5], None, 3),
        (2, [7], None, None),
        (3, [3, 4, 5], 1, None),
    ]
    assert "undoes 1: 3 blocks" in command(data, "annulments").stdout
    assert json.loads(command(data, "actions", "--json").stdout)[-1]["method"] == "ArenaService.UndoAnnulment"
    assert command(data, "undo-annulment", "--number", "2", "--reason", "all", "--yes").exit_code == 0
    assert about(data) == before | {"point": before["point"] + 4}
    file = tmp_path / "t.jsonl"
    assert command(data, "export", "-o", str(file)).exit_code == 0
    assert verify(file.read_text().splitlines()).faults == []


@pytest.mark.parametrize(
    ("number", "why"), [("4", "there is no annulment 4"), ("1", "undone already, by 2"), ("2", "2 undoes annulment 1")]
)
def test_what_cannot_be_undone_is_refused_and_changes_nothing(data: Path, number: str, why: str) -> None:
    assert annul(data, "--blocks", "3", "--reason", "one").exit_code == 0
    assert command(data, "undo-annulment", "--number", "1", "--reason", "two", "--yes").exit_code == 0
    done = command(data, "undo-annulment", "--number", number, "--reason", "three", "--yes")
    assert (done.exit_code, why in done.stderr) == (1, True), done.stderr
    assert len(json.loads(command(data, "annulments", "--json").stdout)) == 2


@pytest.mark.parametrize(("answer", "left"), [("n", []), pytest.param("y", [1, 2, 3], marks=pytest.mark.exhaustive)])
def test_the_question_says_how_much_is_annulled(data: Path, answer: str, left: list[int]) -> None:
    words = ("arena", "annul", "--data", str(data), "--blocks", "1-3", "--reason", "the network failed")
    with Terminal(*words, size=(120, 24)) as shown:
        shown.shows("annul 3 blocks, 6 matches, of 12 blocks and 24 matches that count?")
        shown.press(answer, "\r")
        shown.ends()
    assert about(data)["annulled"] == left
