"""How authors are shown: nobody passes for somebody else, and who was called what stays known."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba.v1 import accounts_pb2, bots_pb2
from fudaba_service.accounts.lookalikes import Lookalikes, NameHolder
from fudaba_service.store import keys
from fudaba_serving.names import likeness as likeness_module
from fudaba_serving.names.likeness import likeness
from tests.support.service.bots import bearer
from tests.support.service.organiser import Organiser, StoreView, refused
from tests.support.service.processes import RedisServer, Service

_numbers = iter(range(10_000))


async def account(organiser: Organiser, display_name: str = "") -> accounts_pb2.CreateAccountResponse:
    request = accounts_pb2.CreateAccountRequest(name=f"shown-{next(_numbers)}", display_name=display_name)
    return await organiser.accounts.CreateAccount(request, metadata=organiser.metadata)  # type: ignore[no-any-return]


async def rename(organiser: Organiser, token: str, display_name: str) -> str:
    request = accounts_pb2.UpdateAccountRequest(display_name=display_name)
    found = await organiser.accounts.UpdateAccount(request, metadata=bearer(token))
    return found.account.display_name  # type: ignore[no-any-return]


async def renames(organiser: Organiser, name: str) -> list[dict[str, str]]:
    """Returns what the log of actions has of an account's display name, with who changed it."""
    request = accounts_pb2.ListActionsRequest(page_size=1000)
    listed = await organiser.accounts.ListActions(request, metadata=organiser.metadata)
    return [
        dict(action.subject) | {"by": action.account}
        for action in listed.actions
        if action.method == "AccountService.UpdateAccount" and action.subject.get("account") == name
    ]


def test_the_table_of_characters_that_look_alike_is_read_as_the_toml_that_it_is() -> None:
    table = tomllib.loads(Path(likeness_module.__file__).with_name("confusables.toml").read_text(encoding="ascii"))
    expected = {ord(character): shape for shape, characters in table.items() for character in characters}
    assert likeness_module._confusables() == expected


@pytest.mark.parametrize(
    "alike",
    [
        *("Pupil 01", "pupil 01", "PUPIL\u300001", "Pupil\u00a001", "Ｐｕｐｉｌ　０１", "Pupil  01"),
        *("Pup\u0456l 01", "\u0420upil 01", "\u03a1\u03c5pil 01"),  # with letters of Cyrillic and Greek
    ],
)
async def test_nobody_takes_a_display_name_that_looks_like_another_accounts(organiser: Organiser, alike: str) -> None:
    number = next(_numbers)
    await account(organiser, f"Pupil 01 of {number}")
    other = await account(organiser)
    mine = f"{alike} of {number}"
    await refused(organiser.accounts.UpdateAccount(
        accounts_pb2.UpdateAccountRequest(display_name=mine), metadata=bearer(other.token)
    ), "DISPLAY_NAME_TAKEN", "another account")  # fmt: skip
    await refused(account(organiser, mine), "DISPLAY_NAME_TAKEN", "choose another display name")
    assert await rename(organiser, other.token, f"Pupil 02 of {number}") == f"Pupil 02 of {number}"


async def test_an_accounts_name_is_no_display_name_of_another_one(organiser: Organiser) -> None:
    ann, ben = await account(organiser, f"Ann {next(_numbers)}"), await account(organiser)
    with_name = accounts_pb2.UpdateAccountRequest(display_name=ann.account.name.upper())
    await refused(organiser.accounts.UpdateAccount(with_name, metadata=bearer(ben.token)), "DISPLAY_NAME_TAKEN")
    again = accounts_pb2.UpdateAccountRequest(display_name="")
    shown = await organiser.accounts.UpdateAccount(again, metadata=bearer(ann.token))
    assert shown.account.display_name == ann.account.name


