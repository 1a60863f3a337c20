"""A canary: a process beside a worker's bots that repeats the same small decision.

It is asked through a pipe, and answers with the time since the question: its waits to run at all and for a core while
deciding. On an idle machine, that is a few milliseconds.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Final, Self, TextIO, final

from fudaba import tether
from fudaba.bots import STRATEGIES
from fudaba.by_game import module_of
from fudaba_arena.errors import Say
from fudaba_games.game import SEED_BYTES
from fudaba_games.match import Match
from fudaba_games.registry import game

__all__ = ["deciding", "main", "watch"]

_PAUSE_SECONDS: Final = 1.0
_SILENCE_SECONDS: Final = 2.0
"""The time after which a missing answer counts as late, again and again."""
_RESTART_SECONDS: Final = 2.0


async def watch(env: Mapping[str, str], log: Path, noted: Callable[[float], None], say: Say) -> None:
    """Lets a canary decide about once a second, until cancelled, and passes each decision's seconds to `noted`."""
    while True:
        try:
            async with AsyncExitStack() as stack:
                canary = await _Canary.started(stack, env, log)
                while True:
                    await canary.decide(noted)
                    await asyncio.sleep(_PAUSE_SECONDS)
        except (EOFError, OSError) as error:
            say(f"the canary of this worker ended ({error}) and is started again; see {log}")
            await asyncio.sleep(_RESTART_SECONDS)


@final
class _Canary:
    """The process, from the worker's side."""

    def __init__(self, questions: int, answers: asyncio.StreamReader) -> None:
        self._questions = questions
        self._answers = answers

    @classmethod
    async def started(cls, stack: AsyncExitStack, env: Mapping[str, str], log: Path) -> Self:
        """Starts it until the stack is closed. Returns when it is ready. Raises `EOFError`, `OSError`."""
        with ExitStack() as its:  # the files that only the process needs
            asked, questions = os.pipe()
            its.callback(os.close, asked)
            stack.callback(os.close, questions)
            answers, answering = os.pipe()
            its.callback(os.close, answering)
            reader = asyncio.StreamReader()
            reading, _ = await asyncio.get_running_loop().connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(answers, "rb", buffering=0)
            )
            stack.callback(reading.close)
            log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Called in the main thread, as `tether` wants: it lives as long as the worker does.
            process = tether.start(
                [sys.executable, "-c", f"from {__name__} import main; main({asked}, {answering})"],
                end_with=signal.SIGKILL,
                env=env,
                output=its.enter_context(log.open("ab")),
                pass_fds=[asked, answering],
            )
        stack.push_async_callback(asyncio.to_thread, process.wait)
        stack.callback(process.kill)
        canary = cls(questions, reader)
        await canary._answer()
        return canary

    async def decide(self, noted: Callable[[float], None]) -> None:
        """Lets the canary decide once. Raises `EOFError` if it has ended."""
        began = time.monotonic()
        os.write(self._questions, f"{began!r}\n".encode())
        answer = asyncio.ensure_future(self._answer())
        try:
            while not (await asyncio.wait([answer], timeout=_SILENCE_SECONDS))[0]:
                noted(time.monotonic() - began)
            noted(float(answer.result()))
        finally:
            answer.cancel()

    async def _answer(self) -> bytes:
        line = await self._answers.readline()
        if not line:
            raise EOFError("it says nothing more")
        return line


def deciding() -> Callable[[], None]:
    """Returns a house bot's first decision in a fixed deal, which can be repeated at will."""
    name = min(STRATEGIES)
    rules, strategy = game(name), module_of("fudaba.bots", name)
    match = Match(rules, rules.min_seats, rules.resolve_options({}), bytes(SEED_BYTES))
    first = match.open_decisions()[0]
    view = match.view(first.seat)

    def decide() -> None:
        assert strategy is not None  # noqa: S101  # each of STRATEGIES has a module
        strategy.choose_sensible(view, first.seat, first.legal)

    return decide


def main(asked: int, answering: int) -> None:
    """Runs the process: it answers each time stamp with the time elapsed since."""
    decide = deciding()
    decide()
    with os.fdopen(asked) as questions, os.fdopen(answering, "w") as answers:
        _tell(answers, "ready")
        for question in questions:
            decide()
            _tell(answers, repr(time.monotonic() - float(question)))


def _tell(answers: TextIO, line: str) -> None:
    answers.write(f"{line}\n")
    answers.flush()
