"""Commands that calls wait for. They share one connection, and do not wait for each other's answers.

A command of redis-py takes several turns of the event loop and several times the CPU. While streams keep the process
busy, turns are most of a caller's wait.
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
    """The operations. They raise `StoreUnavailable`.

    Commands in flight on a lost connection are sent once more, as on the store's other connections. All of them change
    nothing the second time, or are recognised.
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
        """Returns the answers to read-only commands, all from one moment, in Redis's form: a hash is a flat list."""
        return list(await self.run(READ, (), words_of(commands)))

    async def together(self, commands: Sequence[Sequence[Word]], *scripts: Script) -> list[Any]:
        """Returns the answers to commands that go out together, in order. All are sent, even if one is refused.

        `scripts` are the scripts that the commands run, by their `sha`.
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
