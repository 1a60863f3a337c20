"""A ladder of a standing arena: real service, real bots, real calls."""

from __future__ import annotations

import csv
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import message_factory

from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2
from fudaba_arena.schedule.seeds import commitment
from fudaba_serving.grpc.policy import ROLES, Reach, policy_of
from tests.support.arena.api.ladders import (
    CALM,
    OPEN,
    WAITING,
    author,
    blocks,
    call,
    create,
    get,
    number_of,
    playing,
    register,
    rows,
    stored_standings,
    until,
)
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.patience import PATIENCE


@pytest.mark.exhaustive
async def test_a_ladder_goes_on_through_versions_restarts_and_seasons(hosted: Service, tmp_path: Path) -> None:
    with standing(hosted) as arena:
        created = create(arena, CALM.format(name="open", narrow=0))
        assert create(arena, CALM.format(name="open", narrow=0)).tournament.commitment == created.tournament.commitment
        until(arena, lambda: len(blocks(arena, "open")) >= 2, "the arena's own bots play")
        token = author(hosted, "alice")
        register(hosted, token, "ada")
        with playing(hosted, tmp_path, token, "ada", "1"):
            call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="open", bot="ada"), token)
            until(arena, lambda: rows(arena, "open")["ada@1"].HasField("rank"), "who enters is rated")
            before = blocks(arena, "open")
            arena.kill()
            arena.start()
            after = blocks(arena, "open")
            assert after[: len(before)] == before
            with playing(hosted, tmp_path, token, "ada", "2"):
                call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="open"))
                call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="open", bot="ada"), token)
                assert not rows(arena, "open")["ada@2"].HasField("rank")
                call(arena, "ResumeLadder", arena_pb2.ResumeLadderRequest(ladder="open"))
                until(arena, lambda: rows(arena, "open")["ada@2"].HasField("rank"), "a new version is rated")
                now = rows(arena, "open")
                assert not now["ada@1"].HasField("rank")
                assert now["ada@1"].matches > 0
                call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="open"))
                closed = arena_pb2.LADDER_STATE_CLOSED
                over = until(arena, lambda: get(arena, "open").state == closed and get(arena, "open"), "it closes")
                assert commitment(over.tournament.master) == created.tournament.commitment
                final = Counter(bot for block in blocks(arena, "open.1") for bot in block.bots)
                assert final["ada@2"] >= 4  # two for a rank, two in the final
                standings = call(
                    arena, "GetStandings", arena_pb2.GetStandingsRequest(tournament="open.1"), ""
                ).standings
                begun = call(arena, "BeginSeason", arena_pb2.BeginSeasonRequest(ladder="open")).ladder
                assert (begun.season, begun.entries_playing) == (2, 3)
                assert begun.tournament.commitment != created.tournament.commitment
                until(arena, lambda: blocks(arena, "open.2"), "the next season is played")
                handed_in = {(row["bot"], row["version"]): row for row in results_of(arena, "open.1")}
                assert (handed_in["ada", "2"]["author"], handed_in["ada", "2"]["rank"] is not None) == ("alice", True)
                assert (handed_in["ada", "1"]["author"], handed_in["ada", "1"]["rank"]) == ("alice", None)
                assert set(handed_in) == {("ada", "1"), ("ada", "2"), ("first", "1"), ("random", "1")}
                newest = {(row["bot"], row["version"]): row["state"] for row in results_of(arena, "open")}
                assert newest["ada", "2"] == "playing"
                assert arena.stop() == 0  # while its bots are here: a stop lets what is in play end
        assert await stored_standings(arena, "open.1") == list(standings)


