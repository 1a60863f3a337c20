"""For what machine a program was compiled: the kernel, or a shell in its place, says it so that nobody understands."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Final

__all__ = ["wrong_machine"]

_MAGIC: Final = b"\x7fELF"
_MACHINES: Final = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv"}
_MACHINE_AT: Final = slice(18, 20)
_HEADER: Final = 20
_FOREIGN: Final = {b"MZ": "Windows", b"\xcf\xfa\xed\xfe": "macOS", b"\xca\xfe\xba\xbe": "macOS"}


def wrong_machine(program: Path) -> str:
    """Why a program cannot be run on this machine; empty where nothing speaks against it. Raises `OSError`."""
    with program.open("rb") as file:
        header = file.read(_HEADER)
    for magic, system in _FOREIGN.items():
        if header.startswith(magic):
            return f"it was compiled for {system}; compile it for Linux, or let the arena build it"
    if not header.startswith(_MAGIC) or len(header) < _HEADER:
        return ""
    machine = _MACHINES.get(int.from_bytes(header[_MACHINE_AT], "little"), "another machine")
    here = platform.machine()
    return "" if machine == here else f"it was compiled for {machine}, and this is {here}; let the arena build it"
