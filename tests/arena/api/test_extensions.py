"""Extensions: later deadlines of single accounts, over the contract and by the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

import pytest

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.store.tournaments.entries import PSEUDONYM
from tests.support.arena.api.ladders import (
    CALM,
    WAITING,
    author,
    call,
    create,
    get,
    playing,
    register,
    rows,
    until,
)
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.patience import PATIENCE

FINAL = arena_pb2.LADDER_STATE_FINAL
CLOSED = arena_pb2.LADDER_STATE_CLOSED
ENDS = 'ends = "2100-06-01 18:00 Europe/Berlin"'
BEFORE = datetime(2100, 6, 1, 16, tzinfo=UTC)
AFTER = datetime(2100, 6, 8, 16, tzinfo=UTC)
LATER = "2100-06-30 18:00 Asia/Tokyo"
MIN_BLOCKS = 2
_SPANS_SECONDS = (4, 16, 64, 256)
"""How long an extension may be that ends while the test waits: a slow machine needs longer for two calls."""
DELETED_AT_ONCE = "import fudaba_arena.play.standing_arena.shown_authors as authors; authors._MIN_MISSED_SECONDS = 0"


def extend(
    ladder: str, account: str, at: datetime = AFTER, reason: str = "ill for a week"
) -> arena_pb2.ExtendDeadlineRequest:
    request = arena_pb2.ExtendDeadlineRequest(ladder=ladder, account=account, reason=reason)
    request.until_time.FromDatetime(at)
    return request


def withdraw(ladder: str, account: str) -> arena_pb2.WithdrawExtensionRequest:
    return arena_pb2.WithdrawExtensionRequest(ladder=ladder, account=account, reason="handed in")


def listed(arena: Arena, ladder: str, token: str | None = None) -> list[str]:
    request = arena_pb2.ListExtensionsRequest(ladder=ladder)
    return [extension.account for extension in call(arena, "ListExtensions", request, token).extensions]


def entering(ladder: str, bot: str, version: str = "") -> arena_pb2.EnterLadderRequest:
    return arena_pb2.EnterLadderRequest(ladder=ladder, bot=bot, version=version)


def authors(hosted: Service, *names: str) -> list[str]:
    """Makes accounts, each with a bot of its name. Returns their tokens."""
    tokens = [author(hosted, name) for name in names]
    for name, token in zip(names, tokens, strict=True):
        register(hosted, token, f"{name}-bot")
    return tokens


@pytest.mark.parametrize("final_blocks", [2, 0])
def test_an_author_with_an_extension_enters_after_the_deadline_and_the_final_waits_for_that_version(
    hosted: Service, arena: Arena, tmp_path: Path, final_blocks: int
) -> None:
    late, prompt, ladder = f"late-{final_blocks}", f"prompt-{final_blocks}", f"extended-{final_blocks}"
    of_late, of_prompt = authors(hosted, late, prompt)
    rules = CALM.format(name=ladder, narrow=0).replace("final_blocks = 2", f"final_blocks = {final_blocks}\n{ENDS}")
    create(arena, rules)
    call(arena, "ExtendDeadline", extend(ladder, late))
    with playing(hosted, tmp_path, of_late, f"{late}-bot", "2"):
        call(arena, "EnterLadder", entering(ladder, f"{late}-bot", "1"), of_late)
        call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder=ladder))
        assert arena.refusal("EnterLadder", entering(ladder, f"{prompt}-bot"), of_prompt).reason == "SEASON_FROZEN"
        until(arena, lambda: "a later deadline" in idle(arena, ladder), "the others have played the final")
        assert get(arena, ladder).state == FINAL
        call(arena, "EnterLadder", entering(ladder, f"{late}-bot", "2"), of_late)
        call(arena, "WithdrawExtension", withdraw(ladder, late))
        refused = arena.refusal("EnterLadder", entering(ladder, f"{late}-bot", "1"), of_late)
        assert refused.reason == "SEASON_FROZEN"
        until(arena, lambda: get(arena, ladder).state == CLOSED, "the final ends")
    assert rows(arena, ladder)[f"{late}-bot@2"].blocks >= MIN_BLOCKS
    export = tmp_path / "export.jsonl"
    assert arena.command("arena", "export", "--tournament", ladder, "--output", str(export)).returncode == 0
    assert "is right" in arena.command("arena", "verify", str(export)).stdout
    assert "ill for a week" not in export.read_text()
    lines = [json.loads(line) for line in export.read_text().splitlines()]
    entered = [(line["bot"], line["version"], line.get("late", False)) for line in lines if line["kind"] == "entry"]
    assert (f"{late}-bot", "1", False) in entered
    assert (f"{late}-bot", "2", True) in entered
    in_final = {bot for line in lines if line["kind"] == "chosen" and line["final"] for bot in chain(*line["groups"])}
    assert f"{late}-bot@1" not in in_final


def idle(arena: Arena, ladder: str) -> str:
    found = call(arena, "GetQueue", arena_pb2.GetQueueRequest(tournament=ladder))
    return str(found.idle_because)


def test_an_extension_is_listed_for_organisers_and_its_account_alone_and_is_in_the_log(
    hosted: Service, arena: Arena
) -> None:
    of_ill, of_well = authors(hosted, "ill", "well")
    create(arena, WAITING.format(name="listing", narrow=25).replace("[season]", f"[season]\n{ENDS}"))
    before = call(arena, "ListArenaActions", arena_pb2.ListArenaActionsRequest()).actions
    changes = call(arena, "GetLadder", arena_pb2.GetLadderRequest(ladder="listing"), "")
    granted = call(arena, "ExtendDeadline", extend("listing", "ill")).extension
    assert call(arena, "ExtendDeadline", repeated(granted)).extension == granted
    assert (listed(arena, "listing"), listed(arena, "listing", of_ill)) == (["ill"], ["ill"])
    assert listed(arena, "listing", of_well) == []
    assert call(arena, "GetLadder", arena_pb2.GetLadderRequest(ladder="listing"), "") == changes
    later = arena.json("ladder", "extend", "listing", "ill", "--until", LATER, "--reason", "still ill")
    assert (later["until_zone"], later["reason"]) == ("Asia/Tokyo", "still ill")
    assert "2100-06-30 18:00 Asia/Tokyo" in arena.command("ladder", "extensions", "listing").stdout
    assert [extension["account"] for extension in arena.json("ladder", "extensions", "listing")] == ["ill"]
    gone = arena.command("ladder", "extend", "listing", "ill", "--withdraw", "--reason", "well again")
    assert gone.stdout == "account ill has no extension in listing any more\n"
    assert arena.command("ladder", "extensions", "listing").stdout == "no extensions\n"
    actions = call(arena, "ListArenaActions", arena_pb2.ListArenaActionsRequest(after=len(before))).actions
    assert [action.method.partition(".")[2] for action in actions] == [
        "ExtendDeadline",
        "ExtendDeadline",
        "WithdrawExtension",
    ]
    assert [action.subject["reason"] for action in actions] == ["ill for a week", "still ill", "well again"]


def repeated(granted: arena_pb2.Extension) -> arena_pb2.ExtendDeadlineRequest:
    request = arena_pb2.ExtendDeadlineRequest(ladder="listing", account=granted.account, reason=granted.reason)
    request.until_time.CopyFrom(granted.until_time)
    return request


def test_an_extension_that_extends_nothing_is_refused_with_what_to_do(hosted: Service, arena: Arena) -> None:
    [token] = authors(hosted, "asking")
    create(arena, WAITING.format(name="endless", narrow=25))
    create(arena, WAITING.format(name="ending", narrow=25).replace("[season]", f"[season]\n{ENDS}"))
    create(arena, WAITING.format(name="over", narrow=25))
    assert arena.command("tournament", "close", "over.1").returncode == 0
    for request, reason, why in (
        (extend("endless", "asking"), "NO_DEADLINE", "fudaba ladder edit endless --set ends=TIME"),
        (
            extend("ending", "asking", at=BEFORE),
            "MALFORMED",
            "ends before the deadline, 2100-06-01 18:00 Europe/Berlin",
        ),
        (extend("ending", "nobody-here"), "ACCOUNT_NOT_FOUND", "no account 'nobody-here'"),
        (extend("over", "asking"), "TOURNAMENT_CLOSED", "is over"),
        (extend("ending", ""), "MALFORMED", "account is empty"),
        (extend("ending", "asking", reason=" "), "MALFORMED", "reason is empty"),
        (arena_pb2.ExtendDeadlineRequest(ladder="ending", account="asking", reason="x"), "MALFORMED", "until_time"),
        (extend("ending", "asking", at=datetime(9999, 12, 31, 23, tzinfo=UTC)), "MALFORMED", "not in the calendar"),
    ):
        refusal = arena.refusal("ExtendDeadline", request)
        assert (refusal.reason, why in str(refusal)) == (reason, True), str(refusal)
    assert arena.refusal("ExtendDeadline", extend("ending", "asking"), token).reason == "ORGANISER_ONLY"
    assert arena.refusal("WithdrawExtension", withdraw("ending", "asking")).reason == "EXTENSION_NOT_FOUND"
    assert listed(arena, "ending") == []
    skipped = arena.command("ladder", "extend", "ending", "asking", "--reason", "x", "--until", "2100-06-02 18:00")
    assert (skipped.returncode, "has no time zone" in skipped.stderr) == (2, True)


def test_an_extension_ends_by_itself(hosted: Service, arena: Arena) -> None:
    [token] = authors(hosted, "slow")
    create(arena, WAITING.format(name="frozen", narrow=25))
    call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="frozen"))
    for seconds in _SPANS_SECONDS:
        call(arena, "ExtendDeadline", extend("frozen", "slow", at=datetime.now(UTC) + timedelta(seconds=seconds)))
        if not refused(arena, entering("frozen", "slow-bot"), token):
            break
    else:
        raise AssertionError("no extension was long enough for a call")
    until(arena, lambda: refused(arena, entering("frozen", "slow-bot"), token), "the extension ends")
    assert listed(arena, "frozen") == ["slow"]


def refused(arena: Arena, request: arena_pb2.EnterLadderRequest, token: str) -> bool:
    try:
        call(arena, "EnterLadder", request, token)
    except ServiceError as error:
        return error.reason == "SEASON_FROZEN"
    return False


@pytest.fixture
def forgetful(hosted: Service) -> Iterator[Arena]:
    """Yields an arena for which an account is deleted as soon as the service lacks it."""
    with standing(hosted, first=DELETED_AT_ONCE) as running:
        yield running


async def test_a_deleted_account_leaves_neither_its_name_nor_the_reason_of_an_extension(
    hosted: Service, forgetful: Arena
) -> None:
    ladder, gone, arena = "forgetting", "leaver", forgetful
    [token] = authors(hosted, gone)
    create(arena, WAITING.format(name=ladder, narrow=0).replace("[season]", f"[season]\n{ENDS}"))
    call(arena, "ExtendDeadline", extend(ladder, gone, reason="ill for long"))
    call(arena, "WithdrawExtension", withdraw(ladder, gone))
    call(arena, "ExtendDeadline", extend(ladder, gone, reason="ill again"))
    with Client(hosted.address, token) as client:
        client.accounts.DeleteAccount(accounts_pb2.DeleteAccountRequest(account=gone), timeout=PATIENCE)
    until(arena, lambda: listed(arena, ladder) == [], "the extension is gone")
    async with open_to_read(arena.folder / "data", None) as store:
        changes = [change for change in await store.progress.entry_changes(f"{ladder}.1", 0) if change.extends]
    assert [change.reason for change in changes] == [""] * 3
    assert {change.account.startswith(PSEUDONYM) for change in changes} == {True}
    arena.kill()
    arena.start()
    assert listed(arena, ladder) == []
