"""The command `fudaba data check`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

import click

from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say
from fudaba.installing import how_to_install
from fudaba_serving.commands.data_folder import ARENA, SERVICE
from fudaba_serving.commands.folder_findings import FolderFindings, FolderKind, StoredForm, Verdict

__all__ = ["check_folder", "data"]

_GROUP: Final = "fudaba.folders"
_OF_UP: Final = "the folder of `fudaba up`"
_NOTHING: Final = "nothing of Fudaba's"
_ANSWERS: Final = {
    Verdict.YES: "yes: this release can take it",
    Verdict.MIGRATES: "yes: this release can take it, and changes what is said above at its start",
    Verdict.UNSEEN: "not known: not everything was looked into",
    Verdict.NO: "no: this release cannot take it",
    Verdict.DAMAGED: "no: it is damaged",
}
_STATUS: Final = {Verdict.YES: 0, Verdict.MIGRATES: 0, Verdict.UNSEEN: 3, Verdict.NO: 1, Verdict.DAMAGED: 1}


@click.group(short_help="Say what a data folder is, and whether this release can take it.")
def data() -> None:
    """Say what a data folder is, and whether this release can take it."""


@data.command(
    epilog="Exit codes: 0 this release can take it, at once or after a migration; 1 it cannot, it is damaged, or it is "
    "nothing of Fudaba's; 2 wrong usage; 3 not everything was looked into."
)
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--no-store", is_flag=True, help="Leave out the values in an embedded store, which is quick.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(folder: Path, no_store: bool, as_json: bool) -> None:
    """Say what FOLDER is, which stored forms are in it, which release wrote it, and whether this release can take it.

    FOLDER may be the data folder of `fudaba up`, `fudaba serve` or an arena, an archive, a worker's folder of programs,
    a backup, or an exported tournament or season; without it, the current folder. The command changes nothing, and may
    run beside the servers that use the folder. To read an embedded store it loads a copy of it in a temporary folder
    (TMPDIR).

    \b
    Examples:
      fudaba data check ~/fudaba
      fudaba data check /backups/fudaba-1.tar.zst
      fudaba data check ~/fudaba --no-store --json
    """
    if not folder.exists():
        raise Failure(f"there is no folder or file {folder}")
    parts = list(check_folder(folder, load=not no_store))
    worst = max((part.verdict for part in parts), key=list(Verdict).index, default=Verdict.NO)
    if as_json:
        kind = _OF_UP if len(parts) > 1 else parts[0].kind if parts else None
        print_json(
            {"kind": kind, "verdict": worst.value if parts else None, "parts": [part.as_dict() for part in parts]}
        )
    else:
        _say(folder, parts, worst)
    sys.exit(_STATUS[worst])


def check_folder(folder: Path, *, load: bool) -> Iterator[FolderFindings]:
    """Yields what a folder or file is; of the folder of `fudaba up`, the service's and the arena's; nothing if it is
    none of Fudaba's.

    `load` reads the values in embedded stores, too.
    """
    kinds = [_loaded(place) for place in entry_points(group=_GROUP)]
    parts = [folder / name for name in (ARENA, SERVICE) if (folder / name).is_dir()]
    for path in [folder] if len(parts) < 2 else parts:
        kind = next((kind for kind in kinds if kind.recognises(path)), None)
        if kind is not None:
            found = FolderFindings(kind.name, path)
            kind.look(path, found, load)
            yield found
        elif len(parts) > 1:
            text = "nothing in it says that it is a data folder"
            form = StoredForm("folder", str(path), Verdict.DAMAGED, text=text, remedy="restore a backup")
            yield FolderFindings(_NOTHING, path, forms=[form])


def _loaded(place: EntryPoint) -> FolderKind:
    try:
        kind: FolderKind = place.load()
    except ModuleNotFoundError as error:
        raise Failure(f"this needs service and arena ({error.name} is missing): {how_to_install('arena')}") from error
    return kind


def _say(folder: Path, parts: list[FolderFindings], worst: Verdict) -> None:
    if not parts:
        empty = folder.is_dir() and not any(folder.iterdir())
        say(f"{folder}: {'an empty folder' if empty else _NOTHING}", "name a data folder, a backup or an export")
        return
    if len(parts) > 1:
        say(f"{folder}: {_OF_UP}")
    for part in parts:
        release = f", last written by release {part.release}" if part.release else ""
        say(f"{part.folder}: {part.kind}{release}")
        if part.holder:
            say(f"  in use by {part.holder}")
        for form in part.forms:
            _say_form(form)
    say(_ANSWERS[worst])


def _say_form(form: StoredForm) -> None:
    count = f"{form.count} " if form.count is not None else ""
    number = f", form {form.form}" if form.form else ""
    reads = f" (this release reads {form.reads})" if form.form and form.reads != form.form else ""
    fine = form.verdict == Verdict.YES
    say(
        f"  {count}{form.stored}{number}{reads}{'' if fine else f': {form.verdict.value}'}"
        f"{f' | {form.place}' if not fine and form.place else ''}{f' | {form.text}' if form.text else ''}"
    )
    if form.remedy:
        say(f"    {form.remedy}")
