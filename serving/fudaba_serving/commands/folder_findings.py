"""The findings of `fudaba data check` in a folder or file. Service and arena recognise their own, and read its stored
forms.

Each kind is an entry point of the group `fudaba.folders`: a `FolderKind`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, final

from fudaba_serving.process import folder_lock
from fudaba_serving.redis import append_only, append_only_length
from fudaba_serving.redis.store_commands import StoreCopyError, check_commands
from fudaba_serving.redis.store_copy import copy_store, served_copy

__all__ = ["STORE", "FolderFindings", "FolderKind", "StoredForm", "Verdict", "is_empty", "loaded_store"]

STORE: Final = "store"
"""The folder of an embedded store in a data folder."""
_RESTORE: Final = "restore a backup"
_SPARE_BYTES: Final = 64 * 1024 * 1024
"""The room that is left free where a store is copied."""


class Verdict(StrEnum):
    """Whether this release can take what is stored, the best first."""

    YES = "yes"
    MIGRATES = "after a migration"
    UNSEEN = "not seen"
    NO = "no"
    DAMAGED = "damaged"


_ORDER: Final = tuple(Verdict)


@final
@dataclass(frozen=True, slots=True)
class StoredForm:
    """A kind of stored value, or a file of it."""

    stored: str
    """The name of what is stored, such as `tokens`."""
    place: str
    """Its path, or its name in the store."""
    verdict: Verdict
    form: str = ""
    """The number of its form; empty if it has none, or cannot be read."""
    reads: str = ""
    """The highest number that this release reads."""
    count: int | None = None
    """The number of values, if they are counted."""
    text: str = ""
    """The fault, or the change to come; empty if all is well."""
    remedy: str = ""
    """The remedy; empty if none is needed."""

    def as_dict(self) -> dict[str, object]:
        """Returns it for JSON."""
        return {
            "stored": self.stored, "place": self.place, "verdict": self.verdict.value, "form": self.form,
            "reads": self.reads, "count": self.count, "text": self.text, "remedy": self.remedy,
        }  # fmt: skip


@final
@dataclass(slots=True)
class FolderFindings:
    """The kind of a folder or file, and the parts that are stored in it."""

    kind: str
    """The kind, such as `a service's data`."""
    folder: Path
    release: str = ""
    """The release that wrote it last; empty if nothing says so."""
    holder: str = ""
    """The process that uses it now; empty for none."""
    forms: list[StoredForm] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """The worst of all."""
        return max((form.verdict for form in self.forms), key=_ORDER.index, default=Verdict.YES)

    def note_lock(self, folder: Path) -> None:
        """Notes who holds the lock of a folder, and which release did last, as far as the lock file says it."""
        try:
            self.holder = folder_lock.holder(folder) or self.holder
            self.release = folder_lock.last_release(folder) or self.release
        except OSError as error:
            self.forms.append(
                StoredForm("lock", str(folder), Verdict.UNSEEN, text=f"it cannot be read: {error.strerror}")
            )

    def as_dict(self) -> dict[str, object]:
        """Returns it for JSON."""
        return {
            "kind": self.kind, "folder": str(self.folder), "release": self.release or None,
            "in_use_by": self.holder or None, "verdict": self.verdict.value,
            "stored": [form.as_dict() for form in self.forms],
        }  # fmt: skip


@final
@dataclass(frozen=True, slots=True)
class FolderKind:
    """A kind of folder or file, of the service or the arena."""

    name: str
    """The kind, such as `a service's data`."""
    recognises: Callable[[Path], bool]
    """Returns whether a path looks like it. It reads names and the first bytes of a file."""
    look: Callable[[Path, FolderFindings, bool], Any]
    """Adds what is stored there. With False as the last argument it does not load the store."""


def is_empty(path: Path, found: FolderFindings, stored: str, remedy: str = _RESTORE) -> bool:
    """Returns whether a file is empty or cannot be read, and notes that."""
    try:
        if path.stat().st_size:
            return False
        found.forms.append(StoredForm(stored, str(path), Verdict.DAMAGED, text="it is empty", remedy=remedy))
    except OSError as error:
        found.forms.append(StoredForm(stored, str(path), Verdict.UNSEEN, text=f"it cannot be read: {error.strerror}"))
    return True


@contextmanager
def loaded_store(store: Path, found: FolderFindings, *, load: bool) -> Iterator[str | None]:
    """Yields the URL of a server that has loaded a copy of a store, which may be in use; None if there is none.

    The copy is in a temporary folder. What the store lacks, and why it was not loaded, is noted.
    """
    with ExitStack() as stack:
        form = _unloadable(store, load=load)
        url = None
        if form is None:
            copy = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fudaba-check-"))) / STORE
            copy.mkdir(mode=0o700)
            try:
                copy_store(store, copy)
                check_commands(copy)
                url = stack.enter_context(served_copy(copy))
                form = StoredForm("store", str(store), Verdict.YES)
            except StoreCopyError as error:
                # The files are copied as they are, so the places in them are the original's.
                text = str(error).replace(str(copy), str(store))
                form = StoredForm("store", str(store), Verdict.DAMAGED, text=text, remedy=_RESTORE)
        found.forms.append(form)
        yield url


def _unloadable(store: Path, *, load: bool) -> StoredForm | None:
    """Returns the finding about a store that is not loaded, or None."""
    if reason := _lost(store):
        return StoredForm("store", str(store), Verdict.DAMAGED, text=reason, remedy=_RESTORE)
    if not (store / append_only.FOLDER / append_only.MANIFEST).is_file():
        return StoredForm("store", str(store), Verdict.YES, text="it has no data yet")
    if not load:
        return StoredForm("store", str(store), Verdict.UNSEEN, text="its values were left out")
    size = sum(path.stat().st_size for path in (store / append_only.FOLDER).iterdir())
    if size + _SPARE_BYTES <= shutil.disk_usage(tempfile.gettempdir()).free:
        return None
    text = f"there is no room for a copy of its {size / 1e6:.0f} MB in {tempfile.gettempdir()}"
    return StoredForm("store", str(store), Verdict.UNSEEN, text=text, remedy="set TMPDIR to a folder with more room")


def _lost(store: Path) -> str:
    """Returns what the files of a store lack by what is noted beside them; empty if nothing."""
    try:
        listed = append_only.listed_files(store)
        if not listed:
            return append_only_length.gone(store)
        if missing := [name for name in listed if not (store / append_only.FOLDER / name).is_file()]:
            return f"{store / append_only.FOLDER / missing[0]} is missing, which the manifest names"
        return append_only_length.lost(store, store / append_only.FOLDER / listed[-1])
    except append_only.DamagedFilesError as error:
        return str(error)
    except OSError as error:
        return f"{error.filename or store} cannot be read: {error.strerror}"
