"""Rules about the arguments of system calls that sandboxed programs may use only in part."""

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
"""TIOCSTI and TIOCLINUX, which put input into a terminal."""


@final
class ArgumentTest(Enum):
    """A condition on an argument."""

    AMONG = auto()
    """The argument is one of the values."""
    NOT_AMONG = auto()
    """The argument is none of the values."""
    WITHOUT = auto()
    """The argument has none of the bits of the values."""


@final
@dataclass(frozen=True, slots=True)
class Rule:
    """A call is refused if an argument violates the rule. A call with several rules must pass all of them, in order."""

    call: str
    argument: int
    """The index of the argument, from 0."""
    wanted: ArgumentTest
    values: tuple[int, ...]
    error: int
    """The error that the program gets from a refused call."""


RULES: Final = (
    Rule("clone", 0, ArgumentTest.WITHOUT, (_CLONE_NAMESPACES_MASK,), errno.EPERM),
    Rule("socket", 0, ArgumentTest.AMONG, (socket.AF_UNIX,), errno.EAFNOSUPPORT),
    Rule("socketpair", 0, ArgumentTest.AMONG, (socket.AF_UNIX,), errno.EAFNOSUPPORT),
    Rule("personality", 0, ArgumentTest.AMONG, _PERSONALITIES, errno.EPERM),
    Rule("ioctl", 1, ArgumentTest.NOT_AMONG, _TERMINAL_WRITES, errno.EPERM),
)
"""The rules for every program."""
