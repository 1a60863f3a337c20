"""`fudaba bot casual`, against a real service."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba.client import Client
from fudaba.v1 import bots_pb2
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    with short_folder() as place, Service(place) as running:
        yield running.start()


@pytest.fixture(scope="module")
def token(hosted: Service) -> str:
    """The token of the bot bob."""
    with Client(hosted.address, hosted.token) as organiser:
        organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name="bob"), timeout=PATIENCE)
        return organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="bob"), timeout=PATIENCE).token


def casual(hosted: Service, token: str, *words: str, exit_code: int = 0) -> str:
    """Runs the command. Returns what it prints."""
    environment = {"FUDABA_SERVER": hosted.address, "FUDABA_TOKEN": token}
    done = CliRunner().invoke(cli, ["bot", "casual", *words], env=environment)
    assert done.exit_code == exit_code, done.output
    return done.output


def test_an_author_opens_a_bot_to_players_and_closes_it_again(hosted: Service, token: str) -> None:
    assert "2 casual matches at once against bot bob: naga, nerts" in casual(
        hosted, token, "bob", "--game", "nerts", "--game", "naga", "--at-once", "2"
    )
    [listed] = json.loads(casual(hosted, "", "--json"))
    assert (listed["bot"], listed["casual_play"]) == ("bob", {"games": ["naga", "nerts"], "max_matches": 2})
    assert "away" in casual(hosted, "")
    assert "casual_play" not in json.loads(casual(hosted, token, "--off", "--json"))
    assert "no bot takes casual matches" in casual(hosted, "")


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["bob", "--off", "--game", "naga"], "--game, or --off"),
        (["bob", "--at-once", "2"], "name the games"),
        (["bob", "--game", "naga", "--at-once", "21"], "1<=x<=20"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    hosted: Service, token: str, words: list[str], advice: str
) -> None:
    assert advice in casual(hosted, token, *words, exit_code=2)