@pytest.mark.parametrize(
    "name",
    [
        *("organiser", "Organiser", "ORGANIZER", "admin", "Ｆｕｄａｂａ", "house-sensible", "House‐x", "deleted-1"),
        *("\u043erganiser", "\u0410DMIN", "organiser.", "[Admin]"),  # the first letters are Cyrillic
    ],
)
async def test_names_of_the_service_and_its_organiser_are_reserved(organiser: Organiser, name: str) -> None:
    made = await account(organiser)
    request = accounts_pb2.UpdateAccountRequest(display_name=name)
    await refused(organiser.accounts.UpdateAccount(request, metadata=bearer(made.token)), "MALFORMED", "reserved")
    await refused(account(organiser, name), "MALFORMED", "reserved")


async def test_of_several_who_take_the_same_display_name_at_once_one_gets_it(organiser: Organiser) -> None:
    made = [await account(organiser) for _ in range(8)]
    wanted = f"Winner {next(_numbers)}"
    tries = await asyncio.gather(
        *(rename(organiser, made_account.token, wanted) for made_account in made), return_exceptions=True
    )
    assert [outcome for outcome in tries if outcome == wanted] == [wanted]
    names = accounts_pb2.ListAccountsRequest(page_size=1000)
    listed = await organiser.accounts.ListAccounts(names, metadata=organiser.metadata)
    assert sum(listed_account.display_name == wanted for listed_account in listed.accounts) == 1


async def test_a_display_name_that_is_given_up_is_free(organiser: Organiser) -> None:
    ann, ben, number = await account(organiser), await account(organiser), next(_numbers)
    await rename(organiser, ann.token, f"First {number}")
    await rename(organiser, ann.token, f"Second {number}")
    assert await rename(organiser, ben.token, f"First {number}") == f"First {number}"
    delete = accounts_pb2.DeleteAccountRequest(account=ben.account.name)
    await organiser.accounts.DeleteAccount(delete, metadata=organiser.metadata)
    assert await rename(organiser, ann.token, f"First {number}") == f"First {number}"


async def test_a_locked_display_name_is_the_organisers_to_change(organiser: Organiser) -> None:
    made, number = await account(organiser), next(_numbers)
    name = made.account.name
    lock = accounts_pb2.UpdateAccountRequest(account=name, display_name=f"Seat {number}", lock_display_name=True)
    await refused(organiser.accounts.UpdateAccount(lock, metadata=bearer(made.token)), "ORGANISER_ONLY", "locks")
    locked = (await organiser.accounts.UpdateAccount(lock, metadata=organiser.metadata)).account
    assert (locked.display_name, locked.display_name_locked) == (f"Seat {number}", True)
    other = accounts_pb2.UpdateAccountRequest(display_name=f"Another {number}")
    await refused(organiser.accounts.UpdateAccount(other, metadata=bearer(made.token)), "ORGANISER_ONLY", "locked")
    unlock = accounts_pb2.UpdateAccountRequest(account=name, lock_display_name=False)
    free = (await organiser.accounts.UpdateAccount(unlock, metadata=organiser.metadata)).account
    assert (free.display_name, free.display_name_locked) == (f"Seat {number}", False)
    assert await rename(organiser, made.token, f"Another {number}") == f"Another {number}"


async def test_every_change_of_a_display_name_is_in_the_log_with_both_names(organiser: Organiser) -> None:
    made, number = await account(organiser, f"Before {next(_numbers)}"), next(_numbers)
    name, before = made.account.name, made.account.display_name
    await rename(organiser, made.token, f"After {number}")
    back = accounts_pb2.UpdateAccountRequest(account=name, display_name=before)
    await organiser.accounts.UpdateAccount(back, metadata=organiser.metadata)
    assert await renames(organiser, name) == [
        {"account": name, "display_name": f"After {number}", "display_name_before": before, "by": name},
        {"account": name, "display_name": before, "display_name_before": f"After {number}", "by": ""},
    ]


