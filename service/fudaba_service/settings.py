"""The settings of `fudaba serve`: by option, by environment variable, or in a TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, final

from fudaba.heartbeat import HUNG_SECONDS

__all__ = ["DEFAULT_LISTEN", "SEATS_EXAMPLE", "Settings"]

DEFAULT_LISTEN: Final = "127.0.0.1:7710"
SEATS_EXAMPLE: Final = "0.0.0.0:7715"
"""The example address for seats only in messages."""


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a service."""

    data: Path
    """The folder of the archive and, without `redis`, of the embedded store."""
    archive: str | None = None
    """The folder of the archive, if it is not in `data`, or a URL that fsspec knows for its records; the index then
    stays in `data`.
    """
    listen: str = DEFAULT_LISTEN
    """`host:port`, or `unix:/path`."""
    seats_listen: str | None = None
    """The same for a port that accepts only tokens of seats, as bots in pods have; None for none."""
    behind: str = ""
    """The addresses or networks of fronts that report their clients' addresses, separated by commas."""
    redis: str | None = None
    """A Redis URL; None for an embedded server of this process."""
    accept_risk: tuple[str, ...] = ()
    """The accepted risks of a Redis's settings, by their names in `fudaba_serving.redis.server_settings`."""
    appendfsync: Literal["everysec", "always"] = "everysec"
    """The rule by which the embedded server writes to disk: `everysec` or `always`."""
    metrics: str | None = None
    """`host:port` of /metrics; None if metrics are not served."""
    backup_stamp: Path | None = None
    """The file in which `fudaba restore --test` notes which backup is right, for the metrics."""
    processes: int = 1
    """The number of processes that serve together, all with these settings, on one port and one store."""
    hung_after: float = HUNG_SECONDS
    """The seconds without a sign of life after which one of several processes is restarted; 0: never."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    new_organiser_token: bool = False
    organiser_token_file: Path | None = None
    """The file to which a new organiser's token is written instead of being printed."""
    arena_token_file: Path | None = None
    gateway_token_file: Path | None = None
    """The file of an arena's token. A new one is written there if the file has no valid one."""
    grace_seconds: float = 5.0
    """The time that calls in progress may take when the service is stopped, in seconds."""
    calls_per_second: float = 200.0
    """The number of calls per second that a bot, or a host without a known token, may make, with a burst of ten
    seconds' worth. 0: any number.
    """
    concurrent_calls: int = 1_000
    """The number of calls and streams that it may have open."""
    registration: Literal["closed", "invite", "open"] = "invite"
    """Who may make an account: only the organiser, holders of an invitation code, or everybody."""
    registrations_per_hour: int = 5
    """The number of accounts that may be made from one address in an hour."""
    guests: bool = False
    """Whether guests may play."""
    bots_per_account: int = 20
    versions_per_day: int = 20
    """The number of versions that an account's bots may get in a day."""
    matches_per_account: int = 50
    """The number of unfinished matches that an account's bots may have created."""
    matches_per_hour: int = 1_000
    """The number of matches that an account's bots, or a bot or guest of no account, may create in an hour."""
    records_per_account: int = 20_000
    """The number of matches created by an account's bots that are kept with their records."""
    streams_per_account: int = 50
    """The number of Play streams that an account's bots may have open on each replica."""
    watches_per_account: int = 250
    """The number of streams that follow a match (WatchSeat, WatchMatch) that an account may have open on each
    replica.
    """
    watches_per_address: int = 100
    """The same for callers without a token at one address."""
    unread_mib: int = 8
    """The unread MiB that these streams of an account or an address may hold before others get nothing."""
    load_games: tuple[str, ...] = ()
    """The games that are loaded at the start; none: all. The first match of any other game waits for its rules to
    load.
    """
    keep_days: int = 0
    """The number of days after its creation for which a match is kept with its record; 0: for ever."""
    keep_records: int = 0
    """The number of newest matches that are kept with their records; 0: all."""
    messages_per_second: float = 100.0
    """The number of messages per second that a bot may send on Play besides its answers, with a burst of 50 seconds'
    worth. 0: any number.
    """
