"""Reads of several keys at one moment. Redis answers them even when its memory is full.

Some releases (7.0) then refuse a read in a transaction, as they refuse a write. A script that is declared to write
nothing always runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from redis.asyncio import Redis

from fudaba_serving.redis.answers import answer_of
from fudaba_serving.redis.pipelining import Script

__all__ = ["READ", "answers_at_once", "by_field", "words_of"]

READ: Final = Script("""#!lua flags=no-writes
local answers, at = {}, 1
while at <= #ARGV do
  local last, words = at + ARGV[at], {}
  for word = at + 1, last do words[#words + 1] = ARGV[word] end
  answers[#answers + 1] = redis.call(unpack(words))
  at = last + 1
end
return answers
""")
"""Answers commands that only read, all at one moment. ARGV: their `words_of`."""


async def answers_at_once(redis: Redis, commands: Iterable[Sequence[str]]) -> list[Any]:
    """Returns the answers to commands that only read, all at one moment, as Redis gives them: a hash as fields and
    values.

    Raises the errors of redis-py.
    """
    return list(await answer_of(redis.eval(READ.text, 0, *words_of(commands))))


def words_of(commands: Iterable[Sequence[str]]) -> list[str]:
    """Returns the commands as `READ` takes them."""
    return [word for command in commands for word in (str(len(command)), *command)]


def by_field(flat: Sequence[bytes]) -> dict[bytes, bytes]:
    """Returns the hash, or the members with their scores, that Redis has answered as a list of pairs."""
    values: Iterator[bytes] = iter(flat)
    return dict(zip(values, values, strict=True))