async def test_accounts_of_an_earlier_release_that_are_called_alike_stay_usable(
    organiser: Organiser, store: StoreView
) -> None:
    made, number = [await account(organiser) for _ in range(2)], next(_numbers)
    for made_account in made:  # as a release stored them that let names be the same
        made_account.account.display_name = f"Twin {number}"
        store.client.hset(keys.ACCOUNTS, made_account.account.name, made_account.account.SerializeToString())
    store.client.delete(keys.SHOWN_NAMES)
    for made_account in made:
        bot = bots_pb2.CreateBotRequest(name=f"{made_account.account.name}-bot")
        assert (await organiser.bots.CreateBot(bot, metadata=bearer(made_account.token))).bot.author == f"Twin {number}"
        assert await rename(organiser, made_account.token, f"Twin {number}") == f"Twin {number}"
    await refused(account(organiser, f"TWIN {number}"), "DISPLAY_NAME_TAKEN")
    assert await rename(organiser, made[0].token, f"Elder {number}") == f"Elder {number}"
    await refused(account(organiser, f"Twin {number}"), "DISPLAY_NAME_TAKEN")  # the other one still has it


def test_names_that_only_look_alike_are_told_by_what_is_written() -> None:
    assert likeness("Ann\u2003A") == likeness("ann a") == likeness("ＡＮＮ　Ａ")
    assert likeness("Straße") == likeness("STRASSE")
    assert likeness("Ann A") != likeness("Ann B")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *(("b0b", "bob"), ("b.o.b", "bob"), ("al\u00edce", "alice"), ("AIice", "alice"), ("al1ce", "Alice")),
        *(("rnaria", "maria"), ("\U0001d41alice", "alice"), ("\u0430lice", "alice"), ("O\u2019Hara", "ohara")),
        *(("\u30ab", "\u529b"), ("\u04c0van", "lvan"), ("A.\u00a0B.", "ab")),
    ],
)
def test_names_whose_skeletons_are_the_same_look_alike(name: str, other: str) -> None:
    assert likeness(name) == likeness(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [("v1.1", "v11"), ("pupil-11", "pupil-1-1"), ("\u304b", "\u304c"), ("pupil 10", "pupil 11"), ("ann", "anna")],
)
def test_names_that_readers_tell_apart_do_not_look_alike(name: str, other: str) -> None:
    assert likeness(name) != likeness(other)


async def bot(organiser: Organiser, name: str, token: str = "") -> bots_pb2.Bot:
    metadata = bearer(token) if token else organiser.metadata
    made = await organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), metadata=metadata)
    return made.bot  # type: ignore[no-any-return]


async def test_nobody_registers_a_bot_whose_name_looks_like_that_of_somebody_elses(organiser: Organiser) -> None:
    ann, ben, number = await account(organiser), await account(organiser), next(_numbers)
    await bot(organiser, f"bob-x{number}", ann.token)
    await refused(bot(organiser, f"b0b-x{number}", ben.token), "BOT_EXISTS", f"named bob-x{number}")
    await refused(bot(organiser, f"b0b-x{number}"), "BOT_EXISTS", "looks too much like it")
    assert (await bot(organiser, f"b0b-x{number}", ann.token)).account == ann.account.name
    await refused(bot(organiser, f"b0b-x{number}", ann.token), "BOT_EXISTS", "add a version")
    await refused(bot(organiser, f"h0use-x{number}", ben.token), "MALFORMED", "reserved")
    await refused(bot(organiser, f"pane1-x{number}", ben.token), "MALFORMED", "reserved for ladders' panels")
    assert (await bot(organiser, f"panel-x{number}")).name == f"panel-x{number}"


async def test_of_several_who_register_names_that_look_alike_at_once_one_gets_it(organiser: Organiser) -> None:
    made, number = [await account(organiser) for _ in range(8)], next(_numbers)
    names = [f"{'o' * length}{'0' * (8 - length)}-y{number}" for length in range(1, 9)]
    tries = await asyncio.gather(
        *(bot(organiser, name, made_account.token) for name, made_account in zip(names, made, strict=True)),
        return_exceptions=True,
    )
    assert sum(isinstance(outcome, bots_pb2.Bot) for outcome in tries) == 1


