"""The part of AccountService about codes for signing in."""

from __future__ import annotations

from fudaba.v1 import accounts_pb2, errors_pb2
from fudaba_service.accounts.accounts import Accounts
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.accounts.sign_in_codes import SIGNED_IN_MS, SignInCodes
from fudaba_service.accounts.tokens import Tokens
from fudaba_service.api.guard import Context, Doorkeeper
from fudaba_service.api.own_reach import account_of
from fudaba_service.api.tokens import TokenMethods
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host

__all__ = ["SignInMethods"]


class SignInMethods(TokenMethods):
    """See accounts.proto."""

    def __init__(self, host: Host, accounts: Accounts, bots: Bots, tokens: Tokens, door: Doorkeeper) -> None:
        super().__init__(host, accounts, bots, tokens, door)
        self._sign_in_codes = SignInCodes(host.store)

    async def CreateSignInCode(
        self, request: accounts_pb2.CreateSignInCodeRequest, context: Context
    ) -> accounts_pb2.CreateSignInCodeResponse:
        """See accounts.proto."""
        caller = await self._door.known(context)
        if request.kind == accounts_pb2.SIGN_IN_CODE_KIND_LINK and caller.scope != Scope.ORGANISER:
            raise Refused(errors_pb2.REASON_ORGANISER_ONLY, "only the organiser hands out links; ask for a device code")
        name = account_of(caller, request.account)
        own = caller.member if caller.account == name else ""
        member = await self._accounts.member_of(name, request.member or own)
        code, expire_ms = await self._sign_in_codes.create(name, member, request.kind)
        try:
            await self._accounts.member_of(name, member)
        except Refused:  # removed meanwhile, perhaps before there was this code to drop
            await self._sign_in_codes.revoke(name, member)
            raise
        response = accounts_pb2.CreateSignInCodeResponse(code=code, member=member)
        response.expire_time.FromMilliseconds(expire_ms)
        return response

    async def ExchangeSignInCode(
        self, request: accounts_pb2.ExchangeSignInCodeRequest, context: Context
    ) -> accounts_pb2.ExchangeSignInCodeResponse:
        """See accounts.proto."""
        await self._door.owner(context)
        address = self._door.address(context)
        sign_in = await self._sign_in_codes.find(request.code, address)
        account, member, label = sign_in
        await self._accounts.check_usable(account)
        await self._accounts.member_of(account, member)
        expire_ms = self._host.store.now_ms() + SIGNED_IN_MS
        token, owner = await self._tokens.create(
            Owner(scope=Scope.AUTHOR, account=account, member=member, label=label, expire_ms=expire_ms)
        )
        await self._accounts.check_receivers(owner, member)
        try:
            # Last: whatever fails before this leaves the code as it was.
            await self._sign_in_codes.take(request.code, sign_in, address)
        except Refused:
            await self._tokens.revoke(owner.token_id, lambda _: True)
            raise
        return accounts_pb2.ExchangeSignInCodeResponse(token=token, info=owner.message())

    async def ListSignInCodes(
        self, request: accounts_pb2.ListSignInCodesRequest, context: Context
    ) -> accounts_pb2.ListSignInCodesResponse:
        """See accounts.proto."""
        name = await self._named(request.account, context)
        await self._accounts.get(name)
        return accounts_pb2.ListSignInCodesResponse(codes=await self._sign_in_codes.listed(name))

    async def RevokeSignInCodes(
        self, request: accounts_pb2.RevokeSignInCodesRequest, context: Context
    ) -> accounts_pb2.RevokeSignInCodesResponse:
        """See accounts.proto."""
        if not request.account:
            raise Refused.malformed("account is empty; name the account whose codes to revoke, even if it is your own")
        name = await self._named(request.account, context)
        await self._accounts.member_of(name, request.member)
        revoked = await self._sign_in_codes.revoke(name, request.member)
        return accounts_pb2.RevokeSignInCodesResponse(revoked=revoked)

    async def _named(self, name: str, context: Context) -> str:
        """Returns the account that a request names, or the caller's own. Refuses other accounts."""
        return account_of(await self._door.known(context), name)
