"""The methods of ArenaService about extensions of a ladder's deadline: see arena.proto."""

from __future__ import annotations

import time
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba.zoned_time import ZonedTime
from fudaba_arena.api.actions import found_unchanged
from fudaba_arena.api.checks.finder import Finder, season_of
from fudaba_arena.api.checks.time_checks import checked_time
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.api.messages.annulment_messages import checked_reason
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.store.tournaments.entries import EXTEND, WITHDRAW_EXTENSION, Entries, EntryChange, Extension
from fudaba_arena.tournament.season import Season
from fudaba_serving.grpc.pages import Pages

__all__ = ["ExtensionMethods"]

_PAGES: Final = Pages("extensions")


@final
class ExtensionMethods:
    """The methods about extensions. arena.proto describes each of them."""

    def __init__(self, registry: TournamentRegistry, door: Doorkeeper, finder: Finder) -> None:
        self._registry = registry
        self._door = door
        self._finder = finder

    async def ExtendDeadline(
        self, request: arena_pb2.ExtendDeadlineRequest, context: Context
    ) -> arena_pb2.ExtendDeadlineResponse:
        """See arena.proto."""
        _check_account(request.account)
        reason = _reason(request.reason, "give one, which organisers and the account see")
        until = _until(request)
        arena_tournament = await self._finder.open_season(request.ladder)
        await self._check_known(request.account)
        season, now_ms = season_of(arena_tournament), int(time.time() * 1000)

        def extended(known: Entries) -> list[EntryChange]:
            _check_until(until, season, known, now_ms)
            before = known.extensions.get(request.account)
            if before is not None and (before.until, before.reason) == (until, reason):
                found_unchanged()
                return []
            account, zone = request.account, until.zone
            return [EntryChange(EXTEND, now_ms, account=account, reason=reason, until_ms=until.ms, zone=zone)]

        await arena_tournament.entered.change(extended)
        extension = arena_tournament.state.stored.entries.extensions[request.account]
        return arena_pb2.ExtendDeadlineResponse(extension=_message(extension))

    async def WithdrawExtension(
        self, request: arena_pb2.WithdrawExtensionRequest, context: Context
    ) -> arena_pb2.WithdrawExtensionResponse:
        """See arena.proto."""
        _check_account(request.account)
        reason = _reason(request.reason, "give one, which organisers see")
        arena_tournament = await self._finder.open_season(request.ladder)
        now_ms = int(time.time() * 1000)
        response = arena_pb2.WithdrawExtensionResponse()

        def withdrawn(known: Entries) -> list[EntryChange]:
            before = known.extensions.get(request.account)
            if before is None:
                raise Refused(
                    errors_pb2.REASON_EXTENSION_NOT_FOUND,
                    f"account {request.account} has no extension in {arena_tournament.name}; nothing has changed",
                )
            response.extension.CopyFrom(_message(before))
            return [EntryChange(WITHDRAW_EXTENSION, now_ms, account=request.account, reason=reason)]

        await arena_tournament.entered.change(withdrawn)
        return response

    async def ListExtensions(
        self, request: arena_pb2.ListExtensionsRequest, context: Context
    ) -> arena_pb2.ListExtensionsResponse:
        """See arena.proto."""
        caller = await self._door.caller(context)
        arena_tournament = await self._finder.newest_season(request.ladder)
        known = arena_tournament.state.stored.entries.extensions
        accounts = sorted(name for name in known if caller.organiser or name == caller.account)
        page, following = _PAGES.page(accounts, request.page_size, request.page_token)
        return arena_pb2.ListExtensionsResponse(
            extensions=[_message(known[name]) for name in page], next_page_token=following
        )

    async def _check_known(self, account: str) -> None:
        """Refuses an account that the service does not have."""
        try:
            known = await self._registry.has_account(account)
        except ServiceError as error:
            raise Refused(errors_pb2.REASON_SERVICE_UNAVAILABLE, f"{error}; nothing has changed, try again") from error
        if not known:
            raise Refused(
                errors_pb2.REASON_ACCOUNT_NOT_FOUND,
                f"the service has no account {account!r}; `fudaba account list` lists them",
            )


def _check_account(account: str) -> None:
    if not account:
        raise Refused.malformed("account is empty; name the account")


def _reason(text: str, ask: str) -> str:
    """Returns the organiser's reason. Refuses a request without one."""
    reason = checked_reason(text).strip()
    if not reason:
        raise Refused.malformed(f"reason is empty; {ask}")
    return reason


def _until(request: arena_pb2.ExtendDeadlineRequest) -> ZonedTime:
    """Returns the end of an extension. Refuses a request without one."""
    if not request.HasField("until_time"):
        raise Refused.malformed("until_time is missing; say when the extension ends")
    return checked_time("until_time", request.until_time, request.until_zone)


def _check_until(until: ZonedTime, season: Season, known: Entries, now_ms: int) -> None:
    """Refuses an extension that would extend nothing."""
    deadline = ZonedTime.from_ms(known.frozen_ms, season.ends_zone) if known.frozen_ms is not None else season.ends
    if deadline is None:
        raise Refused(
            errors_pb2.REASON_NO_DEADLINE,
            f"season {season.number} of {season.ladder} has no end, so everybody may enter versions until it is closed;"
            f" set one with `fudaba ladder edit {season.ladder} --set ends=TIME`",
        )
    if until.at <= deadline.at:
        raise Refused.malformed(f"the extension until {until} ends before the deadline, {deadline}; give a later time")
    if until.ms <= now_ms:
        raise Refused.malformed(f"the extension until {until} is past; give a later time")


def _message(extension: Extension) -> arena_pb2.Extension:
    found = arena_pb2.Extension(account=extension.account, until_zone=extension.zone, reason=extension.reason)
    found.until_time.FromMilliseconds(extension.until_ms)
    found.grant_time.FromMilliseconds(extension.granted_ms)
    return found
