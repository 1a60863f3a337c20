"""Challenges: a bot plays an entry of a ladder, and nothing of it is rated. Real service, real bots, real calls."""

from __future__ import annotations

from dataclasses import replace
from math import log, nan
from pathlib import Path
from typing import Any

import pytest

from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2, matches_pb2
from fudaba_arena.schedule.seeds import commitment
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.tournament.challenge_definition import Challenge
from tests.support.arena.api.challenges import PLAYS, WAITS, ask, entered, ladder, show, wait_for
from tests.support.arena.api.ladders import author, call, playing, register, rows, until
from tests.support.arena.commands.tournaments import PATIENT_CLOCK, PLAYER, RANDOM, SENSIBLE, bot, head
from tests.support.arena.running import Service, check_deals, gated
from tests.support.arena.standing import Arena, standing, two_standing
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import RedisServer
from tests.support.sizes import some


def bounds(low: float, high: float) -> arena_pb2.SequentialBounds:
    return arena_pb2.SequentialBounds(low=low, high=high)


NEVER = """
import asyncio
import fudaba

class Never(fudaba.Bot):
    async def choose(self, _):
        await asyncio.sleep(100_000)
"""
"""A bot that does not answer."""


@pytest.mark.exhaustive
def test_a_bot_plays_an_entry_on_fresh_deals_and_no_standing_knows_of_it(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    ladder(arena, "spar")
    token = author(hosted, "alice")
    register(hosted, token, "ada")
    with playing(hosted, tmp_path, token, "ada", "2"):
        made = ask(arena, token, "random", 3, with_bot="ada", ladder="spar", challenge_id="mine")
        assert (
            ask(arena, token, "random", 3, with_bot="ada", ladder="spar", challenge_id="mine").commitment
            == made.commitment
        )
        over = wait_for(arena, made)
    assert (over.challenger.bot, over.challenger.version) == ("ada", "2")
    assert (over.challenged.bot, over.challenged.version) == ("random", "1")
    assert (over.blocks_counted, over.matches_counted, over.matches_planned) == (3, 6, 6)
    sides = over.challenger, over.challenged
    assert sum(side.wins for side in sides) + over.challenger.draws == 6
    assert sum(side.share.value for side in sides) == pytest.approx(1)
    assert sum(side.points.value for side in sides) == pytest.approx(0)
    for side in sides:
        for estimate in (side.share, side.points):  # of blocks that went alike there is no interval
            assert estimate.HasField("low") == estimate.HasField("high")
            assert not estimate.HasField("low") or estimate.low < estimate.value < estimate.high
    assert not [row for row in rows(arena, "spar").values() if row.matches]
    assert commitment(over.master) == over.commitment == made.commitment
    matches = hosted.matches(over.label)
    assert len(matches) == 6
    seeds = {}
    for match_id in matches:
        number, deal = int(match_id.rsplit("-", 2)[1][1:]), ord(match_id[-1]) - ord("a")
        seeds[number, deal] = hosted.record(match_id, stranger=True).seed  # each plays each deal once
    assert len(set(seeds.values())) == 6
    check_deals(over.master, seeds)
    listed = call(arena, "ListChallenges", arena_pb2.ListChallengesRequest(), token).challenges
    assert [found.challenge_id for found in listed] == ["mine"]
    other = author(hosted, "nosy")
    assert not call(arena, "ListChallenges", arena_pb2.ListChallengesRequest(), other).challenges
    hidden = arena_pb2.GetChallengeRequest(challenge_id="mine")
    assert arena.refusal("GetChallenge", hidden, other).reason == "CHALLENGE_NOT_FOUND"


@pytest.mark.exhaustive
def test_a_sequential_test_finishes_as_soon_as_it_is_decided_and_says_what_it_cost(
    hosted: Service, arena: Arena
) -> None:
    ladder(arena, "test")
    # A few blocks decide between bounds so far apart: mostly as they should of even bots, now and then otherwise.
    decided = ask(arena, None, "random", 60, with_bot="first", ladder="test", sequential=bounds(-1000, -200))
    open_ = ask(arena, None, "random", 2, with_bot="first", ladder="test", sequential=bounds(0, 30))
    found = wait_for(arena, decided)
    ratio = found.sequential_test.log_likelihood_ratio
    better, not_better = arena_pb2.SEQUENTIAL_VERDICT_BETTER, arena_pb2.SEQUENTIAL_VERDICT_NOT_BETTER
    assert found.sequential_test.verdict == (better if ratio > 0 else not_better)
    assert abs(ratio) >= log(19)
    assert 0 < found.sequential_test.blocks <= found.blocks_counted < found.blocks == 60
    assert found.sequential_test.matches == 2 * found.sequential_test.blocks
    assert found.sequential_test.bounds == bounds(-1000, -200)
    assert commitment(found.master) == decided.commitment
    ended = hosted.matches(found.label).values()
    assert all(match.HasField("end") for match in ended)  # what was in play is not played on
    undecided = wait_for(arena, open_)
    assert undecided.sequential_test.verdict == arena_pb2.SEQUENTIAL_VERDICT_UNDECIDED
    assert (undecided.sequential_test.blocks, undecided.blocks_counted) == (2, 2)
    assert not [row for row in rows(arena, "test").values() if row.matches]
    assert not ask(arena, None, "random", 1, with_bot="first", ladder="test").HasField("sequential_test")


@pytest.mark.exhaustive
def test_one_that_is_not_here_is_waited_for_and_either_author_may_end_it(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    ladder(arena, "waits")
    theirs, mine = entered(hosted, arena, "waits", "bob", "bill"), author(hosted, "carol")
    register(hosted, mine, "cleo")
    first, other = (ask(arena, mine, "bill", 1, with_bot="cleo") for _ in range(2))

    def waits_for(*bots: str) -> bool:
        now = show(arena, first, theirs)
        return now.state == WAITS and list(now.waits_for) == list(bots)

    until(arena, lambda: waits_for("bill@1", "cleo@1"), "it waits for both")
    assert show(arena, first).cause == arena_pb2.CHALLENGE_CAUSE_BOT_ABSENT
    cancel = arena_pb2.CancelChallengeRequest(challenge_id=other.challenge_id)
    assert arena.refusal("CancelChallenge", cancel, author(hosted, "stranger")).reason == "CHALLENGE_NOT_FOUND"
    ended = call(arena, "CancelChallenge", cancel, theirs).challenge
    assert (ended.state, ended.message) == (
        arena_pb2.CHALLENGE_STATE_CANCELLED,
        "the author of the challenged bot has ended it",
    )
    assert call(arena, "CancelChallenge", cancel, mine).challenge == ended
    with playing(hosted, tmp_path, theirs, "bill", "2"):
        with playing(hosted, tmp_path, mine, "cleo", "2"):
            until(arena, lambda: waits_for("bill@1", "cleo@1"), "other versions are of no use")
        both = ask(arena, mine, "bill", 1, with_bot="cleo", with_version="2")
        until(arena, lambda: list(show(arena, both).waits_for) == ["bill@1", "cleo@2"], "the entered version plays")
        call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="waits", bot="bill"), theirs)
        newest = ask(arena, mine, "bill", 1, with_bot="cleo", with_version="2")
        assert newest.challenged.version == "2"
        until(arena, lambda: list(show(arena, newest).waits_for) == ["cleo@2"], "only the challenger is missing")
        leave = arena_pb2.LeaveLadderRequest(ladder="waits", bot="bill")
        call(arena, "LeaveLadder", leave, theirs)
        over = wait_for(arena, newest, arena_pb2.CHALLENGE_STATE_CANCELLED)
        assert over.cause == arena_pb2.CHALLENGE_CAUSE_ENTRY_LEFT


