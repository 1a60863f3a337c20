"""Accounts of authors: members, linked logins, suspension, deletion."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from typing import Final, NamedTuple, final

from fudaba.v1 import accounts_pb2, errors_pb2
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.display_names import DELETED, check_reserved
from fudaba_service.accounts.lookalikes import Lookalikes, NameHolder
from fudaba_service.accounts.owner import Owner, Scope, tags_of_account
from fudaba_service.accounts.tokens import Tokens
from fudaba_service.refusals import Refused, check_text, parsed, readable_rows
from fudaba_service.store import Store
from fudaba_service.store.accounts import Swapped
from fudaba_serving.names.likeness import likeness, likenesses

__all__ = ["Accounts", "Renamed"]

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_MAX_DISPLAY_NAME_CHARS: Final = 100
_MAX_MESSAGE_CHARS: Final = 200
_MAX_MEMBERS: Final = 50
_SUSPENDED: Final = b"suspended "
"""The beginning of the reason that bars a suspended account."""
_LINK: Final = re.compile(r"[!-~]{1,200}")


class Renamed(NamedTuple):
    """A renamed account, with its earlier display name."""

    account: accounts_pb2.Account
    before: str


@final
class Accounts:
    """The accounts of the service."""

    def __init__(self, store: Store, bots: Bots, tokens: Tokens) -> None:
        self._store = store
        self._bots = bots
        self._tokens = tokens
        self.lookalikes = Lookalikes(self._named)
        """The accounts whose names look like an earlier one."""

    @staticmethod
    def check(request: accounts_pb2.CreateAccountRequest) -> None:
        """Refuses invalid names of an account or of its first member."""
        _check_name("name", request.name)
        _check_name("member", request.member or request.name)
        check_reserved("name", request.name)
        _check_display_name(request.display_name)

    async def create(self, request: accounts_pb2.CreateAccountRequest) -> accounts_pb2.Account:
        """Makes an account. Refuses a name that is taken, or was."""
        self.check(request)
        name, member = request.name, request.member or request.name
        account = accounts_pb2.Account(name=name, display_name=request.display_name or name)
        account.create_time.FromMilliseconds(self._store.now_ms())
        account.members.add(name=member).create_time.CopyFrom(account.create_time)
        if request.HasField("link"):
            account.members[0].links.add().CopyFrom(_checked(request.link))
        taken = Refused(errors_pb2.REASON_ACCOUNT_EXISTS, f"the name {name} is taken; choose another one")
        if await self._store.accounts.retired(_digest(name)) or await self._store.accounts.get(name) is not None:
            raise taken
        claims = _claims(account)
        if await self._free_claims(account) != claims:
            raise _shown_already(account)
        linked = [link for link in account.members[0].links if await self._link(link, name)]
        stored = await self._store.accounts.swap_shown(name, None, account.SerializeToString(), claims)
        if stored is not Swapped.DONE:
            there = await self._store.accounts.get(name)
            theirs = [] if there is None else _links(_read(name, there))
            for link in linked:
                if link not in theirs:
                    await self._store.accounts.unlink(_key(link), name)
            raise _shown_already(account) if stored is Swapped.TAKEN else taken
        for link in account.members[0].links:
            await self._link(link, name)  # another caller that wanted the same name may have unlinked it meanwhile
        return account

    async def get(self, name: str) -> accounts_pb2.Account:
        """Returns the account with a name."""
        return _read(name, await self._raw(name))

    async def all(self) -> list[accounts_pb2.Account]:
        """Reads all accounts, ordered by name."""
        raws = await self._store.accounts.all()
        return [*readable_rows(accounts_pb2.Account.FromString, raws, "account").values()]

    async def _named(self) -> list[NameHolder]:
        accounts = await self.all()
        return [NameHolder(a.name, (a.name, a.display_name), a.name, a.create_time.ToMilliseconds()) for a in accounts]

    async def rename(self, name: str, display_name: str, *, organiser: bool) -> Renamed:
        """Changes the display name of an account, which is also shown as its bots' author. An empty `display_name`
        restores its name.

        Refuses a display name that others use or that is reserved, and an author whose name is locked.
        """
        _check_display_name(display_name)
        while True:
            raw = await self._raw(name)
            account = _read(name, raw)
            before, account.display_name = account.display_name, display_name or name
            if before == account.display_name:
                return Renamed(account, before)
            if account.display_name_locked and not organiser:
                raise Refused(
                    errors_pb2.REASON_ORGANISER_ONLY,
                    f"the display name of account {name} is locked; ask the organiser to change it",
                )
            claims = await self._free_claims(account)
            if _claim(account.display_name) not in claims:
                raise _shown_already(account)
            stored = await self._store.accounts.swap_shown(name, raw, account.SerializeToString(), claims)
            if stored is Swapped.TAKEN:
                raise _shown_already(account)
            if stored is Swapped.DONE:
                await self._bots.assign_all(name, name, account.display_name)
                return Renamed(account, before)

    async def lock_name(self, name: str, *, locked: bool) -> accounts_pb2.Account:
        """Locks an account's display name, so that only the organiser can change it, or unlocks it."""

        def change(account: accounts_pb2.Account) -> None:
            account.display_name_locked = locked

        return await self._change(name, change)

    async def _free_claims(self, account: accounts_pb2.Account) -> list[str]:
        """Picks an account's names that no other account uses, not even one of an earlier release."""
        others = [other for other in await self.all() if other.name != account.name]
        looks = await likenesses([name for other in others for name in (other.name, other.display_name)])
        taken = set(map(_digest, looks))
        return [claim for claim in _claims(account) if claim not in taken]

    async def suspend(self, name: str, message: str) -> accounts_pb2.Account:
        """Bars an account, and ends its open streams and calls."""
        check_text("message", message, _MAX_MESSAGE_CHARS)

        def change(account: accounts_pb2.Account) -> None:
            account.suspended, account.suspend_message = True, message

        account = await self._change(name, change)
        await self._store.accounts.bar(name, _SUSPENDED + message.encode(), *await self._news(name))
        return account

    async def resume(self, name: str) -> accounts_pb2.Account:
        """Ends a suspension."""

        def change(account: accounts_pb2.Account) -> None:
            account.suspended, account.suspend_message = False, ""

        account = await self._change(name, change)
        await self._store.accounts.bar(name, b"")
        return account

    async def delete(self, name: str) -> str:
        """Deletes an account. Returns the pseudonym of its bots. It can be repeated, since the account itself goes
        last.
        """
        raw = await self._raw(name)
        await self._tokens.check_readable()
        kind, _, pseudonym = (await self._store.accounts.barred(name)).decode().partition(" ")
        if kind != "deleted":
            pseudonym = DELETED + secrets.token_hex(4)
        await self._store.accounts.bar(name, f"deleted {pseudonym}".encode(), *await self._news(name))
        await self._tokens.revoke_all(lambda owner: owner.account == name)
        for bot in await self._bots.of_account(name):
            for version in bot.versions:
                for match_id in await self._store.index.matches_of(f"{bot.name}/{version.label}"):
                    await self._tokens.revoke_for_match(match_id, lambda owner: owner.account == name)
        await self._bots.assign_all(name, pseudonym, pseudonym)
        for link in _links(_read(name, raw)):
            await self._store.accounts.unlink(_key(link), name)
        [limits] = await self._store.accounts.limits(name)
        await self._store.accounts.swap_limits(name, limits, b"")
        await self._store.tags.forget_owner(tags_of_account(name))
        await self._store.accounts.retire(_digest(name))
        while await self._store.accounts.swap_shown(name, raw, None, ()) is not Swapped.DONE:
            raw = await self._raw(name)
        await self._tokens.revoke_all(lambda owner: owner.account == name)  # a call in progress may have made a token
        await self._store.accounts.bar(name, b"")
        return pseudonym

    async def add_member(self, name: str, member: str) -> accounts_pb2.Account:
        """Adds a member to an account."""
        _check_name("member", member)
        now_ms = self._store.now_ms()

        def change(account: accounts_pb2.Account) -> None:
            if all(known_member.name != member for known_member in account.members):
                if len(account.members) >= _MAX_MEMBERS:
                    raise Refused.quota("members", _MAX_MEMBERS, f"account {name}", "remove one first")
                account.members.add(name=member).create_time.FromMilliseconds(now_ms)

        return await self._change(name, change)

    async def remove_member(self, name: str, member: str, used: str) -> accounts_pb2.Account:
        """Removes a member, with the member's links and tokens.

        Author tokens without a member, as earlier releases made them, may be that member's and are removed too. Only
        the token with the id `used`, which removes the member, stays.
        """
        links: list[accounts_pb2.Link] = []

        def change(account: accounts_pb2.Account) -> None:
            links[:] = _member(account, member).links
            if len(account.members) == 1:
                raise Refused.malformed(f"{member} is the only member of account {name}; delete the account instead")
            account.members.remove(_member(account, member))

        account = await self._change(name, change)
        for link in links:
            await self._store.accounts.unlink(_key(link), name)
        tokens = await self._tokens.listed(
            lambda owner: (
                owner.account == name
                and owner.scope == Scope.AUTHOR
                and owner.member in {member, ""}
                and (owner.member != "" or owner.token_id != used)
            )
        )
        for token_id in tokens:
            # Another caller has revoked the token, or holds another one for it, see `check_receivers`.
            with suppress(Refused):
                await self._tokens.revoke(token_id, lambda _: True)
        return account

    async def check_receivers(self, token: Owner, *members: str) -> None:
        """Revokes a token that was just made, and refuses it, if one of these members no longer exists.

        They are the ones who would receive it; empty names are ignored. `remove_member` may have run too early to find
        it.
        """
        if not any(members):
            return
        gone = set(members) - {account_member.name for account_member in (await self.get(token.account)).members} - {""}
        if gone:
            await self._tokens.revoke_all(lambda owner: owner.token_id == token.token_id)
            raise Refused(
                errors_pb2.REASON_TOKEN_UNKNOWN,
                f"{', '.join(sorted(gone))} is no member of account {token.account} any more",
            )

    async def add_link(self, name: str, member: str, link: accounts_pb2.Link) -> accounts_pb2.Account:
        """Links a login to a member."""
        _member(await self.get(name), member)
        await self._link(_checked(link), name)

        def change(account: accounts_pb2.Account) -> None:
            if link not in _links(account):
                _member(account, member).links.add().CopyFrom(link)
            elif link not in _member(account, member).links:
                raise Refused(errors_pb2.REASON_ACCOUNT_EXISTS, "this login belongs to another member of the account")

        return await self._change(name, change)

    async def remove_link(self, name: str, link: accounts_pb2.Link) -> accounts_pb2.Account:
        """Removes a link."""

        def change(account: accounts_pb2.Account) -> None:
            for member in account.members:
                if link in member.links:
                    member.links.remove(link)
                    return
            raise Refused(errors_pb2.REASON_ACCOUNT_NOT_FOUND, f"account {name} has no such link")

        account = await self._change(name, change)
        await self._store.accounts.unlink(_key(link), name)
        return account

    async def logged_in(self, link: accounts_pb2.Link) -> tuple[str, str]:
        """Returns the account and the member of a login."""
        name = await self._store.accounts.linked(_key(_checked(link)))
        for member in (await self.get(name)).members if name else ():
            if link in member.links:
                return name, member.name
        raise Refused(errors_pb2.REASON_ACCOUNT_NOT_FOUND, "no account has this login; make one, or link it to yours")

    async def member_of(self, name: str, member: str) -> str:
        """Returns a member of an account: the named one, or its first.

        Refuses an unknown account or member.
        """
        account = await self.get(name)
        return _member(account, member).name if member else account.members[0].name

    async def check_usable(self, name: str) -> None:
        """Refuses an unknown or suspended account."""
        if (await self.get(name)).suspended:
            raise Refused(errors_pb2.REASON_ACCOUNT_SUSPENDED, f"account {name} is suspended; resume it first")

    async def suspended(self, names: Iterable[str]) -> set[str]:
        """Finds the suspended accounts among these."""
        asked = sorted(set(names) - {""})
        found = await self._store.accounts.several_barred(asked)
        return {name for name, why in zip(asked, found, strict=True) if why.startswith(_SUSPENDED)}

    async def _news(self, name: str) -> list[str]:
        """Returns the news that end everything open for an account. A bot may have joined it after its streams were
        opened.
        """
        return [f"revoked account:{name}", *[f"revoked {bot.name}" for bot in await self._bots.of_account(name)]]

    async def _link(self, link: accounts_pb2.Link, name: str) -> bool:
        """Links a login to an account. Returns False if it is already linked to this one. Refuses another account's
        login.
        """
        if await self._store.accounts.link(_key(link), name):
            return True
        if await self._store.accounts.linked(_key(link)) != name:
            raise Refused(errors_pb2.REASON_ACCOUNT_EXISTS, "this login belongs to another account")
        return False

    async def _change(self, name: str, change: Callable[[accounts_pb2.Account], None]) -> accounts_pb2.Account:
        while True:
            raw = await self._raw(name)
            account = _read(name, raw)
            change(account)
            if await self._store.accounts.swap(name, raw, account.SerializeToString()):
                return account

    async def _raw(self, name: str) -> bytes:
        raw = await self._store.accounts.get(name)
        if raw is None:
            raise Refused(errors_pb2.REASON_ACCOUNT_NOT_FOUND, f"there is no account named {name[:40]!r}")
        return raw


