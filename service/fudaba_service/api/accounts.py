"""AccountService: accounts of authors, and the owners of tokens."""

from __future__ import annotations

from typing import Final, final

from fudaba.v1 import accounts_pb2, errors_pb2
from fudaba_service.accounts.accounts import Accounts
from fudaba_service.accounts.actions import OrganiserActions
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.guest_names import guest_name
from fudaba_service.accounts.invitations import AccountInvitations
from fudaba_service.accounts.limits import Limits
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.accounts.tokens import Tokens, lifetime
from fudaba_service.api.guard import Context, Doorkeeper
from fudaba_service.api.own_reach import account_of
from fudaba_service.api.quota import (
    AccountStreams,
    forget_account,
    kept_of_account,
    made_by_account,
    new_matches_of,
)
from fudaba_service.api.sign_in import SignInMethods
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host
from fudaba_service.settings import Settings
from fudaba_serving.grpc.action_log import listed_actions
from fudaba_serving.grpc.pages import Pages

__all__ = ["AccountServicer"]

_PAGES: Final = Pages("accounts")
_WEEK_MS: Final = 7 * 24 * 3_600_000
_LOGIN_LIFETIME_MS: Final = 12 * 3_600_000
_HOUR_MS: Final = 3_600_000
_GUEST_LIFETIME_MS: Final = 24 * 3_600_000
_NEWEST_PAGES: Final = Pages("accounts, the newest first")
_MAX_TIME_MS: Final = 2**50


