"""Refusals that a script can read: the details of an error, which the Connect protocol packs, are also there as JSON.

The protocol has a field for that, `debug`, beside each detail. Clients with protobuf do not need it.
"""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any, Final, final

from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from fudaba_web.errors import as_response, in_words, no_such_method

__all__ = ["Readable"]

_END_STREAM_FLAG: Final = 2
"""The flag of a stream's last envelope, which has its error."""
_HEAD_BYTES: Final = 5
"""The length in bytes of an envelope's header: its flags and its length."""


@final
class Readable:
    """Wraps the application that answers the methods."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        kind, failed, said = b"", False, False

        async def sent(event: Event) -> None:
            nonlocal kind, failed, said
            if event["type"] == "http.response.start":
                kind = dict(event["headers"]).get(b"content-type", b"")
                failed = event["status"] >= 400
                if event["status"] == 404 and not kind:
                    said = True
                    await as_response(no_such_method(scope["path"]))(scope, receive, send)
                    return
            elif event["type"] == "http.response.body":
                if said:
                    return
                body = event.get("body", b"")
                if failed and kind == b"application/json":
                    event = {**event, "body": _with_debug(body)}
                elif kind.startswith(b"application/connect+") and body[:1] == bytes([_END_STREAM_FLAG]):
                    worded = _with_debug(body[_HEAD_BYTES:])
                    event = {**event, "body": body[:1] + len(worded).to_bytes(4, "big") + worded}
            await send(event)

        await self._app(scope, receive, sent)


def _with_debug(raw: bytes) -> bytes:
    """Returns a refusal, or the end of a stream, with its details in words."""
    refusal: dict[str, Any] = json.loads(raw)
    details = (refusal.get("error") or refusal).get("details") or []
    for detail in details:
        value = detail["value"]
        if (debug := in_words(detail["type"], b64decode(value + "=" * (-len(value) % 4)))) is not None:
            detail["debug"] = debug
    return json.dumps(refusal).encode() if details else raw
