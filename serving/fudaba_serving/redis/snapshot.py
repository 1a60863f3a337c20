"""A snapshot of a server that a URL names, taken over its connection, as the files of an embedded server.

The server sends the snapshot that it makes for a new replica: its values at one moment. It forks for that, as it does
for any replica. So its machine needs the memory and the processor time that a replica costs; a replica of it spares it
both.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import IO, Any, Final

import redis

from fudaba_serving.redis import append_only
from fudaba_serving.redis.sentinel import blocking_pool, shown
from fudaba_serving.redis.server_executable import NoServerError, executables
from fudaba_serving.redis.store_commands import StoreCopyError
from fudaba_serving.redis.valkey import EmbeddedValkey, FolderError, ServerFailedError

__all__ = ["snapshot_store"]

_SNAPSHOT: Final = "appendonly.aof.1.base.rdb"
_LISTED: Final = f"file {_SNAPSHOT} seq 1 type b\n"
_CHUNK_BYTES: Final = 1 << 18
_MARK_BYTES: Final = 40
"""The length of the random text that ends a snapshot whose length is not known before."""
_MAX_LINE_BYTES: Final = 1024
_SILENT_SECONDS: Final = 60.0
"""The time after which a silent server is given up. While it prepares a snapshot, it sends a line break every second or
more often.
"""
_LOOK_SECONDS: Final = 0.05
_ADVICE: Final = (
    "name the URL of a server that lets this user run SYNC, such as a replica; or back that server up by its own means,"
    " before this command, and leave it out with --without-store"
)


def snapshot_store(url: str, into: Path, moved: Callable[[int], object]) -> None:
    """Takes a snapshot of the server that `url` names, into the new folder `into`.

    The folder gets the database of the URL and no other one, as database 0 and as text that any server can load.
    `moved` is called with the number of bytes of each piece as it arrives. Raises `StoreCopyError`.
    """
    files = into / append_only.FOLDER
    files.mkdir(parents=True)
    try:
        pool = blocking_pool(url, socket_timeout=_SILENT_SECONDS, socket_connect_timeout=10)
    except ValueError as error:
        raise StoreCopyError(f"{shown(url)} is not the URL of a Redis: {error}") from error
    with closing(pool):
        database = int(pool.connection_kwargs.get("db") or 0)
        try:
            connection: Any = pool.get_connection()
            try:
                with (files / _SNAPSHOT).open("xb") as file:
                    _receive(connection, file, moved)
            finally:
                connection.disconnect()
        except (redis.RedisError, EOFError, TimeoutError, ConnectionError, ssl.SSLError) as error:
            raise StoreCopyError(f"the store at {shown(url)} sends no snapshot: {error}; {_ADVICE}") from error
    (files / append_only.MANIFEST).write_text(_LISTED, encoding="utf-8")
    _rewrite(into, database, shown(url))


def _receive(connection: Any, file: IO[bytes], moved: Callable[[int], object]) -> None:
    """Writes the snapshot to a file. Raises EOFError, OSError and the errors of redis-py."""
    # The snapshot alone: otherwise the server would keep every later write for this replica while the snapshot is read.
    for words in (("REPLCONF", "capa", "eof"), ("REPLCONF", "rdb-only", "1")):
        connection.send_command(*words)
        connection.read_response()
    connection.send_command("SYNC")
    # A snapshot is no answer of the protocol, so it is read from the socket itself.
    stream = connection._sock.makefile("rb", buffering=_CHUNK_BYTES)
    with stream:
        line = b"\n"
        while line == b"\n":
            line = stream.readline(_MAX_LINE_BYTES)
        if line.startswith(b"-"):
            raise redis.ResponseError(line[1:].strip().decode(errors="replace"))
        text = line.strip().removeprefix(b"$")
        if text.startswith(b"EOF:") and len(text) == len(b"EOF:") + _MARK_BYTES:
            _copy_until(stream, text.removeprefix(b"EOF:"), file, moved)
        elif text.isdigit():
            _copy(stream, int(text), file, moved)
        else:
            raise EOFError("it closed the connection" if not line else "its answer is not a snapshot")


def _copy(stream: Any, left: int, file: IO[bytes], moved: Callable[[int], object]) -> None:
    while left:
        piece = stream.read1(min(_CHUNK_BYTES, left))
        if not piece:
            raise EOFError(f"it closed the connection {left} bytes before the snapshot's end")
        file.write(piece)
        left -= len(piece)
        moved(len(piece))


def _copy_until(stream: Any, mark: bytes, file: IO[bytes], moved: Callable[[int], object]) -> None:
    """Copies up to a mark, after which the server sends nothing more."""
    end = b""
    while not end.endswith(mark):
        piece = stream.read1(_CHUNK_BYTES)
        if not piece:
            raise EOFError("it closed the connection before the snapshot's end")
        end += piece
        file.write(end[:-_MARK_BYTES])
        end = end[-_MARK_BYTES:]
        moved(len(piece))


def _rewrite(folder: Path, database: int, name: str) -> None:
    """Loads the snapshot into a server of its own, which writes it again as text. Raises `StoreCopyError`."""
    try:
        with _loaded(folder) as server, closing(_client(server)) as client:
            _keep_only(client, database)
            client.bgrewriteaof()
            state: Any = client.info("persistence")
            while state["aof_rewrite_in_progress"] or state["aof_rewrite_scheduled"]:
                time.sleep(_LOOK_SECONDS)
                state = client.info("persistence")
            if state["aof_last_bgrewrite_status"] != "ok":
                raise StoreCopyError(f"the snapshot of {name} cannot be written as text: is the disk full?")
    except (FolderError, NoServerError, ServerFailedError) as error:
        raise StoreCopyError(
            f"the snapshot of {name} cannot be loaded here: {error}\nIf that server is newer than those here, install"
            " its release of redis-server or valkey-server here."
        ) from error
    except redis.RedisError as error:
        raise StoreCopyError(f"the snapshot of {name} cannot be written as text: {error}") from error


def _loaded(folder: Path) -> EmbeddedValkey:
    """Returns the first of the servers here that can load a snapshot, started: a newer server's form may be unknown."""
    failures: list[ServerFailedError] = []
    for executable in executables():
        server = EmbeddedValkey(folder, server=executable)
        try:
            server.start()
        except ServerFailedError as error:
            failures.append(error)
        else:
            return server
    raise failures[-1]


def _client(server: EmbeddedValkey) -> redis.Redis:
    return redis.Redis.from_url(server.url, socket_timeout=_SILENT_SECONDS)


def _keep_only(client: Any, database: int) -> None:
    """Removes the other databases, which belong to others, and makes this one the first."""
    keyspace = client.info("keyspace")
    for number in {int(name.removeprefix("db")) for name in keyspace} - {database}:
        client.execute_command("SWAPDB", 0, number)
        client.flushdb()
        client.execute_command("SWAPDB", 0, number)
    if database:
        client.execute_command("SWAPDB", 0, database)
