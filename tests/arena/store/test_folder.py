"""An arena's data folder."""

from __future__ import annotations

import asyncio
import errno
import logging
import shutil
from pathlib import Path
from typing import Any, cast, final

import click
import pytest

from fudaba_arena.commands.cli import arena
from fudaba_arena.errors import ArenaError
from fudaba_arena.store import data_folder
from fudaba_arena.store.data_folder import DataFolder, open_to_play, open_to_read, watch_settings
from fudaba_serving.process.tasks import cancel
from fudaba_serving.redis.server_settings import RISKS
from tests.support.folders import short_folder
from tests.support.patience import until
from tests.support.service.processes import RedisServer
from tests.support.serving.valkey import check_ended_if_given_up_while_it_starts


async def owner(folder: Path) -> str:
    async with open_to_play(folder, None, print) as home:
        return home.owner


async def test_an_arena_stays_who_it_is_and_a_copy_of_its_folder_is_another_one() -> None:
    with short_folder() as place:
        first = await owner(place / "one")
        assert await owner(place / "one") == first
        shutil.copytree(place / "one", place / "two")
        assert await owner(place / "two") != first
        (place / "one").rename(place / "moved")
        assert await owner(place / "moved") == first


async def test_a_url_with_tls_that_leads_to_a_port_without_says_so() -> None:
    with short_folder() as place, RedisServer(place) as redis:
        url = redis.start().url.replace("redis://", "rediss://")
        with pytest.raises(ArenaError, match=r"talks without TLS there: write redis:// instead of rediss://$"):
            async with open_to_play(place / "data", url, print):
                pass


async def test_an_arena_whose_id_was_lost_gets_another_and_says_so() -> None:
    with short_folder() as place, RedisServer(place) as redis:
        url = redis.start().url
        async with open_to_play(place / "data", url, print) as home:
            first = home.owner
        said: list[str] = []
        (place / "data" / "id").write_bytes(b"")
        async with open_to_play(place / "data", url, said.append) as home:
            assert home.owner.partition("-")[0] not in {"", first.partition("-")[0]}
        assert [line for line in said if "id is empty: this arena gets another id" in line]


async def test_of_a_store_that_is_being_started_when_its_user_gives_up_nothing_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with short_folder() as place:
        await check_ended_if_given_up_while_it_starts(open_to_play(place / "data", None, print), monkeypatch)


@pytest.mark.parametrize("damage", ["empty", "gone"])
async def test_who_reads_a_folder_in_use_that_does_not_say_where_its_store_is_is_told(damage: str) -> None:
    with short_folder() as place:
        async with open_to_play(place / "data", None, print):
            note = place / "data" / "store.url"
            assert note.stat().st_mode & 0o777 == 0o600
            note.write_bytes(b"") if damage == "empty" else note.unlink()
            with pytest.raises(ArenaError, match=r"store.url, .* is missing or empty.* give the URL with --redis"):
                async with open_to_read(place / "data", None):
                    pass


async def test_a_copy_of_a_folder_in_use_is_read_but_does_not_play_beside_its_original() -> None:
    with short_folder() as place:
        async with open_to_play(place / "one", None, print):
            shutil.copytree(place / "one", place / "two", ignore=shutil.ignore_patterns("*.sock"))
            with pytest.raises(ArenaError, match=r"two is a copy of /.*/one, which is in use by process "):
                async with open_to_play(place / "two", None, print):
                    pass
            async with open_to_read(place / "two", None) as store:
                assert await store.arenas.all()  # what the original has said of itself
        said: list[str] = []
        async with open_to_play(place / "two", None, said.append):
            assert [line for line in said if "two is a copy of" in line and "never start an arena there again" in line]


async def test_a_copy_of_a_folder_in_use_plays_beside_its_original_on_one_store_of_both() -> None:
    said: list[str] = []
    with short_folder() as place, RedisServer(place) as redis:
        url = redis.start().url
        async with open_to_play(place / "one", url, said.append) as first:
            shutil.copytree(place / "one", place / "two")
            async with open_to_play(place / "two", url, said.append) as other:
                assert set(await other.store.arenas.all()) == {first.owner, other.owner}
            with pytest.raises(ArenaError, match=r"two is a copy of /.*/one, which is in use by process "):
                async with open_to_play(place / "two", None, said.append):
                    pass
        async with open_to_play(place / "two", url, said.append):
            pass
    assert said == []


def test_a_damaged_note_of_the_service_is_written_anew(tmp_path: Path) -> None:
    home = DataFolder(tmp_path, cast(Any, None), "")
    assert home.service == ""
    (tmp_path / "service.id").write_bytes(b"\xff\x00")
    assert home.service not in {"", "first"}, "the store had something"
    home.note_service("first")
    assert home.service == "first"


async def test_a_redis_that_removes_data_is_refused_unless_that_is_accepted_by_name() -> None:
    with short_folder() as place, RedisServer(place) as redis:
        url = redis.start().url
        with redis.client() as client:
            client.config_set("maxmemory-policy", "allkeys-lru")
            client.config_set("maxmemory", "1gb")
        with pytest.raises(ArenaError, match=r"noeviction.* start with --accept-risk maxmemory-policy"):
            async with open_to_play(place / "data", url, print, accepted=()):
                pass
        async with open_to_play(place / "data", url, print, accepted=("maxmemory-policy",)):
            pass


async def test_a_setting_of_a_redis_that_is_changed_under_an_arena_is_told_at_the_next_look(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(data_folder, "_EXAMINING_SECONDS", 0.01)
    with short_folder() as place, RedisServer(place) as redis:
        async with open_to_play(place / "data", redis.start().url, print, accepted=()) as home:
            assert not caplog.records
            with redis.client() as client:
                client.config_set("appendonly", "no")

            async def is_told() -> bool:
                return "CONFIG SET appendonly yes" in caplog.text

            watch = asyncio.create_task(watch_settings(home.store))
            with caplog.at_level(logging.WARNING):
                await until(is_told, "the next look tells")
            await cancel(watch)


@pytest.mark.parametrize("command", ["run", "serve"])
def test_what_an_arena_is_refused_for_can_be_accepted_by_its_name(command: str) -> None:
    [option] = [option for option in arena.commands[command].params if option.name == "accept_risk"]
    assert isinstance(option.type, click.Choice)
    assert set(option.type.choices) < set(RISKS)


async def test_a_store_that_died_is_started_again_although_a_try_found_no_file_descriptor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @final
    class Dead:
        """A server that died while this process has no descriptor left."""

        alive = False

        def __init__(self) -> None:
            self.tries = 0

        def restart(self) -> None:
            self.tries += 1
            if self.tries == 1:
                raise OSError(errno.EMFILE, "Too many open files")
            self.alive = True

        def note_length(self) -> None:
            pass

        async def ended(self, seconds: float) -> None:
            await asyncio.sleep(seconds / 1000)

    monkeypatch.setattr(data_folder, "_RESTART_SECONDS", 0.01)
    said: list[str] = []
    server = Dead()
    keeping = asyncio.create_task(data_folder._keep_alive(cast(Any, server), said.append))

    async def is_back() -> bool:
        return server.alive

    await until(is_back, "it is started again")
    keeping.cancel()
    await asyncio.wait([keeping])
    assert [line for line in said if "does not start: [Errno 24] Too many open files" in line]
