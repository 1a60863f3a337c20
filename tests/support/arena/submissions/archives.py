"""Makes archives, right ones and all kinds of wrong ones."""

from __future__ import annotations

import io
import stat
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

import zstandard

from fudaba_arena.submissions.members import Kind

FORMATS: Final = ("tar.gz", "tar.zst", "zip")
MANIFEST: Final = b'name = "my-bot"\ngames = ["naga"]\nlanguage = "python"\nstart = ["python3", "bot.py"]\n'
BYTES_PER_MIB: Final = 1 << 20

_TAR_TYPES: Final = {
    Kind.FILE: tarfile.REGTYPE,
    Kind.FOLDER: tarfile.DIRTYPE,
    Kind.SYMBOLIC_LINK: tarfile.SYMTYPE,
    Kind.HARD_LINK: tarfile.LNKTYPE,
    Kind.DEVICE: tarfile.CHRTYPE,
    Kind.PIPE: tarfile.FIFOTYPE,
    Kind.OTHER: b"Z",
}
_ZIP_TYPES: Final = {
    Kind.FILE: stat.S_IFREG,
    Kind.FOLDER: stat.S_IFDIR,
    Kind.SYMBOLIC_LINK: stat.S_IFLNK,
    Kind.HARD_LINK: stat.S_IFSOCK,  # zip has no hard links
    Kind.DEVICE: stat.S_IFBLK,
    Kind.PIPE: stat.S_IFIFO,
    Kind.OTHER: stat.S_IFSOCK,
}


@final
@dataclass(frozen=True)
class Item:
    """A member that an archive is to have."""

    name: str
    content: bytes = b""
    kind: Kind = Kind.FILE
    mode: int = 0o644
    link: str = ""


BOT: Final = (Item("bot.toml", MANIFEST), Item("bot.py", b"print()\n"))
"""A right submission."""


def pack(form: str, items: Sequence[Item], tar_format: int = tarfile.GNU_FORMAT) -> bytes:
    """Returns an archive of these items, in this order."""
    return _zip(items) if form == "zip" else squeezed(form, tar(items, tar_format))


def tar(items: Sequence[Item], tar_format: int = tarfile.GNU_FORMAT) -> bytes:
    """Returns the same, not compressed."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tar_format) as archive:
        for item in items:
            info = tarfile.TarInfo(item.name)
            info.type, info.mode, info.linkname = _TAR_TYPES[item.kind], item.mode, item.link
            info.size = len(item.content)
            archive.addfile(info, io.BytesIO(item.content))
    return raw.getvalue()


def squeezed(form: str, raw: bytes) -> bytes:
    """Returns a tar that is compressed."""
    if form == "tar.zst":
        return zstandard.ZstdCompressor(level=1).compress(raw)
    packer = zlib.compressobj(1, wbits=31)
    return packer.compress(raw) + packer.flush()


def _zip(items: Sequence[Item]) -> bytes:
    raw = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # two of one name
        for item in items:
            info = zipfile.ZipInfo(item.name if item.kind is not Kind.FOLDER else f"{item.name}/")
            info.create_system, info.compress_type = 3, zipfile.ZIP_DEFLATED
            info.external_attr = (_ZIP_TYPES[item.kind] | item.mode) << 16
            archive.writestr(info, item.link.encode() if item.kind is Kind.SYMBOLIC_LINK else item.content)
    return raw.getvalue()


def raw_zip(entries: Sequence[tuple[bytes, bytes, int, int]], method: int = 8, *, listed: int | None = None) -> bytes:
    """Returns a zip file of names, packed contents, and what it says of each: size and CRC.

    `listed`: how many it says.
    """
    body, index = bytearray(), bytearray()
    for name, packed, size, crc in entries:
        common = struct.pack("<5H3L2H", 20, 0, method, 0, 0x21, crc, len(packed), size, len(name), 0)
        index += b"PK\x01\x02" + struct.pack("<H", 0x314) + common
        index += struct.pack("<3H2L", 0, 0, 0, (stat.S_IFREG | 0o644) << 16, len(body)) + name
        body += b"PK\x03\x04" + common + name + packed
    count = len(entries) if listed is None else listed
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(index), len(body), 0)
    return bytes(body + index + end)


def deflated(raw: bytes, times: int = 1) -> bytes:
    """Returns the compressed form of `raw` repeated this many times, made in the time of one."""
    packer = zlib.compressobj(9, wbits=-15)
    return (packer.compress(raw) + packer.flush(zlib.Z_FULL_FLUSH)) * times


def gzipped(parts: Sequence[bytes]) -> bytes:
    """Returns a gzip file of parts that are `deflated`. Its check sum is wrong: nobody gets so far."""
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + b"".join(parts) + b"\x03\0" + bytes(8)


def tree(folder: Path) -> dict[str, bytes]:
    """Returns every file below a folder. Nothing in it is a link, and modes are those that are promised."""
    found = {}
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            assert stat.S_IMODE(mode) == 0o755, path
        else:
            assert stat.S_ISREG(mode), path
            assert stat.S_IMODE(mode) in {0o644, 0o755}, path
            assert path.stat().st_nlink == 1
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found
