"""Encryption of backups by the program `age`: a machine that makes backups needs no key that decrypts them."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, cast, final

from fudaba_service.backup.container import BackupError

__all__ = ["EncryptedError", "check_recipients", "decrypted", "encrypting", "is_encrypted"]

_AGE: Final = "age"
_STARTS: Final = (b"age-encryption.org/v1\n", b"-----BEGIN AGE ENCRYPTED FILE-----")
_ERROR: Final = "age: error: "
_NO_MATCH: Final = "no identity matched"
_CHUNK_BYTES: Final = 1 << 20
_ENDED_WELL: Final = frozenset({0, -signal.SIGPIPE})
"""The statuses of a decryption whose output was read to its end, or was closed earlier."""


@final
class EncryptedError(BackupError):
    """A backup is encrypted, and no identity is given."""


def is_encrypted(file: Path) -> bool:
    """Returns whether a file is encrypted. Raises OSError."""
    with file.open("rb") as source:
        return source.read(max(map(len, _STARTS))).startswith(_STARTS)


def check_recipients(recipients: Sequence[str]) -> None:
    """Encrypts nothing for these recipients. Raises `BackupError` if that fails."""
    with tempfile.TemporaryFile() as out, encrypting(out, recipients):
        pass


@contextmanager
def encrypting(out: IO[bytes], recipients: Sequence[str]) -> Iterator[IO[bytes]]:
    """Yields a stream whose content goes to the open file `out`, encrypted, so that each recipient can decrypt it.

    A recipient is a public key (`age1…` or `ssh-…`), or the path of a file with such keys, one a line. Raises
    `BackupError`.
    """
    words = [word for name in recipients for word in ("-r" if name.startswith(("age1", "ssh-")) else "-R", name)]
    with tempfile.TemporaryFile() as errors:
        process = _started(["--encrypt", *words], stdin=subprocess.PIPE, stdout=out, stderr=errors)
        try:
            with cast("IO[bytes]", process.stdin) as plain:
                yield plain
        except BrokenPipeError:
            process.wait()  # it has ended, and says why
            raise _encryption_error(process, errors) from None
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.wait():
            raise _encryption_error(process, errors)


def _encryption_error(process: subprocess.Popen[bytes], errors: IO[bytes]) -> BackupError:
    return BackupError(f"the backup cannot be encrypted: {_reason(process, errors)}")


@contextmanager
def decrypted(file: Path, identity: Path | None, *, whole: bool) -> Iterator[IO[bytes]]:
    """Yields the content of a file as a stream, which is decrypted with an identity file if it is encrypted.

    With `whole`, an encrypted file is read to its end in any case, which shows that it was not cut short; else only
    what is read has to be right. Raises `BackupError` and OSError.
    """
    if not is_encrypted(file):
        with file.open("rb") as source:
            yield source
        return
    if identity is None:
        raise EncryptedError(f"{file} is encrypted: name the identity file of a recipient with --identity")
    with identity.open("rb"), tempfile.TemporaryFile() as errors:
        words = ["--decrypt", "-i", str(identity.absolute()), str(file.absolute())]
        process = _started(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        try:
            with cast("IO[bytes]", process.stdout) as plain:
                yield plain
                while whole and plain.read(_CHUNK_BYTES):
                    pass
        except BackupError as error:
            # What ended too early, or was empty, did so because `age` has failed.
            raise (_decryption_error(file, process, errors) or error) from error
        except BaseException:
            process.kill()
            process.wait()
            raise
        failure = _decryption_error(file, process, errors)
        if whole and failure is not None:
            raise failure


def _decryption_error(file: Path, process: subprocess.Popen[bytes], errors: IO[bytes]) -> BackupError | None:
    """Returns why `age` has failed; None if it has ended well, or because its output was closed."""
    if process.wait() in _ENDED_WELL:
        return None
    reason = _reason(process, errors)
    remedy = (
        "name the identity file of a recipient with --identity"
        if _NO_MATCH in reason
        else "if the identity file is right, the backup is damaged or was cut short; take another one"
    )
    return BackupError(f"{file} cannot be decrypted: {reason}; {remedy}")


def _started(
    words: Sequence[str], *, stdin: int, stdout: int | IO[bytes], stderr: IO[bytes]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen([_AGE, *words], stdin=stdin, stdout=stdout, stderr=stderr)
    except FileNotFoundError:
        raise BackupError(
            f"the program `{_AGE}` encrypts and decrypts backups, and is not installed: install the package `age` of"
            " your system"
        ) from None


def _reason(process: subprocess.Popen[bytes], errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").splitlines()
    said = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)] or lines
    return said[0] if said else f"`{_AGE}` ended with the status {process.returncode}"
