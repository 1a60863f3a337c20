"""The options of `fudaba serve` that limit callers and accounts, and the time for which matches are kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, Final, TypeVar

import click

__all__ = ["limit_options"]

C = TypeVar("C", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option(
        "--calls-per-second",
        type=click.FloatRange(0),
        default=200.0,
        envvar="FUDABA_CALLS_PER_SECOND",
        show_envvar=True,
        show_default=True,
        help="Calls a second allowed to a bot, or to a host without a token, in bursts of up to ten seconds' worth; "
        "0: no limit.",
    ),
    click.option(
        "--concurrent-calls",
        type=click.IntRange(1),
        default=1_000,
        envvar="FUDABA_CONCURRENT_CALLS",
        show_envvar=True,
        show_default=True,
        help="Open calls and streams allowed to a bot, or to a host without a token.",
    ),
    click.option(
        "--registration",
        type=click.Choice(["closed", "invite", "open"]),
        default="invite",
        envvar="FUDABA_REGISTRATION",
        show_envvar=True,
        show_default=True,
        help="Who may create an account: the organiser alone, holders of an invitation code, or everybody.",
    ),
    click.option(
        "--registrations-per-hour",
        type=click.IntRange(1),
        default=5,
        envvar="FUDABA_REGISTRATIONS_PER_HOUR",
        show_envvar=True,
        show_default=True,
        help="Accounts that may be created from one address in an hour, not counting those that the organiser creates.",
    ),
    click.option(
        "--guests",
        is_flag=True,
        envvar="FUDABA_GUESTS",
        show_envvar=True,
        help="Let guests play, in unrated matches.",
    ),
    click.option(
        "--bots-per-account",
        type=click.IntRange(1),
        default=20,
        envvar="FUDABA_BOTS_PER_ACCOUNT",
        show_envvar=True,
        show_default=True,
        help="Bots that an author may register for an account.",
    ),
    click.option(
        "--versions-per-day",
        type=click.IntRange(1),
        default=20,
        envvar="FUDABA_VERSIONS_PER_DAY",
        show_envvar=True,
        show_default=True,
        help="Versions that an author may add to an account's bots in a day.",
    ),
    click.option(
        "--matches-per-account",
        type=click.IntRange(1),
        default=50,
        envvar="FUDABA_MATCHES_PER_ACCOUNT",
        show_envvar=True,
        show_default=True,
        help="Unfinished matches that the bots of an account may have created.",
    ),
    click.option(
        "--matches-per-hour",
        type=click.IntRange(1),
        default=1_000,
        envvar="FUDABA_MATCHES_PER_HOUR",
        show_envvar=True,
        show_default=True,
        help="Matches that the bots of an account may create in an hour. A bot or guest without an account counts by "
        "itself.",
    ),
    click.option(
        "--records-per-account",
        type=click.IntRange(1),
        default=20_000,
        envvar="FUDABA_RECORDS_PER_ACCOUNT",
        show_envvar=True,
        show_default=True,
        help="Matches created by an account's bots that may be in play or kept with their records.",
    ),
    click.option(
        "--streams-per-account",
        type=click.IntRange(1),
        default=50,
        envvar="FUDABA_STREAMS_PER_ACCOUNT",
        show_envvar=True,
        show_default=True,
        help="Play streams that the bots of an account may have open at each replica.",
    ),
    click.option(
        "--watches-per-account",
        type=click.IntRange(1),
        default=250,
        envvar="FUDABA_WATCHES_PER_ACCOUNT",
        show_envvar=True,
        show_default=True,
        help="Streams that follow matches, which the tokens of an account may have open at each replica.",
    ),
    click.option(
        "--watches-per-address",
        type=click.IntRange(1),
        default=100,
        envvar="FUDABA_WATCHES_PER_ADDRESS",
        show_envvar=True,
        show_default=True,
        help="Streams that follow matches, which one address may have open at each replica without a token.",
    ),
    click.option(
        "--unread-mib",
        type=click.IntRange(1),
        default=8,
        envvar="FUDABA_UNREAD_MIB",
        show_envvar=True,
        show_default=True,
        metavar="MIB",
        help="Unread bytes that an account's or an address's streams may hold. Beyond that, further streams get no "
        "messages.",
    ),
    click.option(
        "--messages-per-second",
        type=click.FloatRange(0),
        default=100.0,
        envvar="FUDABA_MESSAGES_PER_SECOND",
        show_envvar=True,
        show_default=True,
        help="Messages a second that a bot may send on Play besides one answer to each decision, in bursts of up to "
        "50 seconds' worth; 0: no limit.",
    ),
    click.option(
        "--keep-days",
        type=click.IntRange(0),
        default=0,
        envvar="FUDABA_KEEP_DAYS",
        show_envvar=True,
        show_default=True,
        help="Days for which a match and its record are kept, counted from its creation; 0: forever.",
    ),
    click.option(
        "--keep-records",
        type=click.IntRange(0),
        default=0,
        envvar="FUDABA_KEEP_RECORDS",
        show_envvar=True,
        show_default=True,
        help="How many of the newest matches are kept with their records; 0: all.",
    ),
)


def limit_options(command: C) -> C:
    """Adds the options to a command, in this order. `Settings` describes each of them."""
    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), command)
