"""Announcements of the organiser, over the contract and by the command."""

from __future__ import annotations

import json
import secrets

import pytest

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import WAITING, author, call, create
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena

MAX_TEXT_BYTES = 2_000


def announcing(text: str, ladder: str = "", announcement_id: str = "") -> arena_pb2.CreateAnnouncementRequest:
    return arena_pb2.CreateAnnouncementRequest(announcement_id=announcement_id, ladder=ladder, text=text)


def announce(arena: Arena, text: str, ladder: str = "", announcement_id: str = "") -> arena_pb2.Announcement:
    made: arena_pb2.Announcement = call(
        arena, "CreateAnnouncement", announcing(text, ladder, announcement_id)
    ).announcement
    return made


def withdrawing(announcement_id: str) -> arena_pb2.WithdrawAnnouncementRequest:
    return arena_pb2.WithdrawAnnouncementRequest(announcement_id=announcement_id)


def texts(arena: Arena, ladder: str = "", page_size: int = 0) -> list[str]:
    """Lists announcements as somebody without a token does."""
    request = arena_pb2.ListAnnouncementsRequest(ladder=ladder, page_size=page_size)
    found = []
    while True:
        page = call(arena, "ListAnnouncements", request, token="")
        found += [made.text for made in page.announcements]
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token


def ladder_called(arena: Arena, name: str) -> str:
    create(arena, WAITING.format(name=name, narrow=0))
    return name


def test_everybody_sees_the_announcements_of_a_ladder_and_of_the_arena_newest_first(arena: Arena) -> None:
    first, second = ladder_called(arena, "news-first"), ladder_called(arena, "news-second")
    earlier = texts(arena, first)
    announce(arena, "first: one\n  and indented", first)
    announce(arena, "second", second)
    announce(arena, "to all")
    assert texts(arena, first) == ["to all", "first: one\n  and indented", *earlier]
    assert texts(arena, second, page_size=1) == ["to all", "second", *earlier]
    assert texts(arena)[:3] == ["to all", "second", "first: one\n  and indented"]


def test_a_repeated_request_announces_once_and_is_one_action(arena: Arena) -> None:
    made = announce(arena, "sent twice", announcement_id="twice")
    assert announce(arena, "sent twice", announcement_id="twice") == made
    assert texts(arena).count("sent twice") == 1
    assert arena.refusal("CreateAnnouncement", announcing("another text", "", "twice")).reason == "ANNOUNCEMENT_EXISTS"
    actions = call(arena, "ListArenaActions", arena_pb2.ListArenaActionsRequest(page_size=1000)).actions
    of_it = [action.subject for action in actions if action.subject.get("announcement_id") == "twice"]
    assert [subject["text"] for subject in of_it] == ["sent twice"]


def test_a_withdrawn_announcement_is_gone_and_a_late_retry_does_not_bring_it_back(arena: Arena) -> None:
    announce(arena, "a mistake", announcement_id="mistake")
    assert call(arena, "WithdrawAnnouncement", withdrawing("mistake")).announcement.text == "a mistake"
    assert arena.refusal("CreateAnnouncement", announcing("a mistake", "", "mistake")).reason == "ANNOUNCEMENT_EXISTS"
    assert arena.refusal("WithdrawAnnouncement", withdrawing("mistake")).reason == "ANNOUNCEMENT_NOT_FOUND"
    assert "a mistake" not in texts(arena)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (announcing(""), "MALFORMED"),
        (announcing(" \n "), "MALFORMED"),
        (announcing("a bell\a"), "MALFORMED"),
        (announcing("a line\r\nof Windows"), "MALFORMED"),
        (announcing("turned \u202e round"), "MALFORMED"),
        (announcing("札" * (MAX_TEXT_BYTES // 3 + 1)), "MALFORMED"),
        (announcing("a text", announcement_id="no id"), "MALFORMED"),
        (announcing("a text", ladder="not-there"), "LADDER_NOT_FOUND"),
    ],
)
def test_a_bad_announcement_is_refused_and_none_is_made(
    arena: Arena, request_: arena_pb2.CreateAnnouncementRequest, reason: str
) -> None:
    before = texts(arena)
    assert arena.refusal("CreateAnnouncement", request_).reason == reason
    assert texts(arena) == before


def test_only_organisers_announce_and_withdraw(hosted: Service, arena: Arena) -> None:
    token = author(hosted, "announcer")
    announce(arena, "stays", announcement_id="stays")
    assert arena.refusal("CreateAnnouncement", announcing("mine"), token).reason == "ORGANISER_ONLY"
    assert arena.refusal("WithdrawAnnouncement", withdrawing("stays"), token).reason == "ORGANISER_ONLY"
    assert "stays" in texts(arena)


def test_a_deleted_ladder_leaves_no_announcement_to_the_next_of_its_name(arena: Arena) -> None:
    name = ladder_called(arena, "news-deleted")
    announce(arena, "of the deleted ladder", name)
    call(arena, "DeleteLadder", arena_pb2.DeleteLadderRequest(ladder=name))
    ladder_called(arena, name)
    assert "of the deleted ladder" not in texts(arena, name)


def test_the_command_announces_lists_and_withdraws(arena: Arena) -> None:
    name = ladder_called(arena, "news-command")
    own_id = secrets.token_hex(4)
    for _ in range(2):
        done = arena.command("ladder", "announce", name, "--text", "by command\nin two lines", "--id", own_id)
        assert (done.returncode, done.stdout.strip()) == (0, own_id), done.stderr
    shown = arena.command("ladder", "announcements", name).stdout
    assert f"{own_id}  {name}\n    by command\n    in two lines\n" in shown
    listed = json.loads(arena.command("ladder", "announcements", name, "--json").stdout)
    assert [made["text"] for made in listed if made["announcement_id"] == own_id] == ["by command\nin two lines"]
    assert arena.command("ladder", "announce", "--withdraw", own_id).returncode == 0
    assert own_id not in arena.command("ladder", "announcements", name).stdout
    assert arena.command("ladder", "announce", name).returncode == 2
    assert arena.command("ladder", "announce", "", "--text", "to whom?").returncode == 2
