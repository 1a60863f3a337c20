"""The page, as it was built from web/page: one document for all of its paths, and the files that it loads."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

__all__ = ["BUILT", "FIRST_PARTS", "document", "is_built", "routes"]

BUILT: Final = Path(__file__).parent / "page"
"""What `scripts/page` makes; a part of the wheel."""
FIRST_PARTS: Final = (
    "account", "authors", "bots", "embed", "enter", "games", "join", "ladders", "matches", "organiser", "play",
    "submissions", "tournaments",
)  # fmt: skip
"""How paths of the page begin: `src/app.tsx` says what each shows."""
_ASSETS: Final = "assets"
"""Files whose names change with their contents."""
_TYPES: Final = {
    "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/x-icon",
    "js": "text/javascript; charset=utf-8", "json": "application/json", "png": "image/png", "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json", "woff2": "font/woff2",
}  # fmt: skip
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {}"
)
_EMBED: Final = "/embed/"
"""What other sites may frame: a board, and no way to do anything in anybody's name."""
_SHORT: Final = 1_000
"""Bytes below which a file is sent as it is."""


@final
@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    packed: bytes
    """The same with gzip; empty where that gains nothing."""
    kind: str
    tag: str


def is_built() -> bool:
    """Whether the page is there: a checkout has none until `scripts/page` was run."""
    return (BUILT / "index.html").is_file()


def routes() -> list[Route]:
    """The paths of the page and of its files, but for `/`; none where it is not built."""
    if not is_built():
        return []
    shown = [Route(f"/{part}{rest}", document) for part in FIRST_PARTS for rest in ("", "/{rest:path}")]
    loose = [Route(f"/{name}", _loose) for name in _files() if "/" not in name and name != "index.html"]
    return [*shown, *loose, Route(f"/{_ASSETS}/{{name:path}}", _asset)]


def document(request: Request) -> Response:
    """The page itself; what it shows, it finds in its path."""
    framed = request.url.path.startswith(_EMBED)
    policy = _POLICY.format("*" if framed else "'none'")
    return _sent(request, _files()["index.html"], {"cache-control": "no-cache", "content-security-policy": policy})


def _asset(request: Request) -> Response:
    found = _files().get(f"{_ASSETS}/{request.path_params['name']}")
    if found is None:
        raise HTTPException(404, "the page has no such file; a newer one may have been installed: load the page again")
    return _sent(request, found, {"cache-control": "public, max-age=31536000, immutable"})


def _loose(request: Request) -> Response:
    return _sent(request, _files()[request.url.path.removeprefix("/")], {"cache-control": "public, max-age=3600"})


def _sent(request: Request, file: _File, headers: dict[str, str]) -> Response:
    headers |= {"etag": file.tag, "vary": "accept-encoding"}
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    content = file.content
    if file.packed and "gzip" in request.headers.get("accept-encoding", ""):
        content, headers["content-encoding"] = file.packed, "gzip"
    return Response(content, media_type=file.kind, headers=headers)


@cache
def _files() -> Mapping[str, _File]:
    """All files by their paths, read and packed once."""
    return {path.relative_to(BUILT).as_posix(): _file(path) for path in sorted(BUILT.rglob("*")) if path.is_file()}


def _file(path: Path) -> _File:
    content = path.read_bytes()
    packed = gzip.compress(content, 9, mtime=0) if len(content) > _SHORT else b""
    kind = _TYPES.get(path.suffix[1:], "application/octet-stream")
    return _File(content, packed if len(packed) < len(content) else b"", kind, f'"{sha256(content).hexdigest()[:32]}"')
