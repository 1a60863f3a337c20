"""A port that is kept for several processes: they share it, and nobody else."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from fudaba_service.processes.port import reserve
from fudaba_serving.grpc.binding import CannotStart
from tests.support.service.processes import free_port


@contextmanager
def listening(address: str, *, shares: bool) -> Iterator[None]:
    """Somebody listens there, as gRPC does."""
    host, _, port = address.rpartition(":")
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, shares)
        listener.bind((host, int(port)))
        listener.listen()
        yield


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])  # for a moment
def test_those_for_whom_it_is_kept_share_it_and_no_others(host: str) -> None:
    with ExitStack() as kept:
        chosen = reserve(kept, f"{host}:0")
        assert chosen.startswith(f"{host}:")
        assert not chosen.endswith(":0")
    with ExitStack() as kept:
        # What the kernel has chosen it may give to others as soon as nobody has it.
        address = reserve(kept, f"{host}:{free_port()}")
        for _ in range(2):  # before they listen, and after
            with pytest.raises(OSError, match="in use"), listening(address, shares=False):
                pass
            with ExitStack() as another, pytest.raises(CannotStart, match=f"cannot listen on {address}"):
                reserve(another, address)
            kept.enter_context(listening(address, shares=True))
        with socket.create_connection((host, int(address.rpartition(":")[2]))):
            pass
    with ExitStack() as again:  # though the connection has just ended
        assert reserve(again, address) == address


def test_what_somebody_listens_on_or_is_not_of_this_machine_is_refused() -> None:
    with ExitStack() as stack:
        taken = reserve(stack, f"127.0.0.1:{free_port()}")
    for shares in (False, True):
        with listening(taken, shares=shares), ExitStack() as stack, pytest.raises(CannotStart, match="in use"):
            reserve(stack, taken)
    for elsewhere in ("192.0.2.1:0", "nowhere.invalid:0"):
        with ExitStack() as stack, pytest.raises(CannotStart, match="does not belong to this machine"):
            reserve(stack, elsewhere)