def test_a_follower_is_told_everything_once(hosted: Service, arena: Arena) -> None:
    create(arena, WAITING.format(name="watched", narrow=25))
    assert get(arena, "watched").state == arena_pb2.LADDER_STATE_WAITING
    with arena.client("") as client:
        stream = client.arena.WatchLadder(arena_pb2.WatchLadderRequest(ladder="watched"), timeout=PATIENCE)
        first = next(stream)
        entered = [change.entry for change in first.changes if change.HasField("entry")]
        assert [(entry.bot, entry.version) for entry in entered] == [("first", "1"), ("random", "1")]
        call(arena, "PauseEntry", arena_pb2.PauseEntryRequest(ladder="watched", bot="random"))
        second = next(stream)
        stream.cancel()
        assert [change.entry.kind for change in second.changes] == [arena_pb2.ENTRY_CHANGE_KIND_PAUSED]
        again = arena_pb2.WatchLadderRequest(ladder="watched", season=1, seen=first.seen)
        resumed = next(client.arena.WatchLadder(again, timeout=PATIENCE))
    assert (resumed.changes, resumed.seen) == (second.changes, second.seen)
    assert resumed.ladder.entries_playing == 1
    newest = arena_pb2.WatchLadderRequest(ladder="watched", tail=1)
    with arena.client("") as client:
        assert next(client.arena.WatchLadder(newest, timeout=PATIENCE)).changes == second.changes
    for wrong in ({"season": 7}, {"seen": second.seen + 1}):
        request = arena_pb2.WatchLadderRequest(ladder="watched", **wrong)
        with arena.client("") as client:
            assert reason_of(client.arena.WatchLadder, request, stream=True) == "MALFORMED"


def test_an_author_manages_own_bots_only(hosted: Service, arena: Arena) -> None:
    create(arena, WAITING.format(name="authors", narrow=25))
    mine, other = author(hosted, "bob"), author(hosted, "carol")
    for bot in ("b1", "b2"):
        register(hosted, mine, bot)
    enter = arena_pb2.EnterLadderRequest(ladder="authors", bot="b1")
    assert arena.refusal("EnterLadder", enter, other).reason == "NOT_YOURS"
    assert not get(arena, "authors").isolations  # the arena brings all of its bots itself
    entry = call(arena, "EnterLadder", enter, mine).entry
    taking_part = {arena_pb2.ENTRY_STATE_PLAYING, arena_pb2.ENTRY_STATE_ABSENT}  # as soon as the service was asked
    assert (entry.bot, entry.version, entry.state in taking_part) == ("b1", "1", True)
    assert list(get(arena, "authors").isolations) == [arena_pb2.Isolation(mode="remote")]
    second = arena.refusal("EnterLadder", arena_pb2.EnterLadderRequest(ladder="authors", bot="b2"), mine)
    assert (second.reason, "account bob has its 1 entries" in second.message) == ("QUOTA_EXCEEDED", True)
    for method, request, states in (
        ("PauseEntry", arena_pb2.PauseEntryRequest, {arena_pb2.ENTRY_STATE_PAUSED}),
        ("ResumeEntry", arena_pb2.ResumeEntryRequest, taking_part),
        ("LeaveLadder", arena_pb2.LeaveLadderRequest, {arena_pb2.ENTRY_STATE_LEFT}),
    ):
        wanted = request(ladder="authors", bot="b1")
        assert arena.refusal(method, wanted, other).reason == "NOT_YOURS"
        assert call(arena, method, wanted, mine).entry.state in states
        assert call(arena, method, wanted).entry.state in states  # the organiser's, and once more
    left = arena_pb2.PauseEntryRequest(ladder="authors", bot="b1")
    assert arena.refusal("PauseEntry", left, mine).reason == "ENTRY_NOT_FOUND"
    wrong = arena_pb2.EnterLadderRequest(ladder="authors", bot="b1", version="9")
    assert "it has: 1" in arena.refusal("EnterLadder", wrong, mine).message
    unknown = arena_pb2.EnterLadderRequest(ladder="authors", bot="b1", games=["go"])
    assert arena.refusal("EnterLadder", unknown, mine).reason == "GAME_NOT_FOUND"
    listed = arena_pb2.ListEntriesRequest(ladder="authors", page_size=2)
    page = call(arena, "ListEntries", listed, "")
    assert [listed_entry.bot for listed_entry in page.entries] == ["b1", "first"]
    assert page.next_page_token


