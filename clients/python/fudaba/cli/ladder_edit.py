"""`fudaba ladder edit`: changes a ladder while its season goes on."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.confirming import confirm
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.definition_file import definition_text, mistakes_reported
from fudaba.cli.failures import Failure
from fudaba.cli.output import as_dict, print_json, say, say_text, table
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import arena_pb2

__all__ = ["edit"]

_TIMEOUT_SECONDS: Final = 60.0
_SEASON: Final = ("begins", "ends", "final_blocks", "final_wait_seconds")
_CLOCK: Final = ("move_ms", "increment_ms", "bank_ms", "max_timeouts", "max_illegal", "network_credit")
_TABLES: Final = dict.fromkeys(_SEASON, "season") | dict.fromkeys(_CLOCK, "clock")
"""The tables of keys that may be given without one."""
_LISTS: Final = ("accounts", "challengers")


def _path(key: str) -> tuple[str, ...]:
    """Returns a key with its table."""
    table_name = _TABLES.get(key)
    return (table_name, key) if table_name is not None else tuple(key.split("."))


def _settings(_: click.Context, __: click.Parameter, given: Sequence[str]) -> list[tuple[tuple[str, ...], str]]:
    """Returns the keys and the TOML values of `--set`. Raises `click.BadParameter`."""
    from fudaba.toml_setting import toml_text

    found = []
    for setting in given:
        key, equals, value = setting.partition("=")
        key, value = key.strip(), value.strip()
        if not (key and equals and value):
            raise click.BadParameter(f"{setting!r} is not KEY=VALUE; write for example concurrency=4")
        try:
            tomllib.loads(f"value = {value}")
        except tomllib.TOMLDecodeError:
            names = [name.strip() for name in value.split(",")]
            value = toml_text(names if key in _LISTS else value)
        found.append((_path(key), value))
    return found


@click.command(epilog="Exit codes: 0 done; 1 failed or refused; 2 wrong usage, mistakes in the file, or fixed keys.")
@click.argument("name")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", callback=_settings,
              help="Set a key, such as ends, concurrency or clock.move_ms. May be repeated.")  # fmt: skip
@click.option("--unset", multiple=True, metavar="KEY", help="Remove a key, so that its default holds. May be repeated.")
@click.option("--file", type=click.Path(path_type=Path, dir_okay=False, exists=True),
              help="Take the ladder's file from here, instead of opening an editor.")  # fmt: skip
@click.option("--print", "as_file", is_flag=True, help="Only print the ladder's file as it is now.")
@click.option("--check", "validate_only", is_flag=True, help="Only show what would change.")
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def edit(
    name: str,
    settings: list[tuple[tuple[str, ...], str]],
    unset: Sequence[str],
    file: Path | None,
    as_file: bool,
    validate_only: bool,
    yes: bool,
    connection: Connection,
    as_json: bool,
) -> None:
    """Change a ladder while its season goes on. Needs the organiser's token.

    Without --set, --unset and --file, $EDITOR opens the ladder's file. What would change is shown, and applied when you
    confirm it. Blocks in play are not disturbed.

    \b
    Examples:
      fudaba ladder edit open
      fudaba ladder edit open --set ends="2026-12-02 18:00 Europe/Berlin"
      fudaba ladder edit open --set enter=list --set accounts=alice,bob --check
      fudaba ladder edit open --print > open.toml
      fudaba ladder edit open --file open.toml --yes
    """
    from fudaba.v1 import arena_pb2

    if file is not None and (settings or unset):
        raise click.UsageError("give either --file, or --set and --unset")
    with connection.client() as client:
        known = client.arena.GetLadderFile(arena_pb2.GetLadderFileRequest(ladder=name), timeout=_TIMEOUT_SECONDS)
        if as_file:
            if as_json:
                print_json(as_dict(known))
            else:
                say_text(known.definition)
            return
        edited = definition_text(file) if file is not None else _edited(known.definition, settings, unset)
        request = arena_pb2.EditLadderRequest(ladder=name, definition=edited, etag=known.etag, validate_only=True)
        shown = file or Path(name)
        changed = edited != known.definition
        typed = changed and file is None and not settings and not unset
        with _kept_if_refused(edited if typed else ""):
            with mistakes_reported(shown):
                done = client.arena.EditLadder(request, timeout=_TIMEOUT_SECONDS)
            if not (as_json and (yes or validate_only)):
                _show(name, done, changed=changed, err=as_json)
            if changed and not validate_only:
                done = _apply(client, request, shown, done, yes=yes)
    if as_json:
        print_json(as_dict(done))
    elif changed and not validate_only:
        say(f"ladder {name} is edited")


def _edited(text: str, settings: Sequence[tuple[tuple[str, ...], str]], unset: Sequence[str]) -> str:
    """Returns the text with the given settings; without any, as an editor leaves it. Raises `Failure`."""
    from fudaba.toml_setting import CannotSet, with_value, without_value

    if not settings and not unset:
        return click.edit(text, extension=".toml") or text
    try:
        for path, value in settings:
            text = with_value(text, path, value)
        for key in unset:
            text = without_value(text, _path(key))
    except (CannotSet, tomllib.TOMLDecodeError) as error:
        raise Failure(str(error)) from None
    return text


@contextmanager
def _kept_if_refused(typed: str) -> Iterator[None]:
    """Keeps a text that was typed in an editor in a file of its own where the block is left by an error."""
    try:
        yield
    except (Exception, SystemExit):
        if typed:
            with NamedTemporaryFile("w", encoding="utf-8", prefix="ladder-", suffix=".toml", delete=False) as kept:
                kept.write(typed)
            say(f"what you typed is in {kept.name}; mend it there, and give it with --file", err=True)
        raise


def _apply(
    client: Client,
    request: arena_pb2.EditLadderRequest,
    shown: Path,
    planned: arena_pb2.EditLadderResponse,
    *,
    yes: bool,
) -> arena_pb2.EditLadderResponse:
    """Applies an edit that was shown, once it is confirmed."""
    changes = counted(len(planned.changes), "change")
    confirm(f"apply {changes} to ladder {request.ladder}?", "nothing was changed", yes=yes)
    request.validate_only = False
    with mistakes_reported(shown):
        return client.arena.EditLadder(request, timeout=_TIMEOUT_SECONDS)


def _show(name: str, planned: arena_pb2.EditLadderResponse, *, changed: bool, err: bool) -> None:
    """Prints what an edit changes, for whom, and from when."""
    if not planned.changes:
        say("only comments or the order of keys change" if changed else f"nothing changes in ladder {name}", err=err)
        return
    rows = [
        [change.key, _value(change.before), _value(change.after), _when(change, planned.ladder.entries_playing)]
        for change in planned.changes
    ]
    say_text(table(("key", "before", "after", "counts"), rows, "llll"), err=err)
    if planned.outside:
        bots = ", ".join(planned.outside)
        say(f"these stay entered, though their accounts could not enter them now: {bots}", err=err)


def _value(text: str) -> str:
    """Returns a value for people: a time in the zone of this machine."""
    from fudaba.zoned_time import BadTime, ZonedTime

    try:
        return ZonedTime.from_text(text.strip('"')).for_reader()
    except BadTime:
        return text or "-"


def _when(change: arena_pb2.LadderChange, entries: int) -> str:
    from fudaba.v1 import arena_pb2

    everybody = counted(entries, "entry", "entries")
    return {
        arena_pb2.LADDER_CHANGE_EFFECT_AT_ONCE: f"at once, for {everybody}",
        arena_pb2.LADDER_CHANGE_EFFECT_NEXT_BLOCK: f"from the next block on, for {everybody}",
        arena_pb2.LADDER_CHANGE_EFFECT_NEW_ENTRIES: "for bots that are entered from now on",
        arena_pb2.LADDER_CHANGE_EFFECT_NEW_CHALLENGES: "for challenges from now on",
        arena_pb2.LADDER_CHANGE_EFFECT_FINAL: f"in the final, for {everybody}",
        arena_pb2.LADDER_CHANGE_EFFECT_NEXT_SEASON: "from the next season on",
    }.get(change.effect, "-")
