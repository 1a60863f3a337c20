"""What the gateway tells strangers of the site: who answers, since when, what is announced and played."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fudaba.client import Client
from fudaba.v1 import catalog_pb2
from tests.support.arena.api.ladders import OPEN, WAITING, create
from tests.support.arena.standing import Arena
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, arena_on, gateway, hosting, trusting_gateway


@pytest.fixture
def hosted() -> Iterator[Service]:
    with hosting() as running:
        yield running


@pytest.fixture
def arena(hosted: Service) -> Iterator[Arena]:
    with arena_on(hosted) as running:
        yield running


def status(web: Gateway) -> Any:
    answer = web.http.get("/status.json")
    assert answer.status_code == 200, answer.text
    return answer.json()


def wait_for(web: Gateway, server: str, state: str) -> Any:
    """Waits until the gateway has seen a server in a state. Returns what it then says of the server."""

    def presence() -> Any:
        found = status(web)[server]
        return found if found["state"] == state else None

    return wait_until(presence, f"{server} is {state}")


def test_it_is_told_since_when_a_server_is_away_and_back_again(hosted: Service, arena: Arena) -> None:
    with trusting_gateway(hosted, arena) as web:
        wait_for(web, "service", "there")
        first_seen = wait_for(web, "arena", "there")
        wait_until(lambda: status(web)["ladders"] == [], "the ladders are read")
        arena.stop()
        away = wait_for(web, "arena", "away")
        assert (away["sinceAtLeast"], away["since"] >= first_seen["since"]) == (False, True)
        assert status(web)["ladders"] is None
        hosted.terminate()
        wait_for(web, "service", "away")
        hosted.start()
        assert not wait_for(web, "service", "there")["sinceAtLeast"]


def test_maintenance_is_told_while_the_service_is_away_too(hosted: Service) -> None:
    with gateway(hosted.folder, hosted.address) as web, Client(hosted.address, hosted.token) as organiser:
        assert status(web)["arena"] is None
        request = catalog_pb2.BeginMaintenanceRequest(text="New disks")
        request.begin_time.FromDatetime(datetime.now(UTC) + timedelta(days=1))
        request.duration.FromTimedelta(timedelta(hours=1))
        organiser.catalog.BeginMaintenance(request, timeout=PATIENCE)
        wait_until(lambda: status(web)["maintenance"] is not None, "the maintenance is read")
        hosted.terminate()
        wait_for(web, "service", "away")
        announced = status(web)["maintenance"]
        begin, end = (datetime.fromisoformat(announced[name]) for name in ("beginTime", "endTime"))
        assert announced["text"] == "New disks"
        assert end - begin == timedelta(hours=1)


def test_before_anything_answers_all_is_away_and_nothing_is_known() -> None:
    with short_folder() as folder, gateway(folder, "127.0.0.1:1", "127.0.0.1:1") as web:
        presences = [wait_for(web, server, "away") for server in ("service", "arena")]
        answer = status(web)
    assert [presence["sinceAtLeast"] for presence in presences] == [True, True], "it was so at the first look"
    assert (answer["maintenance"], answer["ladders"], answer["matchesCounted"], answer["lastResultTime"]) == (None,) * 4


def test_ladders_are_told_with_what_they_wait_for_and_without_where_they_are_played(
    hosted: Service, arena: Arena
) -> None:
    empty = OPEN.partition("[[bots]]")[0]
    create(arena, empty.format(name="empty", narrow=60))
    create(arena, 'queue = "organiser"\n' + empty.format(name="hidden", narrow=60))
    create(arena, WAITING.format(name="later", narrow=60))
    with trusting_gateway(hosted, arena) as web:

        def with_reason() -> Any:
            ladders = {ladder["name"]: ladder for ladder in status(web)["ladders"] or []}
            cause = ladders.get("empty", {}).get("idleReason", {}).get("cause")
            return ladders if cause == "IDLE_CAUSE_NOBODY_ENTERED" else None

        ladders = wait_until(with_reason, "the ladder's reason is read")
        text = web.http.get("/status.json").text
    assert (ladders["hidden"]["state"], "idleReason" in ladders["hidden"]) == ("playing", False)
    assert (ladders["later"]["state"], ladders["later"]["matchesPlaying"]) == ("waiting", 0)
    for secret in (hosted.token, hosted.address, arena.address, str(arena.folder)):
        assert secret not in text
