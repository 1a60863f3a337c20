"""The folders and files of the service, as `fudaba data check` recognises and reads them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import redis
from google.protobuf.message import DecodeError

from fudaba import records
from fudaba.refusals import Refused
from fudaba.v1 import accounts_pb2, bots_pb2, record_pb2
from fudaba_games.game import GameError
from fudaba_games.registry import game as rules_of
from fudaba_service.accounts.owner import Owner
from fudaba_service.archive import INDEX
from fudaba_service.archive.months import FORMAT_NUMBER
from fudaba_service.backup.container import FORMAT_NUMBER as BACKUP_FORMAT
from fudaba_service.backup.container import BackupError, OtherFormatError
from fudaba_service.backup.encryption import EncryptedError, is_encrypted
from fudaba_service.backup.names import ENCRYPTED_SUFFIX
from fudaba_service.backup.reading import read
from fudaba_service.sessions.open_matches import OpenMatch
from fudaba_service.store import keys
from fudaba_serving.commands.folder_findings import (
    STORE,
    FolderFindings,
    FolderKind,
    StoredForm,
    Verdict,
    is_empty,
    loaded_store,
)

__all__ = ["ARCHIVE", "BACKUP", "SERVICE_DATA"]

_ARCHIVE: Final = "archive"
_IDENTITY: Final = "archive-id"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
"""The first bytes of a file that zstd has compressed."""
_SQLITE: Final = b"SQLite format 3\0"
_VERSION_BYTES: Final = slice(60, 64)
"""The place of `user_version` in the header of an SQLite file, which is read without SQLite, as that would lock it."""
_READS: Final = "1"
"""The form of values in JSON that this release reads."""
_MAX_LISTED: Final = 10
"""The number of damaged values of a kind that are named."""
_LATER: Final = "use the release that has written it, or a later one; or restore a backup"
_RESTORE: Final = "restore a backup"


def _is_archive(path: Path) -> bool:
    return (path / _IDENTITY).is_file()


def _is_service(path: Path) -> bool:
    archive = path / _ARCHIVE
    return _is_archive(archive) or (archive / INDEX).is_dir()


def _is_backup(path: Path) -> bool:
    if not path.is_file() or not path.name.endswith((".tar.zst", f".tar.zst{ENCRYPTED_SUFFIX}")):
        return False
    if path.name.endswith(ENCRYPTED_SUFFIX):
        return is_encrypted(path) or not path.stat().st_size
    with path.open("rb") as file:
        return file.read(len(_ZSTD)) == _ZSTD or not path.stat().st_size


def _look_at_service(path: Path, found: FolderFindings, load: bool) -> None:
    store = path / STORE
    if store.is_dir():
        found.note_lock(store)
        with loaded_store(store, found, load=load) as url:
            if url is not None:
                with closing(redis.Redis.from_url(url, socket_timeout=30)) as client:
                    found.forms += _values(client)
    else:
        text = "it is not in this folder: the service uses a Redis of its own, which `fudaba doctor` examines"
        found.forms.append(StoredForm("store", "", Verdict.YES, text=text))
    if (path / _ARCHIVE).is_dir():
        _look_at_archive(path / _ARCHIVE, found, load)


def _values(client: redis.Redis) -> Iterator[StoredForm]:
    for stored, name, read_value in (
        ("tokens", keys.TOKENS, lambda raw: Owner.unpack(raw, "")),
        ("matches with open seats", keys.OPEN, OpenMatch.unpack),
        ("bots", keys.BOTS, bots_pb2.Bot.FromString),
        ("accounts", keys.ACCOUNTS, accounts_pb2.Account.FromString),
    ):
        yield from _read_all(stored, name, client.hscan_iter(name), read_value)
    yield from _live_matches(client)


def _read_all(
    stored: str, place: str, rows: Iterable[tuple[bytes, bytes]], read_value: Callable[[bytes], Any]
) -> Iterator[StoredForm]:
    """Reads each value of a kind as the service does, and yields those that it would refuse."""
    refused, counts = 0, Counter[str]()
    for field, raw in rows:
        form = _form_of(raw)
        counts[form] += 1
        try:
            read_value(raw)
        except (Refused, DecodeError) as error:
            refused += 1
            higher = form not in {"", "list", _READS}
            if refused <= _MAX_LISTED:
                yield StoredForm(
                    stored, f"{place} {field.decode(errors='replace')}", Verdict.NO if higher else Verdict.DAMAGED,
                    form, _READS, text=str(error), remedy=_LATER if higher else _RESTORE,
                )  # fmt: skip
    text = f"{refused} of them cannot be read" if refused > _MAX_LISTED else ""
    verdict = Verdict.DAMAGED if text else Verdict.YES
    yield StoredForm(stored, place, verdict, ", ".join(sorted(counts)), _READS, counts.total(), text)


def _form_of(raw: bytes) -> str:
    """Returns the form of a JSON value; empty for another value, such as a message, which has none."""
    try:
        values = json.loads(raw)
    except ValueError:
        return ""
    return str(values.get("form", 1)) if isinstance(values, dict) else "list"


def _live_matches(client: redis.Redis) -> Iterator[StoredForm]:
    """Yields the rules of live matches by version. A match under other rules than this release's ends without a
    result.
    """
    rules: Counter[tuple[str, int]] = Counter()
    for bucket in range(keys.BUCKETS_COUNT):
        live: Any = client.zrange(keys.live(bucket), 0, -1)
        for match_id in live:
            meta = keys.match_keys(match_id.decode()).meta
            raw: Any = client.hget(meta, "header")
            if raw is None:  # it ended meanwhile
                continue
            try:
                header = record_pb2.MatchHeader.FromString(raw)
                rules[header.game, header.rules_version] += 1
            except DecodeError as error:
                yield StoredForm("live matches", meta, Verdict.DAMAGED, text=str(error), remedy=_RESTORE)
    for (game, version), count in sorted(rules.items()):
        here = _rules_version(game)
        same = here == version
        text = "" if same else "they are played by other rules than this release has, and end without a result"
        yield StoredForm(
            f"live matches of {game}", "store", Verdict.YES if same else Verdict.MIGRATES, str(version), str(here),
            count, text, "" if same else "let them end first under the release that began them, if they matter",
        )  # fmt: skip


def _rules_version(game: str) -> int:
    try:
        return rules_of(game).rules_version
    except GameError:  # a game that this release does not have
        return 0


def _look_at_archive(path: Path, found: FolderFindings, _load: bool) -> None:
    identity = path / _IDENTITY
    if identity.is_file() and not is_empty(identity, found, "archive's id"):
        found.forms.append(StoredForm("archive's id", str(identity), Verdict.YES))
    count = 0
    for record in path.glob(f"??/*{records.SUFFIX}"):
        count += 1
        if is_empty(record, found, "record", "remove it if no backup has it: its match is lost"):
            continue
        with record.open("rb") as file:
            if file.read(len(_ZSTD)) != _ZSTD:
                text = "it is not a record: its first bytes are not those of a compressed file"
                found.forms.append(StoredForm("record", str(record), Verdict.DAMAGED, text=text, remedy=_RESTORE))
    text = "their first bytes were looked at; `fudaba record verify` checks one whole" if count else ""
    found.forms.append(StoredForm("records", str(path), Verdict.YES, "1", "1", count, text))
    for month in sorted((path / INDEX).glob("**/*.sqlite")):
        found.forms.append(_index_file(month))


def _index_file(path: Path) -> StoredForm:
    """Returns the form of a file of the index, which the service rebuilds from the records if it cannot use it."""
    rebuilt = "the service sets it aside at its start, and rebuilds it from the records"
    reads = str(FORMAT_NUMBER)
    with path.open("rb") as file:
        head = file.read(_VERSION_BYTES.stop)
    if len(head) < _VERSION_BYTES.stop or not head.startswith(_SQLITE):
        text = "it is empty" if not head else "it is not a file of SQLite"
        return StoredForm("archive's index", str(path), Verdict.DAMAGED, "", reads, text=text, remedy=rebuilt)
    version = int.from_bytes(head[_VERSION_BYTES], "big")
    same = version in {0, FORMAT_NUMBER}
    verdict = Verdict.YES if same else Verdict.MIGRATES
    return StoredForm("archive's index", str(path), verdict, str(version), reads, text="" if same else rebuilt)


def _look_at_backup(path: Path, found: FolderFindings, _load: bool) -> None:
    reads = str(BACKUP_FORMAT)
    try:
        contents = read(path)
    except OtherFormatError as error:
        found.release = error.release
        remedy = f"restore it with {error.release}" if error.release else "restore it with the release that made it"
        found.forms.append(
            StoredForm("backup", str(path), Verdict.NO, str(error.number), reads, text=str(error), remedy=remedy)
        )
    except EncryptedError as error:
        remedy = f"`fudaba restore {path} --check --identity FILE` verifies it"
        found.forms.append(
            StoredForm("encrypted backup", str(path), Verdict.NO, "", reads, text=str(error), remedy=remedy)
        )
    except BackupError as error:
        found.forms.append(
            StoredForm("backup", str(path), Verdict.DAMAGED, "", reads, text=str(error), remedy="take another backup")
        )
    else:
        header = contents.header
        found.release = header.release
        text = f"of {header.created}, {'without' if header.store == 'external' else 'with'} a store; verified"
        found.forms.append(
            StoredForm("backup", str(path), Verdict.YES, str(header.format), reads, len(contents.files), text)
        )


SERVICE_DATA: Final = FolderKind("a service's data", _is_service, _look_at_service)
ARCHIVE: Final = FolderKind("an archive of matches", _is_archive, _look_at_archive)
BACKUP: Final = FolderKind("a backup", _is_backup, _look_at_backup)
