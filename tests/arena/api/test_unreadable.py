"""A stored value that the arena cannot read marks its own row: everything else is listed, played and started."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from redis import Redis

from fudaba.client import Client
from fudaba.v1 import arena_pb2, bots_pb2, submissions_pb2
from fudaba_arena.submissions.submission_forms import CHECKING, Announced, CheckProgress
from tests.support.arena.api.ladders import WAITING, author, call, create, register
from tests.support.arena.commands.tournaments import RANDOM, SENSIBLE, head
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import RedisServer

LISTED = "fudaba-arena:tournaments"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with short_folder() as place, RedisServer(place) as server:
        server.start()
        yield server


def names(arena: Arena) -> set[str]:
    found = call(arena, "ListTournaments", arena_pb2.ListTournamentsRequest(), "")
    return {tournament.name for tournament in found.tournaments}


def damage(store: Redis, name: str, like: str, **changes: object) -> None:
    """Stores a tournament as no release of today has it."""
    raw = json.loads(store.get(f"fudaba-arena:{{{like}}}:tournament") or b"")
    raw["definition"] |= changes
    store.set(f"fudaba-arena:{{{name}}}:tournament", json.dumps(raw))
    store.sadd(LISTED, name)


@pytest.mark.exhaustive
def test_what_cannot_be_read_marks_its_own_row_and_all_else_stays_up(hosted: Service, redis: RedisServer) -> None:
    with standing(hosted, "--redis", redis.url) as arena, Redis.from_url(redis.url) as store:
        arena.create(head("fine", blocks=1) + SENSIBLE + RANDOM, paused=True)
        damage(store, "no-bot", "fine", **{"bot sensible": {"builtin": "sensible"}})
        store.set("fudaba-arena:{no-json}:tournament", "{")
        store.sadd(LISTED, "no-json")
        broken = {"no-bot", "no-json"}
        assert names(arena) & (broken | {"fine"}) == {"fine"}
        assert "this release cannot read tournament no-bot as it is stored (KeyError: 'stateless')" in arena.output

        store.hset("fudaba-arena:{.submissions}:one:s-1", mapping={"what": "{}", "fingerprint": "x"})
        store.zadd("fudaba-arena:{.submissions}:all", {"s-1:ann": 1})
        rows = call(arena, "ListSubmissions", submissions_pb2.ListSubmissionsRequest()).submissions
        [row] = [submission for submission in rows if submission.submission_id == "s-1"]
        assert "a submission is stored without" in row.message

        store.hset("fudaba-arena:{.challenges}:one:c-1", mapping={"what": "{}", "fingerprint": "x"})
        store.zadd("fudaba-arena:{.challenges}:all", {"c-1": 1})
        challenges = call(arena, "ListChallenges", arena_pb2.ListChallengesRequest()).challenges
        [challenge] = [found for found in challenges if found.challenge_id == "c-1"]
        assert challenge.state == arena_pb2.CHALLENGE_STATE_FAILED
        assert "a challenge is stored without" in challenge.message

        assert arena.stop() == 0
        arena.start()
        assert names(arena) & (broken | {"fine"}) == {"fine"}
        where = ["arena", "unreadable", "--data", str(arena.folder / "data"), "--redis", redis.url]
        done = arena.command(*where)
        assert done.returncode == 1
        assert all(f"{name}: " in done.stdout for name in (*broken, "submission s-1"))
        assert "fine: " not in done.stdout
        for name in broken:
            assert arena.command(*where, "--put-aside", name).returncode == 0
        assert not {name.encode() for name in broken} & store.smembers(LISTED)
        assert store.exists("fudaba-arena:{no-bot}:tournament"), "nothing of it is removed"
        assert arena.command(*where, "--put-aside", "fine").returncode == 1


@pytest.mark.exhaustive
def test_a_call_for_what_cannot_be_read_is_refused_with_a_reason_and_changes_nothing(
    hosted: Service, redis: RedisServer
) -> None:
    tag = "fudaba-arena:{.submissions}"
    token = author(hosted, "rae")
    register(hosted, token, "rae-1")
    with Client(hosted.address, token) as client:
        client.bots.CreateVersion(bots_pb2.CreateVersionRequest(bot="rae-1", version="v"), timeout=PATIENCE)
    with standing(hosted, "--redis", redis.url) as arena, Redis.from_url(redis.url) as store:
        create(arena, WAITING.format(name="reading", narrow=0))
        announced = Announced("s-9", "rae-1", "rae", "bot.zip", 3, "00" * 32, "", 5, 6).line()
        store.hset(f"{tag}:one:s-9", mapping={"what": announced, "fingerprint": "x", "so_far": "{"})
        store.hset(f"{tag}:one:s-10", mapping={"what": "{}", "fingerprint": "x"})
        store.hset(f"{tag}:versions", "rae-1@v", "s-9")
        store.hset(f"{tag}:tried", "rae-1@v", "s-9")
        store.set("fudaba-arena:{unread}:tournament", "{")
        store.sadd(LISTED, "unread")
        store.set("fudaba-arena:{unread-ladder.1}:tournament", "{")
        store.sadd(LISTED, "unread-ladder.1")
        store.hset("fudaba-arena:ladders", "unread-ladder", 1)
        before = {key: store.dump(key) for key in store.scan_iter("*") if b"unread" in key or b"s-9" in key}
        entering = arena_pb2.EnterLadderRequest(ladder="reading", bot="rae-1", version="v")
        definition = head("unread", blocks=1) + SENSIBLE + RANDOM
        for method, request in [
            ("FinishSubmission", submissions_pb2.FinishSubmissionRequest(submission_id="s-9")),
            ("WriteSubmission", submissions_pb2.WriteSubmissionRequest(submission_id="s-10", content=b"x")),
            ("GetSubmission", submissions_pb2.GetSubmissionRequest(submission_id="s-9")),
            ("EnterLadder", entering),
            ("GetTournament", arena_pb2.GetTournamentRequest(tournament="unread")),
            ("GetStandings", arena_pb2.GetStandingsRequest(tournament="unread")),
            ("CreateTournament", arena_pb2.CreateTournamentRequest(definition=definition)),
            ("GetStandings", arena_pb2.GetStandingsRequest(tournament="unread-ladder")),
            ("GetLadder", arena_pb2.GetLadderRequest(ladder="unread-ladder")),
            ("EnterLadder", arena_pb2.EnterLadderRequest(ladder="unread-ladder", bot="rae-1", version="v")),
        ]:
            refused = arena.refusal(method, request)
            assert (method, refused.reason) == (method, "STORED_UNREADABLE")
            assert "nothing was changed: only the arena's organiser can repair it" in refused.message
        assert arena.refusal("EnterLadder", entering, token).reason == "STORED_UNREADABLE"
        assert {key: store.dump(key) for key in store.scan_iter("*") if b"unread" in key or b"s-9" in key} == before
        assert "fault " not in arena.output


@pytest.mark.exhaustive
def test_what_is_put_aside_is_listed_again_once_it_can_be_read(hosted: Service, redis: RedisServer) -> None:
    with standing(hosted, "--redis", redis.url) as arena, Redis.from_url(redis.url) as store:
        arena.create(head("whole", blocks=1) + SENSIBLE + RANDOM, paused=True)
        where = ["arena", "unreadable", "--data", str(arena.folder / "data"), "--redis", redis.url]
        key = "fudaba-arena:{aside}:tournament"
        damage(store, "aside", "whole")
        right = store.get(key) or b""
        store.set(key, b"{")
        assert arena.command(*where, "--put-aside", "aside").returncode == 0
        assert "aside (put aside): Expecting" in arena.command(*where).stdout
        refused = arena.command(*where, "--take-back", "aside")
        assert refused.returncode == 1
        assert "still cannot be read" in refused.stderr
        again = arena_pb2.CreateTournamentRequest(definition=head("aside", blocks=1) + SENSIBLE + RANDOM)
        assert arena.refusal("CreateTournament", again).reason == "TOURNAMENT_EXISTS", "its name is not free"

        store.set(key, right)
        assert "it can be read now" in arena.command(*where).stdout
        assert arena.command(*where, "--take-back", "aside").returncode == 0
        assert "aside" in names(arena)
        assert arena.command(*where, "--take-back", "aside").returncode == 1


@pytest.mark.exhaustive
def test_a_submission_that_is_put_aside_keeps_its_place_in_the_lists(hosted: Service, redis: RedisServer) -> None:
    of_submission, lists = "fudaba-arena:{.submissions}:one:s-7", ("all", "of:of-ann")
    with standing(hosted, "--redis", redis.url) as arena, Redis.from_url(redis.url) as store:
        where = ["arena", "unreadable", "--data", str(arena.folder / "data"), "--redis", redis.url]
        so_far = CheckProgress(CHECKING).line()
        store.hset(of_submission, mapping={"what": "{}", "fingerprint": "x", "so_far": so_far})
        for list_name in lists:
            store.zadd(f"fudaba-arena:{{.submissions}}:{list_name}", {"s-7:ann": 5, "s-70:ann": 6})
        assert arena.command(*where, "--put-aside", "submission s-7").returncode == 0
        for list_name in lists:
            assert store.zrange(f"fudaba-arena:{{.submissions}}:{list_name}", 0, -1).count(b"s-7:ann") == 0
        assert "submission s-7 (put aside): " in arena.command(*where).stdout
        assert arena.command(*where, "--take-back", "submission s-7").returncode == 1

        store.hset(of_submission, "what", Announced("s-7", "ann", "of-ann", "bot.zip", 3, "00" * 32, "", 5, 6).line())
        assert arena.command(*where, "--take-back", "submission s-7").returncode == 0
        for list_name in lists:
            assert store.zscore(f"fudaba-arena:{{.submissions}}:{list_name}", "s-7:ann") == 5
        assert store.zscore("fudaba-arena:{.submissions}:checks", "s-7") is not None, "it is checked after all"
        rows = call(arena, "ListSubmissions", submissions_pb2.ListSubmissionsRequest()).submissions
        assert "s-7" in {row.submission_id for row in rows}

        # A worker of an earlier release could not read it, as this one can.
        store.zrem("fudaba-arena:{.submissions}:checks", "s-7")
        shown = arena.command(*where)
        assert (shown.returncode, "submission s-7: no worker checks it" in shown.stdout) == (1, True), shown.stdout
        assert json.loads(arena.command(*where, "--json").stdout)["unchecked"] == ["submission s-7"]
        assert arena.command(*where, "--take-back", "submission s-7").returncode == 0
        assert store.zscore("fudaba-arena:{.submissions}:checks", "s-7") is not None


@pytest.mark.exhaustive
def test_a_block_that_nobody_can_read_is_shown_and_handed_out_anew(hosted: Service, redis: RedisServer) -> None:
    with standing(hosted, "--workers", "--redis", redis.url) as arena, Redis.from_url(redis.url) as store:
        where = ["arena", "unreadable", "--data", str(arena.folder / "data"), "--redis", redis.url]
        arena.create(head("handed", blocks=1) + SENSIBLE + RANDOM)
        block = "fudaba-arena:{handed}:block:0"
        right = wait_until(lambda: store.hget(block, "what"), lambda: f"it is handed out: {arena.output}")
        store.hset(block, "what", "{")
        shown = arena.command(*where)
        assert shown.returncode == 1
        assert "block 0 of handed: Expecting property name" in shown.stdout
        assert arena.command(*where, "--put-aside", "block 0 of handed").returncode == 0
        wait_until(lambda: store.hget(block, "what") == right, lambda: f"it is handed out anew: {arena.output}")
        assert "block 0 of handed" not in arena.command(*where).stdout
