"""The site's owner, for the page, and the files for robots and researchers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import escape
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from fudaba_web.settings import Site

__all__ = ["routes", "tags"]

_VALID_DAYS: Final = 180
"""The time for which a `security.txt` is valid after it was fetched."""
_ROBOTS: Final = """\
User-agent: *
Disallow: /account
Disallow: /enter?invitation=
Disallow: /fudaba.v1.
Disallow: /join/
Disallow: /organiser
Disallow: /session
"""
"""The text for robots: they may read nothing about a person, and no personal link."""


def tags(site: Site) -> str:
    """Returns the elements for the head of the document, from which the page reads them."""
    named = {"application-name": site.name, "contact": site.contact, "imprint": site.imprint}
    return "".join(f'<meta name="{name}" content="{escape(text)}" />' for name, text in named.items() if text)


def routes(site: Site) -> list[Route]:
    """`/robots.txt` and, where there is a contact, `security.txt` (RFC 9116)."""

    def robots(_: Request) -> Response:
        return PlainTextResponse(_ROBOTS if site.robots is None else site.robots)

    def security(_: Request) -> Response:
        expires = datetime.now(UTC) + timedelta(days=_VALID_DAYS)
        lines = (f"Contact: {site.contact}", f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}", "Preferred-Languages: en, ja")
        return PlainTextResponse("".join(f"{line}\n" for line in lines))

    found = [Route("/robots.txt", robots, methods=["GET"])]
    if site.contact:
        found.append(Route("/.well-known/security.txt", security, methods=["GET"]))
    return found
