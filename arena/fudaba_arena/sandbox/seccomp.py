"""The filter of system calls: a program for the kernel's packet filter, which allows what is listed and nothing else.

What is refused gets `EPERM`, so that programs may do without; calls that are newer than the list get `ENOSYS`, which
the C library takes as "use the older one". Calls of another architecture than the machine's end the process.
"""

from __future__ import annotations

import errno
import platform
import socket
import struct
from collections.abc import Iterator, Sequence
from typing import Final

from fudaba_arena.sandbox.syscalls import numbers

__all__ = ["filter_program"]

# Classic BPF, as in linux/filter.h, and its data, as in linux/seccomp.h.
_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_AT_LEAST: Final = 0x35
_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06
_NUMBER: Final = 0
_ARCHITECTURE: Final = 4
_ARGUMENTS: Final = 16

_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_ERRNO: Final = 0x00050000

_AUDIT: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NAMESPACES: Final = 0x7E020000
"""The flags of `clone` that make namespaces."""
_PERSONALITIES: Final = (0x0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)
_TERMINAL_WRITES: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX put input into a terminal."""

_Instruction = tuple[int, int, int, int]


def filter_program(machine: str = platform.machine()) -> bytes:
    """The filter, as `bwrap --seccomp` wants it. Raises `ValueError` on a machine for which there is no list."""
    return b"".join(struct.pack("=HBBI", *one) for one in _instructions(machine))


def _instructions(machine: str) -> Iterator[_Instruction]:
    allowed = dict(numbers(machine))
    yield _LOAD, 0, 0, _ARCHITECTURE
    yield _EQUAL, 1, 0, _AUDIT[machine]
    yield _RETURN, 0, 0, _KILL
    yield _LOAD, 0, 0, _NUMBER
    # ENOSYS, not EPERM: the C library then calls `clone`, whose flags can be looked at.
    yield from _if(_EQUAL, 435, [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)])
    newest = max(allowed.values())
    # On x86-64 the calls of x32 have the highest numbers of all.
    yield from _if(_AT_LEAST, newest + 1, [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)])
    yield from _if(_EQUAL, allowed.pop("clone"), _argument_without(_NAMESPACES))
    for name in ("socket", "socketpair"):
        yield from _if(_EQUAL, allowed.pop(name), _argument_among(0, (socket.AF_UNIX,), errno.EAFNOSUPPORT))
    yield from _if(_EQUAL, allowed.pop("personality"), _argument_among(0, _PERSONALITIES, errno.EPERM))
    yield from _if(_EQUAL, allowed.pop("ioctl"), _argument_not_among(1, _TERMINAL_WRITES))
    for first, last in _ranges(sorted(allowed.values())):
        yield _AT_LEAST, 0, 2, first
        yield _AT_LEAST, 1, 0, last + 1
        yield _RETURN, 0, 0, _ALLOW
    yield _RETURN, 0, 0, _ERRNO | errno.EPERM


def _if(how: int, value: int, then: Sequence[_Instruction]) -> Iterator[_Instruction]:
    yield how, 0, len(then), value
    yield from then


def _argument_without(bits: int) -> list[_Instruction]:
    """Ends with whether none of the bits is set in the first argument. Flags are in its lower half."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS),
        (_ANY_BIT, 0, 1, bits),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _argument_among(place: int, values: Sequence[int], refusal: int) -> list[_Instruction]:
    steps = [(_EQUAL, len(values) - number, 0, value) for number, value in enumerate(values)]
    load = (_LOAD, 0, 0, _ARGUMENTS + 8 * place)
    return [load, *steps, (_RETURN, 0, 0, _ERRNO | refusal), (_RETURN, 0, 0, _ALLOW)]


def _argument_not_among(place: int, values: Sequence[int]) -> list[_Instruction]:
    steps = [(_EQUAL, len(values) - number, 0, value) for number, value in enumerate(values)]
    load = (_LOAD, 0, 0, _ARGUMENTS + 8 * place)
    return [load, *steps, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]


def _ranges(sorted_numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = last = sorted_numbers[0]
    for number in sorted_numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
