"""The commands that make and restore backups, and what they leave."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from hashlib import sha256
from pathlib import Path

import zstandard
from click.testing import CliRunner

from fudaba.cli import cli
from tests.support.service.processes import FUDABA

LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""
"""A program that becomes another one, whose files it limits to a number of bytes."""


def begin(*arguments: object, largest: int | None = None) -> subprocess.Popen[str]:
    """Starts a backup in a process of its own, which can write files of `largest` bytes at most."""
    command = [str(FUDABA), "backup", *map(str, arguments)]
    if largest is not None:
        command = [sys.executable, "-c", LIMITED, str(largest), *command]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def fudaba(*arguments: object, status: int = 0) -> str:
    """Returns what a command says, all of it, once it has ended as it should."""
    result = CliRunner().invoke(cli, list(map(str, arguments)))
    assert result.exit_code == status, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.output


def everything(folder: Path) -> dict[str, bytes]:
    """Returns every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def early_form(file: Path) -> None:
    """Gives a backup the header of early releases, which does not say of which service and data folders it is."""
    plain = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(file.read_bytes())).read()
    made = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(plain)) as before, tarfile.open(fileobj=made, mode="w") as after:
        sums = ""
        for info in before:
            source = before.extractfile(info)
            assert source is not None
            content = source.read()
            if info.name == "backup.json":
                header = json.loads(content)
                content = json.dumps({key: header[key] for key in header if key not in {"service", "parts"}}).encode()
            elif info.name == "SHA256SUMS":
                content = sums.encode()
            sums += f"{sha256(content).hexdigest()}  {info.name}\n"
            info.size = len(content)
            after.addfile(info, io.BytesIO(content))
    file.write_bytes(zstandard.compress(made.getvalue()))
