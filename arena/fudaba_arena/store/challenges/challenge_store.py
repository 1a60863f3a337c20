"""The challenges of an arena: the request, the account, and the end of each. The play itself is a tournament.

```
one:ID       a challenge (hash): `what` it is, the `fingerprint` of the request, why it is to end (`ending`), and how it
             ended (`ended`)
open         the ids of those that are not over (set)
all          the ids of all that are kept, by when they were created (sorted set)
of:ACCOUNT   the same of those in which an account has a part
asked:ACCOUNT  how many blocks an account has asked for in the last day: `ID:BLOCKS`, by when
policies:LADDER  who may challenge the entries of a ladder, by bot, where their authors say something of it (hash)
```

All keys share a hash tag that no tournament has, so that a challenge is created in one step.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any, Final, Self, final

from redis.asyncio import Redis

from fudaba_arena.forms import BadStored, known_fields, readable
from fudaba_arena.store.answers import answer, key, read_often
from fudaba_arena.tournament.season import OFF
from fudaba_serving.redis.pipelining import Pipelined

__all__ = ["ChallengeEnd", "ChallengeOutcome", "ChallengePolicy", "Challenges", "StoredChallenge"]

log = logging.getLogger(__name__)

DAY_MS: Final = 24 * 3_600_000
KEPT_SECONDS: Final = 30 * 86_400
"""The time for which a challenge is kept after its end."""
_MAX_AGE_MS: Final = KEPT_SECONDS * 1000 + 8 * DAY_MS
"""The age at which challenges are dropped. No challenge is open for more than a week."""
_TAG: Final = ".challenges"
"""The hash tag. No tournament has such a name."""


@final
@dataclass(frozen=True, slots=True)
class ChallengePolicy:
    """The author's rule of who may challenge an entry."""

    challenges: str
    """One of the ladder's `CHALLENGES`."""
    challengers: tuple[str, ...] = ()
    """The accounts that may challenge, if they are listed."""


@final
@dataclass(frozen=True, slots=True)
class ChallengeEnd:
    """The end of a challenge."""

    state: str
    """`finished`, `cancelled`, `expired` or `failed`."""
    cause: str = ""
    """The reason, if it was not fully played: one of the contract's causes, in lower case."""
    message: str = ""
    """The reason in words."""
    at_ms: int = 0

    def line(self) -> str:
        """Returns its stored form."""
        return json.dumps(asdict(self))

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """Reads a stored end. Raises `BadStored`."""
        with readable("the end of a challenge"):
            return cls(**known_fields(cls, json.loads(line), "the end of a challenge"))


@final
@dataclass(frozen=True, slots=True)
class StoredChallenge:
    """A stored challenge."""

    challenge_line: bytes
    fingerprint: bytes
    ending: ChallengeEnd | None
    """How it is to end, once nothing of it is in play."""
    ended: ChallengeEnd | None
    """Its end; None while it is open."""


@final
@dataclass(frozen=True, slots=True)
class ChallengeOutcome:
    """The outcome of a request for a challenge: it was stored, or it would exceed a limit."""

    stored: bool
    retry_ms: int = 0
    """The time when a refused challenge would be allowed, in milliseconds since 1970; 0 for never."""


