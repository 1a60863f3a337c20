"""`fudaba record`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.failures import Failure
from fudaba.cli.match_filter import filter_options
from fudaba.cli.output import as_dict, moment, print_json, say, say_text
from fudaba.cli.progress import progress
from fudaba.cli.rerun import rerun
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.replay import Replay
    from fudaba.v1 import record_pb2

_COMMITMENT_BYTES = 32
_FILE = click.Path(path_type=Path, dir_okay=False)


def _commitment(_ctx: click.Context, _param: click.Parameter, value: str | None) -> bytes | None:
    """Returns a SHA-256 in hexadecimal digits."""
    if value is None:
        return None
    try:
        found = bytes.fromhex(value)
    except ValueError:
        found = b""
    if len(found) != _COMMITMENT_BYTES:
        raise click.BadParameter(f"{value!r} is not a commitment, which has {2 * _COMMITMENT_BYTES} hexadecimal digits")
    return found


class _NotRead(Failure):
    """The readable records have no faults, but other files could not be read."""

    exit_code = 2


@click.group()
def record() -> None:
    """Show, verify and fetch match records; put their decisions to a bot again."""


record.add_command(rerun)


@record.command()
@click.argument("file", type=_FILE)
@click.option("--table", "with_table", is_flag=True, help="Draw the whole table, with every hand, after each event.")
@click.option("--json", "as_json", is_flag=True, help="Print the record as JSON.")
def show(file: Path, with_table: bool, as_json: bool) -> None:
    """Show a record in readable form: each move with its seat and time, and what happened.

    It shows what was played even if the record has faults; `fudaba record verify` finds those. If your bot's notes are
    in a file beside it, where `fudaba record get --notes` puts them, each stands below its move.

    \b
    Examples:
      fudaba record show m-1.fudaba | less
      fudaba record show m-1.fudaba --table
    """
    found = _read(file)
    if as_json:
        print_json(as_dict(found))
        return
    from fudaba import records
    from fudaba.cli import _contract_words

    notes = _notes_beside(file, found.header.match_id)
    say(*_contract_words.header_lines(found.header))
    say(f"created {moment(found.header.create_time)} UTC, seed {found.seed.hex()}, salt {found.salt.hex()}")
    try:
        match = records.replay(found)
    except records.BadRecord as error:
        raise Failure(f"{file}: {error}") from None
    if not match.playable:
        say(
            f"the moves only: it was played by version {found.header.rules_version} of the rules of {match.game.id}, "
            f"and this release has version {match.game.rules_version}"
        )
    _play(match, found, with_table, notes)
    say(*_contract_words.ending(found.header, found.end), *_contract_words.network_credits(found))


def _notes_beside(file: Path, match_id: str) -> dict[tuple[int, str], str]:
    """Reads the notes of bots from the file beside a record, by seat and decision; empty if there is none."""
    from google.protobuf import json_format

    from fudaba import records
    from fudaba.v1 import matches_pb2

    path = records.notes_file(file)
    try:
        notes = json_format.Parse(path.read_text(encoding="utf-8"), matches_pb2.GetNotesResponse())
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, json_format.ParseError) as error:
        raise Failure(f"{path} holds no notes: {error}") from None
    if notes.match_id != match_id:
        raise Failure(f"{path} has the notes of match {notes.match_id}, and {file} is the record of {match_id}")
    return {(note.seat, note.decision_id): note.text for note in notes.notes}


def _play(match: Replay, found: record_pb2.MatchRecord, with_table: bool, notes: dict[tuple[int, str], str]) -> None:
    """Prints the log with the effect of each entry, and bots' notes."""
    from fudaba_games.game import GameError

    game, opened = match.game, False
    first_ms = next((entry.at_ms for entry in found.log), 0)
    for number, entry in enumerate(found.log):
        actor = "referee" if entry.HasField("referee") else f"seat {entry.seat}"
        at = f"{(entry.at_ms - first_ms) / 1000:9.3f} s  {actor}  "
        say(f"{at}{_entry(match, entry)}")
        if entry.HasField("move") and (note := notes.get((entry.seat, entry.decision_id))) is not None:
            say(*(f"{'':21}note: {line}" for line in note.splitlines()))
        try:
            events = match.apply(entry)
        except (GameError, IndexError, AssertionError) as error:
            raise Failure(f"entry {number} cannot be played ({error}); see `fudaba record verify`") from None
        shown = [applied.event for applied in events]
        if match.started and not opened:
            opened = True
            shown = _opening(match)
        for event in shown:
            say(f"{'':21}{game.text.describe_event(event)}")
        if with_table and shown:
            for seat in range(match.seats):
                say_text(f"seat {seat} sees:\n{game.text.render_view(match.match.view(seat))}")