def _read(name: str, raw: bytes) -> accounts_pb2.Account:
    return parsed(accounts_pb2.Account.FromString, raw, f"account {name}")


def _member(account: accounts_pb2.Account, name: str) -> accounts_pb2.Member:
    for member in account.members:
        if member.name == name:
            return member
    raise Refused(errors_pb2.REASON_ACCOUNT_NOT_FOUND, f"account {account.name} has no member {name[:40]!r}")


def _links(account: accounts_pb2.Account) -> list[accounts_pb2.Link]:
    return [link for member in account.members for link in member.links]


def _checked(link: accounts_pb2.Link) -> accounts_pb2.Link:
    for field in ("issuer", "subject"):
        if not _LINK.fullmatch(getattr(link, field)):
            raise Refused.malformed(f"link.{field}: 1 to 200 visible characters of ASCII")
    return link


def _key(link: accounts_pb2.Link) -> str:
    return f"{link.issuer} {link.subject}"


def _check_name(field: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Refused.malformed(f"{field} {name[:80]!r}: 1 to 40 of a-z, 0-9 and -, beginning with a letter")


def _check_display_name(name: str) -> None:
    check_text("display_name", name, _MAX_DISPLAY_NAME_CHARS)
    check_reserved("display_name", name)
    if name and not likeness(name):
        raise Refused.malformed("display_name has only spaces or marks; write a name, or leave it out")


def _claims(account: accounts_pb2.Account) -> list[str]:
    """Returns the names that no other account may have."""
    return list(dict.fromkeys(map(_claim, (account.name, account.display_name))))


def _claim(name: str) -> str:
    return _digest(likeness(name))


def _shown_already(account: accounts_pb2.Account) -> Refused:
    return Refused(
        errors_pb2.REASON_DISPLAY_NAME_TAKEN,
        f"another account is called {account.display_name!r} or {account.name!r}, or has a name too similar to tell "
        "apart; choose another display name",
    )


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