@final
class Challenges:
    """The challenges that were asked for, open and ended."""

    def __init__(self, redis: Redis, pipelined: Pipelined) -> None:
        self._redis = redis
        self._pipelined = pipelined
        script = files("fudaba_arena.store.challenges") / "create_challenge.lua"
        self._create = redis.register_script(script.read_text())

    async def create(
        self,
        challenge_id: str,
        line: str,
        fingerprint: bytes,
        accounts: Sequence[str],
        now_ms: int,
        *,
        blocks: int,
        account: str = "",
        most: int = -1,
    ) -> ChallengeOutcome:
        """Stores a challenge; an existing one stays as it is. It is shown to `accounts`.

        `account` asked for it, and may ask for `most` blocks a day; -1 for any number.
        """
        parts = [f"one:{challenge_id}", "open", "all", f"asked:{account}", *(f"of:{invited}" for invited in accounts)]
        args: list[Any] = [challenge_id, line, fingerprint, now_ms, now_ms - _MAX_AGE_MS, blocks, most, DAY_MS]
        found = int(await answer(self._create(keys=[key(_TAG, part) for part in parts], args=args)))
        return ChallengeOutcome(stored=found < 0, retry_ms=max(0, found))

    async def get(self, challenge_id: str) -> StoredChallenge | None:
        """Returns a challenge; None if it does not exist. Raises `BadStored` for an end that cannot be read."""
        found = await answer(self._redis.hgetall(key(_TAG, f"one:{challenge_id}")))
        if b"what" not in found:
            return None
        ending, ended = (
            ChallengeEnd.from_line(found[part]) if part in found else None for part in (b"ending", b"ended")
        )
        return StoredChallenge(found[b"what"], found[b"fingerprint"], ending, ended)

    async def open(self) -> set[str]:
        """Returns the ids of the open challenges."""
        (found,) = await read_often(self._pipelined, ("SMEMBERS", key(_TAG, "open")))
        return {member.decode() for member in found}

    async def endings(self, challenge_ids: Sequence[str]) -> dict[str, ChallengeEnd | None]:
        """Returns the noted ends of some challenges; None for an end that cannot be read."""
        if not challenge_ids:
            return {}
        one_each = [("HGET", key(_TAG, f"one:{challenge_id}"), "ending") for challenge_id in challenge_ids]
        found = await read_often(self._pipelined, *one_each)
        return {
            ended_id: _ending(line) for ended_id, line in zip(challenge_ids, found, strict=True) if line is not None
        }

    async def ids(self, account: str | None) -> list[tuple[int, str]]:
        """Returns the creation time and the id of each of an account's challenges; None for all accounts."""
        index_name = "all" if account is None else f"of:{account}"
        found = await answer(self._redis.zrange(key(_TAG, index_name), 0, -1, withscores=True))
        return [(int(created_ms), member.decode()) for member, created_ms in found]

    async def end(self, challenge_id: str, ended: ChallengeEnd, *, over: bool) -> None:
        """Notes how a challenge is to end or, with `over`, that it has ended. The first note stays."""
        challenge_key, part = key(_TAG, f"one:{challenge_id}"), "ended" if over else "ending"
        await answer(self._redis.hsetnx(challenge_key, part, ended.line()))
        if over:
            await answer(self._redis.expire(challenge_key, KEPT_SECONDS))
            await answer(self._redis.srem(key(_TAG, "open"), challenge_id))

    # --- who may challenge whom

    async def policies(self, ladder: str) -> dict[str, ChallengePolicy]:
        """Reads the policies that authors have set for their entries in a ladder, by bot.

        Nobody may challenge an entry whose policy cannot be read.
        """
        found: dict[bytes, bytes] = await answer(self._redis.hgetall(key(_TAG, f"policies:{ladder}")))
        return {bot.decode(): _policy(ladder, bot.decode(), line) for bot, line in found.items()}

    async def forget_policies(self, ladder: str) -> None:
        """Forgets the policies of authors in a ladder."""
        await answer(self._redis.delete(key(_TAG, f"policies:{ladder}")))

    async def set_policy(self, ladder: str, bot: str, policy: ChallengePolicy | None) -> None:
        """Stores an author's policy; None removes it."""
        policies = key(_TAG, f"policies:{ladder}")
        if policy is None:
            await answer(self._redis.hdel(policies, bot))
        else:
            await answer(self._redis.hset(policies, bot, json.dumps(asdict(policy))))


def _ending(line: bytes) -> ChallengeEnd | None:
    try:
        return ChallengeEnd.from_line(line)
    except BadStored:
        return None


def _policy(ladder: str, bot: str, line: bytes) -> ChallengePolicy:
    policy_name = f"who may challenge {bot} in {ladder}"
    try:
        with readable(policy_name):
            values = known_fields(ChallengePolicy, json.loads(line), policy_name)
            return ChallengePolicy(**values | {"challengers": tuple(values.get("challengers", ()))})
    except BadStored as error:
        log.warning("nobody may challenge %s in %s until its author sets that anew: %s", bot, ladder, error)
        return ChallengePolicy(OFF)
