"""What tests start ends with them, however they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import wait_until

_STARTS_ONE = """
import signal, sys
from pathlib import Path
from tests.support.forked import Forked

if __name__ == "__main__":
    forked = Forked([], Path(sys.argv[1]), {}, main="signal:pause")
    print(forked.pid, flush=True)
    signal.pause()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux's kernel ends a process with its parent")
@pytest.mark.exhaustive
def test_a_process_that_was_forked_for_a_test_ends_when_the_test_worker_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "starts_one.py"
    script.write_text(_STARTS_ONE)
    root = str(Path(__file__).resolve().parent.parent)
    command = [sys.executable, str(script), str(tmp_path / "output")]
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": root})
    assert worker.stdout is not None
    with worker.stdout:
        forked = int(worker.stdout.readline())
    assert Path(f"/proc/{forked}").exists()
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    wait_until(lambda: not Path(f"/proc/{forked}").exists(), "the forked process ends")