@final
class AccountServicer(SignInMethods):
    """See accounts.proto."""

    def __init__(
        self,
        host: Host,
        settings: Settings,
        accounts: Accounts,
        bots: Bots,
        tokens: Tokens,
        actions: OrganiserActions,
        door: Doorkeeper,
        limits: Limits,
        streams: AccountStreams,
    ) -> None:
        super().__init__(host, accounts, bots, tokens, door)
        self._settings = settings
        self._invitations = AccountInvitations(host.store)
        self._limits = limits
        self._streams = streams
        self._actions = actions

    async def CreateAccount(
        self, request: accounts_pb2.CreateAccountRequest, context: Context
    ) -> accounts_pb2.CreateAccountResponse:
        """See accounts.proto."""
        caller = await self._door.owner(context)
        organises = caller is not None and caller.scope == Scope.ORGANISER
        if request.HasField("link") and caller is None:
            raise Refused(errors_pb2.REASON_ORGANISER_ONLY, "only a gateway may give a link, which it has verified")
        left_ms = 0 if organises else await self._registered(request, context)
        try:
            account = await self._accounts.create(request)
        except Refused:
            if left_ms:
                await self._invitations.give_back(request.invitation_code, left_ms)
            raise
        made = Owner(scope=Scope.AUTHOR, account=account.name, member=account.members[0].name)
        token, owner = await self._tokens.create(made)
        return accounts_pb2.CreateAccountResponse(account=account, token=token, info=owner.message())

    async def _registered(self, request: accounts_pb2.CreateAccountRequest, context: Context) -> int:
        """Refuses applicants whom the service's registration does not admit.

        Returns the remaining validity in ms of the invitation that was used up; 0 without one.
        """
        mode = self._settings.registration
        if mode == "closed" or (mode == "invite" and not request.invitation_code):
            hint = (
                "ask the organiser for an account" if mode == "closed" else "give the invitation code of the organiser"
            )
            raise Refused(
                errors_pb2.REASON_REGISTRATION_CLOSED,
                f"this service does not let everybody create an account; {hint}",
            )
        self._accounts.check(request)  # a mistyped name counts against no limit
        code = request.invitation_code
        left_ms = await self._invitations.take(code) if code else 0
        try:
            await self._count("registrations", context)
        except Refused:
            if code:
                await self._invitations.give_back(code, left_ms)
            raise
        return left_ms

    async def CreateInvitation(
        self, request: accounts_pb2.CreateInvitationRequest, context: Context
    ) -> accounts_pb2.CreateInvitationResponse:
        """See accounts.proto."""
        if self._settings.registration == "closed":
            raise Refused(
                errors_pb2.REASON_REGISTRATION_CLOSED,
                "this service takes no invitation codes; create the account yourself, or start it with --registration "
                "invite",
            )
        now_ms = self._host.store.now_ms()
        expire_ms = lifetime(request.lifetime_ms or _WEEK_MS, now_ms)
        response = accounts_pb2.CreateInvitationResponse(code=await self._invitations.create(expire_ms - now_ms))
        response.expire_time.FromMilliseconds(expire_ms)
        return response

    async def GetAccount(
        self, request: accounts_pb2.GetAccountRequest, context: Context
    ) -> accounts_pb2.GetAccountResponse:
        """See accounts.proto."""
        name, caller = await self._named(request.account, context), await self._door.known(context)
        account = await self._accounts.get(name)
        if caller.scope == Scope.ARENA:  # an arena asks only whether the account exists, and may not see its members
            account = accounts_pb2.Account(name=account.name, display_name=account.display_name)
        await self._accounts.lookalikes.mark([account])
        return accounts_pb2.GetAccountResponse(account=account)

    async def ListAccounts(
        self, request: accounts_pb2.ListAccountsRequest, context: Context
    ) -> accounts_pb2.ListAccountsResponse:
        """See accounts.proto."""
        key, pages = (_newest_first, _NEWEST_PAGES) if request.newest_first else (_by_name, _PAGES)
        query = request.query.casefold()
        accounts = {key(account): account for account in await self._accounts.all() if _has(account, query)}
        found, following = pages.page(sorted(accounts), request.page_size, request.page_token)
        listed = [accounts[k] for k in found]
        await self._accounts.lookalikes.mark(listed)
        return accounts_pb2.ListAccountsResponse(accounts=listed, next_page_token=following)

    async def UpdateAccount(
        self, request: accounts_pb2.UpdateAccountRequest, context: Context
    ) -> accounts_pb2.UpdateAccountResponse:
        """See accounts.proto."""
        caller = await self._door.known(context)
        name, organiser = account_of(caller, request.account), caller.scope == Scope.ORGANISER
        locks = request.HasField("lock_display_name")
        if locks and not organiser:
            raise Refused(errors_pb2.REASON_ORGANISER_ONLY, "only the organiser locks a display name")
        about = {"account": name}
        if request.display_name or not locks:
            account, before = await self._accounts.rename(name, request.display_name, organiser=organiser)
            if before != account.display_name:
                about |= {"display_name": account.display_name, "display_name_before": before}
        if locks:
            account = await self._accounts.lock_name(name, locked=request.lock_display_name)
            about["lock_display_name"] = str(request.lock_display_name).lower()
        response = accounts_pb2.UpdateAccountResponse(account=account)
        await self._actions.note(caller, "AccountService.UpdateAccount", request, response, about)
        return response

    async def SuspendAccount(
        self, request: accounts_pb2.SuspendAccountRequest, context: Context
    ) -> accounts_pb2.SuspendAccountResponse:
        """See accounts.proto."""
        account = await self._accounts.suspend(request.account, request.message)
        return accounts_pb2.SuspendAccountResponse(account=account)

    async def ResumeAccount(
        self, request: accounts_pb2.ResumeAccountRequest, context: Context
    ) -> accounts_pb2.ResumeAccountResponse:
        """See accounts.proto."""
        return accounts_pb2.ResumeAccountResponse(account=await self._accounts.resume(request.account))

    async def DeleteAccount(
        self, request: accounts_pb2.DeleteAccountRequest, context: Context
    ) -> accounts_pb2.DeleteAccountResponse:
        """See accounts.proto."""
        if not request.account:
            raise Refused.malformed("account is empty; name the account to delete, even if it is your own")
        name = await self._named(request.account, context)
        await self._sign_in_codes.revoke(name, "")
        pseudonym = await self._accounts.delete(name)
        await forget_account(self._host, name)
        return accounts_pb2.DeleteAccountResponse(pseudonym=pseudonym)

    async def AddMember(
        self, request: accounts_pb2.AddMemberRequest, context: Context
    ) -> accounts_pb2.AddMemberResponse:
        """See accounts.proto."""
        name = await self._named(request.account, context)
        return accounts_pb2.AddMemberResponse(account=await self._accounts.add_member(name, request.member))

    async def RemoveMember(
        self, request: accounts_pb2.RemoveMemberRequest, context: Context
    ) -> accounts_pb2.RemoveMemberResponse:
        """See accounts.proto."""
        name = await self._named(request.account, context)
        used = (await self._door.known(context)).token_id
        account = await self._accounts.remove_member(name, request.member, used)
        await self._sign_in_codes.revoke(name, request.member)
        return accounts_pb2.RemoveMemberResponse(account=account)

    async def AddLink(self, request: accounts_pb2.AddLinkRequest, context: Context) -> accounts_pb2.AddLinkResponse:
        """See accounts.proto."""
        account = await self._accounts.add_link(request.account, request.member, request.link)
        return accounts_pb2.AddLinkResponse(account=account)

    async def RemoveLink(
        self, request: accounts_pb2.RemoveLinkRequest, context: Context
    ) -> accounts_pb2.RemoveLinkResponse:
        """See accounts.proto."""
        name = await self._named(request.account, context)
        return accounts_pb2.RemoveLinkResponse(account=await self._accounts.remove_link(name, request.link))

    async def AssignBot(
        self, request: accounts_pb2.AssignBotRequest, context: Context
    ) -> accounts_pb2.AssignBotResponse:
        """See accounts.proto."""
        author = (await self._bots.get(request.bot)).author
        if request.account:
            author = (await self._accounts.get(request.account)).display_name
        await self._tokens.check_readable()
        await self._bots.assign(request.bot, request.account, author)
        await self._tokens.assign(request.bot, request.account)
        return accounts_pb2.AssignBotResponse()

    async def ListActions(
        self, request: accounts_pb2.ListActionsRequest, context: Context
    ) -> accounts_pb2.ListActionsResponse:
        """See accounts.proto."""
        return accounts_pb2.ListActionsResponse(actions=await listed_actions(self._actions, request))

    async def GetQuotas(
        self, request: accounts_pb2.GetQuotasRequest, context: Context
    ) -> accounts_pb2.GetQuotasResponse:
        """See accounts.proto."""
        name = await self._named(request.account, context)
        limits, own = await self._limits.for_account(name), await self._limits.set_for(name)
        if not name:
            return accounts_pb2.GetQuotasResponse(limits=limits, set_limits=own)
        await self._accounts.get(name)
        used = accounts_pb2.Quotas(
            bots=len(await self._bots.of_account(name)),
            versions_per_day=await self._host.store.accounts.counted("versions", name),
            unfinished_matches=await made_by_account(self._host, name),
            streams=self._streams.count(name),
            matches_per_hour=await new_matches_of(self._host, name),
            records=await kept_of_account(self._host, name),
        )
        return accounts_pb2.GetQuotasResponse(limits=limits, set_limits=own, used=used)

    async def UpdateQuotas(
        self, request: accounts_pb2.UpdateQuotasRequest, context: Context
    ) -> accounts_pb2.UpdateQuotasResponse:
        """See accounts.proto."""
        if request.account:
            await self._accounts.get(request.account)
        await self._limits.change(request.account, request.limits, reset=request.reset)
        return accounts_pb2.UpdateQuotasResponse(limits=await self._limits.for_account(request.account))

    async def CreateGuest(
        self, request: accounts_pb2.CreateGuestRequest, context: Context
    ) -> accounts_pb2.CreateGuestResponse:
        """See accounts.proto."""
        await self._door.owner(context)
        if not self._settings.guests:
            raise Refused(errors_pb2.REASON_REGISTRATION_CLOSED, "this service has no guests; ask for an account")
        await self._count("guests", context)
        expire_ms = self._host.store.now_ms() + _GUEST_LIFETIME_MS
        token, owner = await self._tokens.create(
            Owner(scope=Scope.GUEST, bot=guest_name(), version="1", expire_ms=expire_ms)
        )
        return accounts_pb2.CreateGuestResponse(token=token, info=owner.message())

    async def _count(self, kind: str, context: Context) -> None:
        """Counts a thing made from an address. Refuses too many in an hour."""
        most, address = self._settings.registrations_per_hour, self._door.address(context)
        wait_ms = await self._host.store.accounts.count(kind, address, most, _HOUR_MS)
        if wait_ms:
            raise Refused.quota(f"{kind} an hour", most, address, "try again later", wait_ms / 1000)

    async def ExchangeLogin(
        self, request: accounts_pb2.ExchangeLoginRequest, context: Context
    ) -> accounts_pb2.ExchangeLoginResponse:
        """See accounts.proto."""
        account, member = await self._accounts.logged_in(request.link)
        await self._accounts.check_usable(account)
        expire_ms = self._host.store.now_ms() + _LOGIN_LIFETIME_MS
        token, owner = await self._tokens.create(
            Owner(scope=Scope.AUTHOR, account=account, member=member, label="login", expire_ms=expire_ms)
        )
        await self._accounts.check_receivers(owner, member)
        return accounts_pb2.ExchangeLoginResponse(token=token, info=owner.message())


def _by_name(account: accounts_pb2.Account) -> str:
    return account.name


def _newest_first(account: accounts_pb2.Account) -> str:
    """Returns the sort key that puts younger accounts first, and accounts of one millisecond in order of name."""
    return f"{_MAX_TIME_MS - account.create_time.ToMilliseconds():016} {account.name}"


def _has(account: accounts_pb2.Account, query: str) -> bool:
    """Returns whether any name of an account contains a text in lower case."""
    texts = (account.name, account.display_name, *(member.name for member in account.members))
    return any(query in text.casefold() for text in texts)
