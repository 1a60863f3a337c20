"""Backups: taken in the middle of matches, and restored elsewhere."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import zstandard

from fudaba.v1 import accounts_pb2, game_pb2, play_pb2, record_pb2
from fudaba_service.archive import Archive
from fudaba_service.backup.container import BackupContents, Header
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.patience import PATIENCE, until, wait_until
from tests.support.service.backups.commands import everything, fudaba
from tests.support.service.bots import Bot, by_chance, play_match
from tests.support.service.in_progress import started
from tests.support.service.journal import Journal
from tests.support.service.organiser import PATIENT, Entrant, Organiser, StoreView, kinds
from tests.support.service.players import shown
from tests.support.service.processes import FUDABA, RedisServer, Service
from tests.support.sizes import some

LONG = {"deals": game_pb2.OptionValue(number=4)}
UNLIMITED_MATCHES = 10**6
ACKNOWLEDGED = play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT, acknowledge=True)


def process(*arguments: object) -> str:
    """Returns what a command says, in a process of its own, while everything else goes on."""
    command = [str(FUDABA), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


class Crowd:
    """Pairs of bots with matches between them."""

    def __init__(self, organiser: Organiser) -> None:
        self._organiser = organiser
        self.pairs: list[tuple[Entrant, Entrant]] = []
        self.players: list[tuple[Bot, Bot]] = []
        self.matches: list[str] = []
        self.limit = 18
        """The number of decisions of a match that a bot answers: all are still going on when the backup is made and
        restored."""

    async def _choose(self, bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        await asyncio.sleep(0.03 if self.limit < UNLIMITED_MATCHES else 0)
        await until(lambda: len(journal.decisions) <= self.limit, "its turn")
        await by_chance(bot, journal, decision)

    async def gather(self, pairs: int, each: int) -> None:
        organiser = self._organiser
        for number in range(pairs):
            pair = await organiser.entrant(), await organiser.entrant()
            self.pairs.append(pair)
            bot, other = (
                Bot(organiser.address, e.token, self._choose, delivery=ACKNOWLEDGED, chance=number) for e in pair
            )
            self.players.append((bot, other))
            self.matches += [await organiser.match(*pair, clock=PATIENT, options=LONG) for _ in range(each)]
        self.each = each

    def play(self) -> asyncio.Future[list[None]]:
        """Plays all of it; the bots connect again for as long as it takes."""
        return asyncio.gather(*[play_match(*pair, matches=self.each) for pair in self.players])

    @property
    def decided(self) -> int:
        return sum(len(j.decisions) for pair in self.players for bot in pair for j in bot.journals.values())

    @property
    def over(self) -> int:
        return sum(j.over is not None for pair in self.players for bot in pair for j in bot.journals.values())


@pytest.mark.exhaustive
@pytest.mark.parametrize("external", [False, True], ids=["embedded", "redis"])
async def test_a_backup_in_the_middle_of_many_matches_is_restored_elsewhere_and_all_of_them_come_to_their_end(
    folder: Path, request: pytest.FixtureRequest, external: bool
) -> None:
    file = folder / "backup.tar.zst"
    redis: RedisServer | None = request.getfixturevalue("redis") if external else None
    named = ["--redis", redis.url] if redis is not None else []
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser:
            early = await organiser.entrant(), await organiser.entrant()
            done = [await organiser.match(*early) for _ in range(5)]
            hidden = await organiser.match(*early, hidden=True, match_id="kept-back")
            identity = await service_id(organiser)
            await play_match(*organiser.by_chance(*early), matches=6)
            records = {match_id: await organiser.record(match_id) for match_id in [*done, hidden]}
            store = StoreView(f"unix://{service.data}/store/valkey.sock" if redis is None else redis.url)
            for match_id in records:
                await store.forgets(match_id)
            store.client.close()

            crowd = Crowd(organiser)
            await crowd.gather(some(5, least=2), some(10, least=3))
            live = len(crowd.matches)
            playing = crowd.play()
            await until(lambda: crowd.decided > 6 * live or playing.done(), "the middle of the matches")
            said = await asyncio.to_thread(process, "backup", file, "--data", service.data, *named)
            assert f"{live} live matches, 6 records" in said
            assert "verified" in said
            # The bots go on, and so know more than the backup.
            then, crowd.limit = crowd.decided, 26  # each seat has 28 decisions at least
            await until(lambda: crowd.decided > then + 2 * live or playing.done(), "more of the matches")
            assert crowd.over == 0
            service.kill()

        restored = folder / "restored"
        said = await asyncio.to_thread(process, "restore", file, "--data", restored)
        assert f"{live} live matches, 6 records" in said
        with Service(folder, name="restored", data=restored, listen=service.address) as second:
            await asyncio.to_thread(second.start)
            assert not second.token, "the organiser's token is the old one"
            async with Organiser(second.address, service.token) as organiser:
                for match_id, record in records.items():
                    assert await organiser.record(match_id) == record
                assert (await organiser.get(hidden)).hidden
                assert await service_id(organiser) == identity
                crowd.limit = UNLIMITED_MATCHES
                await playing
                for match_id in crowd.matches:
                    check_match(match_id, await organiser.record(match_id), crowd)
            assert any(j.rewinds for pair in crowd.players for bot in pair for j in bot.journals.values())
            archive = Archive(restored / "archive")
            await until(lambda: all(archive.path(m).is_file() for m in crowd.matches), "every record in the archive")
            assert "Traceback" not in second.log


async def service_id(organiser: Organiser) -> str:
    identity = await organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=organiser.metadata)
    return str(identity.service_id)


def check_match(match_id: str, record: record_pb2.MatchRecord, crowd: Crowd) -> None:
    """It was played to its end, nobody's time ran out, and each seat knows exactly what the record says."""
    assert set(kinds(record)) == {"ready", "move"}
    [pair] = [pair for pair in crowd.players if match_id in pair[0].journals]
    for bot in pair:
        journal = bot.journals[match_id]
        assert journal.over == record.end
        assert journal.events == shown(record, journal.seat)
        moves = [e.decision_id for e in record.log if e.seat == journal.seat and e.HasField("move")]
        assert len(moves) == len(set(moves))
        assert set(journal.accepted) <= set(moves)


