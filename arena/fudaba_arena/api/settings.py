"""The settings of a standing arena."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from fudaba.address import DEFAULT_ARENA
from fudaba_arena.submissions.limits import SubmissionLimits

__all__ = ["Settings"]


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an arena process."""

    data: Path
    """The folder of the embedded store and of the bots' logs."""
    archive: str = ""
    """The folder or URL for the closed blocks of seasons that are over; by default they are in the data folder."""
    archive_after: int = 0
    """The number of days for which a season's blocks stay in the store after its end."""
    redis: str | None = None
    """A Redis URL; None for an embedded server of this process."""
    accept_risk: tuple[str, ...] = ()
    """The accepted risks of Redis's settings, by their names in `fudaba_serving.redis.server_settings`."""
    service_id: str = ""
    """The id of the service on which the arena plays from now on; empty for the service that it had."""
    listen: str = DEFAULT_ARENA
    """`host:port`, or `unix:/path`."""
    behind: str = ""
    """The addresses or networks of fronts that report their clients' addresses, separated by commas."""
    metrics: str | None = None
    """`host:port` of /metrics; None if metrics are not served."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    commands: Path | None = None
    """The folder in which the commands of tournaments are started; None to refuse bots with a command."""
    workers: bool = False
    """Whether workers play the blocks, instead of this process."""
    grace_seconds: float = 10.0
    """The time that matches in play may take to end when a tournament is stopped, in seconds."""
    calls_per_second: float = 200.0
    """The number of calls that a host may make per second, with a burst of ten seconds' worth. 0: no limit."""
    concurrent_calls: int = 200
    """The number of calls and streams that a host may have open."""
    streams_per_host: int = 100
    """The number of streams of a host that may follow tournaments."""
    challenge_blocks_per_day: int = 200
    """The number of challenge blocks that an account may request in 24 hours."""
    challenges_at_once: int = 2
    """The number of challenges that are played at once."""
    challenge_hours: int = 24
    """The number of hours after which an unfinished challenge expires."""
    submissions: str = ""
    """The folder or URL of submitted bots; by default they are in the data folder."""
    submission_limits: SubmissionLimits = field(default_factory=SubmissionLimits)
    """The limits on the size of a submission."""
    uploads_per_day: int = 20
    """The number of submissions that an account may upload in 24 hours."""
    upload_megabytes_per_day: int = 1_000
    """The number of megabytes that an account may upload in 24 hours."""
    build_minutes_per_day: int = 60
    """The number of minutes that the builds of an account may take in 24 hours."""
    upload_hours: int = 24
    """The number of hours after which an incomplete upload expires."""

    @property
    def messages_per_second(self) -> float:
        """No limit, since the arena's streams take no messages from clients."""
        return 0.0
