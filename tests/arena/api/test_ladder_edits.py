"""A ladder is edited while its season goes on: real service, real bots, real calls."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fudaba import records
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import (
    CALM,
    WAITING,
    author,
    call,
    create,
    get,
    number_of,
    register,
    until,
)
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing

PLAYING = arena_pb2.LADDER_STATE_PLAYING
CLOSED = arena_pb2.LADDER_STATE_CLOSED
BEGINS = "2100-01-01T00:00:00Z"
_SPANS_SECONDS = (4, 16, 64, 256)
"""How soon a season may end before its end is moved: a slow machine needs longer for three calls."""


def file_of(arena: Arena, ladder: str) -> arena_pb2.GetLadderFileResponse:
    found: arena_pb2.GetLadderFileResponse
    found = call(arena, "GetLadderFile", arena_pb2.GetLadderFileRequest(ladder=ladder))
    return found


def edit(ladder: str, text: str, etag: str, *, check: bool = False) -> arena_pb2.EditLadderRequest:
    return arena_pb2.EditLadderRequest(ladder=ladder, definition=text, etag=etag, validate_only=check)


def changed(arena: Arena, ladder: str, before: str, after: str) -> arena_pb2.EditLadderResponse:
    """Edits a ladder: replaces a part of its file."""
    file = file_of(arena, ladder)
    assert before in file.definition
    done: arena_pb2.EditLadderResponse
    done = call(arena, "EditLadder", edit(ladder, file.definition.replace(before, after, 1), file.etag))
    return done


def later(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).replace(microsecond=0).isoformat()


def test_an_edit_shows_what_it_changes_and_changes_it_and_tells_organisers(arena: Arena) -> None:
    create(arena, WAITING.format(name="edited", narrow=25))
    file, ends = file_of(arena, "edited"), "2100-06-01T00:00:00+00:00"
    text = file.definition.replace("[season]", f"[season]\nends = {ends}").replace("concurrency = 2", "concurrency = 5")
    before = call(arena, "ListArenaActions", arena_pb2.ListArenaActionsRequest()).actions
    planned = call(arena, "EditLadder", edit("edited", text, file.etag, check=True))
    assert file_of(arena, "edited") == file
    done = call(arena, "EditLadder", edit("edited", text, file.etag))
    assert done.changes == planned.changes
    assert [(change.key, change.before, change.after) for change in done.changes] == [
        ("concurrency", "2", "5"),
        ("season.ends", "", ends),
    ]
    assert get(arena, "edited").definition.end_time.ToDatetime(UTC).isoformat() == ends
    assert file_of(arena, "edited").etag == done.etag != file.etag
    [action] = call(arena, "ListArenaActions", arena_pb2.ListArenaActionsRequest(after=len(before))).actions
    assert dict(action.subject) == {"ladder": "edited", "changes": f"concurrency: 2 → 5; season.ends:  → {ends}"}


def test_a_description_is_shown_at_once_and_only_plain_text_of_some_length_is_taken(arena: Arena) -> None:
    create(arena, WAITING.format(name="described", narrow=25))
    assert get(arena, "described").definition.description == ""
    words = "<b>For the course</b> & friends.\nAsk at the desk."
    done = changed(arena, "described", "[season]", f"description = {json.dumps(words)}\n[season]")
    assert [(change.key, change.after, change.effect) for change in done.changes] == [
        ("description", json.dumps(words), arena_pb2.LADDER_CHANGE_EFFECT_AT_ONCE)
    ]
    assert get(arena, "described").definition.description == words
    for wrong, reason in (("x" * 501, "write at most 500"), ("one\nturned \u202e", "in line 2 character 8 is U+202E")):
        with pytest.raises(ServiceError, match=re.escape(reason)):
            changed(arena, "described", json.dumps(words), json.dumps(wrong))
    assert get(arena, "described").definition.description == words


def test_a_deadline_keeps_the_zone_in_which_it_was_written_and_an_hour_that_is_not_one_is_refused(arena: Arena) -> None:
    create(arena, WAITING.format(name="zoned", narrow=25))
    done = arena.json("ladder", "edit", "zoned", "--set", "ends=2100-06-01 18:00 Europe/Berlin", "--yes")
    assert [(change["key"], change["after"]) for change in done["changes"]] == [
        ("season.ends", '"2100-06-01 18:00 Europe/Berlin"')
    ]
    rules = get(arena, "zoned").definition
    assert (rules.end_zone, rules.end_time.ToDatetime(UTC)) == ("Europe/Berlin", datetime(2100, 6, 1, 16, tzinfo=UTC))
    file = file_of(arena, "zoned")
    for written, why in (
        ("2026-03-29 02:30 Europe/Berlin", "write 2026-03-29 01:59 Europe/Berlin, or 2026-03-29 03:00 Europe/Berlin"),
        ("2026-10-25 02:30 Europe/Berlin", "comes twice in Europe/Berlin"),
        ("2020-01-01 00:00 Europe/Berlin", "the season ends before it begins"),
        ("2100-06-01 18:00 Europe/Bonn", "there is no time zone Europe/Bonn"),
    ):
        text = file.definition.replace("2100-06-01 18:00 Europe/Berlin", written)
        [(_, message)] = arena.refusal("EditLadder", edit("zoned", text, file.etag)).violations
        assert why in message
    assert file_of(arena, "zoned") == file


def test_the_second_of_two_editors_is_told_what_the_first_has_changed(arena: Arena) -> None:
    create(arena, WAITING.format(name="two", narrow=25))
    both = file_of(arena, "two")
    mine = both.definition.replace("concurrency = 2", "concurrency = 3")
    hers = both.definition.replace("narrow = 25", "narrow = 30")
    call(arena, "EditLadder", edit("two", mine, both.etag))
    for check in (True, False):
        refusal = arena.refusal("EditLadder", edit("two", hers, both.etag, check=check))
        assert refusal.reason == "LADDER_EDITED"
        assert str(refusal) == (
            "two was edited since the version that you edit: concurrency was 2, is 3; nothing was changed, edit it anew"
            " (LADDER_EDITED)"
        )
    assert file_of(arena, "two").definition == mine


def test_what_stays_is_refused_all_at_once_with_why_and_what_to_do(hosted: Service, arena: Arena) -> None:
    create(arena, WAITING.format(name="fixed", narrow=25))
    file = file_of(arena, "fixed")
    text = file.definition
    for before, after in (
        ('name = "fixed"', 'name = "freed"'),
        ("deals = 1", "deals = 2"),
        ("provisional_blocks = 2", "provisional_blocks = 1"),
        ('builtin = "random"', 'builtin = "first"'),
        ('names = "shown"', 'names = "hidden"'),
        ("concurrency = 2", 'concurrency = 4\nsittings = "fresh"\npair_share = 0.3'),
    ):
        assert before in text
        text = text.replace(before, after, 1)
    refusal = arena.refusal("EditLadder", edit("fixed", text, file.etag))
    assert refusal.reason == "LADDER_FIXED"
    next_one = "edit the ladder when the season is closed, and begin the next one"
    stays = f"what is played stays the same as long as a season, or its blocks could not be compared; {next_one}"
    ranks = f"ranks go by it, also those of blocks that are played; {next_one}"
    fixed = f"it is fixed when a season begins; {next_one}"
    own = "a ladder keeps its name; create another ladder under the new one"
    assert sorted(refusal.violations) == [
        ("definition:1", f"games.naga.win_margin is 2.0, and cannot become 4.0: {stays}"),
        ("definition:1", f'name is "fixed", and cannot become "freed": {own}'),
        ("definition:11", f'names is "shown", and cannot become "hidden": {fixed}'),
        ("definition:21", f"bots.random cannot be changed: {fixed}"),
        ("definition:3", f"games.naga.options.deals is 1, and cannot become 2: {stays}"),
        ("definition:5", f'sittings is "apart", and cannot become "fresh": {fixed}'),
        ("definition:6", f"pair_share is 0.25, and cannot become 0.3: {fixed}"),
        ("definition:7", f"provisional_blocks is 2, and cannot become 1: {ranks}"),
    ]
    past = file.definition.replace(f"begins = {BEGINS}", "ends = 2020-01-01T00:00:00Z")
    [(field, message)] = arena.refusal("EditLadder", edit("fixed", past, file.etag)).violations
    assert (field, message.partition(":")[0]) == ("definition:12", "the season ends in the past")
    past = file.definition.replace(f"begins = {BEGINS}", "standings_freeze = 2020-01-01T00:00:00Z")
    [(field, message)] = arena.refusal("EditLadder", edit("fixed", past, file.etag)).violations
    assert (field, "was shown until now; write a later time" in message) == ("definition:12", True)
    unknown = file.definition.replace("narrow", 'enter = "list"\naccounts = ["nobody-here"]\nnarrow')
    [(_, message)] = arena.refusal("EditLadder", edit("fixed", unknown, file.etag)).violations
    assert "accounts has 'nobody-here', and the service has no such account" in message
    token = author(hosted, "curious")
    for call_name, request in (
        ("GetLadderFile", arena_pb2.GetLadderFileRequest(ladder="fixed")),
        ("EditLadder", edit("fixed", file.definition, file.etag)),
    ):
        assert arena.refusal(call_name, request, token).reason == "ORGANISER_ONLY"
    assert file_of(arena, "fixed") == file


def ending_soon(arena: Arena) -> tuple[str, float]:
    """Returns a ladder that plays, and when its season would have ended: its end was moved to the far future."""
    for seconds in _SPANS_SECONDS:
        name, ends = f"moved-{seconds}", time.time() + seconds
        date = datetime.fromtimestamp(ends, UTC).isoformat()
        try:
            create(arena, CALM.format(name=name, narrow=0).replace("[season]", f"[season]\nends = {date}"))
            changed(arena, name, f"ends = {date}", "ends = 2100-01-01T00:00:00Z")
        except ServiceError as error:
            if error.reason not in {"BAD_TOURNAMENT", "LADDER_FIXED"}:
                raise
        else:
            return name, ends
    raise AssertionError("no end could be moved in time")


@pytest.mark.exhaustive
def test_an_end_is_moved_while_blocks_are_played_and_the_season_ends_then(arena: Arena) -> None:
    name, ends = ending_soon(arena)
    played = number_of(arena, name)
    until(arena, lambda: time.time() > ends + 2 and number_of(arena, name) > played, "the first end passes")
    assert get(arena, name).state == PLAYING
    changed(arena, name, "ends = 2100-01-01T00:00:00Z", f"ends = {later(3)}")
    until(arena, lambda: get(arena, name).state == CLOSED, "the new end comes, and the final is played")
    # Between seasons more may be changed, and the next one begins with it.
    with_deals = changed(arena, name, "deals = 1", "deals = 2")
    assert {change.effect for change in with_deals.changes} == {arena_pb2.LADDER_CHANGE_EFFECT_NEXT_SEASON}
    never = arena_pb2.BeginSeasonRequest(ladder=name, end_zone="Asia/Tokyo")
    never.end_time.FromDatetime(datetime(9999, 12, 31, 23, tzinfo=UTC))
    assert "end_time is not in the calendar" in str(arena.refusal("BeginSeason", never))
    call(arena, "BeginSeason", arena_pb2.BeginSeasonRequest(ladder=name))
    [game] = get(arena, name).tournament.definition.games
    assert game.options["deals"].number == 2
    assert arena.refusal("EditLadder", edit(name, "name = 1", "")).reason == "LADDER_EDITED"
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder=name))


@pytest.mark.exhaustive
def test_a_clock_changes_from_the_next_block_on_and_what_was_played_still_verifies(
    hosted: Service, tmp_path: Path
) -> None:
    with standing(hosted) as arena:
        create(arena, CALM.format(name="paced", narrow=0))
        until(arena, lambda: number_of(arena, "paced") >= 2, "it plays")
        done = changed(arena, "paced", "[season]", "[clock]\nmove_ms = 4321\n\n[season]")
        assert [(change.key, change.effect) for change in done.changes] == [
            ("clock.move_ms", arena_pb2.LADDER_CHANGE_EFFECT_NEXT_BLOCK)
        ]
        edited_at = number_of(arena, "paced")
        until(arena, lambda: number_of(arena, "paced") > edited_at + 2, "it plays on")
        arena.kill()
        arena.start()
        restarted_at = number_of(arena, "paced")
        until(arena, lambda: number_of(arena, "paced") > restarted_at + 1, "it plays on after a restart")
        assert get(arena, "paced").state == PLAYING
        call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="paced"))
        until(arena, lambda: get(arena, "paced").state == CLOSED, "its final is over")
        folder = tmp_path / "records"
        folder.mkdir()
        clocks = {}
        for match in filter(lambda match: match.scores, arena.matches("paced.1")):  # others were called off
            record = hosted.record(match.match_id, stranger=True)
            (folder / f"{match.match_id}{records.SUFFIX}").write_bytes(records.pack(record))
            clocks[match.block] = record.header.clock.move_ms
        in_order = [clock for _, clock in sorted(clocks.items())]
        assert in_order == sorted(in_order, reverse=True)
        assert set(in_order) == {10_000, 4_321}
        export = tmp_path / "paced.jsonl"
        assert arena.command("arena", "export", "--tournament", "paced.1", "--output", str(export)).returncode == 0
        right = arena.command("arena", "verify", str(export), "--records", str(folder))
        assert right.returncode == 0, right.stdout + right.stderr
        lines = [json.loads(line) for line in export.read_text().splitlines()]
        lines[0]["definition"]["edits"] = []
        export.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        wrong = arena.command("arena", "verify", str(export), "--records", str(folder))
        assert "edits, which cannot be" in wrong.stdout


def test_who_may_enter_changes_for_those_who_come_and_entries_stay(hosted: Service, arena: Arena) -> None:
    create(arena, WAITING.format(name="closing", narrow=25))
    tokens = {name: author(hosted, name) for name in ("ann", "ben", "cay")}
    for name, token in tokens.items():
        register(hosted, token, f"{name}-bot")
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="closing", bot="ann-bot"), tokens["ann"])
    done = changed(arena, "closing", "narrow", 'enter = "list"\naccounts = ["ben"]\nnarrow')
    assert list(done.outside) == ["ann-bot"]
    assert {change.key: change.after for change in done.changes}["accounts"] == '["ben"]'
    late = arena_pb2.EnterLadderRequest(ladder="closing", bot="cay-bot")
    assert arena.refusal("EnterLadder", late, tokens["cay"]).reason == "ENTRY_CLOSED"
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="closing", bot="ben-bot"), tokens["ben"])
    assert get(arena, "closing").entries_playing == 4


def test_the_command_shows_asks_and_edits_by_settings_by_a_file_and_in_an_editor(arena: Arena, tmp_path: Path) -> None:
    create(arena, WAITING.format(name="typed", narrow=25))
    first = file_of(arena, "typed")
    settings = ("--set", "ends=2100-06-01T00:00:00Z", "--set", "move_ms=2000", "--set", "queue=organiser")
    checked = arena.command("ladder", "edit", "typed", *settings, "--check")
    assert (checked.returncode, file_of(arena, "typed")) == (0, first)
    assert [line.split()[0] for line in checked.stdout.splitlines()] == ["key", "queue", "clock.move_ms", "season.ends"]
    assert "from the next block on, for 2 entries" in checked.stdout
    unasked = arena.command("ladder", "edit", "typed", *settings)
    assert unasked.returncode == 1
    assert "nothing was changed: without a terminal nobody can confirm; add --yes" in unasked.stderr
    as_json = arena.command("ladder", "edit", "typed", *settings, "--json")
    assert (as_json.returncode, as_json.stdout, "clock.move_ms" in as_json.stderr) == (1, "", True)
    done = arena.json("ladder", "edit", "typed", *settings, "--yes")
    assert [change["key"] for change in done["changes"]] == ["queue", "clock.move_ms", "season.ends"]
    assert done["etag"] == file_of(arena, "typed").etag
    file = tmp_path / "typed.toml"
    file.write_text(arena.command("ladder", "edit", "typed", "--print").stdout)
    assert file.read_text() == file_of(arena, "typed").definition
    assert arena.json("ladder", "edit", "typed", "--print")["definition"] == file.read_text()
    file.write_text(file.read_text().replace("narrow = 25", "narrow = 24\nsame_author = true"))
    refused = arena.command("ladder", "edit", "typed", "--file", str(file), "--yes")
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"{file}:7: same_author is false, and cannot become true: it is fixed")
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/narrow/#narrow/ "$1"\n')
    editor.chmod(0o755)
    edited = arena.command("ladder", "edit", "typed", "--yes", VISUAL=str(editor), EDITOR=str(editor))
    assert (edited.returncode, edited.stderr) == (0, "")
    assert edited.stdout.endswith("only comments or the order of keys change\nladder typed is edited\n")
    assert arena.command("ladder", "edit", "typed", "--unset", "ends", "--yes").returncode == 0
    assert not get(arena, "typed").definition.HasField("end_time")
    again = arena.command("ladder", "edit", "typed", "--set", "queue=organiser")
    assert (again.returncode, again.stdout) == (0, "nothing changes in ladder typed\n")
    assert arena.command("ladder", "edit", "typed", "--set", "concurrency").returncode == 2


def test_what_was_typed_in_an_editor_is_kept_where_it_is_refused(arena: Arena, tmp_path: Path) -> None:
    create(arena, WAITING.format(name="retyped", narrow=25))
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/^narrow.*/same_author = true/" "$1"\n')
    editor.chmod(0o755)
    refused = arena.command("ladder", "edit", "retyped", "--yes", VISUAL=str(editor), EDITOR=str(editor))
    assert refused.returncode == 2
    [kept] = map(Path, re.findall(r"what you typed is in (\S+);", refused.stderr))
    assert kept.read_text() == file_of(arena, "retyped").definition.replace("narrow = 25", "same_author = true")
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.unlink()
