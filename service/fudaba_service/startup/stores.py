"""Opens and checks the archive and the store of a service. The store is an embedded one or another server's."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from fudaba_service.archive import Archive
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.settings import Settings
from fudaba_service.store import EMPTY, Store, WrongSettings, tell
from fudaba_serving.grpc.binding import CannotStart
from fudaba_serving.process.background import restarted
from fudaba_serving.process.folder_lock import CopiedFolderError, FolderError, FolderLock
from fudaba_serving.process.tasks import cancel
from fudaba_serving.redis.sentinel import shown
from fudaba_serving.redis.valkey import NOTE_SECONDS, EmbeddedValkey, NoServerError, ServerFailedError
from fudaba_serving.storage.urls import BadPlace, FolderStorage, StorageUnavailable, UrlStorage, storage_at, what_helps

__all__ = ["OpenedStores", "open_stores"]

log = logging.getLogger(__name__)

_RESTART_SECONDS: Final = 1.0
_STORE: Final = "store"
"""The folder of the embedded server's data."""
_TO_BEGIN_ANEW: Final = f"To begin anew with an empty store and these records, start once with --accept-risk {EMPTY}"


@final
@dataclass(frozen=True, slots=True)
class OpenedStores:
    """The archive and the store, opened."""

    redis_url: str
    store: Store
    archive: Archive


async def open_stores(stack: AsyncExitStack, settings: Settings, metrics: Metrics, store_id: str = "") -> OpenedStores:
    """Opens archive and store, which are closed with the stack. Raises `CannotStart` and related errors.

    With a `store_id`, the store must have that id, which the other processes of this service use.
    """
    archive = _archive(settings)
    try:
        await FolderStorage(settings.data).prepare()
    except StorageUnavailable as error:
        raise CannotStart(f"{error}; {what_helps(error, '--data')}") from error
    try:
        await archive.prepare()
    except BadPlace as error:
        raise CannotStart(f"--archive: {error}") from error
    if settings.redis is not None and settings.archive is None and not store_id:
        await _know_copy(stack, settings.data)
    may_be_empty = EMPTY in settings.accept_risk or await archive.is_new()
    if settings.redis is None and not may_be_empty and not (settings.data / _STORE).exists():
        raise CannotStart(
            f"{settings.data / _STORE} is gone, and {archive.where} has the records of a store: put the folder back, "
            f"or restore a backup. {_TO_BEGIN_ANEW}"
        )
    url = settings.redis or await _embedded(stack, settings, metrics)
    try:
        store = Store(url, f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(8)}", metrics)
    except ValueError as error:
        raise CannotStart(f"{shown(url)} is not a URL of a Redis: {error}") from error
    stack.push_async_callback(store.close)
    server = shown(url)
    try:
        # The files of an embedded store show what it has lost.
        await store.connect(may_be_empty=may_be_empty or settings.redis is None, store_id=store_id)
    except WrongSettings as error:
        raise CannotStart(
            f"{server}: {error}, and {archive.where} has the records of a store: Redis has lost its data, or the URL "
            f"leads to another one. Start Redis with its own files, or restore a backup. {_TO_BEGIN_ANEW}"
        ) from error
    try:
        tell(await store.examine(), settings.accept_risk)
    except WrongSettings as error:
        raise CannotStart(f"{server}: {error}") from error
    await _check_archive(archive, store, private=settings.redis is None and settings.archive is None)
    return OpenedStores(url, store, archive)


def _archive(settings: Settings) -> Archive:
    """Returns the archive that the settings name. Raises `CannotStart`."""
    folder = settings.data / "archive"
    if settings.archive is None:
        return Archive(folder)
    try:
        storage = storage_at(settings.archive)
    except BadPlace as error:
        raise CannotStart(f"--archive: {error}") from error
    return Archive(folder, storage) if isinstance(storage, UrlStorage) else Archive(Path(storage.where))


async def _check_archive(archive: Archive, store: Store, *, private: bool) -> None:
    """Refuses a folder without this store's records: replicas would not find each other's matches."""
    known = await store.replicas.known_archive()
    mine = await archive.identity()  # after the store's: another replica may be giving the archive its id
    if not known:
        # The archive first: a start that fails between the two is repeated.
        mine = await archive.name(mine or secrets.token_hex(8))
        known = await store.replicas.archive(mine)
    if mine == known:
        return
    if not private:
        raise CannotStart(
            f"{archive.where} is not the archive of this store's records. Replicas need one: give all of them the same "
            "--data, on a disk that they share, or the same --archive. If this is the archive all the same, because "
            f"it was moved or lost, write {known} into {archive.identity_file}"
        )
    await archive.identify(known)


async def _know_copy(stack: AsyncExitStack, folder: Path) -> None:
    """Locks a data folder, which replicas share, against its copies. Raises `CannotStart` for a copy of a folder in
    use.

    The store is elsewhere, but the archive is in the folder: each of two folders would lack some of the records.
    """
    lock = FolderLock(folder, shared=True)
    try:
        await asyncio.to_thread(lock.acquire)
    except CopiedFolderError as error:
        raise CannotStart(
            f"{error}. Replicas of one service share one folder, on a disk that all of them reach, or one --archive"
        ) from error
    except (FolderError, OSError) as error:  # a disk of the network need not have locks
        log.warning("cannot find out whether %s is a copy of a folder in use: %s", folder, error)
        return
    stack.callback(lock.release)
    if lock.copied_from is not None:
        _tell_copy(folder, lock.copied_from)


def _tell_copy(copy: Path, original: Path) -> None:
    log.warning(
        "%s is a copy of %s: never start a service there again, or the same matches and tokens go on twice",
        copy,
        original,
    )


async def _embedded(stack: AsyncExitStack, settings: Settings, metrics: Metrics) -> str:
    valkey = EmbeddedValkey(settings.data / _STORE, appendfsync=settings.appendfsync)
    stack.push_async_callback(asyncio.to_thread, valkey.stop)  # first: who is cancelled leaves a start that goes on
    await asyncio.to_thread(valkey.start)
    if valkey.copied_from is not None:
        _tell_copy(settings.data, valkey.copied_from.parent)
    kept = restarted("embedded_store", lambda: _keep_alive(valkey), lambda: metrics.task_error("embedded_store"))
    watch = asyncio.create_task(kept)
    stack.push_async_callback(cancel, watch)
    return valkey.url


async def _keep_alive(valkey: EmbeddedValkey) -> None:
    """Restarts the embedded server when it has died."""
    while True:
        if valkey.alive:
            with suppress(OSError):  # the store itself reports a full disk
                await asyncio.to_thread(valkey.note_length)
        else:
            log.error("the embedded store died; starting it again")
            try:
                await asyncio.to_thread(valkey.restart)
            except (OSError, FolderError, NoServerError, ServerFailedError) as error:
                log.error("the embedded store cannot be started: %s", error)
                await asyncio.sleep(_RESTART_SECONDS)
        await valkey.ended(NOTE_SECONDS)