@pytest.mark.parametrize(
    ("rule", "reason"), [('enter = "organiser"', "ENTRY_CLOSED"), ('enter = "list"\naccounts = ["x"]', "ENTRY_CLOSED")]
)
def test_a_ladder_says_whose_bots_it_takes(hosted: Service, arena: Arena, rule: str, reason: str) -> None:
    name = f"closed-{len(rule)}"
    author(hosted, f"x{len(rule)}")
    rule = rule.replace('"x"', f'"x{len(rule)}"')
    create(arena, f"{rule}\n{WAITING.format(name=name, narrow=25)}")
    token = author(hosted, f"dora-{len(rule)}")
    register(hosted, token, f"d-{len(rule)}")
    enter = arena_pb2.EnterLadderRequest(ladder=name, bot=f"d-{len(rule)}")
    assert arena.refusal("EnterLadder", enter, token).reason == reason
    assert call(arena, "EnterLadder", enter).entry.bot == f"d-{len(rule)}"


def test_standings_know_at_once_who_has_left(arena: Arena) -> None:
    create(arena, WAITING.format(name="at-once", narrow=25))
    assert rows(arena, "at-once")["first@1"].provisional
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="at-once", bot="first"))
    assert not rows(arena, "at-once")["first@1"].provisional
    assert rows(arena, "at-once")["random@1"].provisional


def test_names_are_given_once_and_mistakes_are_told(arena: Arena) -> None:
    create(arena, WAITING.format(name="once", narrow=25))
    other = arena_pb2.CreateLadderRequest(definition=WAITING.format(name="once", narrow=30))
    assert arena.refusal("CreateLadder", other).reason == "LADDER_EXISTS"
    for name in ("once", "once.1"):
        taken = f'name = "{name}"\ngame = "naga"\n' + OPEN.partition("\n\n")[2].partition("\n\n")[2]
        refused = arena.refusal("CreateTournament", arena_pb2.CreateTournamentRequest(definition=taken))
        assert refused.reason == "TOURNAMENT_EXISTS", refused
    bad = arena_pb2.CreateLadderRequest(definition='name = "x.y"\ngame = "naga"\nblocks = 3\n')
    assert [field for field, _ in arena.refusal("CreateLadder", bad).violations] == ["definition:1", "definition:3"]
    assert arena.refusal("GetLadder", arena_pb2.GetLadderRequest(ladder="none")).reason == "LADDER_NOT_FOUND"
    assert arena.refusal("BeginSeason", arena_pb2.BeginSeasonRequest(ladder="once")).reason == "SEASON_OPEN"
    names = [ladder.name for ladder in call(arena, "ListLadders", arena_pb2.ListLaddersRequest(), "").ladders]
    assert "once" in names
    tournaments = call(arena, "ListTournaments", arena_pb2.ListTournamentsRequest(), "").tournaments
    assert not [tournament for tournament in tournaments if tournament.name.startswith("once")]


def test_a_ladder_that_lists_accounts_which_are_not_there_does_not_begin(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    author(hosted, "sol")
    listed = 'enter = "list"\naccounts = ["sol", "s0l"]\nchallenges = "list"\nchallengers = ["s02"]\n'
    first, rest = WAITING.format(name="listing", narrow=25).split("\n", 1)
    file = tmp_path / "listing.toml"
    file.write_text(f"{first}\n{listed}{rest}")
    for check in (True, False):
        request = arena_pb2.CreateLadderRequest(definition=file.read_text(), validate_only=check)
        refusal = arena.refusal("CreateLadder", request)
        assert [field for field, _ in refusal.violations] == ["definition:3", "definition:5"]
        assert "accounts has 's0l', and the service has no such account" in refusal.violations[0][1]
    here = arena.command("arena", "check", str(file))
    assert here.stdout == f"{file} is right: a ladder of naga with 2 bots of its own\n"
    file.write_text(file.read_text().replace('"s0l"', '"sol2"').replace('"s02"', '"sol"'))
    author(hosted, "sol2")
    create(arena, file.read_text())


@pytest.mark.exhaustive
def test_a_ladder_without_a_counted_block_is_deleted_and_its_name_is_free_and_no_other_is(
    hosted: Service, arena: Arena
) -> None:
    create(arena, WAITING.format(name="mistaken", narrow=25))
    before = get(arena, "mistaken").tournament.tournament_id
    token = author(hosted, "hasty")
    register(hosted, token, "hasty-bot")
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="mistaken", bot="hasty-bot"), token)
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="mistaken"))
    assert "add --yes" in arena.command("ladder", "delete", "mistaken").stderr
    assert "there is no ladder 'nosuch'" in arena.command("ladder", "delete", "nosuch").stderr
    assert arena.command("ladder", "delete", "mistaken", "--yes").stdout == "ladder mistaken is deleted\n"
    missing = arena_pb2.GetLadderRequest(ladder="mistaken")
    assert arena.refusal("GetLadder", missing).reason == "LADDER_NOT_FOUND"
    assert "mistaken" not in [
        ladder.name for ladder in call(arena, "ListLadders", arena_pb2.ListLaddersRequest(), "").ladders
    ]
    again = create(arena, OPEN.format(name="mistaken", narrow=0))
    assert again.tournament.tournament_id != before
    until(arena, lambda: number_of(arena, "mistaken") > 0, "the new one plays")
    assert set(rows(arena, "mistaken")) == {"first@1", "random@1"}
    delete = arena_pb2.DeleteLadderRequest(ladder="mistaken")
    assert arena.refusal("DeleteLadder", delete).reason == "LADDER_PLAYED"
    assert arena.refusal("DeleteLadder", delete, token).reason == "ORGANISER_ONLY"
    counted = number_of(arena, "mistaken")
    until(arena, lambda: number_of(arena, "mistaken") > counted, "it plays on")
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="mistaken"))


