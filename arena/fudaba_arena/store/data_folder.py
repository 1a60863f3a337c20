"""An arena's data folder: its lock, its own store, its logs.

```
DATA/lock        held by the run that uses the folder
DATA/id          who this arena is to a store that others use too; a copy of the file is another arena
DATA/store/      the embedded server, unless a URL names another
DATA/store.url   where the store is while a run uses it
DATA/service.id  the service on which the arena plays, as its store has it
DATA/logs/       each bot's output
DATA/archive/    the closed blocks of seasons that are over, unless they go elsewhere
DATA/submissions/  what authors have submitted, unless it goes elsewhere
DATA/spool/      what they upload, until it is complete
```
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.store.store import Store, StoreUnavailable
from fudaba_serving.process.background import restarted
from fudaba_serving.process.folder_lock import FolderLock
from fudaba_serving.redis.sentinel import shown
from fudaba_serving.redis.server_settings import RISKS, WrongSettings, tell
from fudaba_serving.redis.servers import UnsuitableServer
from fudaba_serving.redis.valkey import (
    NOTE_SECONDS,
    EmbeddedValkey,
    FolderError,
    FolderInUseError,
    NoServerError,
    ServerFailedError,
)

__all__ = ["DataFolder", "connected", "noted_url", "open_to_play", "open_to_read", "watch_settings"]

_EXAMINING_SECONDS: Final = 3600.0
_RESTART_SECONDS: Final = 5.0


@final
@dataclass(frozen=True, slots=True)
class DataFolder:
    """An open data folder."""

    folder: Path
    store: Store
    owner: str
    """The name of this arena in the store."""

    def log_path(self, tournament: str, bot: str) -> Path:
        """Returns the path of a bot's log."""
        return self.folder / "logs" / tournament / f"{bot}.log"

    @property
    def service_note(self) -> Path:
        """The file that has `service`. It is outside the store, so that an empty store is noticed."""
        return self.folder / "service.id"

    @property
    def service(self) -> str:
        """The id of the service on which the arena has played; empty for a new folder, and for one of an earlier
        release.

        The store has it, too, unless it has lost its content.
        """
        try:
            return self.service_note.read_text(encoding="utf-8", errors="replace").strip()
        except FileNotFoundError:
            return ""

    def note_service(self, service_id: str) -> None:
        """Notes that id, unless the service does not tell it."""
        if service_id and service_id != self.service:
            _write_whole(self.service_note, service_id)


@asynccontextmanager
async def open_to_play(
    folder: Path, redis: str | None, say: Say, archive: str = "", accepted: Collection[str] = RISKS
) -> AsyncIterator[DataFolder]:
    """Yields the folder for a run, with exclusive use; `archive` is as in `Store`. Raises `ArenaError`.

    `accepted` has the names of the accepted risks in the settings of a Redis.

    A copy of a folder in use is refused if its own store would continue the original's.
    """
    async with AsyncExitStack() as stack:
        # Two folders with one store between them are two arenas, of which one stands by.
        lock = FolderLock(folder, allow_copy=redis is not None)
        try:
            await asyncio.to_thread(lock.acquire)
            stack.callback(lock.release)
            if lock.copied_from is not None and redis is None:
                say(
                    f"{folder} is a copy of {lock.copied_from}: never start an arena there again, or the same"
                    " tournaments are played twice"
                )
            url = redis or await _embedded(stack, folder, say)
        except (FolderError, NoServerError, ServerFailedError) as error:
            raise ArenaError(str(error)) from error
        store = await connected(stack, url, folder, archive)
        if redis is not None:
            await _check_settings(store, url, accepted)
        await store.clocks.check("this arena")
        await store.archive.prepare()
        note = folder / "store.url"
        _write_whole(note, url)
        stack.callback(note.unlink, missing_ok=True)
        owner = _identity(folder, say)
        await stack.enter_async_context(store.arenas.noted(owner))
        yield DataFolder(folder, store, owner)


@asynccontextmanager
async def open_to_read(folder: Path, redis: str | None) -> AsyncIterator[Store]:
    """Yields the folder's store, even while a run uses it. Raises `ArenaError`."""
    async with AsyncExitStack() as stack:
        url = redis or await _found(stack, folder)
        yield await connected(stack, url, folder)


