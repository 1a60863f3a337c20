"""Whose the bots of a tournament are: that goes by the service's accounts, never by how these are shown."""

from __future__ import annotations

from pathlib import Path

from fudaba.client import Client, Endpoint
from fudaba.v1 import accounts_pb2, bots_pb2
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.tournaments.beginning import begin, continued, registered
from fudaba_arena.schedule.planning import schedule_of
from fudaba_arena.schedule.schedule import Schedule
from fudaba_arena.store.data_folder import open_to_play
from fudaba_arena.tournament.file import read_source
from tests.support.arena.commands.tournaments import bot, head
from tests.support.arena.running import Service
from tests.support.patience import PATIENCE


def author(hosted: Service, name: str, *bots: str) -> str:
    """Returns the token of a new author with these bots."""
    with hosted.client() as client:
        made = client.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE)
    with Client(hosted.address, made.token) as client:
        for bot_name in bots:
            client.bots.CreateBot(bots_pb2.CreateBotRequest(name=bot_name), timeout=PATIENCE)
    return made.token


def meetings(schedule: Schedule) -> set[frozenset[str]]:
    """Returns who meets whom."""
    return {frozenset(match.bots) for block in schedule for match in block.matches}


async def test_who_is_one_author_goes_by_account_before_and_after_a_renaming(hosted: Service, tmp_path: Path) -> None:
    token = author(hosted, "reg-ann", "reg-a1", "reg-a2")
    author(hosted, "reg-ben", "reg-b1")
    with hosted.client() as client:  # the organiser's own, which only says that it is by "reg-ben"
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="reg-c1", author="reg-ben"), timeout=PATIENCE)
    remote = ("reg-a1", "reg-a2", "reg-b1", "reg-c1")
    file = tmp_path / "cup.toml"
    file.write_text(head("reg-cup") + "".join(bot(name, "remote = true") for name in remote), encoding="utf-8")
    met = {frozenset(pair) for pair in (
        ("reg-a1", "reg-b1"), ("reg-a2", "reg-b1"), ("reg-a1", "reg-c1"), ("reg-a2", "reg-c1"), ("reg-b1", "reg-c1")
    )}  # fmt: skip
    service = ServiceClient(Endpoint(hosted.address, hosted.arena_token), print)
    source = read_source(file)
    try:
        async with open_to_play(tmp_path / "data", None, print) as home:
            tournament = await registered(source.read(), None, source, service)
            assert [entrant.account for entrant in tournament.bots] == ["reg-ann", "reg-ann", "reg-ben", ""]
            state = await begin(tournament, home.store)
            assert meetings(state.schedule) == met
            with Client(hosted.address, token) as client:
                renamed = accounts_pb2.UpdateAccountRequest(display_name="Somebody Else")
                client.accounts.UpdateAccount(renamed, timeout=PATIENCE)
            stored = await home.store.load("reg-cup")
            assert stored is not None
            gone_on = await registered(continued(source.read(), stored, source), stored, source, service)
            assert gone_on.definition() == state.tournament.definition()
            assert meetings(schedule_of(gone_on, state.id)) == met
    finally:
        await service.close()