@pytest.mark.exhaustive
def test_every_method_admits_whom_its_policy_names(hosted: Service, arena: Arena) -> None:
    methods = arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods
    with hosted.client() as client:
        tokens = {
            role: client.accounts.CreateAccountToken(
                accounts_pb2.CreateAccountTokenRequest(
                    scope=accounts_pb2.TokenScope.Value(f"TOKEN_SCOPE_{role.upper()}")
                ),
                timeout=PATIENCE,
            ).token
            for role in ("organiser", "arena", "gateway")
        }
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="roles"), timeout=PATIENCE)
        tokens["bot"] = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="roles"), timeout=PATIENCE).token
    tokens |= {"author": author(hosted, "roles"), "nobody": ""}
    assert set(ROLES) - set(tokens) == {"guest", "match"}  # tokens of these are made for a match, or not at all here
    for method in methods:
        for role, token in tokens.items():
            request = message_factory.GetMessageClass(method.input_type)()
            with arena.client(token) as client:
                reason = reason_of(getattr(client.arena, method.name), request, stream=method.server_streaming)
            refused = policy_of(method).reaches[role] is Reach.NONE
            assert (reason in {"TOKEN_MISSING", "ORGANISER_ONLY", "WRONG_SCOPE"}) == refused, (method.name, role)


def reason_of(method: Any, request: Any, *, stream: bool) -> str:
    """Returns why an empty request is refused; empty when it is not."""
    try:
        answer = method(request, timeout=PATIENCE)
        if stream:
            next(answer)
    except ServiceError as error:
        return str(error.reason)
    return ""


