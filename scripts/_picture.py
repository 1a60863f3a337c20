"""Records a match of the first bot, as `fudaba match watch` shows it on a terminal, as an animated SVG.

python scripts/_picture.py FILE. Run by `picture`. The deal is fixed and both bots are deterministic, so every recording
shows the same match.
"""

from __future__ import annotations

import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from html import escape
from pathlib import Path
from typing import Final

import pyte

ROOT: Final = Path(__file__).resolve().parent.parent
BOT: Final = ROOT / "docs" / "examples" / "first_bot.py"
SEED: Final = "1d" * 32
"""The seed of the deal, in hexadecimal digits."""
SCREEN_COLUMNS: Final = 84
SCREEN_ROWS: Final = 24
PROMPT: Final = "$ "
FRAME_SECONDS: Final = 1.6
"""The time for which each picture is shown."""
LAST_FRAME_RATIO: Final = 4
"""The factor by which the last picture is shown longer."""
WIDTH, HEIGHT, MARGIN = 8.4, 19, 16
"""The width of a character, the height of a line and the margin of the frame, in pixels."""

Frame = list[str]


def main() -> None:
    """Records the match, and writes the file."""
    file = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="fudaba-") as folder, serving(Path(folder)) as environment:
        frames = recorded(environment)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(drawn(frames), encoding="utf-8")
    print(f"{file}: {len(frames)} pictures, {file.stat().st_size / 1000:.0f} kB")  # noqa: T201 - what was done


def fudaba(*words: str) -> list[str]:
    """Returns a command of this checkout."""
    return [str(Path(sys.executable).with_name("fudaba")), *words]


def clean_environment() -> dict[str, str]:
    """Returns the variables of this process without settings of Fudaba."""
    return {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}


@contextmanager
def serving(folder: Path) -> Iterator[dict[str, str]]:
    """Yields the environment in which the organiser's commands reach a service in a folder."""
    token = folder / "organiser.token"
    environment = clean_environment()
    options = ("--data", str(folder / "data"), "--listen", "127.0.0.1:0", "--organiser-token-file", str(token))
    with subprocess.Popen(fudaba("serve", *options), stdout=subprocess.PIPE, text=True, env=environment) as service:
        try:
            said = next(
                (output_line for output_line in service.stdout or () if output_line.startswith("fudaba serves on ")), ""
            )
            if not said:
                raise SystemExit("the service did not start")
            yield environment | {"FUDABA_SERVER": said.split()[-1], "FUDABA_TOKEN_FILE": str(token)}
        finally:
            service.terminate()


def recorded(environment: dict[str, str]) -> list[Frame]:
    """Returns what the terminal shows while the match is played."""
    create = fudaba("match", "create", "naga", "greedy", "house-sensible", "--id", "spring-1", "--seed", SEED)
    made = subprocess.run(
        fudaba("bot", "create", "greedy"), env=environment, capture_output=True, text=True, check=True
    )
    subprocess.run(create, env=environment, stdout=subprocess.DEVNULL, check=True)
    bots = {name: value for name, value in environment.items() if name != "FUDABA_TOKEN_FILE"}
    bots["FUDABA_TOKEN"] = made.stdout.strip()
    command = ("match", "watch", "spring-1")
    near, far = pty.openpty()
    ioctl(near, termios.TIOCSWINSZ, struct.pack("HHHH", SCREEN_ROWS, SCREEN_COLUMNS, 0, 0))
    with subprocess.Popen(fudaba(*command), stdin=far, stdout=far, stderr=far, env=environment) as watching:
        os.close(far)
        shown = read(near)  # it has connected: nothing of the match is missed
        playing = subprocess.Popen(fudaba("bot", "run", f"{BOT}:FirstBot", "--matches", "1", "--quiet"), env=bots,
                                   stdout=subprocess.DEVNULL)  # fmt: skip
        with playing:
            while part := read(near):
                shown += part
    os.close(near)
    if watching.returncode or playing.returncode:
        raise SystemExit(f"the match could not be recorded:\n{shown.decode()}")
    return frames_of(shown, " ".join(("fudaba", *command)))


def read(terminal: int) -> bytes:
    """Returns the next output of a program; nothing if it has ended."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def frames_of(shown: bytes, command: str) -> list[Frame]:
    """Returns the screen before each redraw of the table, and at the end."""
    screen = pyte.Screen(SCREEN_COLUMNS, SCREEN_ROWS)
    stream = pyte.ByteStream(screen)
    stream.feed(f"{PROMPT}{command}\r\n".encode())
    frames: list[Frame] = []
    for part in re.split(rb"(?=\x1b\[\d*[AF])", shown):
        stream.feed(part)
        frame = [line.rstrip() for line in screen.display]
        if not frames or frame != frames[-1]:
            frames.append(frame)
    return frames


def drawn(frames: list[Frame]) -> str:
    """Returns the frames as an animated SVG. Without animation it shows the last one."""
    parts, spans = [], set()
    for row in range(SCREEN_ROWS):
        first = 0
        for number in range(1, len(frames) + 1):
            if number < len(frames) and frames[number][row] == frames[first][row]:
                continue
            if text := frames[first][row]:
                spans.add((first, number))
                parts.append(line(row, text, f"s{first}-{number}"))
            first = number
    width, height = SCREEN_COLUMNS * WIDTH + 2 * MARGIN, SCREEN_ROWS * HEIGHT + 2 * MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" role="img">',
            "<title>The first bot (greedy) plays a match of Naga against house-sensible</title>",
            f"<style>\n{style(sorted(spans), len(frames))}\n</style>",
            f'<rect width="{width:g}" height="{height}" rx="8" fill="#1c2128"/>',
            *parts,
            "</svg>\n",
        ]
    )


def line(row: int, text: str, span: str) -> str:
    """Returns a line of the terminal."""
    indent = len(text) - len(text.lstrip())
    kind = f"{span} p" if text.startswith(PROMPT) else span
    x, y = MARGIN + indent * WIDTH, MARGIN + (row + 0.8) * HEIGHT
    length = (len(text) - indent) * WIDTH
    return (
        f'<text class="{kind}" x="{x:g}" y="{y:g}" textLength="{length:g}">{escape(text[indent:], quote=False)}</text>'
    )


def style(spans: list[tuple[int, int]], frames: int) -> str:
    """Returns the style that says when each line is visible."""
    whole = frames - 1 + LAST_FRAME_RATIO
    rules = [
        "text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; }",
        "text { fill: #d1d7e0; visibility: hidden; }",
        ".p { fill: #7ee787; }",
    ]
    for first, end in spans:
        name = f"s{first}-{end}"
        if end == frames:
            rules.append(f".{name} {{ visibility: visible; }}")
        if (first, end) == (0, frames):
            continue
        steps = {0: "hidden", 100 * first / whole: "visible"}
        if end < frames:
            steps[100 * end / whole] = "hidden"
        keys = " ".join(f"{at:.4g}% {{ visibility: {state}; }}" for at, state in steps.items())
        rules.append(
            f"@keyframes {name} {{ {keys} 100% {{ visibility: {'visible' if end == frames else 'hidden'}; }} }}"
        )
    moving = "\n".join(
        f".s{first}-{end} {{ animation: s{first}-{end} {whole * FRAME_SECONDS:g}s step-end infinite; }}"
        for first, end in spans
        if (first, end) != (0, frames)
    )
    rules.append(f"@media (prefers-reduced-motion: no-preference) {{\n{moving}\n}}")
    return "\n".join(rules)


if __name__ == "__main__":
    main()