async def test_a_challenge_that_is_not_over_in_time_expires_and_says_why(hosted: Service, arena: Arena) -> None:
    ladder(arena, "late")
    token = author(hosted, "dave")
    register(hosted, token, "dan")
    challenge = ask(arena, token, "first", 1, with_bot="dan", ladder="late", challenge_id="in-time")
    assert challenge.expire_time.seconds - challenge.create_time.seconds == 24 * 3_600
    until(arena, lambda: show(arena, challenge).waits_for, "it waits")
    async with open_to_read(arena.folder / "data", None) as store:
        kept = await store.challenges.get("in-time")
        assert kept is not None
        late = replace(
            Challenge.read(kept.challenge_line),
            challenge_id="late",
            expires_ms=challenge.create_time.ToMilliseconds() + 1,
        )
        await store.challenges.create("late", late.line(), b"", ["dave"], late.created_ms, blocks=1)
    over = wait_for(arena, arena_pb2.Challenge(challenge_id="late"), arena_pb2.CHALLENGE_STATE_EXPIRED)
    assert over.cause == arena_pb2.CHALLENGE_CAUSE_BOT_ABSENT
    assert over.message == "when its time was over it waited for dan@1"
    assert show(arena, challenge).state == WAITS


def test_who_may_challenge_is_the_ladders_word_and_then_the_authors(hosted: Service, arena: Arena) -> None:
    fred, gina = author(hosted, "fred"), author(hosted, "gina")
    ladder(arena, "words", 'challenges = "list"\nchallengers = ["fred"]')
    erin = entered(hosted, arena, "words", "erin", "emma")
    for token, name in ((fred, "finn"), (gina, "gwen")):
        register(hosted, token, name)

    def reason(token: str, bot: str, challenged: str = "emma") -> str:
        request = arena_pb2.CreateChallengeRequest(bot=challenged, blocks=1, with_bot=bot, ladder="words")
        try:
            with arena.client(token) as client:
                client.arena.CreateChallenge(request, timeout=PATIENCE)
        except ServiceError as error:
            return error.reason
        return ""

    def say(policy: arena_pb2.ChallengePolicy.ValueType, *challengers: str) -> arena_pb2.Entry:
        request = arena_pb2.SetEntryChallengesRequest(
            ladder="words", bot="emma", challenges=policy, challengers=challengers
        )
        assert arena.refusal("SetEntryChallenges", request, fred).reason == "NOT_YOURS"
        entry: arena_pb2.Entry = call(arena, "SetEntryChallenges", request, erin).entry
        [listed] = [
            own_entry
            for own_entry in call(arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder="words"), "").entries
            if own_entry.bot == "emma"
        ]
        assert (listed.challenges, listed.challengers) == (entry.challenges, entry.challengers)
        return entry

    assert (reason(fred, "finn"), reason(gina, "gwen")) == ("", "CHALLENGE_REFUSED")
    assert say(arena_pb2.CHALLENGE_POLICY_LISTED, "gina").challengers == ["gina"]
    assert (reason(fred, "finn"), reason(gina, "gwen")) == ("CHALLENGE_REFUSED", "")
    say(arena_pb2.CHALLENGE_POLICY_OFF)
    assert (reason(fred, "finn"), reason(gina, "gwen")) == ("CHALLENGE_REFUSED", "CHALLENGE_REFUSED")
    assert reason(erin, "emma", "first") == "CHALLENGE_REFUSED"
    register(hosted, erin, "eve")
    assert reason(erin, "eve") == ""  # one's own bot
    say(arena_pb2.CHALLENGE_POLICY_ANYONE)
    assert (reason(fred, "finn"), reason(gina, "gwen")) == ("", "")
    assert say(arena_pb2.CHALLENGE_POLICY_UNSPECIFIED).challengers == ["fred"]


