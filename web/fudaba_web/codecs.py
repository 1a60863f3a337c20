"""Reads and writes messages of requests and answers: as protobuf, or as its JSON."""

from __future__ import annotations

from typing import Any, Final, TypeVar, final

from connectrpc.codec import Codec
from google.protobuf.json_format import MessageToJson, Parse, ParseError
from google.protobuf.message import DecodeError, Message

from fudaba_web.errors import malformed
from fudaba_web.spectators import SharedMessage

__all__ = ["CODECS"]

M = TypeVar("M", bound=Message)
_MAX_DEPTH: Final = 100
"""The depth to which JSON may be nested; as deep as binary messages may be."""


@final
class _Binary(Codec[Message | SharedMessage, Any]):
    def name(self) -> str:
        return "proto"

    def encode(self, message: Message | SharedMessage) -> bytes:
        return message.binary() if isinstance(message, SharedMessage) else message.SerializeToString()

    def decode(self, data: bytes | bytearray, message_class: type[M]) -> M:
        try:
            return message_class.FromString(bytes(data))
        except DecodeError:
            name = message_class.DESCRIPTOR.name
            raise malformed(f"the request cannot be read as {name}; send one, binary") from None


@final
class _Json(Codec[Message | SharedMessage, Any]):
    """protobuf's JSON. It refuses an unknown field, which is a typing mistake, instead of ignoring it."""

    def name(self) -> str:
        return "json"

    def encode(self, message: Message | SharedMessage) -> bytes:
        return message.json() if isinstance(message, SharedMessage) else MessageToJson(message, indent=None).encode()

    def decode(self, data: bytes | bytearray, message_class: type[M]) -> M:
        message = message_class()
        try:
            if data:  # an empty body is a message without fields, as it is in binary
                if data.lstrip()[:1] != b"{":  # the library takes an empty list for a message, too
                    raise ParseError("it is no object")
                Parse(bytes(data), message, max_recursion_depth=_MAX_DEPTH)
        except (ParseError, UnicodeDecodeError, RecursionError) as error:
            name = message_class.DESCRIPTOR.name
            raise malformed(
                f"the request cannot be read as {name} in JSON: {error or 'it is nested too deep'}"
            ) from None
        return message


CODECS: Final = (_Binary(), _Json())
