"""`fudaba backup` and `fudaba restore`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import click

from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say
from fudaba.cli.progress import progress
from fudaba_games.wording import counted
from fudaba_service.backup.container import BackupContents, BackupError
from fudaba_service.backup.dry_run import compare
from fudaba_service.backup.encryption import is_encrypted
from fudaba_service.backup.identity import identify
from fudaba_service.backup.making import Encryption, Part, Sources, back_up
from fudaba_service.backup.pace import Pace
from fudaba_service.backup.reading import read
from fudaba_service.backup.reports import print_comparison, print_contents, report
from fudaba_service.backup.restore_test import check_by_restoring
from fudaba_service.backup.restoring import restore as put_back
from fudaba_service.backup.rotation import MIN_KEPT_BACKUPS, chosen, remove_old
from fudaba_service.backup.stamp import Stamp

__all__ = ["backup", "restore"]

_Command = TypeVar("_Command", bound=Callable[..., object])
_CODES: Final = "Exit codes: 0 done; 1 failed, and nothing was made or changed but what it says; 2 wrong usage."
_FILE: Final = click.Path(path_type=Path, dir_okay=False)
_FOLDER: Final = click.Path(path_type=Path, file_okay=False)
_BYTES_PER_MIB: Final = 1 << 20


def _identity_option(text: str) -> Callable[[_Command], _Command]:
    return click.option("--identity", type=_FILE, envvar="FUDABA_BACKUP_IDENTITY", show_envvar=True, help=text)


@click.command(epilog=_CODES)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--data", type=_FOLDER, required=True, envvar="FUDABA_DATA", show_envvar=True,
              help="The data folder of `fudaba up`, of `fudaba serve` or of an arena, or a folder with the two folders "
              "`service` and `arena`.")  # fmt: skip
@click.option("--redis", envvar="FUDABA_REDIS", show_envvar=True, metavar="URL",
              help="The Redis URL of `fudaba serve`, if it has one, or of a replica of that Redis.")  # fmt: skip
@click.option("--arena-redis", envvar="FUDABA_ARENA_REDIS", show_envvar=True, metavar="URL",
              help="The same for `fudaba arena serve`.")  # fmt: skip
@click.option("--without-store", is_flag=True,
              help="Leave the stores out, which are backed up by other means.")  # fmt: skip
@click.option("--rate", type=click.FloatRange(min=0), default=32, show_default=True, metavar="MIB",
              help="The MiB a second that are read at most; 0 sets no limit.")  # fmt: skip
@click.option("--keep", type=click.IntRange(min=MIN_KEPT_BACKUPS), metavar="NUMBER",
              help="Afterwards keep this many backups of this service and of the same data folders in the folder FILE, "
              "and remove the oldest others.")  # fmt: skip
@click.option("--encrypt-to", "recipients", multiple=True, envvar="FUDABA_BACKUP_ENCRYPT_TO", show_envvar=True,
              metavar="RECIPIENT",
              help="Encrypt the backup with `age` for a public key (age1… or ssh-…), or for those in a file, one a "
              "line; repeat it for several. The variable separates them by spaces, so give an SSH key by a file "
              "there.")  # fmt: skip
@_identity_option("The identity file of a recipient: verify the encrypted backup with it, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def backup(
    file: Path | None,
    data: Path,
    redis: str | None,
    arena_redis: str | None,
    without_store: bool,
    rate: float,
    keep: int | None,
    recipients: tuple[str, ...],
    identity: Path | None,
    as_json: bool,
) -> None:
    """Back up a data folder with its store into FILE, also while both are in use, and verify the backup.

    The backup contains the live matches, bots and tokens of the store at one moment, the records of all matches that
    were over then, and every other file of the folder. The store is the embedded one, or the Redis whose URL is given.
    A backup of `fudaba up` contains the service's and the arena's folders, with the tokens. FILE must not exist; where
    it is a folder, or is left out, a name is made from the time. Keep the backup safe: it contains the hands of live
    matches. With --encrypt-to only the holder of a recipient's identity can read, verify and restore it.

    \b
    Examples:
      fudaba backup --data ~/fudaba
      fudaba backup /backups --data ~/fudaba --keep 14
      fudaba backup /backups --data ~/fudaba --encrypt-to recipients.txt
      fudaba backup /backups/arena.tar.zst --data fudaba-arena --arena-redis redis://127.0.0.1:6380/0
    """
    file = Path() if file is None else file
    if keep is not None and not file.is_dir():
        raise click.UsageError("--keep counts the backups of a folder: name a folder instead of a file")
    if keep is not None and without_store:
        raise click.UsageError("--keep knows by the store whose backups it may remove: leave out --without-store")
    given: dict[Part, str | None] = {"service": redis, "arena": arena_redis}
    sources = Sources(data, {part: url for part, url in given.items() if url}, without_store)
    try:
        pace = Pace(rate * _BYTES_PER_MIB)
        file, contents = back_up(sources, file, progress, pace, Encryption(recipients, identity))
        removed = remove_old(file, keep, contents.header, pace.moved) if keep is not None else []
    except BackupError as error:
        raise Failure(str(error)) from error
    print_contents(file, contents, as_json, removed)
    if contents.header.store == "external":
        say(
            "The store is not in it: matches, bots and tokens are in your Redis. Back that up by its own means, always"
            " before this.",
            err=True,
        )


@click.command(epilog=_CODES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--data", type=_FOLDER, envvar="FUDABA_DATA", show_envvar=True,
              help="The folder to restore into: empty, or not there yet.")  # fmt: skip
@click.option("--check", is_flag=True, help="Only verify FILE, and list its contents.")
@click.option("--dry-run", is_flag=True,
              help="Only verify FILE, and say what --data has that FILE lacks; --data may be in use.")  # fmt: skip
@click.option("--test", is_flag=True,
              help="Restore FILE into a temporary folder, start a service there, check everything, and remove "
              "it.")  # fmt: skip
@click.option("--scratch", type=_FOLDER,
              help="The folder for --test to work in.  [default: that of FILE; of an encrypted one, the system's "
              "temporary folder]")  # fmt: skip
@click.option("--stamp", type=_FILE,
              help="The file in which --test notes that a backup is right, for `fudaba serve "
              "--backup-stamp`.")  # fmt: skip
@_identity_option("The identity file that decrypts FILE, if it is encrypted.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def restore(
    file: Path,
    data: Path | None,
    check: bool,
    dry_run: bool,
    test: bool,
    scratch: Path | None,
    stamp: Path | None,
    identity: Path | None,
    as_json: bool,
) -> None:
    """Restore the backup FILE into a folder that is empty or not there yet, and verify it.

    A service started on the folder continues the live matches from the moment of the backup. Never run two services
    from one backup. FILE may be a folder, which stands for the newest backup in it that `fudaba backup` has named.
    With --stamp it stands for the newest of those that have a service. To restore, and for --dry-run, a folder with
    backups of different services or data folders is refused.

    \b
    Examples:
      fudaba restore fudaba-20260101T040000Z.tar.zst --data ~/fudaba-restored
      fudaba restore fudaba-20260101T040000Z.tar.zst --check
      fudaba restore fudaba-20260101T040000Z.tar.zst --dry-run --data ~/fudaba
      fudaba restore /backups --test --stamp /backups/tested.json
      fudaba restore fudaba.tar.zst.age --identity key.txt --data ~/fudaba-restored
    """
    if check + dry_run + test > 1:
        raise click.UsageError("--dry-run and --test do what --check does, too: give one of them")
    if (scratch or stamp) and not test:
        raise click.UsageError("--scratch and --stamp are options of --test")
    try:
        if file.is_dir():
            file = chosen(file, scratch or file, identity, only_looks=check or test, for_stamp=stamp is not None)
        if test:
            _test(file, scratch, stamp, identity, as_json)
            return
        if dry_run and data is not None:
            print_comparison(file, data, compare(file, data, progress, identity), as_json)
            return
        if check:
            contents = _checked(file, identity)
        elif data is None:
            raise click.UsageError("name the folder to restore into with --data, or only look with --check")
        else:
            contents = put_back(file, data, progress, identity)
    except BackupError as error:
        raise Failure(str(error)) from error
    print_contents(file if check or data is None else data, contents, as_json)
    if contents.header.store == "external" and not check:
        say(
            "The store is not in it: restore the Redis that belongs to this backup, and name its URL to the service.",
            err=True,
        )


def _test(file: Path, scratch: Path | None, stamp: Path | None, identity: Path | None, as_json: bool) -> None:
    if not file.is_file():
        raise BackupError(f"there is no file {file}")
    scratch = scratch or _scratch_parent(file)
    header = identify(file, scratch, identity=identity) if stamp is not None else None
    if header is not None and header.parts == "arena":
        raise BackupError(
            f"{file} has an arena alone, and a stamp is for backups that have the service: leave out --stamp, or name"
            " such a backup"
        )
    tested = check_by_restoring(file, scratch, progress, identity)
    if stamp is not None and header is not None:
        Stamp.of_test(file, header).write(stamp)
    if as_json:
        found = {"matches": tested.matches, "replayed": tested.replayed, "tournaments": tested.tournaments}
        print_json(report(file, tested.contents) | {"tested": found})
        return
    print_contents(file, tested.contents, as_json=False)
    say(
        f"Restored and right: a service listed {counted(tested.matches, 'match', 'matches')},"
        f" {counted(tested.replayed, 'record')} replayed, {counted(tested.tournaments, 'tournament')} verified"
    )


def _scratch_parent(file: Path) -> Path:
    """Returns where a backup is restored on trial: beside an encrypted one its content would be readable."""
    try:
        return Path(tempfile.gettempdir()) if is_encrypted(file) else file.parent
    except OSError as error:
        raise BackupError(f"{file}: {error.strerror or error}") from error


def _checked(file: Path, identity: Path | None) -> BackupContents:
    if not file.is_file():
        raise BackupError(f"there is no file {file}")
    with progress(file.stat().st_size, "verifying") as moved:
        return read(file, moved=moved, identity=identity)
