"""The downloads: the contract, file by file and in one archive, and the pages of rules."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fudaba.bundle import bundle

__all__ = ["ARCHIVE", "routes"]

ARCHIVE: Final = "fudaba-contract.zip"
"""The archive with all files."""
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The time of each file in the archive, so that its bytes depend on its contents alone."""
_TYPES: Final = {"md": "text/markdown; charset=utf-8", "proto": "text/plain; charset=utf-8", "zip": "application/zip"}
_FRESH: Final = "public, max-age=300"


def routes() -> list[Route]:
    """Returns the routes of the files: /contract/NAME."""
    return [Route("/contract/{name:path}", _file, methods=["GET"])]


@cache
def _files() -> Mapping[str, bytes]:
    contents = bundle()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for name, content in sorted(contents.items()):
            writer.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return contents | {ARCHIVE: archive.getvalue()}


def _file(request: Request) -> Response:
    name = request.path_params["name"]
    content = _files().get(name)
    if content is None:
        raise HTTPException(404, f"there is no file {name!r} in the contract; /contract/{ARCHIVE} has all of them")
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": _FRESH}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    kind = _TYPES.get(name.rpartition(".")[2], "application/octet-stream")
    return Response(content, media_type=kind, headers=headers)
