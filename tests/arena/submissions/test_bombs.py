"""A gigabyte that comes in a megabyte is refused before it fills memory, and nothing of it reaches the disk."""

from __future__ import annotations

import tarfile
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from fudaba_arena.submissions.faults import BadSubmission, Fault
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.unpacking import unpack
from tests.support.arena.submissions.archives import BYTES_PER_MIB, deflated, gzipped, raw_zip

MIB_PER_FILE = 32
"""The number of MiB that are in a file."""
LARGE = SubmissionLimits(unpacked=10_000_000_000)


def headers(files: int) -> list[bytes]:
    found = []
    for number in range(files):
        info = tarfile.TarInfo(f"zeros-{number}")
        info.size = MIB_PER_FILE * BYTES_PER_MIB
        found.append(info.tobuf())
    return found


def tar_gz(files: int) -> bytes:
    """Files of zeros."""
    content = deflated(bytes(BYTES_PER_MIB), MIB_PER_FILE)
    return gzipped([part for header in headers(files) for part in (deflated(header), content)])


def tar_zst(files: int) -> bytes:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    zeros = bytes(BYTES_PER_MIB)
    parts = [packer.compress(part) for header in headers(files) for part in (header, *[zeros] * MIB_PER_FILE)]
    return b"".join([*parts, packer.flush()])


def all_padding(files: int) -> bytes:
    """Returns an archive of nothing, with zeros behind its end."""
    return gzipped([deflated(bytes(BYTES_PER_MIB), files * MIB_PER_FILE)])


def as_zip(files: int) -> bytes:
    crc = 0
    for _ in range(MIB_PER_FILE):
        crc = zlib.crc32(bytes(BYTES_PER_MIB), crc)
    packed = deflated(bytes(BYTES_PER_MIB), MIB_PER_FILE) + b"\x03\0"
    return raw_zip([(b"zeros-%d" % number, packed, MIB_PER_FILE * BYTES_PER_MIB, crc) for number in range(files)])


@pytest.mark.parametrize(
    "bomb", [tar_gz, *(pytest.param(bomb, marks=pytest.mark.exhaustive) for bomb in (tar_zst, all_padding, as_zip))]
)
@pytest.mark.parametrize(
    ("files", "limits", "faults"),
    [
        (6, SubmissionLimits(unpacked=100 * BYTES_PER_MIB, files=100), {Fault.SIZE}),
        pytest.param(
            32,
            SubmissionLimits(),
            {Fault.SIZE},
            marks=pytest.mark.nightly("the same with 192 MiB of which 100 are allowed"),
        ),
        pytest.param(6, LARGE, {Fault.MANIFEST, Fault.DAMAGED}, marks=pytest.mark.exhaustive),
        pytest.param(
            32,
            LARGE,
            {Fault.MANIFEST, Fault.DAMAGED},
            marks=pytest.mark.nightly("the same with 192 MiB that are read to their end"),
        ),
    ],
)
def test_a_bomb_is_refused_in_little_memory_and_writes_nothing(
    bomb: Callable[[int], bytes], files: int, limits: SubmissionLimits, faults: set[Fault], tmp_path: Path
) -> None:
    """Also where all of the gigabyte is read, since the limit allows it, it is never in memory."""
    source = tmp_path / "bomb"
    source.write_bytes(bomb(files))
    assert source.stat().st_size < files * MIB_PER_FILE * BYTES_PER_MIB // 500
    tracemalloc.start()
    try:
        with pytest.raises(BadSubmission) as info:
            unpack(source, "upload", tmp_path / "into", limits)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert info.value.fault in faults
    assert peak < 60 * BYTES_PER_MIB
    assert [path.name for path in tmp_path.iterdir()] == ["bomb"]


def test_a_file_that_holds_more_than_it_says_gives_no_more(tmp_path: Path) -> None:
    """A zip says how long each file is; the rest of what is packed there is not even unpacked."""
    source = tmp_path / "bomb"
    packed = deflated(bytes(BYTES_PER_MIB), 1_024) + b"\x03\0"
    source.write_bytes(raw_zip([(b"zeros", packed, 10, zlib.crc32(bytes(10)))]))
    tracemalloc.start()
    try:
        with pytest.raises(BadSubmission, match=r"there is no bot\.toml"):
            unpack(source, "upload", tmp_path / "into", SubmissionLimits(unpacked=1_000))
        assert tracemalloc.get_traced_memory()[1] < 10 * BYTES_PER_MIB
    finally:
        tracemalloc.stop()
