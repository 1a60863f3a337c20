"""What belongs to a caller whose reach in the table of permissions is `own`."""

from __future__ import annotations

from fudaba.v1 import bots_pb2, errors_pb2
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.refusals import Refused

__all__ = ["account_of", "check_own_bot", "own_bots"]


def account_of(caller: Owner, name: str) -> str:
    """The account that a request names; an author's own if it names none. Refuses an author that of others."""
    if caller.scope == Scope.AUTHOR and name not in {"", caller.account}:
        raise Refused(errors_pb2.REASON_NOT_YOURS, f"account {name[:40]!r} is not yours; yours is {caller.account}")
    return name or caller.account


def check_own_bot(caller: Owner, bot: bots_pb2.Bot) -> None:
    """Refuses an author the bots of others, an arena those of any account, and a bot every other one."""
    if caller.scope == Scope.ORGANISER:
        return
    if caller.plays and bot.name != caller.bot:
        raise Refused(errors_pb2.REASON_NOT_YOURS, f"a bot may get itself only, {caller.bot}, not {bot.name}")
    if not caller.plays and bot.account != caller.account:
        whose = f"account {caller.account}" if caller.account else "no account, which are the arena's"
        raise Refused(errors_pb2.REASON_NOT_YOURS, f"bot {bot.name} is not yours; you manage the bots of {whose}")


async def own_bots(bots: Bots, caller: Owner | None) -> frozenset[str]:
    """The names of the bots whose unlisted matches a caller finds: its own, or its account's."""
    if caller is None:
        return frozenset()
    if caller.plays:
        return frozenset({caller.bot})
    return frozenset(bot.name for bot in await bots.of_account(caller.account)) if caller.account else frozenset()
