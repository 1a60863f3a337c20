"""How a Redis is set up, looked at when a service starts and each hour: what loses data, and what mends it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest

from fudaba_service.cli import serve
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.sessions import host as hosting
from fudaba_service.sessions.host import Host
from fudaba_service.store import Store, WrongSettings, tell
from fudaba_serving.redis.server_settings import RISKS
from soak.chaos.clocks import Clock, compile_shim
from tests.support.patience import until
from tests.support.service.processes import Process, RedisServer, Service, free_port
from tests.support.service.scraping import scrape
from tests.support.service.stores import emptied, opened


@pytest.fixture
async def store(server: RedisServer) -> AsyncIterator[Store]:
    """Yields an empty store."""
    async with emptied(server) as opened_store:
        yield opened_store


BEHIND = pytest.mark.nightly("the same with a machine whose clock is ahead of its Redis")


async def test_a_server_that_is_set_up_as_documented_has_nothing_said_of_it(store: Store) -> None:
    assert await store.examine() == []


@pytest.mark.parametrize(
    ("settings", "name", "mends", "loses"),
    [
        ({"maxmemory-policy": "allkeys-lru"}, "maxmemory-policy", "CONFIG SET maxmemory-policy noeviction", False),
        (
            {"maxmemory-policy": "allkeys-lfu", "maxmemory": "1gb"},
            "maxmemory-policy",
            "CONFIG SET maxmemory-policy noeviction",
            True,
        ),
        (  # it removes only what would go by itself, and managed servers often have it
            {"maxmemory-policy": "volatile-lru", "maxmemory": "1gb"},
            "maxmemory-policy",
            "CONFIG SET maxmemory-policy noeviction",
            False,
        ),
        ({"appendonly": "no"}, "appendonly", "CONFIG SET appendonly yes", False),
        ({"appendfsync": "no"}, "appendfsync", "CONFIG SET appendfsync everysec", False),
    ],
)
async def test_a_setting_that_can_lose_data_is_told_with_the_command_that_mends_it(
    server: RedisServer, store: Store, settings: dict[str, str], name: str, mends: str, loses: bool
) -> None:
    with server.client() as client:
        before = {setting: client.config_get(setting)[setting] for setting in settings}
        for setting, value in settings.items():
            client.config_set(setting, value)
        try:
            [found] = await store.examine()
            assert (found.name, found.loses) == (name, loses)
            assert mends in found.text
            if loses:
                with pytest.raises(WrongSettings, match=f"--accept-risk {name}"):
                    tell([found], ())
            tell([found], (name,))
            command = found.text.partition("`redis-cli ")[2].partition("`")[0]
            view: Any = client
            view.execute_command(*command.split(" "))
            assert await store.examine() == []
        finally:
            for setting, was in before.items():
                client.config_set(setting, str(was))


async def test_a_server_that_does_not_tell_its_settings_is_used_and_that_is_told(server: RedisServer) -> None:
    with server.client() as client:
        client.acl_setuser(
            "service", enabled=True, passwords=["+secret"], keys=["*"], channels=["*"], commands=["+@all", "-config"]
        )
    async with opened(server.url.replace("redis://", "redis://service:secret@")) as store:
        [found] = await store.examine()
        assert (found.name, found.loses) == ("CONFIG", False)
        assert "appendfsync" in found.text


async def test_a_replica_is_refused_and_its_master_named(folder: Path, redis: RedisServer) -> None:
    place = folder / "replica"
    place.mkdir()
    with RedisServer(place, "--replicaof", "127.0.0.1", str(redis.port), name="replica") as replica:
        replica.start()
        with replica.client() as client:
            client.config_set("replica-read-only", "no")  # else it refuses by itself
        said = await asyncio.to_thread(Service(folder, "--redis", replica.url).refuses_to_start)
        assert f"a replica of 127.0.0.1:{redis.port}" in said
        assert "name its master" in said


async def test_a_redis_that_removes_data_is_refused_unless_that_is_accepted_by_name(
    folder: Path, redis: RedisServer
) -> None:
    with redis.client() as client:
        client.config_set("maxmemory", "1gb")
        client.config_set("maxmemory-policy", "allkeys-lru")
    with Service(folder, "--redis", redis.url) as service:
        said = await asyncio.to_thread(service.refuses_to_start)
        assert "CONFIG SET maxmemory-policy noeviction" in said
        assert "--accept-risk maxmemory-policy" in said
        await asyncio.to_thread(service.start, "--accept-risk", "maxmemory-policy")
        assert "allkeys-lru" in service.log
        assert service.terminate() == 0, service.log


@pytest.mark.parametrize("offset", [3600, pytest.param(-3600, marks=BEHIND)])
@pytest.mark.exhaustive
async def test_a_service_whose_clock_is_not_that_of_its_redis_is_refused_unless_that_is_accepted(
    folder: Path, redis: RedisServer, need_tool: Callable[[str], Path], offset: int
) -> None:
    need_tool("gcc")
    clock = Clock(folder / "offset", compile_shim(folder))
    clock.set(offset)
    port = free_port()
    with Service(folder, "--redis", redis.url, "--metrics", f"127.0.0.1:{port}") as service:
        service.metrics_port = port
        service.try_start(environment=clock.environment)
        assert await asyncio.to_thread(service.wait) == 1
        direction = "behind" if offset > 0 else "ahead of"
        assert re.search(rf"its clock is 3[56]\d\d s {direction} this machine's", service.log), service.log
        assert "at most 10 s are allowed" in service.log
        assert "start with --accept-risk time" in service.log
        await asyncio.to_thread(partial(service.start, "--accept-risk", "time", environment=clock.environment))
        samples = await scrape(service)
        while not samples["fudaba_clock_ahead_seconds"]:  # it has not looked yet
            samples = await scrape(service)
        assert samples["fudaba_clock_ahead_seconds"] == pytest.approx(offset, abs=60)
        assert service.terminate() == 0, service.log


async def test_a_redis_cluster_is_refused_in_one_sentence(folder: Path) -> None:
    with RedisServer(folder, "--cluster-enabled", "yes") as cluster:
        cluster.start()
        with Service(folder, "--redis", cluster.url) as service:
            said = await asyncio.to_thread(service.refuses_to_start)
    assert said.startswith("error: this is a Redis Cluster, which Fudaba does not support")
    assert said.count("\n") == 1


async def test_a_url_with_tls_that_leads_to_a_port_without_says_so(folder: Path, redis: RedisServer) -> None:
    url = redis.url.replace("redis://", "rediss://")
    said = await asyncio.to_thread(Service(folder, "--redis", url).refuses_to_start)
    assert "talks without TLS there: write redis:// instead of rediss://" in said


async def test_a_sentinel_is_told_from_a_store(folder: Path, redis: RedisServer) -> None:
    settings = folder / "sentinel.conf"
    settings.write_text(f"sentinel monitor fudaba 127.0.0.1 {redis.port} 1\n")
    port = free_port()
    with Process(folder, "sentinel") as sentinel:
        sentinel.launch([str(redis.executable), str(settings), "--sentinel", "--port", str(port)])
        await until(lambda: "Sentinel ID" in sentinel.log or not sentinel.running)
        said = await asyncio.to_thread(Service(folder, "--redis", f"redis://127.0.0.1:{port}").refuses_to_start)
    assert "a Sentinel, which keeps no data: write redis+sentinel://" in said


async def test_a_setting_that_is_changed_under_a_service_is_told_at_the_next_look(
    server: RedisServer, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, folder: Path
) -> None:
    monkeypatch.setattr(hosting, "_EXAMINING_SECONDS", 0.05)
    looking = asyncio.create_task(Host._examine_store(_Looks(store)))  # type: ignore[arg-type]  # all that it needs
    with server.client() as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        try:
            await until(lambda: "CONFIG SET maxmemory-policy noeviction" in caplog.text)
        finally:
            client.config_set("maxmemory-policy", "noeviction")
    looking.cancel()
    await asyncio.gather(looking, return_exceptions=True)


class _Looks:
    """Of a host, the store that it looks at."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.metrics = Metrics()


def test_every_risk_can_be_accepted_by_its_name() -> None:
    [option] = [option for option in serve.params if option.name == "accept_risk"]
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == RISKS
