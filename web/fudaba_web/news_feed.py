"""The announcements of an arena as Atom feeds (RFC 4287), for everybody.

A feed has what the arena tells anybody, so nothing that is hidden can be in it. An announcement that was withdrawn is
missing from the next answer. Each reading is a call at the expense of its reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from html import escape
from typing import Final

from grpc import StatusCode, aio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fudaba.v1 import arena_pb2
from fudaba_web.errors import translated
from fudaba_web.sessions import address_of
from fudaba_web.settings import Site
from fudaba_web.upstreams import Upstreams

__all__ = ["routes"]

_TIMEOUT_SECONDS: Final = 10.0
_MAX_ENTRIES: Final = 100
"""The number of entries of a feed, which is the number of announcements that an arena keeps."""
_MAX_TITLE_CHARS: Final = 80
_FRESH: Final = "public, max-age=60"
_TYPE: Final = "application/atom+xml; charset=utf-8"
_EMPTY_SINCE: Final = "1970-01-01T00:00:00Z"
"""When a feed without entries was updated: a feed has to say it."""
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STATUSES: Final[Mapping[StatusCode, int]] = {
    StatusCode.NOT_FOUND: 404,
    StatusCode.INVALID_ARGUMENT: 404,
    StatusCode.RESOURCE_EXHAUSTED: 429,
}
"""The HTTP statuses of refusals of a list; of all others it is 503."""
_METHOD: Final = arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods_by_name["ListAnnouncements"]


def routes(upstreams: Upstreams, site: Site) -> list[Route]:
    """Returns the paths of the feeds: one of all announcements, and for each ladder one of those that concern it."""
    feed = partial(_feed, upstreams, site.name or "Fudaba")
    return [
        Route("/news.atom", feed, methods=["GET"]),
        Route("/ladders/{ladder}/news.atom", feed, methods=["GET"]),
    ]


async def _feed(upstreams: Upstreams, site_name: str, request: Request) -> Response:
    ladder = request.path_params.get("ladder", "")
    announcements = await _announcements(upstreams, ladder, address_of(request))
    content = _document(request, site_name, ladder, announcements).encode()
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": _FRESH}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers | {"content-type": _TYPE})


async def _announcements(upstreams: Upstreams, ladder: str, address: str) -> Sequence[arena_pb2.Announcement]:
    """Returns the announcements that a feed has, newest first."""
    if not upstreams.has(_METHOD):
        raise HTTPException(404, "this gateway has no arena, whose announcements a feed has")
    request = arena_pb2.ListAnnouncementsRequest(ladder=ladder, page_size=_MAX_ENTRIES)
    metadata = upstreams.metadata(_METHOD, request, {}, address)
    try:
        answer = await upstreams.unary(_METHOD)(request, metadata=metadata, timeout=_TIMEOUT_SECONDS)
    except aio.AioRpcError as error:
        raise HTTPException(_STATUSES.get(error.code(), 503), translated(error, "arena").message) from error
    found: arena_pb2.ListAnnouncementsResponse = answer
    return found.announcements


def _document(request: Request, site_name: str, ladder: str, announcements: Sequence[arena_pb2.Announcement]) -> str:
    """Returns a feed. Its ids are made of the host by which it is read, and stay the same there."""
    base, host = str(request.base_url).rstrip("/"), request.url.hostname or "localhost"
    title = f"{site_name}: {ladder}" if ladder else site_name
    page = f"{base}/ladders/{ladder}" if ladder else f"{base}/"
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>{_xml(f'{base}{request.url.path}')}</id>",
        f"<title>{_xml(title)}</title>",
        f"<updated>{_moment(announcements[0]) if announcements else _EMPTY_SINCE}</updated>",
        f"<author><name>{_xml(site_name)}</name></author>",
        f'<link rel="self" type="application/atom+xml" href="{_xml(f"{base}{request.url.path}")}"/>',
        f'<link rel="alternate" type="text/html" href="{_xml(page)}"/>',
        *(line for made in announcements for line in _entry(base, host, made)),
        "</feed>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _entry(base: str, host: str, made: arena_pb2.Announcement) -> list[str]:
    """Returns the lines of an announcement."""
    first = next(line.strip() for line in made.text.split("\n") if line.strip())
    title = first if len(first) <= _MAX_TITLE_CHARS else f"{first[: _MAX_TITLE_CHARS - 1]}…"
    page = f"{base}/ladders/{made.ladder}" if made.ladder else f"{base}/"
    moment = _moment(made)
    return [
        "<entry>",
        f"<id>tag:{_xml(host)},{moment[:10]}:announcements/{_xml(made.announcement_id)}</id>",
        f"<title>{_xml(f'{made.ladder}: {title}' if made.ladder else title)}</title>",
        f"<published>{moment}</published>",
        f"<updated>{moment}</updated>",
        f'<link rel="alternate" type="text/html" href="{_xml(page)}"/>',
        f'<content type="text">{_xml(made.text)}</content>',
        "</entry>",
    ]


def _moment(made: arena_pb2.Announcement) -> str:
    found: datetime = made.time.ToDatetime()
    return f"{found.isoformat(timespec='milliseconds')}Z"


def _xml(text: str) -> str:
    """Returns a text for XML, whose characters are fewer than those of Unicode."""
    return escape(_NOT_XML.sub("\ufffd", text))
