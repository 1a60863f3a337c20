"""The machine and libc for which a program was compiled. The errors of the kernel, or of a shell in its place, are hard
to understand.
"""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import IO, Final

__all__ = ["not_for_here"]

_MAGIC: Final = b"\x7fELF"
_MACHINES: Final = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv"}
_MACHINE_AT: Final = slice(18, 20)
_SEGMENTS_AT: Final = slice(32, 40)
_SEGMENT_SIZE_AT: Final = slice(54, 56)
_SEGMENT_COUNT_AT: Final = slice(56, 58)
_HEADER_BYTES: Final = 64
_MIN_HEADER_BYTES: Final = 20
_CLASS_OFFSET: Final = 4
_ELFCLASS64_CODE: Final = 2
_PT_INTERP_CODE: Final = 3
_MAX_SEGMENTS: Final = 200
_MAX_PATH_BYTES: Final = 4_096
_FOREIGN: Final = {b"MZ": "Windows", b"\xcf\xfa\xed\xfe": "macOS", b"\xca\xfe\xba\xbe": "macOS"}


def not_for_here(program: IO[bytes]) -> str:
    """Returns why a program cannot run on this machine; empty if nothing speaks against it. Raises `OSError`."""
    header = program.read(_HEADER_BYTES)
    for magic, system in _FOREIGN.items():
        if header.startswith(magic):
            return f"it was compiled for {system}; compile it for Linux, or let the arena build it"
    if not header.startswith(_MAGIC) or len(header) < _MIN_HEADER_BYTES:
        return ""
    machine = _MACHINES.get(_number(header[_MACHINE_AT]), "another machine")
    here = platform.machine()
    if machine != here:
        return f"it was compiled for {machine}, and this is {here}; let the arena build it"
    return _wrong_loader(program, header)


def _wrong_loader(program: IO[bytes], header: bytes) -> str:
    """Returns why the loader of a program means that it cannot run."""
    loader = _loader(program, header)
    # Of files elsewhere nobody is told whether they are there.
    if not re.fullmatch(r"/(usr/)?lib(32|64|x32)?/[\w.+-]+", loader) or Path(loader).exists():
        return ""
    todo = "link it statically, or let the arena build it"
    if "ld-musl" in loader:
        return f"it was linked with musl, and the arena has glibc; {todo}"
    return f"it was linked for a loader that is not there, {loader}; {todo}"


def _loader(program: IO[bytes], header: bytes) -> str:
    """Returns the loader that a program names; empty for a static program, and for one that cannot be read."""
    if len(header) < _HEADER_BYTES or header[_CLASS_OFFSET] != _ELFCLASS64_CODE:
        return ""
    size, first = _number(header[_SEGMENT_SIZE_AT]), _number(header[_SEGMENTS_AT])
    whole = os.fstat(program.fileno()).st_size
    for number in range(min(_number(header[_SEGMENT_COUNT_AT]), _MAX_SEGMENTS)):
        program.seek(min(first + number * size, whole))
        segment = program.read(size)
        if _number(segment[:4]) == _PT_INTERP_CODE:
            program.seek(min(_number(segment[8:16]), whole))
            path = program.read(min(_number(segment[32:40]), _MAX_PATH_BYTES))
            return path.partition(b"\0")[0].decode(errors="replace")
    return ""


def _number(raw: bytes) -> int:
    return int.from_bytes(raw, "little")