async def test_bots_of_an_earlier_release_keep_others_from_their_looks(folder: Path) -> None:
    with RedisServer(folder) as redis:
        redis.start()
        with Service(folder, "--redis", redis.url) as service:
            service.start()
            async with Organiser(service.address, service.token) as organiser:
                ann, ben = await account(organiser), await account(organiser)
                await bot(organiser, "early-b0b", ann.token)
            assert service.terminate() == 0
            view = StoreView(redis.url)
            assert view.client.delete(keys.BOTS_ALIKE) == 1  # as a release left it that compared no names
            view.client.close()
            service.start()
            async with Organiser(service.address, service.token) as organiser:
                await refused(bot(organiser, "ear1y-bob", ben.token), "BOT_EXISTS", "named early-b0b")
                assert (await bot(organiser, "ear1y-bob", ann.token)).name == "ear1y-bob"


async def test_of_names_that_looked_alike_before_that_was_refused_the_later_is_marked(folder: Path) -> None:
    with RedisServer(folder) as redis:
        redis.start()
        with Service(folder, "--redis", redis.url) as service:
            service.start()
            async with Organiser(service.address, service.token) as organiser:
                ann, ben = await account(organiser, "Ann O"), await account(organiser, "Ben")
                early, own = await bot(organiser, "early-b0b", ann.token), await bot(organiser, "ear1y-b0b", ann.token)
                late = await bot(organiser, "late", ben.token)
            assert service.terminate() == 0
            view = StoreView(redis.url)
            late.name, ben.account.display_name = "ear1y-bob", "Ann 0"  # as a release left it that compared no names
            view.client.hset(keys.BOTS, late.name, late.SerializeToString())
            view.client.hset(keys.ACCOUNTS, ben.account.name, ben.account.SerializeToString())
            service.start()
            async with Organiser(service.address, service.token) as organiser:
                listed = (await organiser.bots.ListBots(bots_pb2.ListBotsRequest(), metadata=organiser.metadata)).bots
                marks = {listed_bot.name: listed_bot.looks_like for listed_bot in listed if listed_bot.looks_like}
                assert marks == {late.name: early.name}, f"{own.name} is of the same account"
                shown = await organiser.bots.GetBot(bots_pb2.GetBotRequest(bot=late.name), metadata=bearer(ben.token))
                assert shown.bot.looks_like == early.name
                everybody = accounts_pb2.ListAccountsRequest()
                listed = (await organiser.accounts.ListAccounts(everybody, metadata=organiser.metadata)).accounts
                marks = {
                    listed_account.name: listed_account.looks_like
                    for listed_account in listed
                    if listed_account.looks_like
                }
                assert marks == {ben.account.name: ann.account.name}
                version = bots_pb2.CreateVersionRequest(bot=late.name, version="2")
                await organiser.bots.CreateVersion(version, metadata=bearer(ben.token))
            stored = bots_pb2.Bot.FromString(cast("bytes", view.client.hget(keys.BOTS, late.name)))
            assert (len(stored.versions), stored.looks_like) == (2, ""), "what changes is not stored"
            view.client.close()
            outputs = [
                CliRunner().invoke(cli, [*command, "--server", service.address, "--token", service.token]).stdout
                for command in (["bot", "list"], ["bot", "show", late.name], ["account", "list"])
            ]
            for said, other in zip(outputs, (early.name, early.name, ann.account.name), strict=True):
                assert said.count(f"looks like {other}") == 1, said


async def test_however_many_names_look_alike_each_is_compared_once() -> None:
    names = [
        NameHolder(f"b{'o0'[number % 2]}b-{number}", (f"b{'o0'[number % 2]}b",), f"{number}", number)
        for number in range(2_000)
    ]
    reads = 0

    async def read() -> list[NameHolder]:
        nonlocal reads
        reads += 1
        return names[::-1]

    alike = Lookalikes(read)
    bots = [bots_pb2.Bot(name=named.name) for named in names]
    for _ in range(2):
        await alike.mark(bots)
    assert [marked.looks_like for marked in bots] == ["", *["bob-0"] * 1_999]
    assert reads == 1
