"""Stands in for a Python that is started with `-c CODE`: has a process fork that has imported everything.

    python -IS stand_in.py SOCKET [OPTION…] -c CODE

At the socket answers `forks.py`. The fork has the open files of this process, under the same numbers. This process
stays: it ends as the fork has ended, and when it is killed, so is the fork. Ctrl-C reaches the fork by itself.
"""

import os
import signal
import socket
import sys

_MAX_STATUS_BYTES = 16


def main() -> None:
    """See the module."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as link:
        link.connect(sys.argv[1])
        own = {nothing, link.fileno()}
        listed = map(int, os.listdir("/proc/self/fd"))  # noqa: PTH208  pathlib takes longer than all of this
        files = [number for number in listed if number not in own and _is_open(number)]
        socket.send_fds(link, [repr((files, sys.argv[-1])).encode()], files)
        for number in files:  # whoever reads or writes at their other ends is to see that the fork has ended
            if number != sys.stderr.fileno():
                os.dup2(nothing, number)
        try:
            status = int(link.recv(_MAX_STATUS_BYTES) or b"1")
        except ConnectionResetError:  # the process that forks is gone, and has said why
            status = 1
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _is_open(number: int) -> bool:
    """Returns whether this is an open file; that through which the others were listed is not any more."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