@pytest.mark.exhaustive
def test_what_cannot_be_played_is_refused_with_why(hosted: Service, arena: Arena) -> None:
    ladder(arena, "no")
    token = entered(hosted, arena, "no", "hana", "hugo")

    def refused(why: str, reason: str = "MALFORMED", to: str = "", **request: Any) -> None:
        wanted: dict[str, Any] = {"ladder": "no", "bot": "first", "with_bot": "hugo", "blocks": 1} | request
        found = arena.refusal("CreateChallenge", arena_pb2.CreateChallengeRequest(**wanted), to or token)
        assert (found.reason, why in found.message) == (reason, True), found

    refused("a challenge has 1 to 100", blocks=0)
    refused("a challenge has 1 to 100", blocks=101)
    for low, high, wrong in ((30, 0, "is not below"), (0, nan, "finite"), (0, 5000, "beyond 1,000"), (0, 0, "below")):
        refused(wrong, sequential=bounds(low, high))
    refused("a sequential test has 1 to 1000", blocks=1001, sequential=bounds(0, 30))
    refused("cannot challenge itself", bot="hugo", sequential=bounds(0, 30))
    refused("not one of your account's bots", "NOT_YOURS", with_bot="random", sequential=bounds(0, 30))
    refused("challenge_id is 1 to 24", challenge_id="a b")
    refused("there is no ladder", "LADDER_NOT_FOUND", ladder="other")
    refused("is not entered in no", "ENTRY_NOT_FOUND", bot="nobody")
    refused("not entered in any ladder", "ENTRY_NOT_FOUND", bot="nobody", ladder="")
    refused("entered in several; name one of:", ladder="")
    refused("is not entered this season, only 1", "ENTRY_NOT_FOUND", version="7")
    refused("does not play 'tashot' there, only: naga", "GAME_NOT_FOUND", game="tashot")
    refused("there is no bot 'ghost'", "BOT_NOT_FOUND", with_bot="ghost")
    refused("has no version '9'; it has: 1", "BOT_NOT_FOUND", with_version="9")
    refused("not one of your account's bots", "NOT_YOURS", with_bot="random")
    refused("cannot challenge itself", bot="hugo")
    refused("your account has none in no", to=author(hosted, "ivan"), with_bot="")
    call(arena, "PauseEntry", arena_pb2.PauseEntryRequest(ladder="no", bot="first"))
    refused("first is paused", "ENTRY_NOT_PLAYING")
    ask(arena, token, "random", challenge_id="taken", ladder="no")
    refused("another challenge taken", "CHALLENGE_EXISTS", challenge_id="taken")
    refused("another challenge taken", "CHALLENGE_EXISTS", challenge_id="taken", to=arena.service.token)
    name = arena_pb2.CreateTournamentRequest(definition=head("challenge.taken") + RANDOM + SENSIBLE)
    assert arena.refusal("CreateTournament", name).reason == "TOURNAMENT_EXISTS"
    with hosted.client() as client:
        client.accounts.SuspendAccount(accounts_pb2.SuspendAccountRequest(account="hana", message="late"))

    def barred() -> bool:
        request = arena_pb2.CreateChallengeRequest(bot="nobody", ladder="no", blocks=1)
        return arena.refusal("CreateChallenge", request, token).reason == "ACCOUNT_SUSPENDED"

    until(arena, barred, "who is suspended challenges nobody")


