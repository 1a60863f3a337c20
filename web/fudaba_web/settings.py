"""The settings with which a gateway starts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Final, final
from zipfile import is_zipfile

from fudaba.address import DEFAULT_ADDRESS, DEFAULT_ARENA, DEFAULT_WEB, is_host_port
from fudaba.errors import FudabaError

__all__ = ["NotAWheel", "Provider", "Settings", "Site", "Wheel", "is_bot_address", "wheel_of"]

_BOT_ADDRESS: Final = re.compile(r"(https?://)?(?P<host>[A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):(?P<port>[1-9][0-9]*)")
"""The form of a bot address. None of its characters means anything to a shell: people paste it."""


_WHEEL: Final = re.compile(
    r"(?P<url>https?://[A-Za-z0-9.:\[\]-]+/[A-Za-z0-9._~/%+-]*\.whl)#sha256=(?P<sha256>[0-9a-f]{64})"
)
_WHEEL_NAME: Final = re.compile(r"fudaba-[A-Za-z0-9._+]+(-[A-Za-z0-9._]+){3,4}\.whl")
_HOW_TO_NAME: Final = (
    "write https://HOST/fudaba-VERSION-py3-none-any.whl#sha256=DIGITS, with the 64 digits that `sha256sum` says, or "
    "the path of such a file, which the gateway then serves itself"
)


@final
@dataclass(frozen=True, slots=True)
class Provider:
    """A provider whose logins are accepted; the page offers it under a name."""

    issuer: str
    """The provider's URL, in its own spelling."""
    client_id: str
    secret: str
    name: str


@final
@dataclass(frozen=True, slots=True)
class Site:
    """The owner of the site, for people. Empty fields are not shown."""

    name: str = ""
    contact: str = ""
    """A `mailto:` or `https:` URL."""
    imprint: str = ""
    """An `https:` URL, or a path of this host."""
    robots: str | None = None
    """The text for robots. When absent, robots may read public pages, and nothing about a person."""


@final
@dataclass(frozen=True, slots=True)
class Wheel:
    """The kit, as authors install it: a wheel at a URL."""

    url: str
    """A path, without a host, where the gateway serves it itself."""
    sha256: str
    """The hash, in hexadecimal digits."""
    content: bytes = b""
    """The content of a file that the gateway serves itself. It was read once, so it has the hash even if the file
    changes.
    """


@final
class NotAWheel(FudabaError):
    """A file is not a wheel that authors can install; `str()` says what to write."""


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """See the options of `fudaba web`."""

    listen: str = DEFAULT_WEB
    server: str = DEFAULT_ADDRESS
    arena: str = DEFAULT_ARENA
    """The arena; empty if there is none."""
    ca_cert: str = ""
    tls: bool = False
    token: str = ""
    """The token of scope gateway. Without it the service counts the calls of people without a token as this gateway's
    own.
    """
    tls_cert: Path | None = None
    tls_key: Path | None = None
    page: Path = Path(__file__).parent / "page"
    """The folder of the page that `scripts/page` builds; a part of the wheel."""
    behind: str = ""
    """The addresses of reverse proxies that are trusted to name a client's address."""
    bots_at: str = ""
    """The address to which bots connect, as `is_bot_address` reads it. If empty, it is not known, and the page
    guesses.
    """
    wheel: Wheel | None = None
    """The wheel that authors install. When absent, the page tells them to install from a clone."""
    site: Site = Site()
    login: Provider | None = None
    """When absent, people sign in with tokens."""


def is_bot_address(text: str) -> bool:
    """Returns whether a text is `HOST:PORT`, or `:PORT` of the page's own host; with `https://` before it for TLS."""
    found = _BOT_ADDRESS.fullmatch(text)
    return found is not None and is_host_port(f"{found['host'] or 'host'}:{found['port']}")


def wheel_of(text: str) -> Wheel:
    """Returns the wheel that `URL#sha256=DIGITS` or a path names. Nothing in its URL means anything to a shell.

    Raises `NotAWheel`.
    """
    if "://" not in text:
        return _wheel_file(Path(text))
    found = _WHEEL.fullmatch(text)
    if found is None:
        raise NotAWheel(f"{text} is not a wheel with its hash: {_HOW_TO_NAME}")
    return Wheel(found["url"], found["sha256"])


def _wheel_file(path: Path) -> Wheel:
    if _WHEEL_NAME.fullmatch(path.name) is None:
        raise NotAWheel(f"{path} does not have the name of a Fudaba wheel: {_HOW_TO_NAME}")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NotAWheel(
            f"the wheel {path} cannot be read: {error.strerror}; in a clone, "
            "`scripts/page && pip wheel --no-deps -w dist .` builds one"
        ) from None
    if not is_zipfile(BytesIO(content)):
        raise NotAWheel(f"the wheel {path} is damaged: it is no zip archive; build or copy it again")
    return Wheel(f"/wheel/{path.name}", sha256(content).hexdigest(), content)
