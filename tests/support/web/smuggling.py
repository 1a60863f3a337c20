"""Requests whose end is ambiguous, each with another one hidden behind it."""

from __future__ import annotations

__all__ = ["CHUNKED", "CHUNKS", "HIDDEN", "NEXT", "POST"]

NEXT = b"GET /contract/none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
"""A request that is hidden behind another one, and would be answered with 404."""
POST = b"POST /fudaba.v1.MatchService/ListMatches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
CHUNKS = b"2\r\n{}\r\n0\r\n\r\n" + NEXT
BOTH = b"Content-Length: %d\r\n" % len(CHUNKS)

HIDDEN = {
    "a length and chunks": POST + BOTH + CHUNKED + CHUNKS,
    "chunks and a length": POST + b"Transfer-Encoding: chunked\r\n" + BOTH + b"\r\n" + CHUNKS,
    "a length and chunks in capitals": POST + BOTH + b"TRANSFER-ENCODING: Chunked\r\n\r\n" + CHUNKS,
    "a folded encoding": POST + BOTH + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + CHUNKS,
    "chunks of HTTP/1.0": POST.replace(b"/1.1", b"/1.0") + b"Connection: keep-alive\r\n" + CHUNKED + CHUNKS,
    "two lengths": POST + b"Content-Length: 2\r\n" + BOTH + b"\r\n{}" + NEXT,
    "a list of lengths": POST + b"Content-Length: 2, 9\r\n\r\n{}" + NEXT,
    "a length with a sign": POST + b"Content-Length: +2\r\n\r\n{}" + NEXT,
    "a hexadecimal length": POST + b"Content-Length: 0x2\r\n\r\n{}" + NEXT,
    "a length below zero": POST + b"Content-Length: -2\r\n\r\n{}" + NEXT,
    "a space behind a name": POST + b"Content-Length : 2\r\n\r\n{}" + NEXT,
    "an encoding that there is not": POST + b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNKS,
    "an encoding behind chunks": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n" + CHUNKS,
    "two encodings": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + CHUNKS,
    "a tab of another kind": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + CHUNKS,
    "a chunk with a sign": POST + CHUNKED + b"+2\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a chunk below zero": POST + CHUNKED + b"-2\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a chunk that says 0x": POST + CHUNKED + b"0x2\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a chunk that ends elsewhere": POST + CHUNKED + b"2\r\n{}XX0\r\n\r\n" + NEXT,
    "chunks with half a line break": POST + CHUNKED + b"2\n{}\n0\n\n" + NEXT,
    "a line break in an extension": POST + CHUNKED + b"2;a\nb\r\n{}\r\n0\r\n\r\n" + NEXT,
    "half a line break in a header": POST + b"X-A: b\rContent-Length: 9\r\nContent-Length: 2\r\n\r\n{}" + NEXT,
    "a zero byte in a header": POST + b"X-A: b\x00\r\nContent-Length: 2\r\n\r\n{}" + NEXT,
    "two hosts": b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n" + NEXT,
    "no host": b"GET / HTTP/1.1\r\n\r\n" + NEXT,
}