def test_an_account_asks_for_so_many_blocks_a_day_and_is_told_until_when(hosted: Service, arena: Arena) -> None:
    ladder(arena, "much")
    token = author(hosted, "jane")
    register(hosted, token, "jill")
    for blocks in (1, 100, 99):
        ask(arena, token, "first", blocks, with_bot="jill", ladder="much")
    one_more = arena_pb2.CreateChallengeRequest(bot="first", blocks=1, with_bot="jill", ladder="much")
    refused = arena.refusal("CreateChallenge", one_more, token)
    assert (refused.code, refused.reason) == ("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED")
    assert "account jane has its 200 blocks of challenges a day" in refused.message
    assert refused.retry_after is not None
    first = refused.retry_after
    one_more.blocks = 2
    later = arena.refusal("CreateChallenge", one_more, token).retry_after
    assert later is not None
    assert 23 * 3_600 < first <= 24 * 3_600
    assert later > first - PATIENCE  # as much as was asked for first is free then, and more after that
    ask(arena, None, "first", 100, with_bot="jill", ladder="much")  # the organiser


@pytest.mark.exhaustive
def test_a_game_of_more_seats_is_filled_with_the_houses_best(hosted: Service, arena: Arena) -> None:
    three = 'game = "houniek"\nseats = 3'
    ladder(arena, "three", **{'game = "naga"\noptions = { deals = 1 }': f"{three}\noptions = {{ deals = 1 }}"})
    blocks = some(2)
    over = wait_for(arena, ask(arena, None, "random", blocks, with_bot="first", ladder="three"))
    assert (over.seats, over.house_bot, over.matches_counted) == (3, "house-sensible", 6 * blocks)
    assert over.challenger.wins + over.challenger.draws + over.challenger.losses == 6 * blocks
    assert (over.challenger.wins, over.challenger.losses) == (over.challenged.losses, over.challenged.wins)
    seats = [[player.bot for player in match.header.players] for match in hosted.matches(over.label).values()]
    assert all(sorted(bots) == ["first", "house-sensible", "random"] for bots in seats)
    assert len({tuple(bots) for bots in seats}) == 6


