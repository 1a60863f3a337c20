"""Reads archives member by member: tar.gz, tar.zst and zip. Nothing is written here, and memory is bounded.

`tarfile` and `zipfile` know the formats. What they would tolerate is refused, since another reader would see another
archive: missing ends, bytes before or after, headers that do not agree. Parts by which a small archive could take much
memory or time never reach them.
"""

from __future__ import annotations

import contextlib
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, Self, final

import zstandard

from fudaba.safe_text import safe_line
from fudaba_arena.submissions.faults import BadSubmission, Fault, damaged, too_much
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.members import Kind, Member
from fudaba_arena.submissions.zip_ends import check_zip_end

__all__ = ["Format", "format_of"]

Format = Callable[[IO[bytes], SubmissionLimits], Iterator[tuple[Member, Iterator[bytes]]]]
"""Reads an archive: each member with its content in pieces, which must be read before the next member. Raises
`BadSubmission`.
"""

_PIECE_BYTES: Final = 65_536
_ZSTD_PIECE_BYTES: Final = 512
"""The size of a piece. It is small, since four bytes can stand for 128 KiB, all of which is in memory at once."""
_MAX_ZSTD_WINDOW_BYTES: Final = 1 << 27
"""The largest window that `zstd` itself accepts without an option."""
_HEADER_BYTES_PER_FILE: Final = 2_048
"""The extra bytes for each file in an archive: headers, long names, padding."""
_MAX_EXTENDED_BYTES: Final = 16_384
_MAX_EXTENDED_SUM_BYTES: Final = 1 << 24
"""The total bytes of descriptions in an archive: each takes time to read, however well it is compressed."""
_EXTENDED: Final = frozenset(
    {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)
"""The types of members that describe the next member."""
_MAX_EXTENDED_IN_A_ROW: Final = 8
_UTF8_FLAG: Final = 0x800
_ENCRYPTED_MASK: Final = 0x1 | 0x40
_UNIX_SYSTEM_CODE: Final = 3
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BROKEN: Final = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    zstandard.ZstdError,
    struct.error,
    EOFError,
    ValueError,
    NotImplementedError,
    RecursionError,
)
"""The errors that the libraries raise for broken archives."""


def format_of(beginning: bytes) -> Format | None:
    """Returns the reader for a file with this beginning; None if it is not an archive. Raises `BadSubmission` for
    unknown archives.
    """
    for magic, name in _OTHERS.items():
        if beginning.startswith(magic):
            raise BadSubmission(Fault.FORMAT, f"this is {name}; pack it as .tar.gz, .tar.zst or .zip")
    return next((read for magic, read in _FORMATS.items() if beginning.startswith(magic)), None)


def _behind() -> BadSubmission:
    return damaged("something stands behind its end")


@contextlib.contextmanager
def _judged() -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        reason = "a name in the archive is not in UTF-8; rename it, or pack it with a tool that writes UTF-8"
        raise BadSubmission(Fault.NAME, reason) from error
    except _BROKEN as error:
        raise damaged(safe_line(str(error))[:200] or type(error).__name__) from error


# --- tar


def _tar_gz(file: IO[bytes], limits: SubmissionLimits) -> Iterator[tuple[Member, Iterator[bytes]]]:
    return _tar(_Stream(_gunzipped(file), limits))


def _tar_zst(file: IO[bytes], limits: SubmissionLimits) -> Iterator[tuple[Member, Iterator[bytes]]]:
    return _tar(_Stream(_unzstandardized(file), limits))


def _gunzipped(file: IO[bytes]) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=31)
    while not unpacker.eof:
        packed = unpacker.unconsumed_tail or file.read(_PIECE_BYTES)
        if not packed:
            raise damaged("its compressed data ends in the middle")
        yield unpacker.decompress(packed, _PIECE_BYTES)
    if unpacker.unused_data or file.read(1):
        raise _behind()


def _unzstandardized(file: IO[bytes]) -> Iterator[bytes]:
    unpacker = zstandard.ZstdDecompressor(max_window_size=_MAX_ZSTD_WINDOW_BYTES).decompressobj()
    while not unpacker.eof:
        packed = file.read(_ZSTD_PIECE_BYTES)
        if not packed:
            raise damaged("its compressed data ends in the middle")
        yield unpacker.decompress(packed)
    if unpacker.unused_data or file.read(1):
        raise _behind()


@final
class _Stream:
    """The pieces of an archive as one stream for `tarfile`, up to a limit."""

    def __init__(self, pieces: Iterator[bytes], limits: SubmissionLimits) -> None:
        self._pieces = pieces
        self._left = limits.unpacked + _HEADER_BYTES_PER_FILE * limits.files
        self._piece = b""
        self._at = 0

    def read(self, size: int) -> bytes:
        """Returns the next bytes, fewer only at the end."""
        parts: list[bytes] = []
        while size:
            if self._at == len(self._piece):
                following = next(self._pieces, None)
                if following is None:
                    break
                self._left -= len(following)
                if self._left < 0:
                    raise too_much("is far too large when it is unpacked")
                self._piece, self._at = following, 0
            parts.append(self._piece[self._at : self._at + size])
            self._at += len(parts[-1])
            size -= len(parts[-1])
        return b"".join(parts)