def test_a_backup_has_every_file_of_the_folder_but_what_belongs_to_a_run(folder: Path, data: Path, file: Path) -> None:
    before = everything(data)
    fudaba("restore", file, "--data", folder / "new")
    after = everything(folder / "new")
    of_a_run = {"store/appendonly.length", "store/lock", "store/valkey.log"}
    made_anew = {"archive/ab/.m-3.half", "programs/ab/bot.py", *of_a_run}
    assert set(before) - set(after) == made_anew
    assert all(before[name] == content for name, content in after.items() if not name.startswith("store/"))
    assert (folder / "new" / "fudaba.toml").stat().st_mode & 0o777 == 0o640
    assert (folder / "new" / "archive/ab/m-1.fudaba").stat().st_mtime == 1_600_000_000
    with EmbeddedValkey(folder / "new" / "store") as server:
        view = StoreView(server.url)
        assert view.client.get("fudaba-arena:{spring}:tournament") == b"kept"
        view.client.close()


def test_a_backup_can_be_read_by_its_owner_only_and_leaves_nothing_else(folder: Path, file: Path) -> None:
    assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["backup.tar.zst", "data"]


def test_standard_tools_read_and_check_a_backup(folder: Path, file: Path, need_tool: Callable[[str], Path]) -> None:
    plain = folder / "plain"
    plain.mkdir()
    with file.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as stream:
        (folder / "backup.tar").write_bytes(stream.read())
    subprocess.run([need_tool("tar"), "-xf", folder / "backup.tar", "-C", plain], check=True, timeout=PATIENCE)
    subprocess.run([need_tool("sha256sum"), "--quiet", "-c", "SHA256SUMS"], cwd=plain, check=True, timeout=PATIENCE)
    assert json.loads((plain / "backup.json").read_text())["store"] == "embedded"


