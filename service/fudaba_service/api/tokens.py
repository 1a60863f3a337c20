"""The part of AccountService about tokens and their owners."""

from __future__ import annotations

from typing import Final

from fudaba.v1 import accounts_pb2, accounts_pb2_grpc, errors_pb2
from fudaba_service.accounts.accounts import Accounts
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.house_bots import is_house
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.accounts.tokens import Tokens, lifetime
from fudaba_service.api.guard import Context, Doorkeeper
from fudaba_service.api.own_reach import account_of
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host
from fudaba_serving.grpc.pages import Pages

__all__ = ["TokenMethods"]

_TOKEN_PAGES: Final = Pages("tokens")
_SCOPES: Final = {scope.in_contract: scope for scope in (Scope.ORGANISER, Scope.AUTHOR, Scope.ARENA, Scope.GATEWAY)}
"""The scopes of the tokens that CreateAccountToken makes."""
_AUTHORS: Final = frozenset({Scope.AUTHOR, Scope.BOT})


class TokenMethods(accounts_pb2_grpc.AccountServiceServicer):
    """See accounts.proto."""

    def __init__(self, host: Host, accounts: Accounts, bots: Bots, tokens: Tokens, door: Doorkeeper) -> None:
        self._host = host
        self._accounts = accounts
        self._bots = bots
        self._tokens = tokens
        self._door = door

    async def WhoAmI(self, request: accounts_pb2.WhoAmIRequest, context: Context) -> accounts_pb2.WhoAmIResponse:
        """See accounts.proto."""
        token = (await self._door.known(context)).message()
        return accounts_pb2.WhoAmIResponse(token=token, service_id=self._host.store.service_id)

    async def CreateAccountToken(
        self, request: accounts_pb2.CreateAccountTokenRequest, context: Context
    ) -> accounts_pb2.CreateAccountTokenResponse:
        """See accounts.proto."""
        if request.scope not in _SCOPES:
            words = ", ".join(_SCOPES.values())
            raise Refused.malformed(f"scope is {request.scope}; this makes tokens of scope {words}")
        caller, scope = await self._door.known(context), _SCOPES[request.scope]
        if caller.scope == Scope.AUTHOR and scope != Scope.AUTHOR:
            raise Refused(errors_pb2.REASON_ORGANISER_ONLY, f"only the organiser may make tokens of scope {scope}")
        name = account_of(caller, request.account)
        if name or request.member or scope == Scope.AUTHOR:
            if request.member and all(
                account_member.name != request.member for account_member in (await self._accounts.get(name)).members
            ):
                raise Refused(
                    errors_pb2.REASON_ACCOUNT_NOT_FOUND, f"account {name} has no member {request.member[:40]!r}"
                )
            await self._accounts.check_usable(name)
        # What a member makes for nobody else is his own, and goes with him.
        member = request.member or (caller.member if caller.scope == Scope.AUTHOR else "")
        token, owner = await self._tokens.create(
            Owner(
                scope=scope,
                account=name,
                member=member,
                label=request.label,
                expire_ms=lifetime(request.lifetime_ms, self._host.store.now_ms()),
            )
        )
        await self._accounts.check_receivers(owner, member, caller.member)
        return accounts_pb2.CreateAccountTokenResponse(token=token, info=owner.message())

    async def CreateMatchToken(
        self, request: accounts_pb2.CreateMatchTokenRequest, context: Context
    ) -> accounts_pb2.CreateMatchTokenResponse:
        """See accounts.proto."""
        match_id, seat = request.match_id, request.seat
        copy = (await self._host.register.session_or_end(match_id, self._door.payer)).copy
        if copy.is_over:
            raise Refused(errors_pb2.REASON_MATCH_OVER, f"match {match_id} is over")
        players = copy.header.players
        if seat >= len(players):
            raise Refused.malformed(f"seat is {seat}; match {match_id} has the seats 0 to {len(players) - 1}")
        if is_house(players[seat].bot):
            raise Refused.malformed(f"seat {seat} is that of {players[seat].bot}, which the service itself plays")
        token, owner = await self._tokens.create_for_match(
            Owner(
                scope=Scope.MATCH,
                bot=players[seat].bot,
                version=players[seat].version,
                match_id=match_id,
                seat=seat,
                account=await self._bots.account_of(players[seat].bot),
                label=request.label,
                expire_ms=lifetime(request.lifetime_ms, self._host.store.now_ms()),
            )
        )
        return accounts_pb2.CreateMatchTokenResponse(token=token, info=owner.message())

    async def ListTokens(
        self, request: accounts_pb2.ListTokensRequest, context: Context
    ) -> accounts_pb2.ListTokensResponse:
        """See accounts.proto."""
        if request.scope not in accounts_pb2.TokenScope.values():
            raise Refused.malformed(f"scope is {request.scope}; see the enum TokenScope")
        account = account_of(await self._door.known(context), request.account)
        tokens = await self._tokens.listed(
            lambda owner: (
                owner.scope != Scope.GUEST
                and account in {"", owner.account}
                and request.bot in {"", owner.bot}
                and request.scope in {0, owner.scope.in_contract}
            )
        )
        ids, following = _TOKEN_PAGES.page(list(tokens), request.page_size, request.page_token)
        return accounts_pb2.ListTokensResponse(tokens=[tokens[i] for i in ids], next_page_token=following)

    async def RevokeToken(
        self, request: accounts_pb2.RevokeTokenRequest, context: Context
    ) -> accounts_pb2.RevokeTokenResponse:
        """See accounts.proto."""
        caller = await self._door.known(context)
        token_id = request.token_id or caller.token_id
        return accounts_pb2.RevokeTokenResponse(
            revoked=await self._tokens.revoke(token_id, lambda owner: _manages(caller, owner))
        )

    async def RotateToken(
        self, request: accounts_pb2.RotateTokenRequest, context: Context
    ) -> accounts_pb2.RotateTokenResponse:
        """See accounts.proto."""
        caller = await self._door.known(context)
        token_id = request.token_id or caller.token_id
        token, owner = await self._tokens.rotate(token_id, lambda owner: _manages(caller, owner))
        await self._accounts.check_receivers(owner, owner.member, caller.member)
        return accounts_pb2.RotateTokenResponse(token=token, info=owner.message())


def _manages(caller: Owner, owner: Owner) -> bool:
    """Returns whether the caller may revoke or rotate a token: an organiser may for any, an author for the account's,
    others for their own.
    """
    if caller.scope == Scope.AUTHOR and owner.account == caller.account and owner.scope in _AUTHORS:
        return True
    return caller.scope == Scope.ORGANISER or caller.token_id == owner.token_id
