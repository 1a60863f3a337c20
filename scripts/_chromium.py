"""Debian's Chromium, for the scripts that take pictures."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yields the browser. Ends the script if there is none."""
    program = shutil.which("chromium")
    if program is None:
        sys.exit("Chromium is needed for these pictures (Debian, Ubuntu: apt install chromium fonts-noto-cjk)")
    words = ["--no-sandbox"] if os.geteuid() == 0 else []  # as root, as in containers, it runs without a sandbox only
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=program, args=words) as browser:
        yield browser
