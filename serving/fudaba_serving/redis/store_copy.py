"""A copy of an embedded server's files, made while the server may run, and a server of its own that loads the copy.

The server appends to its newest file, and names its files in a small list, which it replaces as a whole. So the files
of one list, each at its length when opened, are the store at that moment. The server is neither asked nor stopped. A
snapshot (BGSAVE) would fork the server without a newer state: the files have every acknowledged write, except for at
most two seconds that `appendfsync everysec` may hold back on a slow disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

from fudaba_serving.redis import append_only
from fudaba_serving.redis.store_commands import StoreCopyError
from fudaba_serving.redis.valkey import EmbeddedValkey, FolderError, NoServerError, ServerFailedError

__all__ = ["copy_store", "served_copy"]

_MAX_TRIES: Final = 50
_PAUSE_SECONDS: Final = 0.1
_CHUNK_BYTES: Final = 1 << 20


def copy_store(store: Path, into: Path, moved: Callable[[int], object] = lambda _: None) -> bool:
    """Copies the store's files into a new folder. Returns False if there is no store yet. Raises `StoreCopyError`.

    `moved` is called with the number of bytes of each piece that was copied.
    """
    listed = store / append_only.FOLDER / append_only.MANIFEST
    for _ in range(_MAX_TRIES):
        try:
            before = listed.read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        names = append_only.parse_manifest(before)
        if not names:
            raise StoreCopyError(
                f"the list of the store's files cannot be read: {listed}; `fudaba serve` on that folder says what to do"
            )
        with ExitStack() as stack:
            try:
                files: dict[str, IO[bytes]] = {
                    name: stack.enter_context((listed.parent / name).open("rb")) for name in names
                }
                if listed.read_text(encoding="utf-8") == before:
                    _copy(files, before, into / append_only.FOLDER, moved)
                    return True
            except FileNotFoundError:
                pass  # it was replaced between the two looks
        time.sleep(_PAUSE_SECONDS)
    raise StoreCopyError(f"the list of the store's files {listed} changes all the time; try again")


def _copy(files: dict[str, IO[bytes]], listed: str, into: Path, moved: Callable[[int], object]) -> None:
    into.mkdir(parents=True)
    # All lengths first, so that they are of one moment.
    lengths = {name: os.fstat(file.fileno()).st_size for name, file in files.items()}
    for name, file in files.items():
        with (into / name).open("xb") as copy:
            left = lengths[name]
            while left and (data := file.read(min(_CHUNK_BYTES, left))):
                copy.write(data)
                left -= len(data)
                moved(len(data))
    kept = [line for line in listed.splitlines() if line.split()[1:2] and line.split()[1] in files]
    (into / append_only.MANIFEST).write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


@contextmanager
def served_copy(copy: Path) -> Iterator[str]:
    """Yields the URL of a server on a copy of a store. Raises `StoreCopyError` if the copy cannot be loaded.

    Check the commands of a copy that others have made first, see `store_commands`. Files that the server leaves besides
    the store are removed.
    """
    server = EmbeddedValkey(copy)
    try:
        server.start()
    except (FolderError, NoServerError, ServerFailedError) as error:
        raise StoreCopyError(f"the copy of the store cannot be loaded: {error}") from error
    try:
        yield server.url
    finally:
        server.stop()
        for path in copy.iterdir():
            if path.name != append_only.FOLDER:
                path.unlink()
