"""The filter of system calls: a program for the kernel's packet filter that allows only the listed calls.

Refused calls get `EPERM`, so that programs may do without them. Calls newer than the list get `ENOSYS`, for which the C
library falls back to older calls. Calls of another architecture end the process. A sealed program has more calls
refused, see `sealing.py`, each with an error that its callers know.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from fudaba_arena.sandbox.argument_rules import RULES, ArgumentTest, Rule
from fudaba_arena.sandbox.sealing import SEALED_CALLS, SEALED_RULES
from fudaba_arena.sandbox.syscalls import numbers

__all__ = ["filter_program"]

# Classic BPF, as in linux/filter.h, and its data, as in linux/seccomp.h.
_BPF_LOAD_CODE: Final = 0x20
_BPF_EQUAL_CODE: Final = 0x15
_BPF_AT_LEAST_CODE: Final = 0x35
_BPF_ANY_BIT_CODE: Final = 0x45
_BPF_RETURN_CODE: Final = 0x06
_SYSCALL_NUMBER_OFFSET: Final = 0
_ARCHITECTURE_OFFSET: Final = 4
_ARGUMENTS_OFFSET: Final = 16

_SECCOMP_ALLOW_CODE: Final = 0x7FFF0000
_SECCOMP_KILL_CODE: Final = 0x80000000
_SECCOMP_ERRNO_CODE: Final = 0x00050000

_AUDIT: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE3_SYSCALL_NUMBER: Final = 435

_Instruction = tuple[int, int, int, int]


def filter_program(machine: str = platform.machine(), *, sealed: bool = False) -> bytes:
    """Returns the filter in the form of `bwrap --seccomp`.

    Raises `ValueError` on a machine for which there is no list.
    """
    refused, rules = (SEALED_CALLS, [*RULES, *SEALED_RULES]) if sealed else ({}, RULES)
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in _instructions(machine, refused, rules))


def _instructions(machine: str, refused: Mapping[str, int], rules: Sequence[Rule]) -> Iterator[_Instruction]:
    allowed = dict(numbers(machine))
    yield _BPF_LOAD_CODE, 0, 0, _ARCHITECTURE_OFFSET
    yield _BPF_EQUAL_CODE, 1, 0, _AUDIT[machine]
    yield _BPF_RETURN_CODE, 0, 0, _SECCOMP_KILL_CODE
    yield _BPF_LOAD_CODE, 0, 0, _SYSCALL_NUMBER_OFFSET
    # ENOSYS, not EPERM: the C library then calls `clone`, whose flags can be looked at.
    yield from _if(_BPF_EQUAL_CODE, _CLONE3_SYSCALL_NUMBER, [_refusal(errno.ENOSYS)])
    newest = max(allowed.values())
    # On x86-64 the calls of x32 have the highest numbers of all.
    yield from _if(_BPF_AT_LEAST_CODE, newest + 1, [_refusal(errno.ENOSYS)])
    for name, error in refused.items():
        if name in allowed:
            yield from _if(_BPF_EQUAL_CODE, allowed.pop(name), [_refusal(error)])
    for name, of_call in groupby(sorted(rules, key=lambda rule: rule.call), key=lambda rule: rule.call):
        checks = [step for rule in of_call for step in _check(rule)]
        yield from _if(_BPF_EQUAL_CODE, allowed.pop(name), [*checks, (_BPF_RETURN_CODE, 0, 0, _SECCOMP_ALLOW_CODE)])
    for first, last in _ranges(sorted(allowed.values())):
        yield _BPF_AT_LEAST_CODE, 0, 2, first
        yield _BPF_AT_LEAST_CODE, 1, 0, last + 1
        yield _BPF_RETURN_CODE, 0, 0, _SECCOMP_ALLOW_CODE
    yield _refusal(errno.EPERM)


def _refusal(error: int) -> _Instruction:
    return _BPF_RETURN_CODE, 0, 0, _SECCOMP_ERRNO_CODE | error


def _if(comparison: int, value: int, then: Sequence[_Instruction]) -> Iterator[_Instruction]:
    yield comparison, 0, len(then), value
    yield from then


def _check(rule: Rule) -> Iterator[_Instruction]:
    """Refuses the call if its argument violates the rule, and otherwise continues. The kernel uses the lower half of
    each of these arguments.
    """
    yield _BPF_LOAD_CODE, 0, 0, _ARGUMENTS_OFFSET + 8 * rule.argument
    count = len(rule.values)
    if rule.wanted is ArgumentTest.AMONG:
        for place, value in enumerate(rule.values):
            yield _BPF_EQUAL_CODE, count - place, 0, value
    else:
        comparison = _BPF_EQUAL_CODE if rule.wanted is ArgumentTest.NOT_AMONG else _BPF_ANY_BIT_CODE
        for place, value in enumerate(rule.values):
            last = place == count - 1
            yield comparison, count - place - 1, 1 if last else 0, value
    yield _refusal(rule.error)


def _ranges(sorted_numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = last = sorted_numbers[0]
    for number in sorted_numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
