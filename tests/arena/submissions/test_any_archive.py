"""Any archive gives exactly the files that it claims, inside the folder, or is refused with nothing left."""

from __future__ import annotations

import posixpath
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba_arena.submissions.faults import BadSubmission
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.members import Kind
from fudaba_arena.submissions.unpacking import unpack
from tests.support.arena.submissions.archives import BOT, FORMATS, Item, pack, tree
from tests.support.sizes import some

LIMITS = SubmissionLimits(unpacked=100_000, files=60, path=60, depth=6)
PLAIN = st.text("abcXYZ0-_ .é札", min_size=1, max_size=8).filter(lambda name: name.strip(".") and name[:2] != "._")
PARTS = st.one_of(
    PLAIN,
    st.sampled_from(
        ["..", ".", "", "bot.toml", "BOT.toml", "bot.py", "\\", "\x1b", "é", "e\u0301", "x" * 70, "/", "._x"]
    ),
)


def named(name: str) -> bool:
    return bool(name) and not name.endswith("/")  # that would be a folder to zip


HOSTILE = st.builds(
    Item,
    name=st.lists(PARTS, min_size=1, max_size=8).map("/".join).filter(named),
    content=st.just(b""),
    kind=st.sampled_from(Kind),
    mode=st.integers(0, 0o7777),
    link=st.sampled_from(["bot.py", "../x", "/etc/passwd", "."]),
)
FILES = st.builds(
    Item,
    name=st.lists(PARTS, min_size=1, max_size=8).map("/".join).filter(named),
    content=st.binary(max_size=300),
    mode=st.integers(0, 0o7777),
)
RIGHT = st.dictionaries(
    st.lists(PLAIN, min_size=1, max_size=4).map("/".join), st.binary(max_size=2_000), max_size=8
).filter(lambda files: len({part for name in files for part in prefixes(name.casefold())}) == folded(files))


def prefixes(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:end]) + ("/" if end < len(parts) else "") for end in range(1, len(parts) + 1)]


def folded(files: dict[str, bytes]) -> int:
    """Returns how many different files and folders there are; as many as without regard to case where none are in the
    way.
    """
    found = {part for name in files for part in prefixes(name)}
    return len({part.rstrip("/").casefold() for part in found})


@given(st.sampled_from(FORMATS), RIGHT, st.sampled_from(["", "./", "top/"]))
@settings(max_examples=some(1_000), deadline=None)
def test_a_right_archive_gives_exactly_its_files(form: str, files: dict[str, bytes], top: str) -> None:
    taken = {name for item in BOT for name in (item.name, f"{item.name}/")}
    files = {name: raw for name, raw in files.items() if not taken & {p.casefold() for p in prefixes(name)}}
    items = [*BOT, *[Item(name, raw) for name, raw in files.items()]]
    with tempfile.TemporaryDirectory() as folder:
        source, into = Path(folder) / "archive", Path(folder) / "into"
        source.write_bytes(pack(form, [Item(f"{top}{item.name}", item.content) for item in items]))
        unpacked = unpack(source, "upload", into, LIMITS)
        assert tree(into) == {item.name: item.content for item in items}
        assert unpacked.files == len(items)


@given(st.sampled_from(FORMATS), st.lists(st.one_of(FILES, HOSTILE), max_size=6))
@settings(max_examples=some(1_000), deadline=None)
def test_a_strange_archive_gives_what_it_claims_or_nothing(form: str, items: list[Item]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, into = Path(folder) / "archive", Path(folder) / "into"
        source.write_bytes(pack(form, [*BOT, *items]))
        try:
            unpack(source, "upload", into, LIMITS)
        except BadSubmission:
            assert [path.name for path in Path(folder).iterdir()] == ["archive"]
            return
        claimed = {posixpath.normpath(item.name): item.content for item in (*BOT, *items) if item.kind is Kind.FILE}
        assert tree(into) == {
            name: raw for name, raw in claimed.items() if not posixpath.basename(name).startswith("._")
        }
        assert {path.name for path in Path(folder).iterdir()} == {"archive", "into"}


@given(
    st.sampled_from(FORMATS),
    RIGHT,
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=4)), min_size=1, max_size=4),
)
@settings(max_examples=some(1_000), deadline=None)
def test_a_damaged_archive_stays_inside_its_folder_or_gives_nothing(
    form: str, files: dict[str, bytes], changes: list[tuple[float, bytes]]
) -> None:
    raw = bytearray(pack(form, [*BOT, *[Item(name, content) for name, content in files.items()]]))
    for where, patch in changes:
        at = int(where * len(raw))
        raw[at : at + len(patch)] = patch
    with tempfile.TemporaryDirectory() as folder:
        source, into = Path(folder) / "archive", Path(folder) / "into"
        source.write_bytes(raw)
        try:
            unpack(source, "bot.py", into, LIMITS)
        except BadSubmission:
            assert [path.name for path in Path(folder).iterdir()] == ["archive"]
            return
        assert sum(map(len, tree(into).values())) <= LIMITS.unpacked
        assert {path.name for path in Path(folder).iterdir()} == {"archive", "into"}
