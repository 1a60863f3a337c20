"""The OpenID provider of the npm package `oidc-provider`, on loopback, and somebody who logs in there."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

import httpx

from tests.support.patience import PATIENCE, wait_until

SOURCES: Final = Path(__file__).with_name("openid_provider")
CLIENT: Final = "fudaba-gateway"
OTHER_CLIENT: Final = "another-site"
SECRET: Final = "s3cret-of-the-client"
LATE: Final = "late"
"""The client whose codes expire after `LATE_SECONDS`."""
LATE_SECONDS: Final = 1.0
_PROMPT: Final = re.compile(r'name="prompt" value="(\w+)"')
_MAX_STEPS: Final = 20


def installed_provider(folder: Path) -> Path:
    """Returns a folder with the provider, as its lock file says."""
    shutil.copytree(SOURCES, folder)
    done = subprocess.run(["npm", "ci"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@contextmanager
def running_provider(folder: Path, port: int, redirect: str) -> Iterator[None]:
    """Runs the provider, which sends browsers back to `redirect` alone."""
    log = folder / "provider.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            ["node", "provider.mjs", str(port), redirect], cwd=folder, stdout=output, stderr=output
        )

    def serves() -> bool:
        assert process.poll() is None, log.read_text()
        return "ready" in log.read_text()

    try:
        wait_until(serves, "the provider serves")
        yield
    finally:
        process.kill()
        process.wait()


def log_in(url: str, subject: str, redirect: str) -> str:
    """Logs in and consents at the provider, from the URL on to which the gateway sends a browser. Returns the URL to
    which the provider sends it back.
    """
    with httpx.Client(timeout=PATIENCE) as browser:
        answer = browser.get(url)
        for _ in range(_MAX_STEPS):
            if answer.is_redirect:
                url = urljoin(url, answer.headers["location"])
                if url.startswith(redirect):
                    return url
                answer = browser.get(url)
            else:
                prompt = _PROMPT.search(answer.text)
                assert prompt is not None, answer.text
                answer = browser.post(url, data={"prompt": prompt[1], "login": subject, "password": "any"})
    raise AssertionError("the provider sends nobody back")
