"""Finds the origin of a call and the caller who pays for it. Only the lookup of a token differs between servers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any, final

from grpc import aio

from fudaba_serving.grpc.hosts import client_of
from fudaba_serving.grpc.origins import Origin, Origins
from fudaba_serving.grpc.rate_limit import Caller, Callers

__all__ = ["Identification"]

Context = aio.ServicerContext[Any, Any]


@final
class Identification:
    """Identifies callers by their tokens and connections."""

    def __init__(
        self,
        callers: Callers,
        origins: Origins,
        shown: Callable[[Context], str],
        rejected: Callable[[str], bool],
        look_up: Callable[[Context], Awaitable[None]],
        looks: int = 1,
    ) -> None:
        """`shown` returns what a call shows, empty if nothing, and `rejected` whether that was looked up in vain.

        `look_up` looks up the token of a call and raises nothing for a wrong one. It costs the host `looks`.
        """
        self._callers = callers
        self._origins = origins
        self._shown = shown
        self._rejected = rejected
        self._look_up = look_up
        self._looks = looks

    async def identify(self, context: Context) -> Origin:
        """Returns the origin of a call. A token that was never seen is looked up, so that its owner pays for the call.

        Until then the host pays. A caller with a token that was just looked up in vain pays like any stranger at that
        host.
        """
        shown, origin = self._shown(context), await self._origins.origin_of(context)
        if shown and not self._callers.knows(shown) and not self._rejected(shown):
            async with self._callers.look(origin.host, self._looks, origin.through):
                await self._look_up(context)
        return origin

    def paying(self, context: Context, origin: Origin) -> AbstractContextManager[Caller | None]:
        """Counts a call for as long as it runs; yields the caller who pays for it."""
        return self._callers.call(self._shown(context), origin.host, client_of(context.invocation_metadata()))
