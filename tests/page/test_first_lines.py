"""The lines that the page shows to authors do what it says of them."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fudaba.client import Client
from fudaba.v1 import bots_pb2
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, gateway
from tests.support.wheels import wheel_of_checkout

LINES = "Run a bot of your own"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_of_checkout(tmp_path_factory)


@pytest.fixture(scope="module")
def web(hosted: Service, wheel: Path) -> Iterator[Gateway]:
    """Yields a gateway that serves the wheel itself."""
    with gateway(hosted.folder, hosted.address, "", "--wheel", str(wheel), "--bots-at", hosted.address) as running:
        yield running


@contextmanager
def connected(organiser: Client, bot: str, script: str, folder: Path, programs: Path) -> Iterator[None]:
    """While a shell runs a script in an empty folder, from when the service sees the bot on."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}
    environment |= {"PATH": f"{programs}:{environment['PATH']}"}
    log = folder / "shell.log"
    place = folder / "empty"
    place.mkdir()
    with log.open("wb") as output:
        words = ["bash", "-e", "-c", script]
        running = subprocess.Popen(
            words, cwd=place, env=environment, start_new_session=True, stdout=output, stderr=output
        )

    def is_there() -> bool:
        assert running.poll() is None, log.read_text()
        request = bots_pb2.ListPresenceRequest(bots=[bot])
        answer = organiser.bots.ListPresence(request, timeout=PATIENCE)
        return any(presence.connected for presence in answer.presences)

    try:
        wait_until(is_there, "the bot is connected")
        yield
    finally:
        with suppress(ProcessLookupError):  # it has ended, and is_there says how
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def shown_lines(page: Page) -> list[str]:
    shown = page.get_by_label(LINES, exact=True)
    expect(shown).to_be_visible()
    return shown.inner_text().splitlines()


def sign_up(page: Page) -> str:
    """Makes an account on the page and registers a bot of it. Returns the bot's name."""
    page.goto("/enter")
    page.get_by_text("Make an account", exact=False).first.click()
    page.get_by_label("Name of your account").fill(f"ann-{secrets.token_hex(4)}")
    page.get_by_label("Name of your account").press("Enter")
    page.get_by_label("I have kept it").check()
    page.get_by_role("button", name="Sign in with it").click()
    bot = f"robot-{secrets.token_hex(4)}"
    page.get_by_label(re.compile("^A new bot called")).fill(bot)
    page.get_by_label(re.compile("^A new bot called")).press("Enter")
    expect(page.get_by_role("region", name=bot)).to_be_visible()
    return bot


def test_whoever_is_not_signed_in_is_told_what_is_installed_and_where_the_token_comes_from(
    page: Page, organiser: Client, web: Gateway, wheel: Path, tmp_path: Path
) -> None:
    bot = f"careful-{secrets.token_hex(4)}"
    organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=bot), timeout=PATIENCE)
    token = organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=bot), timeout=PATIENCE).token
    page.goto("/")
    install, *lines = shown_lines(page)
    digits = web.http.get("/wheel").json()["sha256"]
    assert install == f"pip install '{web.url}/wheel/{wheel.name}#sha256={digits}'"
    expect(page.get_by_text("In the place of YOUR_TOKEN goes the token of your bot")).to_be_visible()
    script = "\n".join(lines).replace("YOUR_TOKEN", token)
    with connected(organiser, bot, script, tmp_path, Path(sys.executable).parent):
        pass


@pytest.mark.exhaustive
def test_whoever_has_just_made_a_token_finds_it_in_lines_that_connect_the_bot_as_they_are(
    page: Page, organiser: Client, tmp_path: Path
) -> None:
    bot, lines = lines_with_token(page)
    with connected(organiser, bot, "\n".join(lines[1:]), tmp_path, Path(sys.executable).parent):
        pass


@pytest.mark.exhaustive
@pytest.mark.nightly(
    "the tests above run all lines but the first, which they hold to the wheel; `test_python_versions.py` installs that"
)
def test_all_lines_together_connect_a_bot_from_an_empty_environment(
    page: Page, organiser: Client, tmp_path: Path
) -> None:

    subprocess.run([sys.executable, "-m", "venv", tmp_path / "environment"], check=True)
    bot, lines = lines_with_token(page)
    with connected(organiser, bot, "\n".join(lines), tmp_path, tmp_path / "environment" / "bin"):
        pass


def lines_with_token(page: Page) -> tuple[str, list[str]]:
    """Returns an author's bot, and the lines that the page shows them before and after they have made a token of it."""
    bot = sign_up(page)
    page.goto("/")
    assert f"fudaba bot new {bot} && cd {bot}" in shown_lines(page)
    assert "export FUDABA_TOKEN=YOUR_TOKEN" in shown_lines(page)
    page.get_by_role("link", name=f"Make a token of {bot}").click()
    page.get_by_role("button", name="Make a token").click()
    expect(page.get_by_text("This is shown once")).to_be_visible()
    page.get_by_role("link", name="Fudaba").first.click()
    expect(page.get_by_text("show them to nobody")).to_be_visible()
    assert "fudaba-bot-" not in page.url
    return bot, shown_lines(page)
