"""What was uploaded before a ladder's deadline counts although its check ends later: a real worker, in a sandbox."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, arena_pb2
from fudaba.v1 import submissions_pb2 as pb
from fudaba_arena.store.answers import key
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.store.submissions.submissions import SUBMISSIONS_TAG
from fudaba_arena.store.tournaments.entries import AWAIT, LEAVE_OUT, EntryChange
from tests.support.arena.api.ladders import WAITING, author, call, create, get, register, rows, until
from tests.support.arena.nodes import LIVES, node
from tests.support.arena.programs.entered import ONE
from tests.support.arena.programs.uploads import GOOD, folder, send
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE

CLOSED = arena_pb2.LADDER_STATE_CLOSED
FINAL = arena_pb2.LADDER_STATE_FINAL
BROKEN = "raise SystemExit('it does not start')\n"


@contextmanager
def a_worker(hosted: Service, arena: Arena, name: str) -> Iterator[None]:
    place = str(arena.folder / "data" / "submissions")
    with node(hosted, arena, name, "--submissions", place, *LIVES):
        yield


def ask(arena: Arena, token: str | None, ladder: str, submission: pb.Submission) -> arena_pb2.EnterLadderResponse:
    request = arena_pb2.EnterLadderRequest(ladder=ladder, bot=submission.bot, submission_id=submission.submission_id)
    answer: arena_pb2.EnterLadderResponse = call(arena, "EnterLadder", request, token)
    return answer


def awaited(arena: Arena, ladder: str, token: str | None = None) -> dict[str, arena_pb2.AwaitedEntry]:
    found = call(arena, "ListAwaitedEntries", arena_pb2.ListAwaitedEntriesRequest(ladder=ladder), token).awaited
    return {entry.submission_id: entry for entry in found}


def close(arena: Arena, ladder: str) -> None:
    call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder=ladder))


def test_an_upload_in_time_whose_check_passes_after_the_deadline_plays_the_final(
    hosted: Service, arena: Arena, alice: str, need_sandbox: None, tmp_path: Path
) -> None:
    register(hosted, alice, "tardy")
    create(arena, ONE.format(name="tardy-ladder", narrow=0))
    good = send(arena, alice, folder({"bot.py": GOOD}), "tardy")  # no worker: its check cannot end
    broken = send(arena, alice, folder({"bot.py": BROKEN}), "tardy")
    late = send(arena, alice, folder({"bot.py": "# not asked for in time\n" + GOOD}), "tardy")
    for submission in (good, broken):
        assert not ask(arena, alice, "tardy-ladder", submission).HasField("entry")
    close(arena, "tardy-ladder")
    refusal = arena.refusal(
        "EnterLadder",
        arena_pb2.EnterLadderRequest(ladder="tardy-ladder", bot="tardy", submission_id=late.submission_id),
        alice,
    )
    assert refusal.reason == "SEASON_FROZEN"
    assert ask(arena, alice, "tardy-ladder", good).awaited.submission_id == good.submission_id, "it was in time"
    listed = arena.command("ladder", "awaited", "tardy-ladder", "--token", alice).stdout
    assert listed.count("uploaded in time, being checked") == len((good, broken))
    assert awaited(arena, "tardy-ladder", alice) == awaited(arena, "tardy-ladder")
    assert get(arena, "tardy-ladder").state == FINAL
    with a_worker(hosted, arena, "after"):
        until(arena, lambda: get(arena, "tardy-ladder").state == CLOSED, "the final ends")
    [version] = [row.bot for row in rows(arena, "tardy-ladder").values() if row.bot.startswith("tardy@")]
    assert rows(arena, "tardy-ladder")[version].blocks == 2
    left = awaited(arena, "tardy-ladder", alice)
    assert {key: entry.left_out_because for key, entry in left.items()} == {
        broken.submission_id: "its check has refused it"
    }
    check_export(arena, tmp_path, version)


def check_export(arena: Arena, tmp_path: Path, version: str) -> None:
    """The export says that it was uploaded in time, and not that it was late, and an audit finds it right."""
    export = tmp_path / "export.jsonl"
    assert arena.command("arena", "export", "--tournament", "tardy-ladder", "--output", str(export)).returncode == 0
    assert "is right" in arena.command("arena", "verify", str(export)).stdout
    lines = [json.loads(line) for line in export.read_text().splitlines()]
    entered = {f"{line['bot']}@{line['version']}": line for line in lines if line["kind"] == "entry"}
    assert (entered[version]["in_time"], "late" in entered[version]) == (True, False)


def test_a_submission_is_entered_by_the_command_that_uploads_it(
    hosted: Service, arena: Arena, alice: str, need_sandbox: None, tmp_path: Path
) -> None:
    register(hosted, alice, "brisk")
    create(arena, WAITING.format(name="brisk-ladder", narrow=0))

    def entered() -> str:
        [entry] = [entry for entry in arena.json("ladder", "entries", "brisk-ladder") if entry["bot"] == "brisk"]
        return str(entry["version"])

    file = tmp_path / "bot.tar.gz"
    words = "bot", "submit", str(file), "--bot", "brisk", "--enter", "brisk-ladder", "--anyway", "--token", alice
    with a_worker(hosted, arena, "quick"):
        file.write_bytes(folder({"bot.py": BROKEN}))
        broken = arena.command(*words)
        assert broken.returncode == 1, broken.stderr
        assert "entered" in broken.stdout
        file.write_bytes(folder({"bot.py": GOOD}))
        done = arena.command(*words)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == f"accepted as version {entered()}, and entered in brisk-ladder"
        submitted = arena.json(*words)
    assert (submitted["entered_in"], submitted["version"]) == ("brisk-ladder", entered())


def test_a_check_that_does_not_end_is_left_out_after_the_wait_and_author_and_organiser_are_told(
    hosted: Service, arena: Arena, alice: str
) -> None:
    register(hosted, alice, "stuck")
    rules = ONE.format(name="stuck-ladder", narrow=0).replace("[season]", "[season]\nfinal_wait_seconds = 0")
    create(arena, rules)
    sent = send(arena, alice, folder({"bot.py": GOOD}), "stuck")
    ask(arena, alice, "stuck-ladder", sent)
    close(arena, "stuck-ladder")
    until(
        arena,
        lambda: awaited(arena, "stuck-ladder", alice)[sent.submission_id].left_out_because,
        "it is left out",
    )
    [entry] = awaited(arena, "stuck-ladder").values()
    assert "uploaded in time, but its check had not ended 0 s after the deadline" in entry.left_out_because
    said = f"submission {sent.submission_id} of stuck is not entered in stuck-ladder.1"
    until(arena, lambda: said in arena.output, "the organiser is told")


@pytest.mark.parametrize("damage", ["torn", '{"form": 99}'], ids=["no json", "a later release's"])
def test_a_submission_that_cannot_be_read_holds_up_a_final_no_longer_than_others(
    hosted: Service, arena: Arena, alice: str, damage: str
) -> None:
    name = f"damaged-{len(damage)}"
    register(hosted, alice, name)
    rules = ONE.format(name=name, narrow=0).replace("[season]", "[season]\nfinal_wait_seconds = 0")
    create(arena, rules)
    sent, other = (send(arena, alice, folder({"bot.py": f"# {word}\n{GOOD}"}), name) for word in ("first", "second"))
    ask(arena, alice, name, sent)
    ask(arena, alice, name, other)
    with Redis(unix_socket_path=str(arena.folder / "data" / "store" / "valkey.sock")) as store:
        store.hset(key(SUBMISSIONS_TAG, f"one:{sent.submission_id}"), "over", damage)
    close(arena, name)
    until(
        arena,
        lambda: all(entry.left_out_because for entry in awaited(arena, name).values()),
        "both are left out",
    )
    left = awaited(arena, name)
    assert left[sent.submission_id].left_out_because.startswith("it could not be entered: ")
    assert "its check had not ended" in left[other.submission_id].left_out_because
    said = f"submission {sent.submission_id} of {name} is not entered in {name}.1: it could not be"
    until(arena, lambda: said in arena.output, "the organiser is told")


def test_an_author_asks_for_an_entry_by_command_and_withdraws_it(hosted: Service, arena: Arena, alice: str) -> None:
    register(hosted, alice, "undecided")
    create(arena, WAITING.format(name="asked-ladder", narrow=0))
    sent = send(arena, alice, folder({"bot.py": GOOD}), "undecided").submission_id
    words = "undecided", "--submission", sent, "--token", alice
    done = arena.command("bot", "enter", words[0], "asked-ladder", *words[1:])
    assert done.stdout == f"submission {sent} of undecided: being checked; it is entered when its check has passed\n"
    assert arena.command("ladder", "enter", "asked-ladder", *words).stdout == done.stdout
    assert [entry["submission_id"] for entry in arena.json("ladder", "awaited", "asked-ladder")] == [sent]
    withdrawn = arena.command("ladder", "leave", "asked-ladder", "undecided", "--token", alice)
    assert withdrawn.stdout == "no submission of undecided will be entered any more\n"
    assert "its request was withdrawn" in arena.command("ladder", "awaited", "asked-ladder").stdout
    unknown = arena_pb2.EnterLadderRequest(ladder="asked-ladder", bot="undecided", submission_id="nothing")
    assert arena.refusal("EnterLadder", unknown, alice).reason == "SUBMISSION_NOT_FOUND"


def test_a_deleted_account_leaves_no_name_in_its_requests_and_they_are_left_out(hosted: Service, arena: Arena) -> None:
    token = author(hosted, "vanishing")
    register(hosted, token, "vanishing-bot")
    create(arena, WAITING.format(name="vanished-ladder", narrow=0))
    sent = send(arena, token, folder({"bot.py": GOOD}), "vanishing-bot")
    ask(arena, token, "vanished-ladder", sent)
    with Client(hosted.address, token) as client:
        client.accounts.DeleteAccount(accounts_pb2.DeleteAccountRequest(account="vanishing"), timeout=PATIENCE)
    until(
        arena,
        lambda: "deleted" in awaited(arena, "vanished-ladder")[sent.submission_id].left_out_because,
        "it is left out",
    )
    changes = [change for change in asyncio.run(stored_changes(arena, "vanished-ladder.1")) if change.submission]
    assert [change.kind for change in changes] == [AWAIT, LEAVE_OUT]
    assert all("vanishing" not in {change.account, change.author} for change in changes)


async def stored_changes(arena: Arena, season: str) -> list[EntryChange]:
    async with open_to_read(arena.folder / "data", None) as store:
        return await store.progress.entry_changes(season, 0)
