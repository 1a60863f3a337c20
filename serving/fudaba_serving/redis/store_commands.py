"""Checks the commands in the files of a copied store before any server runs them.

A server runs whatever its append-only files contain, even commands that load a library, copy everything from another
server, or run a script for ever. A copy may come from anywhere, so only commands that change values are allowed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final

from fudaba_serving.redis import append_only

__all__ = ["StoreCopyError", "check_commands", "is_store_file"]

_FILE: Final = re.compile(r"appendonly\.aof\.(?:manifest|\d+\.(?:base|incr)\.(?:aof|rdb))")
_LINE: Final = re.compile(rb"([*$])(\d{1,10})\r\n")
_TORN: Final = re.compile(rb"(?:[*$]\d*\r?)?(\0*)")
_MAX_LINE_BYTES: Final = 32
_MAX_NAME_BYTES: Final = 32
_MAX_NUMBERS: Final = {b"*": 1 << 20, b"$": 512 << 20}
"""The words in a command, and the bytes in a word. A server allocates as many as a file announces before it reads them,
and does not start if a file announces too many.
"""
_CHUNK_BYTES: Final = 1 << 20
_ALLOWED: Final = frozenset(
    (
        b"select multi exec "
        b"set setnx setex psetex mset msetnx getset getdel getex append setrange incr decr incrby decrby incrbyfloat "
        b"setbit bitop bitfield "
        b"del unlink expire pexpire expireat pexpireat persist rename renamenx copy move flushdb flushall swapdb "
        b"hset hsetnx hmset hdel hincrby hincrbyfloat hexpire hpexpire hexpireat hpexpireat hpersist "
        b"hsetex hgetdel hgetex "
        b"lpush rpush lpushx rpushx lpop rpop lset linsert lrem ltrim rpoplpush lmove lmpop "
        b"sadd srem spop smove sinterstore sunionstore sdiffstore "
        b"zadd zincrby zrem zremrangebyscore zremrangebyrank zremrangebylex zpopmin zpopmax zmpop "
        b"zunionstore zinterstore zdiffstore zrangestore "
        b"xadd xdel xtrim xsetid xgroup xack xclaim xautoclaim xreadgroup "
        b"pfadd pfmerge pfcount geoadd geosearchstore "
    ).split()
)


class StoreCopyError(RuntimeError):
    """A store cannot be copied, or the copy cannot be loaded. The text says why."""


def is_store_file(path: PurePosixPath) -> bool:
    """Returns whether a file belongs in a store's folder, by its path there. A server would read others, too."""
    return path.parent == PurePosixPath(append_only.FOLDER) and _FILE.fullmatch(path.name) is not None


def check_commands(store: Path) -> None:
    """Checks the files of a stopped store. Raises `StoreCopyError` for a command that does not change values."""
    for path in sorted((store / append_only.FOLDER).glob("*.*.*.*")):
        with path.open("rb") as file:
            for name in _commands(file, path.name):
                if name.lower() not in _ALLOWED:
                    raise StoreCopyError(
                        f"the copy of the store cannot be loaded: {path.name} has the command "
                        f"{name.decode('latin-1')!a}, and the store's files have none but those that change values"
                    )


def _commands(file: IO[bytes], file_name: str) -> Iterator[bytes]:
    """Yields the name of each command. The server's start cuts off an unfinished end."""
    while (words := _number(file, b"*", file_name)) is not None:
        for word in range(words):
            size = _number(file, b"$", file_name)
            if size is None:
                return
            if word == 0:
                if size > _MAX_NAME_BYTES:
                    raise _unreadable(file, file_name)
                name = file.read(size)
                if len(name) < size:
                    return
                yield name
            else:
                file.seek(size, os.SEEK_CUR)
            ended = file.read(2)
            if ended != b"\r\n":
                if (len(ended) < 2 and b"\r\n".startswith(ended)) or _is_blank(file, ended.removeprefix(b"\r")):
                    return
                raise _unreadable(file, file_name)


def _number(file: IO[bytes], sign: bytes, file_name: str) -> int | None:
    """Returns the number in the line that begins here; None at the end of the file, or if only zeros follow."""
    line = file.readline(_MAX_LINE_BYTES)
    found = _LINE.fullmatch(line)
    if found is not None and found[1] == sign and int(found[2]) in range(sign == b"*", _MAX_NUMBERS[sign] + 1):
        return int(found[2])
    torn = _TORN.fullmatch(line)
    if torn is not None and _is_blank(file, torn[1] or file.read(_CHUNK_BYTES)):
        return None
    raise _unreadable(file, file_name)


def _is_blank(file: IO[bytes], begun: bytes) -> bool:
    """Returns whether only zeros follow to the end: the disk never received what was written."""
    while begun and not begun.strip(b"\0"):
        begun = file.read(_CHUNK_BYTES)
    return not begun


def _unreadable(file: IO[bytes], file_name: str) -> StoreCopyError:
    return StoreCopyError(
        f"the copy of the store cannot be loaded: {file_name} cannot be read shortly before byte {file.tell()}"
    )
