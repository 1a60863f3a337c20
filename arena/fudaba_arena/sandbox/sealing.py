"""Further refusals for a sealed program: calls through which sandboxes of one host could communicate.

Anything that two sandboxes both see, such as the files of `/usr`, can carry a message if one can change something about
it that the other can query: a lock, a watch, whether its pages are in memory, a counter of the whole host. Builds are
not sealed, since compilers lock their caches; no bot plays in a build.

Programs meet these errors elsewhere, too: `ENOLCK` on network file systems, `ENOSYS` on older kernels, the others on
kernels that were built without the feature.
"""

from __future__ import annotations

import errno
from typing import Final

from fudaba_arena.sandbox.argument_rules import ArgumentTest, Rule

__all__ = ["SEALED_CALLS", "SEALED_RULES"]

SEALED_CALLS: Final = {
    "flock": errno.ENOLCK,
    "inotify_add_watch": errno.ENOSYS,
    "inotify_init": errno.ENOSYS,
    "inotify_init1": errno.ENOSYS,
    "inotify_rm_watch": errno.ENOSYS,
    "mincore": errno.ENOSYS,
    "cachestat": errno.ENOSYS,
    "fadvise64": errno.ENOSYS,
    "readahead": errno.ENOSYS,
    # RESOLVE_CACHED shows which paths another program has looked up: they are in memory, where no filter reaches.
    "openat2": errno.ENOSYS,
    # A program that moves to another's core would slow that program down at will, at no loss of its own.
    "sched_setaffinity": errno.EPERM,
    # These files show how busy the host is, how many threads it has, and how much memory is free.
    "sysinfo": errno.ENOSYS,
    # The numbers of these files count the processes of the whole host.
    "pidfd_open": errno.ENOSYS,
    "landlock_create_ruleset": errno.ENOSYS,
    "landlock_add_rule": errno.ENOSYS,
    "landlock_restrict_self": errno.ENOSYS,
}
"""Calls by name, and the result that the program gets. `fanotify` and `io_uring` are refused in every sandbox."""

_LOCKS: Final = (5, 6, 7, 12, 13, 14, 36, 37, 38, 1029)
"""F_GETLK, F_SETLK, F_SETLKW, the same with 64 bits, the same of open files, F_CANCELLK."""
_FCNTLS: Final = (0, 1, 2, 3, 4, 8, 9, 10, 11, 15, 16, 1027, 1028, 1030, 1031, 1032, 1033, 1034)
"""Descriptors and their flags, owners and signals, the size of pipes, seals. Not leases (1024, 1025) and F_NOTIFY
(1026), and not the hints about writing (1035 to 1038), which some kernels keep with a file that is open for reading."""
_IOCTLS: Final = (0x5401, 0x802C542A, 0x5402, 0x5403, 0x5404, 0x540F, 0x5410, 0x5411, 0x5413, 0x5414, 0x541B, 0x5421,
                  0x5450, 0x5451, 0x5452)  # fmt: skip
"""TCGETS, TCGETS2, TCSETS, TCSETSW, TCSETSF, TIOCGPGRP, TIOCSPGRP, TIOCOUTQ, TIOCGWINSZ, TIOCSWINSZ, FIONREAD, FIONBIO,
FIONCLEX, FIOCLEX, FIOASYNC. Others query file systems about memory, such as ext4's precached extents, or devices for
counters."""
_PR_SCHED_CORE_CODE: Final = 62
_PR_SET_MEMORY_MERGE_CODE: Final = 67
_MADV_MERGEABLE_CODE: Final = 12
_MAP_HUGETLB_FLAG: Final = 0x40000
_MFD_HUGETLB_FLAG: Final = 0x4
_SHM_HUGETLB_FLAG: Final = 0o4000
_CLONE_PIDFD_FLAG: Final = 0x1000
_COOKIES: Final = (57, 71, 77)
"""SO_COOKIE, SO_NETNS_COOKIE and SO_PEERPIDFD: numbers of the whole host."""
_SO_PASSPIDFD_CODE: Final = 76

SEALED_RULES: Final = (
    Rule("fcntl", 1, ArgumentTest.NOT_AMONG, _LOCKS, errno.ENOLCK),
    Rule("fcntl", 1, ArgumentTest.AMONG, _FCNTLS, errno.EINVAL),
    Rule("ioctl", 1, ArgumentTest.AMONG, _IOCTLS, errno.ENOTTY),
    # RWF_NOWAIT tells whether a page is in memory.
    Rule("preadv2", 5, ArgumentTest.AMONG, (0,), errno.EOPNOTSUPP),
    Rule("pwritev2", 5, ArgumentTest.AMONG, (0,), errno.EOPNOTSUPP),
    # Equal pages of several programs become one, which shows in how long a write takes.
    # Who need not share a core with others keeps its other half idle.
    Rule("prctl", 0, ArgumentTest.NOT_AMONG, (_PR_SET_MEMORY_MERGE_CODE, _PR_SCHED_CORE_CODE), errno.EINVAL),
    Rule("madvise", 2, ArgumentTest.NOT_AMONG, (_MADV_MERGEABLE_CODE,), errno.EINVAL),
    # The host has a fixed number of huge pages: a program that takes the last one signals that to others.
    Rule("mmap", 3, ArgumentTest.WITHOUT, (_MAP_HUGETLB_FLAG,), errno.ENOMEM),
    Rule("memfd_create", 1, ArgumentTest.WITHOUT, (_MFD_HUGETLB_FLAG,), errno.EINVAL),
    Rule("shmget", 2, ArgumentTest.WITHOUT, (_SHM_HUGETLB_FLAG,), errno.ENOMEM),
    Rule("clone", 0, ArgumentTest.WITHOUT, (_CLONE_PIDFD_FLAG,), errno.EINVAL),
    Rule("getsockopt", 2, ArgumentTest.NOT_AMONG, _COOKIES, errno.ENOPROTOOPT),
    Rule("setsockopt", 2, ArgumentTest.NOT_AMONG, (_SO_PASSPIDFD_CODE,), errno.ENOPROTOOPT),
)
"""The rules in addition to those for every program."""
