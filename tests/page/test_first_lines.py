"""The lines that the page shows to authors do what it says of them."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fudaba.client import Client
from fudaba.v1 import bots_pb2
from tests.patience import PATIENCE
from tests.service.processes import Service, wait_until
from tests.web.conftest import Gateway, gateway

WHEEL = "https://play.example.org/dist/fudaba-0.1.0-py3-none-any.whl#sha256=" + "0123456789abcdef" * 4


@pytest.fixture(scope="module")
def web(hosted: Service) -> Iterator[Gateway]:
    with gateway(hosted.folder, hosted.address, "", "--wheel", WHEEL) as one:
        yield one


def test_a_bot_connects_with_the_lines_that_the_page_shows(page: Page, organiser: Client, tmp_path: Path) -> None:
    bot = f"careful-{secrets.token_hex(4)}"
    organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=bot), timeout=PATIENCE)
    token = organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=bot), timeout=PATIENCE).token
    page.goto("/")
    shown = page.get_by_label("Run a bot of your own", exact=True)
    expect(shown).to_be_visible()
    install, *lines = shown.inner_text().splitlines()
    assert install == f"pip install '{WHEEL}'"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    script = "\n".join(lines).replace("YOUR_TOKEN", token)
    running = subprocess.Popen(["bash", "-c", script], cwd=tmp_path, env=environment, start_new_session=True)

    def is_there() -> bool:
        assert running.poll() is None
        request = bots_pb2.ListPresenceRequest(bots=[bot])
        told = organiser.bots.ListPresence(request, timeout=PATIENCE).presences
        return any(one.connected for one in told)

    try:
        wait_until(is_there, "the bot is connected")
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
