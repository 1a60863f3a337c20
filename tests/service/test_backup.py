"""Backups: taken in the middle of matches, restored elsewhere, and refused when anything is wrong with them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba.v1 import game_pb2, play_pb2, record_pb2
from fudaba.valkey import EmbeddedValkey
from fudaba_service.archive import Archive
from tests.patience import PATIENCE
from tests.service.bots import Bot, Journal, by_chance, play_match
from tests.service.in_progress import started
from tests.service.organiser import PATIENT, Entrant, Organiser, StoreView, kinds
from tests.service.processes import FUDABA, RedisServer, Service, until, wait_until
from tests.service.test_play import shown
from tests.sizes import some

LONG = {"deals": game_pb2.OptionValue(number=4)}
NO_LIMIT = 10**6
ACKNOWLEDGED = play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT, acknowledge=True)


def process(*arguments: object) -> str:
    """What a command says, in a process of its own, while everything else goes on."""
    command = [str(FUDABA), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def fudaba(*arguments: object, status: int = 0) -> str:
    """What a command says, all of it, once it has ended as it should."""
    result = CliRunner().invoke(cli, list(map(str, arguments)))
    assert result.exit_code == status, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.output


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class Crowd:
    """Pairs of bots with matches between them."""

    def __init__(self, organiser: Organiser) -> None:
        self._organiser = organiser
        self.pairs: list[tuple[Entrant, Entrant]] = []
        self.players: list[tuple[Bot, Bot]] = []
        self.matches: list[str] = []
        self.limit = 18
        """How many decisions of a match a bot answers: all are still going on when the backup is made and restored."""

    async def _choose(self, bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        await asyncio.sleep(0.03 if self.limit < NO_LIMIT else 0)
        await until(lambda: len(journal.decisions) <= self.limit, "its turn")
        await by_chance(bot, journal, decision)

    async def gather(self, pairs: int, each: int) -> None:
        organiser = self._organiser
        for number in range(pairs):
            pair = await organiser.entrant(), await organiser.entrant()
            self.pairs.append(pair)
            one, other = (
                Bot(organiser.address, e.token, self._choose, delivery=ACKNOWLEDGED, chance=number) for e in pair
            )
            self.players.append((one, other))
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


async def test_a_backup_in_the_middle_of_many_matches_is_restored_elsewhere_and_all_of_them_come_to_their_end(
    folder: Path,
) -> None:
    file = folder / "backup.tar.zst"
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            early = await organiser.entrant(), await organiser.entrant()
            done = [await organiser.match(*early) for _ in range(5)]
            hidden = await organiser.match(*early, hidden=True, match_id="kept-back")
            await play_match(*organiser.by_chance(*early), matches=6)
            records = {match_id: await organiser.record(match_id) for match_id in [*done, hidden]}
            store = StoreView(f"unix://{service.data}/store/valkey.sock")
            for match_id in records:
                await store.forgets(match_id)
            store.client.close()

            crowd = Crowd(organiser)
            await crowd.gather(5, some(10, least=3))
            live = len(crowd.matches)
            playing = crowd.play()
            await until(lambda: crowd.decided > 6 * live or playing.done(), "the middle of the matches")
            said = await asyncio.to_thread(process, "backup", file, "--data", service.data)
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
                crowd.limit = NO_LIMIT
                await playing
                for match_id in crowd.matches:
                    check_match(match_id, await organiser.record(match_id), crowd)
            assert any(j.rewinds for pair in crowd.players for bot in pair for j in bot.journals.values())
            archive = Archive(restored / "archive")
            await until(lambda: all(archive.path(m).is_file() for m in crowd.matches), "every record in the archive")
            assert "Traceback" not in second.log


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


@pytest.fixture
def data(folder: Path) -> Path:
    """A small data folder: a store that is stopped, two records, a file of its owner's."""
    place = folder / "data"
    archive = place / "archive" / "ab"
    archive.mkdir(parents=True)
    for name in ("m-1", "m-2"):
        (archive / f"{name}.fudaba").write_bytes(os.urandom(5000))
        os.utime(archive / f"{name}.fudaba", (1_600_000_000, 1_600_000_000))
    (archive / ".m-3.half").write_bytes(b"half")
    (place / "fudaba.toml").write_text("[serve]\n")
    (place / "fudaba.toml").chmod(0o640)
    with EmbeddedValkey(place / "store") as server:
        view = StoreView(server.url)
        view.client.set("fudaba-arena:{spring}:tournament", "kept")
        view.client.close()
    return place


@pytest.fixture
def file(folder: Path, data: Path) -> Path:
    """A backup of it."""
    place = folder / "backup.tar.zst"
    fudaba("backup", place, "--data", data)
    return place