def _tar(stream: _Stream) -> Iterator[tuple[Member, Iterator[bytes]]]:
    header = _header()
    with _judged(), tarfile.open(fileobj=stream, mode="r|", tarinfo=header) as archive:  # type: ignore[call-overload]
        for info in archive:
            kind = _tar_kind(info)
            of_file = kind is Kind.FILE
            if info.size < 0:
                raise damaged("a file has a negative size")
            member = Member(info.name, kind, info.size if of_file else 0, bool(info.mode & 0o111))
            yield member, _tar_content(archive, info) if of_file else iter(())
        if not header.end or len(archive.fileobj.read(tarfile.BLOCKSIZE)) != tarfile.BLOCKSIZE:
            raise damaged("its end is missing")
        while rest := archive.fileobj.read(_PIECE_BYTES):
            if rest.strip(b"\0"):
                raise _behind()


def _tar_content(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Iterator[bytes]:
    with _judged():
        content = archive.extractfile(info)
        while content is not None and (piece := content.read(_PIECE_BYTES)):
            yield piece


def _header() -> Any:
    """Returns the class of an archive's headers."""

    class Header(tarfile.TarInfo):
        """Reads headers, and refuses those that `tarfile` would mistake for the end, or read into memory as a whole."""

        end = False
        """Whether the end of the archive was read."""
        extended = 0
        """The number of consecutive headers that describe the next member."""
        extended_sum = 0

        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
            try:
                info = super().frombuf(buf, encoding, errors)
            except tarfile.HeaderError as error:
                if len(buf) != tarfile.BLOCKSIZE:
                    raise damaged("its end is missing") from error
                if buf.strip(b"\0"):
                    raise damaged("a header is wrong") from error
                cls.end = True
                raise
            cls.extended = cls.extended + 1 if info.type in _EXTENDED else 0
            cls.extended_sum += info.size if cls.extended else 0
            if (
                info.size < 0
                or (cls.extended and info.size > _MAX_EXTENDED_BYTES)
                or cls.extended > _MAX_EXTENDED_IN_A_ROW
            ):
                raise damaged("a header is too long")
            if cls.extended_sum > _MAX_EXTENDED_SUM_BYTES:
                raise too_much("has headers that are too long, all together")
            if info.type == tarfile.GNUTYPE_SPARSE:
                raise _sparse()
            return info

    return Header


def _tar_kind(info: tarfile.TarInfo) -> Kind:
    if info.issparse():
        raise _sparse()
    if info.isreg():
        return Kind.FILE
    if info.isdir():
        return Kind.FOLDER
    if info.issym():
        return Kind.SYMBOLIC_LINK
    if info.islnk():
        return Kind.HARD_LINK
    if info.isfifo():
        return Kind.PIPE
    return Kind.DEVICE if info.isdev() else Kind.OTHER


def _sparse() -> BadSubmission:
    return BadSubmission(Fault.KIND, "the archive has a file with holes; pack it without --sparse")


# --- zip


def _zip(file: IO[bytes], limits: SubmissionLimits) -> Iterator[tuple[Member, Iterator[bytes]]]:
    check_zip_end(file, limits.files)
    with _judged(), zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            member = _zip_member(info)
            yield member, _zip_content(archive, info) if member.kind is Kind.FILE else iter(())


def _zip_member(info: zipfile.ZipInfo) -> Member:
    name = info.orig_filename
    if not info.flag_bits & _UTF8_FLAG and not name.isascii():
        name = name.encode("cp437").decode(errors="surrogateescape")
    if info.flag_bits & _ENCRYPTED_MASK:
        raise BadSubmission(Fault.FORMAT, "the archive is encrypted; pack it without a password")
    if info.compress_type not in _METHODS:
        raise BadSubmission(Fault.FORMAT, "the archive is compressed in a way that is not read; use deflate")
    mode = info.external_attr >> 16 if info.create_system == _UNIX_SYSTEM_CODE else 0
    kind = _zip_kind(mode, folder=name.endswith("/"))
    if kind is Kind.FOLDER and info.file_size:
        raise damaged("a folder in it has a content")
    return Member(name, kind, info.file_size if kind is Kind.FILE else 0, bool(mode & 0o111))


def _zip_kind(mode: int, *, folder: bool) -> Kind:
    if folder:
        return Kind.FOLDER
    kinds = {
        0: Kind.FILE,
        stat.S_IFREG: Kind.FILE,
        stat.S_IFDIR: Kind.FOLDER,
        stat.S_IFLNK: Kind.SYMBOLIC_LINK,
        stat.S_IFIFO: Kind.PIPE,
        stat.S_IFCHR: Kind.DEVICE,
        stat.S_IFBLK: Kind.DEVICE,
    }
    return kinds.get(stat.S_IFMT(mode), Kind.OTHER)


def _zip_content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    with _judged(), archive.open(info) as content:
        while piece := content.read(_PIECE_BYTES):
            yield piece


_FORMATS: Final[dict[bytes, Format]] = {
    b"\x1f\x8b": _tar_gz,
    b"\x28\xb5\x2f\xfd": _tar_zst,
    b"PK\x03\x04": _zip,
    b"PK\x05\x06": _zip,
}
_OTHERS: Final = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!": "RAR",
}