def _opening(match: Replay) -> list[Any]:
    """Returns what the seats and everybody were shown before the first move, each event once."""
    shown: list[Any] = []
    for seat in (None, *range(match.seats)):
        shown += [event for event in match.match.shown(seat) if event not in shown]
    return shown


def _entry(match: Replay, entry: record_pb2.LogEntry) -> str:
    """Returns a log entry in words."""
    from fudaba.cli import _contract_words
    from fudaba_games.game import MalformedMove

    entry_kind = entry.WhichOneof("what")
    if entry_kind in {"move", "timeout"}:
        try:
            played = match.codec.move_from_proto(entry.move if entry_kind == "move" else entry.timeout)
            move = match.game.text.format_move(played)
        except MalformedMove as error:
            move = f"(unreadable: {error})"
        spent = f"  [{entry.spent.bot_us / 1000:.1f} ms]"
        return f"{move}{spent}" if entry_kind == "move" else f"{move}  [time ran out]"
    if entry_kind in {"ready", "referee"}:
        return "is ready" if entry_kind == "ready" else f"fires: {entry.referee.timer}"
    if entry_kind == "illegal":
        return f"refused: {entry.illegal.reason}: {entry.illegal.message}"
    if entry_kind == "forfeit":
        return f"forfeits: {_contract_words.forfeit_cause(entry.forfeit.cause)}"
    if entry_kind == "abort":
        return f"aborted{': ' + entry.abort.message if entry.abort.message else ''}"
    return "(unknown to this release)"


@record.command()
@click.argument("files", type=_FILE, nargs=-1, required=True, metavar="FILE...")
@click.option("--commitment", callback=_commitment, metavar="HEX",
              help="The commitment that your bot received when the match started; with one FILE.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Print only faults.")
@click.option("--json", "as_json", is_flag=True,
              help="Print JSON: the faults of each record, and the files that could not be read.")  # fmt: skip
def verify(files: tuple[Path, ...], commitment: bytes | None, quiet: bool, as_json: bool) -> None:
    """Check records: the commitment, every move, the result.

    A record's commitment proves that its deals were fixed before the match only if you received it at that time.
    --commitment compares the record's commitment with the one that you kept.

    The exit code is 1 if any record has a fault; 2 if none has, but a file could not be read.

    \b
    Examples:
      fudaba record verify archive/*.fudaba
      fudaba record verify m-1.fudaba --commitment 726202e177a2e09153b9e8ff29f22417b1871e2dc906596bfaed2ee8b04e8ba6
    """
    if commitment is not None and len(files) != 1:
        raise click.UsageError("--commitment belongs to one match: name one FILE")
    faults: dict[str, list[str]] = {}
    unread: dict[str, str] = {}
    with progress(len(files), "records") as step:
        for file in files:
            try:
                faults[str(file)] = problems = _faults(file, commitment)
            except OSError as error:
                unread[str(file)] = reason = error.strerror or str(error)
                problems = [f"cannot be read: {reason}"]
            if not problems and not quiet:
                problems = [f"valid: commitment{', the one given' if commitment else ''}, every move, result"]
            for line in [] if as_json else problems:
                say(f"{file}: {line}")
            step()
    if as_json:
        print_json({"faults": faults, "unread": unread})
    wrong = sum(1 for found in faults.values() if found)
    lost = f"{counted(len(unread), 'file')} could not be read" if unread else ""
    if wrong:
        many = f"{wrong} of {counted(len(faults), 'record')} {'is' if wrong == 1 else 'are'} invalid"
        raise Failure(f"{many}; {lost}" if lost else many)
    if lost:
        raise _NotRead(lost)


