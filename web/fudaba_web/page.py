"""The page that was built from web/page: one document for all of its paths, and the files that it loads."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final, final
from urllib.parse import quote, unquote

import zstandard
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fudaba_web import preloads
from fudaba_web.lookups import Lookups, Presence
from fudaba_web.preloads import Preloads, fits, preferred
from fudaba_web.previews import HOME, Preview, Previews
from fudaba_web.sessions import address_of, own_token

__all__ = ["FIRST_PARTS", "MISSING_TITLES", "PATHS", "Page", "how_to_build", "is_built"]

PATHS: Final = (
    "/account", "/authors/:author", "/bots/:bot", "/embed/:match", "/enter", "/games", "/games/:game", "/join/:code",
    "/ladders", "/ladders/:ladder", "/ladders/:ladder/seasons/:season", "/matches", "/matches/:match", "/now",
    "/organiser", "/parts", "/play", "/programs", "/status", "/submissions/:submission",
    "/tournaments/:tournament",
)  # fmt: skip
"""The paths of the page except `/`; `src/routes.ts` says what each shows."""
FIRST_PARTS: Final = tuple(dict.fromkeys(path.split("/")[1] for path in PATHS))
"""The first parts of these paths."""
_NAME: Final = "Fudaba"
_TITLE: Final = "<title>{}</title>"
"""The title that a browser shows until the page has begun, and to visitors without scripts."""
MISSING_TITLES: Final = {"en": "No such page", "ja": "ページがありません"}
"""The title for a path that leads to nothing, by language. The page's own is `shell.missingTitle`."""
_DOCUMENT: Final = "index.html"
_ASSETS: Final = "assets"
"""Files whose names change with their contents."""
_TYPES: Final = {
    "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/x-icon",
    "jpg": "image/jpeg", "js": "text/javascript; charset=utf-8", "json": "application/json", "png": "image/png",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json", "woff2": "font/woff2",
}  # fmt: skip
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {}"
)
_EMBED: Final = "/embed/"
"""The beginning of the paths that other sites may frame: a board, with no way to act in a user's name."""
_WORKER: Final = "tabs_worker-"
"""The beginning of the name of the script that all tabs share. A worker has the policy of its own answer, not the
page's."""
_WORKER_POLICY: Final = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
_ANY_FRAME: Final = {"access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin"}
"""The headers of scripts and styles, which reveal nothing about anybody: without them a sandboxed frame, which has no
origin, stays blank."""
_MIN_PACKED_BYTES: Final = 1_000
"""The size in bytes below which a file is sent uncompressed."""
_SMALL_ALREADY: Final = frozenset({"jpg", "png", "woff2"})
"""The suffixes of files that compression does not make smaller."""
_ZSTD_LEVEL: Final = 19
_ZSTD_QUICK_LEVEL: Final = 3
"""The level of compression for a single answer."""


def is_built(folder: Path) -> bool:
    """Returns whether the page has been built into a folder."""
    return (folder / _DOCUMENT).is_file()


def how_to_build() -> str:
    """Returns advice for a page that is not built: a checkout builds it; an installation has to be replaced."""
    if (Path(__file__).resolve().parents[2] / "scripts" / "page").is_file():
        return "scripts/page builds it"
    return "this Fudaba was built without it: install a wheel that has it"


@final
@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    packed: Mapping[str, bytes]
    """The compressed contents by encoding, the smallest first."""
    kind: str
    tag: str