def test_a_backup_has_every_file_of_the_folder_but_what_belongs_to_a_run(folder: Path, data: Path, file: Path) -> None:
    before = everything(data)
    fudaba("restore", file, "--data", folder / "new")
    after = everything(folder / "new")
    assert set(before) - set(after) == {"archive/ab/.m-3.half", "store/lock", "store/valkey.log"}
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


def test_json_tells_what_is_in_a_backup(file: Path) -> None:
    told = json.loads(fudaba("restore", file, "--check", "--json"))
    assert told["path"] == str(file)
    assert told["records"] == 2
    assert told["files"] == 6
    assert told["store"] == "embedded"


def test_a_record_that_is_newer_than_the_store_is_left_out(folder: Path, data: Path) -> None:
    # Nothing is known of its match; it may have been kept back.
    (data / "archive" / "ab" / "m-9.fudaba").write_bytes(b"new")
    with EmbeddedValkey(data / "store") as server:
        view = StoreView(server.url)
        view.client.set("fudaba:{03}:gone:m-8", 1, ex=3600)
        view.client.zadd("fudaba:{04}:live", {"m-2": 1})
        view.client.close()
        # This one left the store before the backup; m-2 goes on in it, so its record is of another future.
        (data / "archive" / "ab" / "m-8.fudaba").write_bytes(b"over")
        told = fudaba("backup", folder / "b", "--data", data)
    assert "1 live match, 2 records" in told
    fudaba("restore", folder / "b", "--data", folder / "new")
    found = sorted(path.name for path in (folder / "new" / "archive").rglob("*.fudaba"))
    assert found == ["m-1.fudaba", "m-8.fudaba"]


def rewriting(view: StoreView) -> bool:
    """Whether a store replaces its files, or is about to."""
    told: Any = view.client.info("persistence")
    return bool(told["aof_rewrite_in_progress"] or told["aof_rewrite_scheduled"])


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


async def test_with_a_redis_of_its_own_the_archive_is_backed_up_and_it_says_what_is_not(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser:
            pair = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(*pair)
            await play_match(*organiser.by_chance(*pair))
            record = await organiser.record(match_id)
            await until(lambda: Archive(service.data / "archive").path(match_id).is_file(), "the record")
            said = await asyncio.to_thread(
                process, "backup", folder / "b", "--data", service.data, "--redis", redis.url
            )
            assert "1 record," in said
            assert "The store is not in it" in said
            assert "redis-cli" in said
        service.kill()
        said = await asyncio.to_thread(process, "restore", folder / "b", "--data", folder / "new")
        assert "restore the Redis that belongs to this backup" in said
        with Service(folder, "--redis", redis.url, name="second", data=folder / "new") as second:
            await asyncio.to_thread(second.start)
            async with Organiser(second.address, service.token) as organiser:
                assert await organiser.record(match_id) == record


# --- what is refused, and changes nothing


def spoilt(folder: Path, file: Path, how: str) -> Path:
    """A file that is no good backup."""
    content = bytearray(file.read_bytes())
    place = folder / f"{how}.tar.zst"
    if how == "flipped":
        content[len(content) // 2] ^= 0x10
    elif how == "cut":
        del content[-200:]
    elif how == "empty":
        content.clear()
    elif how == "text":
        content = bytearray(b"This is a letter.\n" * 100)
    elif how == "record":
        content = bytearray(zstandard.compress(b"\x0a\x03m-1" * 50))
    place.write_bytes(content)
    return place


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("flipped", "is damaged"),
        ("cut", "or was cut short"),
        ("empty", "is not a backup"),
        ("text", "is not a backup"),
        ("record", "is not a backup"),
    ],
)
def test_what_is_no_whole_backup_is_refused_and_leaves_nothing(folder: Path, file: Path, how: str, words: str) -> None:
    bad = spoilt(folder, file, how)
    before = everything(folder)
    for arguments in (("--check",), ("--data", folder / "new")):
        said = fudaba("restore", bad, *arguments, status=1)
        assert str(bad) in said
        assert words in said or "is not complete" in said
        assert "empty file" not in said
    assert everything(folder) == before
    assert not (folder / "new").exists()


