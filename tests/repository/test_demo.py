"""scripts/demo does what the README says of it, and leaves nothing running."""

import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


def mentioning(text: str) -> list[str]:
    """The command lines of the processes that mention a text and work in this checkout; others may play the same."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = line.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            here = line.with_name("cwd").readlink().is_relative_to(CHECKOUT)
        except OSError:
            continue  # it has just ended
        if here and text in command:
            found.append(command)
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc")
@pytest.mark.timeout(640)
def test_the_demo_plays_a_tournament_to_its_end_and_leaves_nothing_running() -> None:
    done = subprocess.run(
        [CHECKOUT / "scripts" / "demo"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ladder = done.stdout.splitlines()
    assert any(line.split()[:2] == ["1", "sensible"] for line in ladder)
    assert "right: commitment, every move, result" in done.stdout
    assert mentioning(".demo/service") == []
    assert mentioning("first_bot.py:FirstBot") == []
