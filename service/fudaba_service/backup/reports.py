"""The reports of `fudaba backup` and `fudaba restore`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fudaba.cli.output import print_json, say
from fudaba_games.wording import counted
from fudaba_service.backup.container import BackupContents
from fudaba_service.backup.dry_run import Comparison

__all__ = ["print_comparison", "print_contents", "report"]


def print_contents(where: Path, contents: BackupContents, as_json: bool, removed: Sequence[Path] = ()) -> None:
    """Prints what a backup contains, which is at `where`, and which older ones were removed."""
    header = contents.header
    if as_json:
        print_json(report(where, contents) | {"removed": [str(path) for path in removed]})
        return
    live = f"{counted(header.live_matches, 'live match', 'live matches')}, " if header.store == "embedded" else ""
    verified = "verified" if contents.verified else "encrypted, and not verified, which takes an identity"
    say(
        f"{where}: {live}{counted(contents.records, 'record')}, {counted(len(contents.files), 'file')} with"
        f" {contents.bytes / 1e6:.1f} MB, of {header.created}; {verified}"
    )
    if removed:
        say(f"Removed {counted(len(removed), 'older backup')}: {', '.join(path.name for path in removed)}")


def report(where: Path, contents: BackupContents) -> dict[str, Any]:
    """Returns the same for programs."""
    header = contents.header
    return {
        "path": str(where),
        "created": header.created,
        "release": header.release,
        "store": header.store,
        "service": header.service,
        "live_matches": header.live_matches,
        "records": contents.records,
        "files": len(contents.files),
        "bytes": contents.bytes,
        "verified": contents.verified,
    }


def print_comparison(file: Path, data: Path, comparison: Comparison, as_json: bool) -> None:
    """Prints the changes that a restore from a backup would make."""
    names = ("records", "begun_later", "set_back", "played_again", "bots", "accounts", "files")
    counts = {name: len(getattr(comparison, name)) for name in names}
    if as_json:
        changes = {
            "refusal": comparison.refusal,
            "other_service": comparison.other_service,
            "store_known": comparison.store_known,
            **counts,
        }
        print_json(report(file, comparison.contents) | {"dry_run": changes})
        return
    print_contents(file, comparison.contents, as_json=False)
    if not comparison.refusal:
        say(f"A restore would write it into {data}, which has nothing to lose.")
        return
    say(f"A restore into {data} would be refused: {comparison.refusal}")
    if comparison.other_service:
        say(f"The backup is of another service: that of {data} is {comparison.other_service}.")
    say(f"{data} has what the backup, of {comparison.contents.header.created}, lacks, and what going back would lose:")
    say(f"  {counted(counts['records'], 'record')}, {counted(counts['files'], 'other file')}")
    if not comparison.store_known:
        say("  matches, bots and accounts are not known: not both have a store")
        return
    say(
        f"  {counted(counts['begun_later'], 'live match', 'live matches')}, {counted(counts['bots'], 'bot')},"
        f" {counted(counts['accounts'], 'account')}"
    )
    say(f"Live matches that would go back to the moment of the backup: {counts['set_back']}")
    say(f"Matches that are over and would be played to another end: {counts['played_again']}")