async def connected(stack: AsyncExitStack, url: str, folder: Path | None = None, archive: str = "") -> Store:
    """Returns the store at a URL until the stack is closed: an arena's with this data folder, a worker's without one.

    Raises `ArenaError`.
    """
    try:
        store = Store(url, None if folder is None else folder / "archive", archive)
        stack.push_async_callback(store.close)
        await store.connect()
    except UnsuitableServer as error:
        raise ArenaError(f"{shown(url)}: {error}") from error
    except (StoreUnavailable, ValueError) as error:
        what_now = "the one that the arena uses" if folder is None else "or leave it out to run one here"
        raise ArenaError(f"{error}; give the URL of a running Redis with --redis, {what_now}") from error
    return store


async def watch_settings(store: Store) -> None:
    """Checks every hour whether somebody has changed the settings of a Redis for the worse, and logs it."""
    while True:
        await asyncio.sleep(_EXAMINING_SECONDS)
        with suppress(StoreUnavailable):
            tell(await store.examine())


async def _check_settings(store: Store, url: str, accepted: Collection[str]) -> None:
    """Logs bad settings of a Redis. Raises `ArenaError` for those that lose data and are not accepted."""
    try:
        tell(await store.examine(), accepted)
    except WrongSettings as error:
        raise ArenaError(f"{shown(url)}: {error}") from error
    except StoreUnavailable as error:
        raise ArenaError(str(error)) from error


async def _embedded(stack: AsyncExitStack, folder: Path, say: Say, *, reads: bool = False) -> str:
    """Starts the folder's own server. Results are few and valuable: each is on disk before it counts."""
    server = EmbeddedValkey(folder / "store", appendfsync="always", reads=reads)
    stack.push_async_callback(asyncio.to_thread, server.stop)  # first: who is cancelled leaves a start that goes on
    await asyncio.to_thread(server.start)
    watch = asyncio.create_task(restarted("embedded_store", lambda: _keep_alive(server, say)))

    async def end() -> None:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)

    stack.push_async_callback(end)
    return server.url


async def _keep_alive(server: EmbeddedValkey, say: Say) -> None:
    """Restarts the server when it has died."""
    while True:
        if server.alive:
            with suppress(OSError):  # the store itself reports a full disk
                await asyncio.to_thread(server.note_length)
        else:
            say("the arena's store died; starting it again")
            try:
                await asyncio.to_thread(server.restart)
            except (OSError, FolderError, NoServerError, ServerFailedError) as error:
                say(f"the arena's store does not start: {error}")
                await asyncio.sleep(_RESTART_SECONDS)
        await server.ended(NOTE_SECONDS)


async def _found(stack: AsyncExitStack, folder: Path) -> str:
    """Returns the store of a folder, which a run may be using."""
    if not (folder / "store").is_dir():
        raise ArenaError(
            f"{folder} is not an arena's data folder; name the one that `fudaba arena run` used with --data"
        )
    try:
        return await _embedded(stack, folder, lambda _: None, reads=True)
    except FolderInUseError as error:
        if url := noted_url(folder):
            return url
        raise ArenaError(
            f"{error}; the file {folder / 'store.url'}, which names its store, is missing or empty, as while a run "
            "begins or ends: try again, or give the URL with --redis"
        ) from error
    except (FolderError, NoServerError, ServerFailedError) as error:
        raise ArenaError(str(error)) from error


def noted_url(folder: Path) -> str:
    """Returns the noted URL of the store of the run that uses a folder; empty if there is none."""
    try:
        return (folder / "store.url").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""


def _write_whole(path: Path, line: str) -> None:
    """Writes a file that only its owner can read. Nobody ever finds it incomplete."""
    made = path.with_name(f".{path.name}.new")
    made.unlink(missing_ok=True)
    made.touch(mode=0o600)  # a URL may hold a password
    made.write_text(line + "\n", encoding="utf-8")
    made.replace(path)


def _identity(folder: Path, say: Say) -> str:
    path = folder / "id"
    is_new = not path.is_file()
    if is_new or not path.read_text(encoding="utf-8").strip():
        if not is_new:  # two arenas without one could be the same to a store that both use
            say(f"{path} is empty: this arena gets another id, and takes its tournaments up within half a minute")
        _write_whole(path, secrets.token_hex(16))
    # A copy or a restored backup of the folder makes a second arena; on one Redis the two must not play the same
    # blocks.
    return f"{path.read_text(encoding='utf-8').strip()}-{path.stat().st_ino:x}"