def _faults(file: Path, commitment: bytes | None) -> list[str]:
    """Returns the faults of a record. Raises `OSError` if the file cannot be read, which is no fault of the record."""
    from fudaba import records

    try:
        return records.verify(records.read(file), commitment_told=commitment)
    except records.BadRecord as error:
        return [str(error)]


def _read(file: Path) -> record_pb2.MatchRecord:
    from fudaba import records

    try:
        return records.read(file)
    except records.BadRecord as error:
        raise Failure(str(error)) from None


@record.command()
@click.argument("match_id", metavar="[ID]", required=False)
@connection_options
@filter_options
@click.option("-o", "--output", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE",
              help="The file to write; - for standard output.  [default: ID.fudaba]")  # fmt: skip
@click.option("--to", "folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="Fetch all records that the options select into this folder; existing files stay.")  # fmt: skip
@click.option("--notes", "with_notes", is_flag=True,
              help="Also fetch your bots' notes, each into a file FILE.notes.json beside its record.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="With --to: print JSON with the ids that were fetched, that existed already, and that were not sent.",
)
def get(
    match_id: str | None,
    connection: Connection,
    wanted: dict[str, Any],
    output: Path | None,
    folder: Path | None,
    with_notes: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Fetch the record of a match that is over, or with --to the records of many.

    With --to, run the same command again after an interruption, or later: it fetches the missing records.
    Matches that are not over, or are hidden, have no record yet.

    \b
    Examples:
      fudaba record get m-1 -o m-1.fudaba && fudaba record verify m-1.fudaba
      fudaba record get --bot me --since 2026-11-01 --to records
      fudaba record get m-1 --notes && fudaba record show m-1.fudaba
    """
    if folder is None:
        if match_id is None or as_json or any(wanted.values()):
            raise click.UsageError("name the match ID, or give --to FOLDER for the records of many matches")
        _get_record(match_id, connection, output, with_notes=with_notes, force=force)
        return
    if match_id is not None or output is not None:
        raise click.UsageError(
            "with --to, select the records by --bot, --since and the like; leave out ID and --output"
        )
    from fudaba.cli import _fetching

    with connection.client() as client:
        fetched = _fetching.fetch(client, wanted, folder, _get_notes if with_notes else None, force=force)
    if as_json:
        print_json({"fetched": fetched.fetched, "there": fetched.there, "not_sent": fetched.not_sent})
        return
    say(f"{counted(len(fetched.fetched), 'record')} fetched to {folder}, {len(fetched.there)} were there already")
    if fetched.not_sent:
        say(
            f"{counted(len(fetched.not_sent), 'match', 'matches')} had none to send, such as {fetched.not_sent[0]}",
            err=True,
        )


def _get_notes(client: Client, match_id: str, record_file: Path) -> None:
    """Fetches the notes of a match, if there are any, into the file beside its record."""
    from fudaba import records
    from fudaba.v1 import matches_pb2

    notes = client.matches.GetNotes(matches_pb2.GetNotesRequest(match_id=match_id), timeout=60)
    if notes.notes:
        text = json.dumps(as_dict(notes), ensure_ascii=False, indent=1)
        records.notes_file(record_file).write_text(text, encoding="utf-8")


def _get_record(match_id: str, connection: Connection, output: Path | None, *, with_notes: bool, force: bool) -> None:
    if with_notes and output == Path("-"):
        raise click.UsageError("--notes needs a file beside which the notes can lie, not standard output")
    from fudaba import records
    from fudaba.v1 import matches_pb2

    with connection.client() as client:
        found = client.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id), timeout=60).record
    content = records.pack(found)
    if output == Path("-"):
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    path = output or Path(f"{match_id}{records.SUFFIX}")
    try:
        with path.open("wb" if force else "xb") as stream:
            stream.write(content)
    except FileExistsError:
        raise Failure(f"{path} exists; add --force to replace it") from None
    if with_notes:
        with connection.client() as client:
            _get_notes(client, match_id, path)
    say(str(path), err=True)
