"""Whatever is sent: the right status, a reason, a message that says what to do, and nothing changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fudaba.v1 import bots_pb2, game_pb2, matches_pb2, naga_pb2, play_pb2, record_pb2
from tests.support.service.bots import bearer, play_match
from tests.support.service.organiser import (
    HOUR_MS,
    PATIENT,
    Entrant,
    Organiser,
    StoreView,
    nothing_changes,
    refused,
    request_for,
)

WEIRD_IDS = ["", "../../etc/passwd", "a/b", "a b", "é", "\0", "x" * 81, "x" * 5000, "a\n", "%s", "*"]
BEGIN_BADLY = [".", "..", "...", ".hidden", "-x", "_x"]
number = game_pb2.OptionValue


# --- creating matches


BAD_MATCHES: list[tuple[dict[str, Any], str, str]] = [
    ({"game": "chess"}, "GAME_NOT_FOUND", "there are: "),
    ({"options": {"speed": number(number=1)}}, "BAD_OPTION", "it has: deals, first_dealer"),
    ({"options": {"deals": number(number=0)}}, "BAD_OPTION", "1 to 99"),
    ({"options": {"deals": number(number=-(2**62))}}, "BAD_OPTION", "1 to 99"),
    ({"options": {"deals": number(flag=True)}}, "BAD_OPTION", "whole number"),
    ({"options": {"deals": number(choice="two")}}, "BAD_OPTION", "whole number"),
    ({"options": {"deals": number()}}, "BAD_OPTION", "set number, flag or choice"),
    ({"label": "x" * 201}, "MALFORMED", "label has 201 characters; at most 200"),
    ({"seed": b"x" * 31}, "MALFORMED", "seed has 31 bytes; send 32"),
    ({"clock": record_pb2.Clock(move_ms=HOUR_MS + 1)}, "MALFORMED", "clock.move_ms"),
    ({"clock": record_pb2.Clock(move_ms=1, increment_ms=HOUR_MS + 1)}, "MALFORMED", "clock.increment_ms"),
    ({"clock": record_pb2.Clock(move_ms=1, bank_ms=2**32 - 1)}, "MALFORMED", "clock.bank_ms"),
    ({"clock": record_pb2.Clock(move_ms=1, start_ms=HOUR_MS + 1)}, "MALFORMED", "clock.start_ms"),
    *[({"match_id": match_id}, "MALFORMED", "1 to 80 of a-z") for match_id in WEIRD_IDS if match_id],
    *[({"match_id": match_id}, "MALFORMED", "the first is a letter or a digit") for match_id in BEGIN_BADLY],
    ({"label": "sp\u00adring"}, "MALFORMED", "label: character 3 is U+00AD (SOFT HYPHEN), which cannot be shown"),
    ({"label": "\u200b"}, "MALFORMED", "label: character 1 is U+200B (ZERO WIDTH SPACE)"),
    ({"label": "a\u202eb"}, "MALFORMED", "label: character 2 is U+202E"),
    ({"label": "one\ntwo"}, "MALFORMED", "label: character 4 is U+000A"),
    ({"label": "\ue000"}, "MALFORMED", "label: character 1 is U+E000"),
    ({"label": "Andre\u0301"}, "MALFORMED", "label: character 6, U+0301 (COMBINING ACUTE ACCENT), does not stand in"),
]


@pytest.mark.parametrize(("fields", "reason", "words"), BAD_MATCHES, ids=str)
async def test_a_match_that_cannot_be_played_is_refused(
    organiser: Organiser,
    store: StoreView,
    pair: tuple[Entrant, Entrant],
    fields: dict[str, Any],
    reason: str,
    words: str,
) -> None:
    with nothing_changes(store):
        await refused(organiser.match(*pair, **fields), reason, words)


async def test_a_clock_without_time_for_a_move_is_refused(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    with nothing_changes(store):
        await refused(organiser.match(*pair, clock=record_pb2.Clock()), "MALFORMED", "clock.move_ms is 0")


async def test_players_that_cannot_play_are_refused(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    entrant, other = pair
    with nothing_changes(store):
        for players in ((), (entrant,), (entrant, other, await_nobody(entrant))):
            await refused(organiser.match(*players), "BAD_PLAYERS", "2 seats")
        await refused(organiser.match(entrant, entrant), "BAD_PLAYERS", "two seats")
        for player in (
            record_pb2.Player(bot="nobody"),
            record_pb2.Player(),
            record_pb2.Player(bot=other.name, version="9"),
            record_pb2.Player(bot="\0" * 500),
        ):
            request = request_for(entrant)
            request.players.append(player)
            call = organiser.matches.CreateMatch(request, metadata=organiser.metadata)
            message = await refused(call, "BOT_NOT_FOUND")
            assert len(message) < 2500


def await_nobody(entrant: Entrant) -> Entrant:
    return Entrant("third", entrant.token)


async def test_a_match_id_is_taken_once_and_the_same_request_returns_the_same_match(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair, clock=PATIENT, match_id=f"cup-{pair[0].name}", seed=b"s" * 32, label="x")
    first = await organiser.get(match_id)
    with nothing_changes(store):
        same = await organiser.match(*pair, clock=PATIENT, match_id=match_id, seed=b"s" * 32, label="x")
        assert same == match_id
        assert await organiser.get(match_id) == first
        for other in (
            {"seed": b"t" * 32, "label": "x"},
            {"seed": b"s" * 32, "label": "y"},
            {"seed": b"s" * 32, "label": "x", "options": {"deals": number(number=2)}},
        ):
            call = organiser.match(*pair, clock=PATIENT, match_id=match_id, **other)
            await refused(call, "MATCH_EXISTS", "choose another id")
        reversed_pair = pair[::-1]
        await refused(
            organiser.match(*reversed_pair, clock=PATIENT, match_id=match_id, seed=b"s" * 32, label="x"), "MATCH_EXISTS"
        )


async def test_the_id_of_a_match_that_is_over_stays_taken(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair, match_id=f"over-{pair[0].name}")
    await play_match(*organiser.by_chance(*pair))
    await organiser.record(match_id)
    assert await organiser.match(*pair, match_id=match_id) == match_id
    assert (await organiser.get(match_id)).state == matches_pb2.MATCH_STATE_FINISHED
    await refused(organiser.match(*pair, match_id=match_id, label="new"), "MATCH_EXISTS")
    await store.forgets(match_id)


# --- matches that are asked for


@pytest.mark.parametrize("match_id", [*WEIRD_IDS, "m-unknown"])
async def test_a_match_that_does_not_exist_is_not_found_whatever_its_id(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant], match_id: str
) -> None:
    matches, metadata = organiser.matches, organiser.metadata
    bot = bearer(pair[0].token)
    answer = play_pb2.Answer(match_id=match_id, decision_id="0.0", index=0)
    with nothing_changes(store):
        for call in (
            matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id)),
            matches.AwaitMatch(matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=10)),
            matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=match_id), metadata=metadata),
            matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id)),
            matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id)).read(),
            organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id), metadata=bot).read(),
            organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=bot),
        ):
            await refused(call, "MATCH_NOT_FOUND", "there is no match")


async def test_questions_about_matches_that_make_no_sense_are_refused(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    matches, metadata = organiser.matches, organiser.metadata
    match_id = await organiser.match(*pair, clock=PATIENT)
    with nothing_changes(store):
        for call, reason, words in (
            (
                matches.AwaitMatch(matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=60_001)),
                "MALFORMED",
                "60000",
            ),
            (matches.ListMatches(matches_pb2.ListMatchesRequest(page_token="x" * 201)), "MALFORMED", "start again"),
            (matches.ListMatches(matches_pb2.ListMatchesRequest(state=99)), "MALFORMED", "MatchState"),  # type: ignore[arg-type]
            (matches.ListMatches(matches_pb2.ListMatchesRequest(game="go")), "GAME_NOT_FOUND", "naga"),
            (matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id)), "MATCH_NOT_OVER", "not over"),
            (
                matches.AbortMatch(
                    matches_pb2.AbortMatchRequest(match_id=match_id, message="x" * 201), metadata=metadata
                ),
                "MALFORMED",
                "at most 200",
            ),
            (
                matches.ReleaseMatches(matches_pb2.ReleaseMatchesRequest(match_ids=["x"] * 1001), metadata=metadata),
                "MALFORMED",
                "at most 1000",
            ),
        ):
            await refused(call, reason, words)


async def test_a_hidden_match_is_kept_from_everybody_but_its_organiser(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair, clock=PATIENT, hidden=True)
    with nothing_changes(store):
        for metadata in ((), bearer(pair[0].token)):
            watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id), metadata=metadata)
            await refused(watch.read(), "MATCH_HIDDEN", "hidden until its block is over")
    request = matches_pb2.AbortMatchRequest(match_id=match_id)
    await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
    for metadata in ((), bearer(pair[0].token)):
        call = organiser.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id), metadata=metadata)
        await refused(call, "MATCH_HIDDEN", "hidden until its block is over")
    await store.forgets(match_id)


def later(record: record_pb2.MatchRecord) -> None:
    record.log[3].at_ms = 2**63


def timeless(record: record_pb2.MatchRecord) -> None:
    record.log[0].at_ms = 0


def another_move(record: record_pb2.MatchRecord) -> None:
    record.log[5].move.naga.designate.place = naga_pb2.NAGA_PLACE_ELTAM


def too_slow(record: record_pb2.MatchRecord) -> None:
    record.log[2].spent.bot_us = 2**60


def not_late(record: record_pb2.MatchRecord) -> None:
    record.log[2].timeout.CopyFrom(record.log[2].move)


def shorter(record: record_pb2.MatchRecord) -> None:
    del record.log[-1]


def longer(record: record_pb2.MatchRecord) -> None:
    record.log.add().CopyFrom(record.log[-1])


def no_seat(record: record_pb2.MatchRecord) -> None:
    record.log[4].seat = 7


def forfeit(record: record_pb2.MatchRecord) -> None:
    record.log[4].forfeit.cause = record_pb2.FORFEIT_CAUSE_TIMEOUTS


def more_players(record: record_pb2.MatchRecord) -> None:
    record.header.players.add()


def no_option(record: record_pb2.MatchRecord) -> None:
    record.header.options["deals"].Clear()


def another_seed(record: record_pb2.MatchRecord) -> None:
    record.seed = b"x" * 32


def another_end(record: record_pb2.MatchRecord) -> None:
    record.end.outcome.scores.append(3)


FORGERIES: list[Callable[[record_pb2.MatchRecord], None]] = [
    record_pb2.MatchRecord.Clear, later, timeless, another_move, too_slow, not_late, shorter, longer, no_seat, forfeit,
    more_players, no_option, another_seed, another_end,
]  # fmt: skip


async def test_a_record_that_was_tampered_with_is_found_at_fault(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair)
    await play_match(*organiser.by_chance(*pair))
    good = await organiser.record(match_id)
    for forge in FORGERIES:
        record = record_pb2.MatchRecord()
        record.CopyFrom(good)
        forge(record)
        found = await organiser.matches.VerifyRecord(matches_pb2.VerifyRecordRequest(record=record))
        assert found.faults, forge
    assert not (await organiser.matches.VerifyRecord(matches_pb2.VerifyRecordRequest(record=good))).faults
    await store.forgets(match_id)


# --- bots


BOTS = bots_pb2
BAD_BOTS: list[tuple[str, Any, str, str]] = [
    *[
        ("CreateBot", bots_pb2.CreateBotRequest(name=name), "MALFORMED", "1 to 40 of a-z")
        for name in ("", "A", "1a", "-a", "a" * 41, "a b", "a/b", "ä", "a\0", "a\n")
    ],
    ("CreateBot", bots_pb2.CreateBotRequest(name="fine", author="x" * 101), "MALFORMED", "at most 100"),
    ("CreateBot", bots_pb2.CreateBotRequest(name="fine", version="a b"), "MALFORMED", "1 to 40"),
    ("CreateBot", bots_pb2.CreateBotRequest(name="fine", version="x" * 41), "MALFORMED", "1 to 40"),
    ("CreateVersion", bots_pb2.CreateVersionRequest(bot="nobody", version="2"), "BOT_NOT_FOUND", "no bot"),
    ("GetBot", bots_pb2.GetBotRequest(bot="nobody"), "BOT_NOT_FOUND", "no bot"),
    ("GetBot", bots_pb2.GetBotRequest(bot="\0"), "BOT_NOT_FOUND", "no bot"),
    ("CreateToken", bots_pb2.CreateTokenRequest(bot="nobody"), "BOT_NOT_FOUND", "no bot"),
    ("RevokeTokens", bots_pb2.RevokeTokensRequest(bot="nobody"), "BOT_NOT_FOUND", "no bot"),
    ("ListBots", bots_pb2.ListBotsRequest(page_token="x" * 201), "MALFORMED", "page_token"),
]


@pytest.mark.parametrize(("method", "request_", "reason", "words"), BAD_BOTS, ids=str)
async def test_bots_that_cannot_be_are_refused(
    organiser: Organiser, store: StoreView, method: str, request_: Any, reason: str, words: str
) -> None:
    with nothing_changes(store):
        await refused(getattr(organiser.bots, method)(request_, metadata=organiser.metadata), reason, words)


async def test_what_a_bot_has_not_is_refused_and_what_it_has_stays_once(organiser: Organiser, store: StoreView) -> None:
    entrant = await organiser.entrant(version="v1")
    stub, metadata, name = organiser.bots, organiser.metadata, entrant.name
    with nothing_changes(store):
        await refused(stub.CreateBot(bots_pb2.CreateBotRequest(name=name), metadata=metadata), "BOT_EXISTS", "version")
        for version in ("", "a b c", "x" * 41):
            request = bots_pb2.CreateVersionRequest(bot=name, version=version)
            await refused(stub.CreateVersion(request, metadata=metadata), "MALFORMED", "1 to 40")
        again = bots_pb2.CreateVersionRequest(bot=name, version="v1")
        assert len((await stub.CreateVersion(again, metadata=metadata)).bot.versions) == 1
        for call in (
            stub.CreateToken(bots_pb2.CreateTokenRequest(bot=name, version="v2"), metadata=metadata),
            stub.RevokeTokens(bots_pb2.RevokeTokensRequest(bot=name, version="a b c"), metadata=metadata),
        ):
            await refused(call, "BOT_NOT_FOUND", "it has: v1")


async def test_bots_are_listed_page_by_page_in_the_order_of_their_names(organiser: Organiser) -> None:
    made = sorted([(await organiser.entrant()).name for _ in range(7)])
    found: list[str] = []
    token = ""
    while True:
        request = bots_pb2.ListBotsRequest(page_size=3, page_token=token)
        page = await organiser.bots.ListBots(request, metadata=organiser.metadata)
        assert len(page.bots) <= 3
        found += [bot.name for bot in page.bots]
        token = page.next_page_token
        if not token:
            break
    assert found == sorted(found)
    assert [name for name in found if name in made] == made
    everything = await organiser.bots.ListBots(bots_pb2.ListBotsRequest(page_size=2**31), metadata=organiser.metadata)
    assert [bot.name for bot in everything.bots] == found
