"""Rules about the arguments of system calls that programs in a sandbox may make in part."""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, final

__all__ = ["RULES", "ArgumentTest", "Rule"]

_CLONE_NAMESPACES_MASK: Final = 0x7E020000
"""All flags of `clone` that make namespaces."""
_PERSONALITIES: Final = (0x0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)
_TERMINAL_WRITES: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX put input into a terminal."""


@final
class ArgumentTest(Enum):
    """A condition that an argument has to meet."""

    AMONG = auto()
    """One of the values."""
    NOT_AMONG = auto()
    """The argument is none of the values."""
    WITHOUT = auto()
    """The argument has none of the bits of the values."""


@final
@dataclass(frozen=True, slots=True)
class Rule:
    """A call is refused where an argument is not as wanted. One with several rules has to pass them all, in order."""

    call: str
    argument: int
    """Counted from 0."""
    wanted: ArgumentTest
    values: tuple[int, ...]
    error: int
    """The error that the program gets as the result of the call."""


RULES: Final = (
    Rule("clone", 0, ArgumentTest.WITHOUT, (_CLONE_NAMESPACES_MASK,), errno.EPERM),
    Rule("socket", 0, ArgumentTest.AMONG, (socket.AF_UNIX,), errno.EAFNOSUPPORT),
    Rule("socketpair", 0, ArgumentTest.AMONG, (socket.AF_UNIX,), errno.EAFNOSUPPORT),
    Rule("personality", 0, ArgumentTest.AMONG, _PERSONALITIES, errno.EPERM),
    Rule("ioctl", 1, ArgumentTest.NOT_AMONG, _TERMINAL_WRITES, errno.EPERM),
)
"""The rules for every program."""
