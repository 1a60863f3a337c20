"""`fudaba backup` and `fudaba restore`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say
from fudaba.cli.progress import progress
from fudaba_games.wording import counted
from fudaba_service.backup.container import BackupContents, BackupError, read
from fudaba_service.backup.making import back_up
from fudaba_service.backup.restoring import restore as put_back

__all__ = ["backup", "restore"]

_CODES: Final = "Exit codes: 0 done; 1 failed, and nothing was made or changed; 2 wrong usage."
_FILE: Final = click.Path(path_type=Path, dir_okay=False)
_FOLDER: Final = click.Path(path_type=Path, file_okay=False)


@click.command(epilog=_CODES)
@click.argument("file", type=_FILE, required=False)
@click.option("--data", type=_FOLDER, required=True, envvar="FUDABA_DATA", show_envvar=True,
              help="The data folder of `fudaba up`, of `fudaba serve` or of an arena.")  # fmt: skip
@click.option("--redis", envvar="FUDABA_REDIS", show_envvar=True, metavar="URL",
              help="The Redis URL of `fudaba serve`, if it has one. This backup leaves that Redis out.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def backup(file: Path | None, data: Path, redis: str | None, as_json: bool) -> None:
    """Back up a data folder into FILE, also while it is in use, and verify the backup.

    The backup contains the live matches, bots and tokens of the embedded store at one moment, the records of all
    matches that were over then, and every other file of the folder. A backup of `fudaba up` contains the service's and
    the arena's folders, with the tokens. FILE must not exist; without FILE, a name is made from the time. Keep the
    backup safe: it contains the hands of live matches.

    \b
    Examples:
      fudaba backup --data ~/fudaba
      fudaba backup /backups/arena.tar.zst --data fudaba-arena
    """
    if file is None:
        file = Path(f"fudaba-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.tar.zst")
    try:
        contents = back_up(data, file, progress, external=redis is not None)
    except BackupError as error:
        raise Failure(str(error)) from error
    _tell(file, contents, as_json)
    if contents.header.store == "external":
        say(
            "The store is not in it: matches, bots and tokens are in your Redis. Back that up by its own means, always"
            " before this: `redis-cli -u URL --rdb dump.rdb`.",
            err=True,
        )


@click.command(epilog=_CODES)
@click.argument("file", type=_FILE)
@click.option("--data", type=_FOLDER, envvar="FUDABA_DATA", show_envvar=True,
              help="The folder to restore into: empty, or not there yet.")  # fmt: skip
@click.option("--check", is_flag=True, help="Only verify FILE, and list its contents.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def restore(file: Path, data: Path | None, check: bool, as_json: bool) -> None:
    """Restore the backup FILE into a folder that is empty or not there yet, and verify it.

    A service started on the folder continues the live matches from the moment of the backup. Never run two services
    from one backup.

    \b
    Examples:
      fudaba restore fudaba-20260101T040000Z.tar.zst --data ~/fudaba-restored
      fudaba restore fudaba-20260101T040000Z.tar.zst --check
    """
    try:
        if check:
            contents = _checked(file)
        elif data is None:
            raise click.UsageError("name the folder to restore into with --data, or only look with --check")
        else:
            contents = put_back(file, data, progress)
    except BackupError as error:
        raise Failure(str(error)) from error
    _tell(file if check or data is None else data, contents, as_json)
    if contents.header.store == "external" and not check:
        say(
            "The store is not in it: restore the Redis that belongs to this backup, and name its URL to the service.",
            err=True,
        )


def _checked(file: Path) -> BackupContents:
    if not file.is_file():
        raise BackupError(f"there is no file {file}")
    with progress(file.stat().st_size, "verifying") as moved:
        return read(file, moved=moved)


def _tell(where: Path, contents: BackupContents, as_json: bool) -> None:
    header = contents.header
    if as_json:
        print_json(
            {
                "path": str(where),
                "created": header.created,
                "release": header.release,
                "store": header.store,
                "live_matches": header.live_matches,
                "records": contents.records,
                "files": len(contents.files),
                "bytes": contents.bytes,
            }
        )
        return
    live = f"{counted(header.live_matches, 'live match', 'live matches')}, " if header.store == "embedded" else ""
    say(
        f"{where}: {live}{counted(contents.records, 'record')}, {counted(len(contents.files), 'file')} with"
        f" {contents.bytes / 1e6:.1f} MB, of {header.created}; verified"
    )