def repack(folder: Path, file: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """A backup with other files in it."""
    with zstandard.open(file, "rb") as stream, tarfile.open(mode="r|", fileobj=stream) as tar:
        files = {info.name: reader.read() for info in tar if (reader := tar.extractfile(info)) is not None}
    change(files)
    place = folder / "repacked.tar.zst"
    with zstandard.open(place, "wb") as stream, tarfile.open(mode="w|", fileobj=stream) as tar:
        for name, content in files.items():
            scratch = folder / "scratch"
            scratch.write_bytes(content)
            tar.add(scratch, name)
            scratch.unlink()
    return place


def change_a_record(files: dict[str, bytes]) -> None:
    files["data/archive/ab/m-1.fudaba"] = files["data/archive/ab/m-1.fudaba"][::-1]


def leave_one_out(files: dict[str, bytes]) -> None:
    del files["data/archive/ab/m-1.fudaba"]


def leave_the_sums_out(files: dict[str, bytes]) -> None:
    del files["SHA256SUMS"]


def spoil_the_sums(files: dict[str, bytes]) -> None:
    files["SHA256SUMS"] = b"no sums\n"


def climb_out(files: dict[str, bytes]) -> None:
    sums = files.pop("SHA256SUMS")
    files["data/../../escaped"] = b"!"
    files["SHA256SUMS"] = sums + f"{hashlib.sha256(b'!').hexdigest()}  data/../../escaped\n".encode()


def come_from_the_future(files: dict[str, bytes]) -> None:
    header = json.loads(files["backup.json"]) | {"format": 2, "release": "9.9"}
    files["backup.json"] = json.dumps(header).encode()


def garble_the_header(files: dict[str, bytes]) -> None:
    files["backup.json"] = b"[]"


def garble_the_store(files: dict[str, bytes]) -> None:
    name = "data/store/appendonlydir/appendonly.aof.1.incr.aof"
    files[name] = b"*1\r\n$9\r\nNONSENSE!\r\n" * 3
    lines = [line for line in files["SHA256SUMS"].decode().splitlines() if not line.endswith(name)]
    lines.append(f"{hashlib.sha256(files[name]).hexdigest()}  {name}")
    files["SHA256SUMS"] = "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (change_a_record, "the checksum of data/archive/ab/m-1.fudaba is wrong; take another backup"),
        (leave_one_out, "the checksum of data/archive/ab/m-1.fudaba is wrong"),
        (leave_the_sums_out, "is not complete: it ends before its checksums"),
        (spoil_the_sums, "its checksums cannot be read"),
        (climb_out, "'data/../../escaped' does not belong into one"),
        (come_from_the_future, "has format 2, and this release reads 1: use the release that made it (9.9)"),
        (garble_the_header, "its backup.json cannot be read"),
        (garble_the_store, "the copy of the store cannot be loaded"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_backup_that_was_changed_is_refused_and_leaves_nothing(
    folder: Path, file: Path, change: Callable[[dict[str, bytes]], None], words: str
) -> None:
    bad = repack(folder, file, change)
    before = everything(folder)
    assert words in fudaba("restore", bad, "--data", folder / "new", status=1)
    assert everything(folder) == before
    assert not (folder / "new").exists()


def test_a_folder_that_is_not_empty_or_in_use_is_not_restored_into(folder: Path, data: Path, file: Path) -> None:
    before = everything(data)
    assert "is not empty: it has archive" in fudaba("restore", file, "--data", data, status=1)
    (folder / "note").write_text("x")
    assert "is a file" in fudaba("restore", file, "--data", folder / "note", status=2)
    assert "is not a folder; create that first" in fudaba("restore", file, "--data", folder / "no" / "such", status=1)
    assert "with --data" in fudaba("restore", file, status=2)
    assert "there is no file" in fudaba("restore", folder / "nothing", "--data", folder / "new", status=1)
    assert everything(data) == before
    with EmbeddedValkey(data / "store"):
        assert "is in use by process" in fudaba("restore", file, "--data", data, status=1)
    shutil.rmtree(data)
    data.mkdir()
    (data / "lost+found").mkdir()
    fudaba("restore", file, "--data", data)
    assert sorted(path.name for path in data.iterdir()) == ["archive", "fudaba.toml", "lost+found", "store"]


def test_what_cannot_be_backed_up_is_told_and_nothing_is_made(folder: Path, data: Path, file: Path) -> None:
    before = everything(folder)
    assert f"{file} exists; name another file" in fudaba("backup", file, "--data", data, status=1)
    assert "there is no data folder" in fudaba("backup", folder / "b", "--data", folder / "no", status=1)
    assert "neither a store nor an archive" in fudaba("backup", folder / "b", "--data", data / "archive", status=1)
    assert "lies in the data folder" in fudaba("backup", data / "b", "--data", data, status=1)
    assert "is not a folder" in fudaba("backup", folder / "no" / "b", "--data", data, status=1)
    assert "--data" in fudaba("backup", folder / "b", status=2)
    assert everything(folder) == before
    manifest = data / "store" / "appendonlydir" / "appendonly.aof.manifest"
    manifest.write_text("file ../../id seq 1 type b\n")
    assert "list of the store's files cannot be read" in fudaba("backup", folder / "b", "--data", data, status=1)
    assert sorted(path.name for path in folder.iterdir()) == ["backup.tar.zst", "data"]
