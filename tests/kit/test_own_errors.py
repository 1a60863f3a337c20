"""The line by which a kit tells of an error in its bot's own code, in output that comes in any pieces."""

from __future__ import annotations

import pytest

from fudaba.own_errors import OwnErrors, own_error_line


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_it_is_found_wherever_the_output_was_cut(size: int) -> None:
    said = "\n".join(
        [
            "reading the model",
            "thinking..." + own_error_line("m.1", "1.3"),  # on a pipe of both, and the bot's own line had no end
            "not mine: " + own_error_line("m-1", "1.4"),
            "I wrote: the default move is played",
            own_error_line("m.1", "2.1") + "\r",
            own_error_line("m.1", "2.9"),
        ]
    ).encode()
    heard = OwnErrors("m.1")
    for begin in range(0, len(said), size):
        heard.write(said[begin : begin + size])
    assert heard.decisions == ["1.3", "2.1"]  # the last line has no end: there may be more of it
    assert heard.words == ["reading the model", "thinking..." + own_error_line("m.1", "1.3")]


def test_of_a_long_trace_the_beginning_is_told() -> None:
    heard = OwnErrors("m")
    trace = "".join(f"m: frame {number}\n" for number in range(50))
    heard.write(f"thinking\nm: panic: no idea\n{trace}{own_error_line('m', '1')}\n".encode())
    frames = [f"m: frame {number}" for number in range(10)]
    assert heard.words == ["m: panic: no idea", *frames, own_error_line("m", "1")]


def test_of_output_without_an_end_little_is_kept() -> None:
    heard = OwnErrors("m")
    for _ in range(1000):
        heard.write(b"x" * 1000)
    heard.write(b"\n" + own_error_line("m", "1").encode() + b"\n")
    assert heard.decisions == ["1"]
    assert [len(line) for line in heard.words] == [400, len(own_error_line("m", "1"))]