@final
class Page:
    """The files that `scripts/page` has built into a folder. Before that, a checkout has none of them; a wheel may have
    them.
    """

    def __init__(self, folder: Path, site_tags: str = "", site_name: str = "") -> None:
        """Reads and compresses all files, once: later changes to the folder have no effect. `site_tags` go into the
        head of the document; without a `site_name` the site has the game house's name.
        """
        self._site_tags = site_tags
        self._site_name = site_name or _NAME
        self._files: dict[str, _File] = {}
        for path in sorted(folder.rglob("*")):
            with suppress(FileNotFoundError, IsADirectoryError):  # it is being built anew
                self._files[path.relative_to(folder).as_posix()] = _packed(path.read_bytes(), path.suffix[1:])
        self.is_built = _DOCUMENT in self._files
        preload_file = self._files.pop(preloads.FILE, None)
        self._preloads = Preloads(b"" if preload_file is None else preload_file.content)

    @property
    def files(self) -> Collection[str]:
        """The paths of the files, relative to the page's folder."""
        return self._files.keys()

    def routes(self, lookups: Lookups) -> list[Route]:
        """Returns the paths of the page and of its files, except `/`; none if the page is not built."""
        if not self.is_built:
            return []
        previews = Previews(self.files)

        async def document(request: Request) -> Response:
            parts = _parts_of(request)
            if not any(fits(known, parts) for known in PATHS):
                raise HTTPException(404)
            lookup = await lookups.find(parts, address_of(request), own_token(request))
            preview = previews.preview_of(parts, lookup)
            return self.document(request, preview, is_missing=lookup.presence is Presence.MISSING)

        shown = [Route(f"/{part}{rest}", document) for part in FIRST_PARTS for rest in ("", "/{rest:path}")]
        loose = [Route(f"/{name}", self._loose) for name in self._files if "/" not in name and name != _DOCUMENT]
        return [*shown, *loose, Route(f"/{_ASSETS}/{{name:path}}", self._asset)]

    def document(self, request: Request, preview: Preview = HOME, *, is_missing: bool = False) -> Response:
        """Returns the document of the page, which finds what to show in its path. `is_missing`: the thing at the path
        does not exist. `preview` is the preview that a link to it shows elsewhere.
        """
        headers = {"cache-control": "no-cache", "vary": "accept-encoding, accept-language"}
        if request.url.path.startswith(_EMBED):
            headers |= {"content-security-policy": _POLICY.format("*"), "cross-origin-resource-policy": "cross-origin"}
        else:
            headers |= {"content-security-policy": _POLICY.format("'none'")}
        base_url = str(request.base_url)
        head, end, body = self._files[_DOCUMENT].content.partition(b"</head>")
        languages = request.headers.get("accept-language", "")
        tags = (
            self._preloads.tags(_parts_of(request), languages)
            + preview.tags(base_url, self._site_name)
            + self._site_tags
        )
        title = self._site_name
        if is_missing:
            title = f"{MISSING_TITLES[preferred(languages, MISSING_TITLES)]} · {title}"
        head = head.replace(_TITLE.format(_NAME).encode(), _TITLE.format(escape(title)).encode())
        content = head + tags.encode() + end + body if end else head
        response = _sent(request, _packed(content, "html", _ZSTD_QUICK_LEVEL), headers)
        if is_missing and response.status_code == 200:  # otherwise the browser has this very file
            response.status_code = 404
        return response

    def _asset(self, request: Request) -> Response:
        found = self._files.get(f"{_ASSETS}/{request.path_params['name']}")
        if found is None:
            raise HTTPException(404, "the page has no such file; it may be of another release: load the page again")
        headers = {"cache-control": "public, max-age=31536000, immutable"} | _ANY_FRAME
        if request.path_params["name"].startswith(_WORKER):
            headers["content-security-policy"] = _WORKER_POLICY
        return _sent(request, found, headers)

    def _loose(self, request: Request) -> Response:
        file = self._files[request.url.path.removeprefix("/")]
        return _sent(request, file, {"cache-control": "public, max-age=3600"})


def _parts_of(request: Request) -> tuple[str, ...]:
    """Returns the parts of a path, each as it was before the page encoded it: a name may have any character."""
    raw_path = request.scope.get("raw_path") or quote(request.scope["path"]).encode()  # ASGI makes it optional
    return tuple(map(unquote, raw_path.decode(errors="replace").strip("/").split("/")))


def _sent(request: Request, file: _File, headers: dict[str, str]) -> Response:
    headers = {"vary": "accept-encoding"} | headers | {"etag": file.tag}
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    taken = _encodings(request.headers.get("accept-encoding", ""))
    for name, packed in file.packed.items():
        if name in taken:
            return Response(packed, media_type=file.kind, headers=headers | {"content-encoding": name})
    return Response(file.content, media_type=file.kind, headers=headers)


def _encodings(header: str) -> set[str]:
    """Returns the encodings that a browser takes."""
    parts = (part.replace(" ", "").lower().partition(";") for part in header.split(","))
    return {name for name, _, weight in parts if not weight.startswith("q=0") or weight.strip("q=0.")}


def _packed(content: bytes, suffix: str, level: int = _ZSTD_LEVEL) -> _File:
    packed = {
        "zstd": zstandard.ZstdCompressor(level=level).compress(content),
        "gzip": gzip.compress(content, 9, mtime=0),
    } if len(content) > _MIN_PACKED_BYTES and suffix not in _SMALL_ALREADY else {}  # fmt: skip
    smaller = {name: encoded for name, encoded in packed.items() if len(encoded) < len(content)}
    # The tag is weak, since it is the same for all encodings.
    tag = f'W/"{sha256(content).hexdigest()[:32]}"'
    return _File(content, smaller, _TYPES.get(suffix, "application/octet-stream"), tag)