def test_the_commands_show_a_ladder(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "shown.toml"
    file.write_text(WAITING.format(name="shown", narrow=25))
    assert "is right: naga" in arena.command("ladder", "create", str(file), "--check").stdout
    assert arena.command("ladder", "create", str(file)).stdout == "shown\n"
    assert "waiting" in arena.command("ladder", "list").stdout
    shown = arena.command("ladder", "show", "shown").stdout
    assert "every author, 1 bot each" in shown
    assert "begins: 2100-01-01" in shown
    assert arena.json("ladder", "entries", "shown", "--state", "playing")[0]["bot"] == "first"
    assert "is paused" in arena.command("ladder", "pause", "shown", "first").stdout
    assert "is playing" in arena.command("ladder", "resume", "shown", "first").stdout
    assert "has left" in arena.command("ladder", "leave", "shown", "first").stdout
    assert [entry["bot"] for entry in arena.json("ladder", "entries", "shown", "--state", "left")] == ["first"]
    assert "random@1" in arena.command("ladder", "standings", "shown").stdout
    assert "paused" in arena.command("ladder", "pause", "shown").stdout
    assert "waiting" in arena.command("ladder", "resume", "shown").stdout
    slip = arena.command("tournament", "close", "shown")
    assert (slip.returncode, "shown is a ladder: `fudaba ladder close shown`" in slip.stderr) == (1, True)
    assert "shown.1 is closed" in arena.command("tournament", "close", "shown.1").stdout
    skipped = arena.command("ladder", "begin", "shown", "--begins", "2026-03-29 02:30 Europe/Berlin")
    assert (skipped.returncode, "does not exist in Europe/Berlin" in skipped.stderr) == (2, True)
    times = ("--begins", "2100-01-01T00:00:00Z", "--ends", "2100-06-01 18:00 Asia/Tokyo")
    begun = arena.command("ladder", "begin", "shown", *times)
    assert f"commitment to the deals: {get(arena, 'shown').tournament.commitment.hex()}" in begun.stderr
    assert get(arena, "shown").definition.end_zone == "Asia/Tokyo"
    assert "(2100-06-01 18:00 Asia/Tokyo)" in arena.command("ladder", "show", "shown").stdout
    assert 'ends = "2100-06-01 18:00 Asia/Tokyo"' in arena.command("ladder", "edit", "shown", "--print").stdout
    file.write_text("name = 1")
    wrong = arena.command("ladder", "create", str(file))
    assert (wrong.returncode, "shown.toml:1: name is" in wrong.stderr) == (2, True)


def results_of(arena: Arena, season: str) -> list[Any]:
    return list(arena.json("ladder", "results", season)["rows"])


def test_results_have_what_an_organiser_hands_in(hosted: Service, arena: Arena, tmp_path: Path) -> None:
    create(arena, WAITING.format(name="course", narrow=25))
    token = author(hosted, "una")
    register(hosted, token, "una-bot")
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="course", bot="una-bot"), token)
    roster = tmp_path / "roster.csv"
    roster.write_text("name,mail,rank\nuna,=1+1,7\nabsent,a@example.org,8\n")
    words = ("ladder", "results", "course", "--roster", str(roster))
    rows = {(row["bot"], row["account"]): row for row in arena.json(*words)["rows"]}
    una, absent = rows["una-bot", "una"], rows[None, "absent"]
    assert (una["author"], una["version"], una["state"], una["mail"]) == ("una", "1", "absent", "=1+1")
    # The roster's column is not taken for the ladder's of that name.
    assert (una["roster rank"], una["rank"], una["blocks"]) == ("7", None, 0)
    assert (absent["author"], absent["mail"], absent["rating"]) == ("absent", "a@example.org", None)
    assert rows["random", None]["author"] == ""
    found = list(csv.DictReader(StringIO(arena.command(*words, "--csv").stdout)))
    assert {row["bot"]: row["mail"] for row in found}["una-bot"] == "'=1+1"  # a spreadsheet carries nothing out
    page = arena.command(*words, "--html").stdout
    assert "<h1>Results of course.1</h1>" in page
    assert "<td>a@example.org</td>" in page
    head, *lines = arena.command(*words).stdout.splitlines()
    assert head.split()[:6] == ["rank", "bot", "version", "author", "account", "mail"]
    assert len(lines) == len(rows)


def test_below_the_standings_it_says_why_there_is_no_rating_over_all_games_and_what_each_needs(
    hosted: Service, arena: Arena
) -> None:
    tables = "".join(f'[[games]]\ngame = "{game}"\n\n' for game in ("naga", "tashot"))
    definition = WAITING.format(name="both", narrow=25)
    definition = definition.replace('game = "naga"\noptions = { deals = 1 }\n', "").replace(
        "[season]", tables + "[season]"
    )
    create(arena, definition)
    token = author(hosted, "ina")
    register(hosted, token, "narrow")
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="both", bot="narrow", games=["naga"]), token)
    table, found, notes = arena.command("ladder", "standings", "both").stdout.partition(
        "nobody has a rating over all games"
    )
    assert found, table
    assert notes.splitlines()[1:] == [
        "  first@1 is provisional; blocks so far: 0 of 2 in naga, 0 of 2 in tashot",
        "  narrow@1 has no rating over all games: it is not entered in tashot",
        "  random@1 is provisional; blocks so far: 0 of 2 in naga, 0 of 2 in tashot",
    ]
    assert [line.split()[1] for line in table.splitlines() if line.endswith("provisional")] == ["first@1", "random@1"]
    output = arena.command("ladder", "standings", "both", "--game", "naga").stdout
    assert "  narrow@1 is provisional; blocks so far: 0 of 2 in naga\n" in output
