"""Maintenance: announced, changed, ended; while it is under way no match can be created, and all else goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner, Result
from google.protobuf.timestamp_pb2 import Timestamp

from fudaba.cli import cli
from fudaba.v1 import accounts_pb2, catalog_pb2, matches_pb2
from tests.support.patience import until
from tests.support.service.bots import Stream, bearer, play_match, reason_of
from tests.support.service.organiser import Organiser, refused, request_for
from tests.support.service.processes import Service, free_port
from tests.support.service.scraping import settled

HOUR_SECONDS = 3600
UPGRADE = "upgrade to the next release"


@pytest.fixture(autouse=True)
async def none_left(organiser: Organiser) -> AsyncIterator[None]:
    """Ends what a test has announced on the shared service."""
    yield
    found = (await current(organiser)).maintenance
    if found.id:
        await end(organiser, found.id)


def after(seconds: float) -> Timestamp:
    found = Timestamp()
    found.FromDatetime(datetime.now(UTC) + timedelta(seconds=seconds))
    return found


async def current(organiser: Organiser) -> catalog_pb2.GetMaintenanceResponse:
    """Returns what everybody is told."""
    return await organiser.catalog.GetMaintenance(  # type: ignore[no-any-return]
        catalog_pb2.GetMaintenanceRequest()
    )


def begin(organiser: Organiser, seconds: float = HOUR_SECONDS, **fields: Any) -> Any:
    """Announces maintenance; the call is still to be awaited."""
    request = catalog_pb2.BeginMaintenanceRequest(**{"text": UPGRADE, **fields})
    request.duration.FromTimedelta(timedelta(seconds=seconds))
    return organiser.catalog.BeginMaintenance(request, metadata=organiser.metadata)


async def end(organiser: Organiser, maintenance_id: str) -> None:
    request = catalog_pb2.EndMaintenanceRequest(id=maintenance_id)
    await organiser.catalog.EndMaintenance(request, metadata=organiser.metadata)


async def test_no_match_is_created_during_maintenance_and_the_refusal_says_until_when(organiser: Organiser) -> None:
    pair = [await organiser.entrant(), await organiser.entrant()]
    playing, known = await organiser.match(*pair, match_id="m-before"), request_for(*pair, match_id="m-before")
    begun = (await begin(organiser)).maintenance
    end_time = begun.end_time.ToDatetime()
    message = await refused(organiser.match(*pair), "MAINTENANCE", UPGRADE, f"{end_time:%Y-%m-%d %H:%M:%S} UTC")
    assert "come back then" in message
    many = matches_pb2.CreateMatchesRequest(requests=[request_for(*pair), known])
    answer = await organiser.matches.CreateMatches(many, metadata=organiser.metadata)
    assert answer.results[0].refusal.reason == "MAINTENANCE"
    assert answer.results[0].refusal.metadata["until"] == begun.end_time.ToJsonString()
    # A repeated request finds its match, which is created already, and the match is played to its end.
    assert answer.results[1].created.match.header.match_id == playing
    await play_match(*organiser.by_chance(*pair))
    assert (await organiser.ended(playing)).state == matches_pb2.MATCH_STATE_FINISHED
    await end(organiser, begun.id)
    assert await organiser.match(*pair)


async def test_maintenance_is_over_by_itself(organiser: Organiser) -> None:
    pair = [await organiser.entrant(), await organiser.entrant()]
    begun = (await begin(organiser, 1)).maintenance
    while (found := await current(organiser)).HasField("maintenance"):
        assert found.now.ToMilliseconds() < begun.end_time.ToMilliseconds()
    assert found.now.ToMilliseconds() >= begun.end_time.ToMilliseconds()
    assert await organiser.match(*pair)


async def test_announced_maintenance_refuses_nothing_before_it_begins(organiser: Organiser) -> None:
    pair = [await organiser.entrant(), await organiser.entrant()]
    announced = (await begin(organiser, begin_time=after(600))).maintenance
    assert (await current(organiser)).maintenance == announced
    assert await organiser.match(*pair)
    await until_told(organiser, announced.id)


async def until_told(organiser: Organiser, maintenance_id: str) -> None:
    """Waits until the list of games says it."""
    while True:
        games = await organiser.catalog.ListGames(catalog_pb2.ListGamesRequest())
        if games.maintenance.id == maintenance_id:
            return


@pytest.mark.parametrize(
    ("begins_in_seconds", "words"),
    [
        (0, "the service has maintenance until "),
        (24 * HOUR_SECONDS, "the service has maintenance from "),
        (8 * 24 * HOUR_SECONDS, ""),
    ],
    ids=["under way", "soon", "later"],
)
async def test_a_bot_is_welcomed_with_what_its_author_should_know(
    organiser: Organiser, begins_in_seconds: int, words: str
) -> None:
    entrant = await organiser.entrant()
    fields: dict[str, Any] = {"begin_time": after(begins_in_seconds)} if begins_in_seconds else {}
    announced = (await begin(organiser, **fields)).maintenance
    await until_told(organiser, announced.id)
    async with Stream(organiser.address, entrant.token) as stream:
        notice = (await stream.hello()).notice
    assert notice.startswith(words)
    end_time = announced.end_time.ToDatetime(UTC)
    ending = f"until {end_time:%Y-%m-%d %H:%M:%S} UTC, in which no match begins: {UPGRADE}"
    assert notice.endswith(ending if words else "")
    assert bool(notice) == bool(words)


async def test_a_bot_of_one_match_is_told_nothing_of_maintenance(organiser: Organiser) -> None:
    match_id = await organiser.match(await organiser.entrant(), await organiser.entrant())
    token = await organiser.match_token(match_id, 0)
    await until_told(organiser, (await begin(organiser)).maintenance.id)
    async with Stream(organiser.address, token) as stream:
        assert not (await stream.hello()).notice


async def test_a_second_organiser_changes_an_announcement_only_by_its_name(organiser: Organiser) -> None:
    early = after(600)
    announced = (await begin(organiser, begin_time=early)).maintenance
    await refused(begin(organiser, text="mine"), "MAINTENANCE_ANNOUNCED", UPGRADE, "--change")
    # A request that is repeated, because its answer was lost, changes nothing.
    assert (await begin(organiser, begin_time=early)).maintenance == announced
    changed = (await begin(organiser, 2 * HOUR_SECONDS, begin_time=early, replaces=announced.id)).maintenance
    assert (await current(organiser)).maintenance == changed
    await refused(begin(organiser, text="mine", replaces=announced.id), "MAINTENANCE_NOT_FOUND", "changed meanwhile")
    await refused(end(organiser, announced.id), "MAINTENANCE_NOT_FOUND", "changed meanwhile")
    assert (await current(organiser)).maintenance == changed


async def test_of_several_changes_at_once_one_is_made_and_the_others_learn_that_it_was_changed(
    organiser: Organiser,
) -> None:
    early = after(600)
    announced = (await begin(organiser, begin_time=early)).maintenance
    texts = [f"change {number}" for number in range(8)]
    calls = (reason_of_change(organiser, text, early, announced.id) for text in texts)
    reasons = [reason for reason in await asyncio.gather(*calls) if reason]
    assert reasons == ["MAINTENANCE_NOT_FOUND"] * (len(texts) - 1)


async def reason_of_change(organiser: Organiser, text: str, begin_time: Timestamp, replaces: str) -> str:
    """Returns the reason why a change is refused; empty if it is made."""
    try:
        await begin(organiser, text=text, begin_time=begin_time, replaces=replaces)
    except grpc.RpcError as error:
        return reason_of(error)
    return ""


async def test_a_repeated_change_is_made_once(organiser: Organiser) -> None:
    early = after(600)
    announced = (await begin(organiser, begin_time=early)).maintenance
    change = {"begin_time": early, "replaces": announced.id, "text": "longer"}
    changed = (await begin(organiser, 2 * HOUR_SECONDS, **change)).maintenance
    assert (await begin(organiser, 2 * HOUR_SECONDS, **change)).maintenance == changed


async def test_maintenance_under_way_is_prolonged_from_its_own_beginning(organiser: Organiser) -> None:
    begun = (await begin(organiser)).maintenance
    longer = (await begin(organiser, 2 * HOUR_SECONDS, begin_time=begun.begin_time, replaces=begun.id)).maintenance
    assert longer.begin_time == begun.begin_time
    assert longer.end_time.seconds - begun.end_time.seconds == HOUR_SECONDS


@pytest.mark.parametrize(
    ("seconds", "fields", "words"),
    [
        (0, {}, "from a second to seven days"),
        (-HOUR_SECONDS, {}, "from a second to seven days"),
        (365 * 24 * HOUR_SECONDS, {}, "from a second to seven days"),
        (HOUR_SECONDS, {"begin_time": after(-60)}, "begin_time is over"),
        (HOUR_SECONDS, {"begin_time": after(365 * 24 * HOUR_SECONDS)}, "at most 90 days"),
        (HOUR_SECONDS, {"text": " "}, "text is empty"),
        (HOUR_SECONDS, {"text": "x" * 301}, "at most 300"),
        (HOUR_SECONDS, {"text": "\x1b[2J"}, "text"),
    ],
)
async def test_what_cannot_be_announced_is_refused(
    organiser: Organiser, seconds: float, fields: dict[str, Any], words: str
) -> None:
    await refused(begin(organiser, seconds, **fields), "MALFORMED", words)
    assert not (await current(organiser)).HasField("maintenance")


async def test_nothing_is_ended_without_a_name(organiser: Organiser) -> None:
    announced = (await begin(organiser)).maintenance
    await refused(end(organiser, ""), "MALFORMED", "id is empty")
    await refused(end(organiser, "another"), "MAINTENANCE_NOT_FOUND")
    assert (await current(organiser)).maintenance == announced


def health(service: Service) -> str:
    done = CliRunner().invoke(cli, ["health", "--server", service.address])
    assert done.exit_code == 0, done.output
    return done.stdout


def run(service: Service, *words: str, token: str = "") -> Result:
    options = ["--server", service.address, *(("--token", token) if token else ())]
    return CliRunner().invoke(cli, ["maintenance", *words, *options])


async def test_a_guest_is_refused_a_match_and_anybody_reads_until_when(folder: Path) -> None:
    with Service(folder, "--guests") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            guest = await organiser.accounts.CreateGuest(accounts_pb2.CreateGuestRequest())
            await begin(organiser)
            seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(house_bot="house-random")]
            request = matches_pb2.CreateMatchRequest(game="naga", seats=seats)
            call = organiser.matches.CreateMatch(request, metadata=bearer(guest.token))
            await refused(call, "MAINTENANCE", UPGRADE)
            done = run(service, "show")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("under way until ")
    assert done.stdout.endswith(f": {UPGRADE}\n")


async def test_an_announcement_survives_a_restart_of_service_and_store(folder: Path) -> None:
    with Service(folder) as service:
        service.metrics_port = free_port()
        service.start("--metrics", f"127.0.0.1:{service.metrics_port}")
        async with Organiser(service.address, service.token) as organiser:
            pair = [await organiser.entrant(), await organiser.entrant()]
            begun = (await begin(organiser)).maintenance
        assert service.terminate() == 0, service.log
        service.start("--metrics", f"127.0.0.1:{service.metrics_port}")
        async with Organiser(service.address, service.token) as organiser:
            assert (await current(organiser)).maintenance == begun
            await refused(organiser.match(*pair), "MAINTENANCE")
            await settled(service, "fudaba_maintenance", 1)
            words = "serves, but creates no match during its maintenance"
            await until(lambda: words in health(service), "what fudaba health says")
            await end(organiser, begun.id)
            await settled(service, "fudaba_maintenance", 0)


def test_the_command_announces_changes_shows_and_ends(service: Service) -> None:
    begun = run(service, "begin", "--at", "2999-01-01 12:00 Europe/Berlin", "--for", "2h", "--text", UPGRADE,
                token=service.token)  # fmt: skip
    assert begun.exit_code == 1
    assert "at most 90 days" in begun.stderr
    none = run(service, "end", token=service.token)
    assert (none.exit_code, none.stderr) == (1, "error: no maintenance is announced\n")
    begun = run(service, "begin", "--for", "2h", "--text", UPGRADE, "--json", token=service.token)
    assert begun.exit_code == 0, begun.output
    announced = json.loads(begun.stdout)
    assert json.loads(run(service, "show", "--json").stdout)["maintenance"] == announced
    changed = run(service, "begin", "--change", "--for", "3h", "--text", "it is slow", "--json", token=service.token)
    assert changed.exit_code == 0, changed.output
    assert json.loads(changed.stdout)["begin_time"] == announced["begin_time"]
    ended = run(service, "end", token=service.token)
    assert ended.stdout == "ended: it is slow\nmatches can begin again\n"
    assert run(service, "show").stdout == "no maintenance is announced\n"


@pytest.mark.parametrize("duration", ["0m", "365d", "soon"])
def test_the_command_refuses_durations_that_cannot_be(service: Service, duration: str) -> None:
    done = run(service, "begin", "--for", duration, "--text", UPGRADE, token=service.token)
    assert done.exit_code in {1, 2}
    assert run(service, "show").stdout == "no maintenance is announced\n"
