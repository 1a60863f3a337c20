"""Commands that calls wait for: they share one connection, and go out without waiting for the answers to each other.

A command of redis-py's takes several turns of the event loop and several times the CPU; and while other streams have
all the work that they can, a turn is what a caller waits for longest.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar, final

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, RedisError

from fudaba_service.store.commits import ANSWER_SECONDS
from fudaba_service.store.connection import unavailable
from fudaba_serving.redis.pipelining import Pipelined, Script
from fudaba_serving.redis.reading import READ, words_of

__all__ = ["Commands"]

T = TypeVar("T")
Word = str | bytes | int | float


@final
class Commands:
    """Raises `StoreUnavailable`.

    What is in flight when the connection is lost is sent once more, as by the store's other connections: all of it
    changes nothing the second time, or is recognised.
    """

    def __init__(self, redis: Redis) -> None:
        self._pipelined = Pipelined(redis, ANSWER_SECONDS)

    async def __call__(self, *words: Word) -> Any:
        """Returns the answer to a command."""
        return await self._twice(lambda: self._pipelined(*words))

    async def run(self, script: Script, keys: Sequence[Word], args: Sequence[Word] = ()) -> Any:
        """Runs a script and returns its answer."""
        return await self._twice(lambda: self._pipelined.run(script, keys, args))

    async def at_once(self, *commands: Sequence[str]) -> list[Any]:
        """Returns the answers to commands that only read, all of one moment, as Redis gives them: a hash as a flat
        list.
        """
        return list(await self.run(READ, (), words_of(commands)))

    async def together(self, commands: Sequence[Sequence[Word]], *scripts: Script) -> list[Any]:
        """Returns the answers to commands that go out together, in their order. All are sent, also if one of them is
        refused.

        `scripts` are those that the commands run, by their `sha`.
        """
        answers = await self._twice(lambda: self._pipelined.together(commands))
        if any(isinstance(answer, NoScriptError) for answer in answers):
            known: list[Sequence[Word]] = [("SCRIPT", "LOAD", script.text) for script in scripts]
            answers = await self._twice(lambda: self._pipelined.together([*known, *commands]))
            answers = answers[len(known) :]
        for answer in answers:
            if isinstance(answer, RedisError):
                with unavailable():
                    raise answer
        return answers

    async def close(self) -> None:
        """Gives the connection back."""
        await self._pipelined.close()

    async def _twice(self, ask: Callable[[], Awaitable[T]]) -> T:
        with unavailable():
            try:
                return await ask()
            except RedisConnectionError:
                return await ask()