@pytest.mark.exhaustive
def test_no_account_has_all_places_of_challenges_however_long_its_bots_think(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    ladder(arena, "places", **{"[season]": "[clock]\nmove_ms = 600000\n\n[season]"})
    hog, other = author(hosted, "hog"), author(hosted, "kate")
    (tmp_path / "never.py").write_text(NEVER)
    program = f"{tmp_path / 'never.py'}:Never"
    register(hosted, hog, "holds")
    register(hosted, other, "quick")
    with playing(hosted, tmp_path, hog, "holds", "2", program=program), playing(hosted, tmp_path, other, "quick", "2"):
        held = [ask(arena, hog, "first", 100, with_bot="holds", ladder="places") for _ in range(2)]
        wait_for(arena, held[0], PLAYS)
        wait_for(arena, ask(arena, other, "first", 2, with_bot="quick", ladder="places"))
        assert sorted(show(arena, asked).state for asked in held) == sorted((WAITS, PLAYS))
        for challenge in held:
            call(arena, "CancelChallenge", arena_pb2.CancelChallengeRequest(challenge_id=challenge.challenge_id), hog)


@pytest.mark.nightly("`workers/test_challenges.py` has workers play rated blocks first")
def test_rated_blocks_come_first(hosted: Service, arena: Arena, tmp_path: Path) -> None:
    ladder(arena, "below")
    gate = tmp_path / "gate"
    slow = bot("behind-a-gate", PLAYER, env=gated(gate))
    arena.create(head("rated", blocks=3, concurrency=1, connect_seconds=600, clock=PATIENT_CLOCK) + SENSIBLE + slow)
    challenge = ask(arena, None, "first", 1, with_bot="random", ladder="below")
    until(arena, lambda: show(arena, challenge).cause == arena_pb2.CHALLENGE_CAUSE_NO_ROOM, "it waits for room")
    gate.touch()
    over = wait_for(arena, challenge)
    rated = [match.end.end_time.ToMilliseconds() for match in hosted.matches("rated").values()]
    begun = [match.start_time.ToMilliseconds() for match in hosted.matches(over.label).values()]
    assert (len(rated), len(begun)) == (6, 2)
    assert min(begun) >= max(rated)


@pytest.mark.nightly(
    "`workers/test_challenges.py` kills an arena that goes on with its challenges, and `test_serving.py`"
    " tells nothing of a block in play"
)
def test_a_killed_arena_goes_on_with_its_challenges_and_nothing_of_a_block_is_told_before_it_is_over(
    hosted: Service, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    slow = bot("slow", PLAYER, env=gated(gate, free=3))
    with standing(hosted) as arena:
        ladder(arena, "again", **{'[[bots]]\nname = "first"\nbuiltin = "first"\n': slow})
        challenge = ask(arena, None, "slow", 3, with_bot="random", ladder="again")

        def ends() -> list[str]:
            states = {match.header.match_id: match.state for match in hosted.matches(challenge.label).values()}
            return sorted(known for known, state in states.items() if state == matches_pb2.MATCH_STATE_FINISHED)

        until(arena, lambda: len(ends()) == 3, "a block is over, and of the next one a match")
        now = until(arena, lambda: (now := show(arena, challenge)).matches_counted == 2 and now, "a block counts")
        assert sum((now.challenger.wins, now.challenger.draws, now.challenger.losses)) == 2
        assert not now.master
        hidden = 0
        for match_id in ends():
            try:
                hosted.record(match_id, stranger=True)
            except ServiceError as error:
                hidden += error.reason == "MATCH_HIDDEN"
        assert hidden == 1
        arena.kill()
        wait_until(lambda: hosted.bot_processes() == [], "the bots end with their arena")
        gate.touch()
        arena.start()
        over = wait_for(arena, challenge)
        assert (over.blocks_counted, over.matches_counted) == (3, 6)
        assert over.commitment == challenge.commitment
        found = hosted.matches(challenge.label).values()
        assert sum(match.state == matches_pb2.MATCH_STATE_FINISHED for match in found) >= 6
        for match in found:
            hosted.record(match.header.match_id, stranger=True)  # void ones too: nobody plays them any more


@pytest.mark.exhaustive
def test_a_challenge_that_is_ended_in_mid_play_leaves_nothing_in_play(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    slow = bot("stuck", PLAYER, env=gated(tmp_path / "never"))
    ladder(arena, "stops", **{'[[bots]]\nname = "first"\nbuiltin = "first"\n': slow})
    challenge = ask(arena, None, "stuck", 2, with_bot="random", ladder="stops")
    until(arena, lambda: show(arena, challenge).state == PLAYS, "it is played")
    until(arena, lambda: hosted.matches(challenge.label), "its matches begin")
    cancel = arena_pb2.CancelChallengeRequest(challenge_id=challenge.challenge_id)
    over = call(arena, "CancelChallenge", cancel).challenge
    assert (over.blocks_counted, len(over.master)) == (0, 32)
    states = {match.state for match in hosted.matches(challenge.label).values()}
    assert states == {matches_pb2.MATCH_STATE_ABORTED}
    wait_until(lambda: hosted.bot_processes() == [], "its bots end with it")


@pytest.mark.exhaustive
def test_of_two_arenas_on_one_store_one_plays_it_and_either_shows_and_ends_it(hosted: Service, tmp_path: Path) -> None:
    slow = bot("shared", PLAYER, env=gated(tmp_path / "never"))
    with short_folder() as place, RedisServer(place) as redis:
        redis.start()
        with two_standing(hosted, redis.url) as (first_arena, other):
            ladder(first_arena, "two", **{'[[bots]]\nname = "first"\nbuiltin = "first"\n': slow})
            made = ask(first_arena, None, "shared", 1, with_bot="random", ladder="two")
            arenas = first_arena, other
            until(
                first_arena, lambda: all(show(arena, made).state == PLAYS for arena in arenas), "one of them plays it"
            )
            assert all(show(arena, made).commitment == made.commitment for arena in arenas)
            cancel = arena_pb2.CancelChallengeRequest(challenge_id=made.challenge_id)
            over = call(other, "CancelChallenge", cancel).challenge
            assert over.state == arena_pb2.CHALLENGE_STATE_CANCELLED
            assert all(show(arena, made) == over for arena in arenas)
            states = {match.state for match in hosted.matches(made.label).values()}
            assert states == {matches_pb2.MATCH_STATE_ABORTED}
