"""The checks of submissions by workers. Each belongs to one worker at a time, while it renews its lease."""

from __future__ import annotations

from collections.abc import Collection
from importlib.resources import files
from typing import Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key, read_at_once, read_often, unavailable
from fudaba_arena.store.submissions.submissions import SUBMISSIONS_TAG
from fudaba_serving.redis.pipelining import Pipelined

__all__ = ["Checks"]

_PASSED_RETENTION_SECONDS: Final = 30 * 24 * 3_600


@final
class Checks:
    """The submissions that each worker checks. Operations raise `StoreUnavailable`, and can be repeated unless stated
    otherwise.

    A worker's hold on a submission ends with the check. If the worker does not renew it in time, it lapses, but ends
    only when the next worker takes the submission: until then, a late renewal is accepted.
    """

    def __init__(self, redis: Redis, pipelined: Pipelined) -> None:
        self._redis = redis
        self._pipelined = pipelined
        folder = files("fudaba_arena.store.submissions")
        self._take = redis.register_script((folder / "take_check.lua").read_text())
        self._renew_or_end = redis.register_script((folder / "renew_or_end_check.lua").read_text())

    async def add(self, submission_id: str, so_far: str, now_ms: int, needs: str = "", owner: str = "") -> None:
        """Offers a complete submission to workers for its check. A submission in check, or over, stays as it is.

        `needs` says which workers can check it, see `needs_of`; empty for any. `owner` is its author, whose turn it
        uses.
        """
        check_key = _key(f"one:{submission_id}")
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hsetnx(check_key, "so_far", so_far)
                pipeline.hsetnx(check_key, "needs", needs)
                pipeline.hsetnx(check_key, "owner", owner)
                pipeline.zadd(_key("checks"), {submission_id: now_ms}, nx=True)
                pipeline.zrem(_key("open"), submission_id)
                await answer(pipeline.execute())

    async def ids(self) -> set[str]:
        """Returns the submissions that are in check or wait for it."""
        return {member.decode() for member in await answer(self._redis.zrange(_key("checks"), 0, -1))}

    async def oldest_ms(self) -> int | None:
        """Returns when the oldest unfinished submission was completed, in milliseconds since 1970; None if there is
        none.
        """
        (found,) = await read_often(self._pipelined, ("ZRANGE", _key("checks"), "0", "0", "WITHSCORES"))
        return int(float(found[1])) if found else None

    async def take(
        self, worker: str, lease_ms: int, meets: Collection[str] = (), most_of_one: int = 0
    ) -> tuple[str, int] | None:
        """Returns a submission for this worker to check now, and the number of its beginnings; None if there is none.

        Owners take turns: first those with the fewest checks in progress, then those whose turn was longest ago.
        `meets` are the needs that the worker can meet. `most_of_one` is the highest number of simultaneous checks for
        one owner; 0 for any number.
        """
        args: list[str | int] = [_key("one:"), worker, lease_ms, most_of_one, *sorted(meets)]
        found = await answer(self._take(keys=[_key("checks"), _key("turns")], args=args))
        return (found[0].decode(), int(found[1])) if found else None

    async def waiting(self) -> dict[str, str]:
        """Returns the submissions that no worker has begun to check, and the needs of each."""
        ids = [member.decode() for member in await answer(self._redis.zrange(_key("checks"), 0, -1))]
        with unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for waiting_id in ids:
                    pipeline.hmget(_key(f"one:{waiting_id}"), "needs", "worker", "over")
                found = await answer(pipeline.execute()) if ids else []
        return {
            submission_id: (needs or b"").decode()
            for submission_id, (needs, worker, over) in zip(ids, found, strict=True)
            if worker is None and over is None
        }

    async def keep(self, submission_id: str, worker: str, lease_ms: int, so_far: str = "") -> bool:
        """Renews a lease, and notes the progress of the check. Returns False if the worker no longer has it."""
        return await self._note(submission_id, worker, lease_ms, so_far, "", "", "")

    async def end(
        self, submission_id: str, worker: str, over: str, forget_ms: int | None = None, version: str = ""
    ) -> bool:
        """Notes how a submission ended, when it may be forgotten, and its `BOT@VERSION` if it was accepted.

        Returns False and changes nothing if the worker no longer has it, or it has already ended.
        """
        return await self._note(submission_id, worker, 0, "", over, forget_ms or "", version)

    async def set_aside(self, submission_id: str, worker: str) -> None:
        """Keeps workers from checking a submission that this worker cannot read; `Submissions.take_back` undoes it.

        Nothing happens if another worker has it by now.
        """
        holder = await answer(self._redis.hget(_key(f"one:{submission_id}"), "worker"))
        if holder != worker.encode():
            return
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.zrem(_key("checks"), submission_id)
                pipeline.hdel(_key(f"one:{submission_id}"), "worker", "lease", "begun")
                await answer(pipeline.execute())

    async def _note(self, submission_id: str, *args: str | int) -> bool:
        keys = [_key(part) for part in (f"one:{submission_id}", "checks", "lapsed", "versions", "refused")]
        return bool(await answer(self._renew_or_end(keys=keys, args=[submission_id, *args])))

    async def next_number(self, bot: str) -> int:
        """Returns the number of a bot's next version, a new one at each call."""
        return int(await answer(self._redis.hincrby(_key("numbers"), bot, 1)))

    async def set_version(self, submission_id: str, bot: str, version: str) -> str:
        """Returns the version under which a submission is tried; an earlier version stays."""
        check_key = _key(f"one:{submission_id}")
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hsetnx(check_key, "version", version)
                pipeline.hget(check_key, "version")
                pipeline.hset(_key("tried"), f"{bot}@{version}", submission_id)
                _, kept, _ = await answer(pipeline.execute())
        return str(kept.decode())

    async def submission_of(self, bot: str, version: str) -> tuple[bool, str]:
        """Returns whether a version ever belonged to a submission, and the submission's id once accepted."""
        name = f"{bot}@{version}"
        tried, found = await read_at_once(
            self._redis, ("HEXISTS", _key("tried"), name), ("HGET", _key("versions"), name)
        )
        return bool(tried), found.decode() if found else ""

    async def set_place(self, place: str) -> None:
        """Publishes to workers the URL where submissions are kept, or nothing if they cannot reach it."""
        await answer(self._redis.set(_key("place"), place))

    async def place(self) -> str:
        """Returns that URL; empty if submissions are in a folder of the arena's machine."""
        found = await answer(self._redis.get(_key("place")))
        return found.decode() if found else ""

    async def passed(self, trial_key: str) -> dict[str, str]:
        """Reads the passed stages, by name. `trial_key` names the content and what it ran with."""
        found = await answer(self._redis.hgetall(_key(f"passed:{trial_key}")))
        return {name.decode(): line.decode() for name, line in found.items()}

    async def note_passed(self, trial_key: str, name: str, line: str) -> None:
        """Remembers a passed stage, for 30 days from the last pass."""
        passed_key = _key(f"passed:{trial_key}")
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hset(passed_key, name, line)
                pipeline.expire(passed_key, _PASSED_RETENTION_SECONDS)
                await answer(pipeline.execute())


def _key(part: str) -> str:
    return key(SUBMISSIONS_TAG, part)
