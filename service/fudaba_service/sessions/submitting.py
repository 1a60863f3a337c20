"""Changes of a match for which a caller waits."""

from __future__ import annotations

import asyncio
from typing import Final

from fudaba.v1 import errors_pb2
from fudaba_service.refusals import Refused
from fudaba_service.sessions import proposals
from fudaba_service.sessions.changes import Propose
from fudaba_service.sessions.session import Session

__all__ = ["catch_up", "change"]

_PATIENCE_SECONDS: Final = 5.0


async def change(session: Session, propose: Propose, held: float = 0.0) -> None:
    """Submits a change and waits until it is stored. The change may be held for this many seconds before that. Raises
    `Refused`.
    """
    done: asyncio.Future[Refused | None] = asyncio.get_running_loop().create_future()

    def reply(refused: Refused | None) -> None:
        if not done.done():
            done.set_result(refused)

    session.submit(propose, reply)
    try:
        async with asyncio.timeout(held + _PATIENCE_SECONDS):
            refused = await done
    except TimeoutError as error:
        raise Refused(
            errors_pb2.REASON_STORE_UNAVAILABLE,
            "the store did not answer in time; ask again: a change that was stored after all is not made twice",
        ) from error
    if refused is not None:
        raise refused


async def catch_up(session: Session) -> None:
    """Waits until a session's copy is in step with the store. Raises `Refused` if the store does not answer."""
    await change(session, proposals.confirm_in_step)
