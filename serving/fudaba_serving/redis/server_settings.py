"""Settings of a Redis with which a service or an arena may lose data or keep the wrong time, and their remedies."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from fudaba_serving.redis.clocks import seconds_ahead

__all__ = ["CLOCK", "EMPTY", "RISKS", "SettingFinding", "WrongSettings", "examine", "tell"]

log = logging.getLogger(__name__)

EMPTY: Final = "empty-store"
"""The risk of a store that has lost its data: only data that is kept elsewhere distinguishes it from a new store."""
CLOCK: Final = "time"
"""The risk of a clock that is far from that of its store."""
RISKS: Final = ("maxmemory-policy", "replica", EMPTY, CLOCK)
"""The names of the risks that are refused at the start, unless a setting accepts them."""
_LAG_SECONDS: Final = 10
_MAX_AHEAD_SECONDS: Final = 10.0
"""The greatest difference between the server's clock and this machine's, as in the arena: times from several
machines are compared."""


class WrongSettings(Exception):
    """The store loses data with these settings. The text names them and the remedy."""


class SettingFinding(NamedTuple):
    """A fault of a server's settings or state."""

    name: str
    """The name of the setting or the state."""
    text: str
    """The fault, its consequence, and the command that fixes it."""
    loses: bool = False
    """Whether a start is refused because of it: the server would lose data, or keep a wrong time, while it works as
    configured.
    """


async def examine(redis: Redis) -> list[SettingFinding]:
    """Lists findings; a setting that the server does not show is a finding, too. Raises the errors of redis-py."""
    found: dict[str, Any] = {}
    for part in ("memory", "persistence", "replication"):
        found |= await redis.info(part)
    findings = [*_memory_findings(found), *_persistence_findings(found), *_replicas_findings(found)]
    findings += await _disk_findings(redis, aof=bool(found.get("aof_enabled")))
    return findings + await _clock_findings(redis)


def tell(findings: Collection[SettingFinding], accepted: Collection[str] = RISKS) -> None:
    """Logs the findings. Raises `WrongSettings` for a risk of lost data that is not accepted."""
    for finding in findings:
        if finding.loses and finding.name not in accepted:
            raise WrongSettings(
                f"{finding.text}. To serve all the same{'' if finding.name == CLOCK else ', and lose data'}, start with"
                f" --accept-risk {finding.name}"
            )
    for finding in findings:
        log.warning("Redis: %s", finding.text)


def _memory_findings(found: Mapping[str, Any]) -> list[SettingFinding]:
    policy, limit = str(found.get("maxmemory_policy", "noeviction")), int(found.get("maxmemory", 0))
    if policy == "noeviction":
        return []
    removes = "anything" if policy.startswith("allkeys") else "what is kept for a while only"
    now = f"removes {removes} when it is full" if limit else "would remove data if it got a maxmemory"
    text = (
        f"its maxmemory-policy is {policy}, with which it {now}: `redis-cli CONFIG SET maxmemory-policy noeviction`, "
        "or the same in its provider's settings"
    )
    return [SettingFinding("maxmemory-policy", text, loses=limit > 0 and policy.startswith("allkeys"))]


def _persistence_findings(found: Mapping[str, Any]) -> list[SettingFinding]:
    findings = []
    if not found.get("aof_enabled"):
        findings.append(
            SettingFinding(
                "appendonly",
                "it keeps no append-only file, so when it stops, what was stored since it last saved is lost, or all "
                "of it: `redis-cli CONFIG SET appendonly yes`, and in its configuration",
            )
        )
    if found.get("aof_last_write_status", "ok") != "ok":
        text = "its last write to the append-only file failed, and it takes no more: look at its disk and its log"
        findings.append(SettingFinding("aof_last_write_status", text))
    return findings


def _replicas_findings(found: Mapping[str, Any]) -> list[SettingFinding]:
    if found.get("role") == "slave":
        text = (
            f"it is a replica of {found.get('master_host')}:{found.get('master_port')}, and takes no writes of its own "
            "that last: name its master"
        )
        return [SettingFinding("replica", text, loses=True)]
    findings = []
    for number in range(int(found.get("connected_slaves", 0))):
        replica = found.get(f"slave{number}", {})
        lag = int(replica.get("lag", 0)) if isinstance(replica, dict) else 0
        if lag >= _LAG_SECONDS:
            text = (
                f"its replica {replica.get('ip')}:{replica.get('port')} is {lag} s behind, and a failover to it would "
                "lose these: look at that machine, and at the network to it"
            )
            findings.append(SettingFinding("replica_lag", text))
    return findings


async def _disk_findings(redis: Redis, *, aof: bool) -> list[SettingFinding]:
    try:
        appendfsync = (await redis.config_get("appendfsync")).get("appendfsync", "")
    except ResponseError as error:  # a managed one may refuse it, or an ACL
        text = f"it does not show its settings ({error}), so make sure that it has appendfsync always or everysec"
        return [SettingFinding("CONFIG", text)]
    if aof and appendfsync == "no":
        text = (
            "its appendfsync is no, so a machine that dies takes the last half a minute with it: "
            "`redis-cli CONFIG SET appendfsync everysec`, or always"
        )
        return [SettingFinding("appendfsync", text)]
    return []


async def _clock_findings(redis: Redis) -> list[SettingFinding]:
    ahead = -await seconds_ahead(redis.time())
    if abs(ahead) <= _MAX_AHEAD_SECONDS:
        return []
    direction = "ahead of" if ahead > 0 else "behind"
    text = (
        f"its clock is {abs(ahead):.0f} s {direction} this machine's, and at most {_MAX_AHEAD_SECONDS:.0f} s are"
        " allowed: no bot is charged for that, but times in lists and records may be wrong: have both machines keep"
        " their time (`timedatectl set-ntp true`)"
    )
    return [SettingFinding(CLOCK, text, loses=True)]
