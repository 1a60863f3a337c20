"""What a bot says reaches the service as calls of its seat, however the bot frames them."""

from __future__ import annotations

import pytest
from hpack import Decoder, Encoder

from fudaba_arena.sandbox.frames import PREFACE, Frames, NotHttp2
from tests.support.arena.sandbox.http2 import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    PADDED,
    PRIORITY,
    frame,
)
from tests.support.arena.sandbox.relayed import CALL, SEAT, TOKEN


def heard_by_a_service(said: bytes, piece: int = 1_000_000) -> list[tuple[int, int, list[tuple[bytes, bytes]]]]:
    """What a service reads of what a bot says after the preface: flags, stream and headers of each call."""
    frames = Frames(TOKEN)
    whole = PREFACE + said
    carried = b"".join(frames.carried(whole[place : place + piece]) for place in range(0, len(whole), piece))
    assert carried.startswith(PREFACE)
    calls, place, decoder, block, begun = [], len(PREFACE), Decoder(), b"", (0, 0)
    while place < len(carried):
        size, kind, flags = int.from_bytes(carried[place : place + 3]), carried[place + 3], carried[place + 4]
        stream = int.from_bytes(carried[place + 5 : place + 9])
        assert size <= 16_384
        if kind in {HEADERS, CONTINUATION}:
            assert (kind == CONTINUATION) == bool(block)
            begun = (flags, stream) if kind == HEADERS else (begun[0] | flags, begun[1])
            block += carried[place + 9 : place + 9 + size]
            if flags & END_HEADERS:
                calls.append((*begun, [(bytes(name), bytes(value)) for name, value in decoder.decode(block, raw=True)]))
                block = b""
        place += 9 + size
    return calls


@pytest.mark.parametrize("piece", [1, 7, 1_000_000])
def test_every_call_of_a_bot_has_the_token_of_its_seat_however_it_is_framed(piece: int) -> None:
    encoder = Encoder()
    plain, again, padded, third = (encoder.encode(CALL) for _ in range(4))
    said = [
        frame(HEADERS, plain, END_HEADERS, 1),
        frame(DATA, b"a message", END_STREAM, 1),
        frame(HEADERS, again[:3], END_STREAM, 3) + frame(CONTINUATION, again[3:4], 0, 3),
        frame(CONTINUATION, b"", 0, 3) + frame(CONTINUATION, again[4:], END_HEADERS, 3),
        frame(HEADERS, bytes([4]) + bytes(5) + padded + bytes(4), END_HEADERS | PADDED | PRIORITY, 5),
        frame(HEADERS, bytes(5) + third, END_HEADERS | PRIORITY, 7),
    ]
    calls = heard_by_a_service(b"".join(said), piece)
    ends = [END_HEADERS, END_HEADERS | END_STREAM, END_HEADERS, END_HEADERS]
    assert calls == [(flags, 1 + 2 * at, [*CALL, SEAT]) for at, flags in enumerate(ends)]


def test_headers_that_come_again_mean_what_the_bot_means_by_then() -> None:
    never, remembered = Encoder(), Encoder()
    first = never.encode([(b"a", b"1"), (b"b", b"2")])  # two headers that are remembered
    again = b"\xbf"  # the older one of them
    third = remembered.encode([(b"c", b"3")])
    said = [first, again, again, third, again, again]
    calls = heard_by_a_service(b"".join(frame(HEADERS, block, END_HEADERS) for block in said))
    assert [headers[:-1] for _, _, headers in calls] == [
        [(b"a", b"1"), (b"b", b"2")],
        [(b"a", b"1")],
        [(b"a", b"1")],
        [(b"c", b"3")],
        [(b"b", b"2")],
        [(b"b", b"2")],
    ]


def test_no_call_leaves_the_token_out_that_another_one_has_moved_in_the_memory_of_headers() -> None:
    never = b"\x10\x01a\x011"
    moved = never + b"\x40\x01x\x01y"
    said = [frame(HEADERS, block, END_HEADERS, 1 + 2 * at) for at, block in enumerate([never, moved, b"", never])]
    calls = heard_by_a_service(b"".join(said[:2]))
    assert [headers[-1] for _, _, headers in calls] == [SEAT, SEAT]
    with pytest.raises(NotHttp2, match="without headers"):
        heard_by_a_service(b"".join(said))


def test_headers_that_need_several_frames_arrive_whole() -> None:
    long = [*CALL, *((f"x-{number}".encode(), bytes(range(33, 127)) * 20) for number in range(3))]
    block = Encoder().encode(long, huffman=True)
    assert 5_000 < len(block) < 8_192, len(block)
    said = frame(HEADERS, block[:2_000]) + frame(CONTINUATION, block[2_000:5_000])
    said += frame(CONTINUATION, block[5_000:], END_HEADERS)
    assert heard_by_a_service(said) == [(END_HEADERS, 1, [*long, SEAT])]


def test_the_worker_s_token_goes_with_the_seat_s_on_every_call_and_never_comes_from_the_bot() -> None:
    said = Encoder().encode([*CALL, (b"fudaba-forwarder", b"Bearer guessed")])
    frames = Frames(TOKEN, worker_token="fudaba-arena-token")
    carried = frames.carried(PREFACE + frame(HEADERS, said, END_HEADERS))
    headers = Decoder().decode(carried[len(PREFACE) + 9 :], raw=True)
    assert [*map(tuple, headers)][-2:] == [SEAT, (b"fudaba-forwarder", b"Bearer fudaba-arena-token")]
    assert sum(name == b"fudaba-forwarder" for name, _ in headers) == 1


@pytest.mark.parametrize("name", [b"fudaba-seat", b"Fudaba-Seat", b"fudaba-client-address", b"fudaba-forwarder"])
def test_nothing_that_a_bot_says_counts_as_a_word_between_services(name: bytes) -> None:
    said = Encoder().encode([*CALL, (name, b"Bearer mine")])
    assert heard_by_a_service(frame(HEADERS, said, END_HEADERS)) == [(END_HEADERS, 1, [*CALL, SEAT])]


def test_the_service_is_not_told_when_a_bot_gives_a_call_up() -> None:
    said = Encoder().encode([*CALL[:3], (b"grpc-timeout", b"1m"), *CALL[3:]])
    assert heard_by_a_service(frame(HEADERS, said, END_HEADERS)) == [(END_HEADERS, 1, [*CALL, SEAT])]