def test_records_are_counted_in_the_folder_of_a_service_and_of_all_parts() -> None:
    header = Header("now", "1", "embedded", 0)
    for folder, records in (("archive", 1), ("service/archive", 1), ("arena/logs", 0)):
        paths = f"{folder}/ab/m.fudaba", f"{folder}/ab/m.notes"
        assert BackupContents(header, dict.fromkeys(map(PurePosixPath, paths), "")).records == records


def test_json_tells_what_is_in_a_backup(file: Path) -> None:
    report = json.loads(fudaba("restore", file, "--check", "--json"))
    assert report["path"] == str(file)
    assert report["records"] == 2
    assert report["files"] == 6
    assert report["store"] == "embedded"


def test_a_record_that_is_newer_than_the_store_is_left_out(folder: Path, data: Path) -> None:
    # Nothing is known of its match; it may have been kept back.
    (data / "archive" / "ab" / "m-9.fudaba").write_bytes(b"new")
    # With `everysec` the server may hold back for two seconds what it has acknowledged.
    with EmbeddedValkey(data / "store", appendfsync="always") as server:
        view = StoreView(server.url)
        view.client.set("fudaba:{03}:gone:m-8", 1, ex=3600)
        view.client.zadd("fudaba:{04}:live", {"m-2": 1})
        view.client.close()
        # This one left the store before the backup; m-2 goes on in it, so its record is of another future.
        (data / "archive" / "ab" / "m-8.fudaba").write_bytes(b"over")
        output = fudaba("backup", folder / "b", "--data", data)
    assert "1 live match, 2 records" in output
    fudaba("restore", folder / "b", "--data", folder / "new")
    found = sorted(path.name for path in (folder / "new" / "archive").rglob("*.fudaba"))
    assert found == ["m-1.fudaba", "m-8.fudaba"]


def rewriting(view: StoreView) -> bool:
    """Returns whether a store replaces its files, or is about to."""
    state: Any = view.client.info("persistence")
    return bool(state["aof_rewrite_in_progress"] or state["aof_rewrite_scheduled"])


@pytest.mark.exhaustive
def test_the_store_of_an_arena_is_backed_up_while_it_is_written_and_rewritten(folder: Path) -> None:
    home = folder / "arena"
    (home / "logs").mkdir(parents=True)
    (home / "logs" / "a.log").write_text("said\n")
    (home / "id").write_text("0123\n")
    (home / "store.url").write_text("unix:///somewhere\n")
    with EmbeddedValkey(home / "store", appendfsync="always") as server:
        view = StoreView(server.url)
        seen = []
        for number in range(4):
            for entry in range(300):
                view.client.rpush("results", f"{number}-{entry}")
            # The server replaces its files now, for the next time.
            wait_until(lambda: not rewriting(view), "the end of the replacement before")
            view.client.bgrewriteaof()
            fudaba("backup", folder / f"{number}", "--data", home)
            seen.append(view.client.llen("results"))
        view.client.close()
    for number, length in enumerate(seen):
        fudaba("restore", folder / f"{number}", "--data", folder / f"new-{number}")
        assert not (folder / f"new-{number}" / "store.url").exists()
        assert (folder / f"new-{number}" / "id").read_text() == "0123\n"
        with EmbeddedValkey(folder / f"new-{number}" / "store") as server:
            view = StoreView(server.url)
            assert view.client.llen("results") == length
            view.client.close()


@pytest.mark.exhaustive
async def test_without_the_store_the_archive_is_backed_up_and_it_says_what_is_not(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser:
            pair = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(*pair)
            await play_match(*organiser.by_chance(*pair))
            record = await organiser.record(match_id)
            await until(lambda: Archive(service.data / "archive").path(match_id).is_file(), "the record")
            words = "--data", service.data, "--redis", redis.url, "--without-store"
            said = await asyncio.to_thread(process, "backup", folder / "b", *words)
            assert "1 record," in said
            assert "The store is not in it" in said
        service.kill()
        said = await asyncio.to_thread(process, "restore", folder / "b", "--data", folder / "new")
        assert "restore the Redis that belongs to this backup" in said
        with Service(folder, "--redis", redis.url, name="second", data=folder / "new") as second:
            await asyncio.to_thread(second.start)
            async with Organiser(second.address, service.token) as organiser:
                assert await organiser.record(match_id) == record
