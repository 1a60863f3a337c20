"""A browser's page that tells what went wrong in it, and signing in."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from fudaba.client import Client
from fudaba.v1 import bots_pb2
from tests.support.patience import PATIENCE
from tests.support.sizes import exhaustive

MOTION: Final[Literal["no-preference", "reduce"]] = "no-preference" if exhaustive() else "reduce"
"""Whether the page moves: to draw that takes a browser without a graphics card longer than all else. A test that looks
at movement asks for it."""


def launch_options(need_tool: Callable[[str], Path], *, profile: bool = False) -> dict[str, Any]:
    """Returns which browser is launched, and how.

    It is Debian's Chromium, for which its shell without windows stands in where that is there: the same engine takes
    half the processor time in it. The exhaustive run has the browser itself, and so has who needs settings of a
    `profile`: the shell reads none.
    """
    shell = None if profile or exhaustive() else shutil.which("chromium-headless-shell")
    program = need_tool("chromium") if shell is None else Path(shell)
    # As root, as in containers, it runs without a sandbox only.
    return {"executable_path": program, "args": ["--no-sandbox"] if os.geteuid() == 0 else []}


class Watched:
    """A window whose errors fail the test: `with Watched(context.new_page()) as page`."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._errors: list[str] = []
        page.on("pageerror", lambda error: self._errors.append(str(error)))
        page.on("console", self._said)

    def _said(self, message: ConsoleMessage) -> None:
        # A refusal that a test asks for has a status of 400 or more, and the browser writes that down.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._errors.append(message.text)

    def __enter__(self) -> Page:
        return self._page

    def __exit__(self, kind: object, *_: object) -> None:
        self._page.close()
        assert kind is not None or not self._errors, self._errors


def sign_in(context: BrowserContext, organiser: Client, name: str = "") -> None:
    """Gives the browser the session of a new bot, which a person plays."""
    name = name or f"person-{secrets.token_hex(4)}"
    organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), timeout=PATIENCE)
    made = organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), timeout=PATIENCE)
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": made.token})
    assert answer.ok, answer.text()
