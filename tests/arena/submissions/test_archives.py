"""Archives of submissions: each gives exactly its files, or is refused with what to do, and leaves nothing."""

from __future__ import annotations

import os
import resource
import stat
import struct
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from fudaba_arena.submissions.faults import BadSubmission, Fault
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.members import Kind
from fudaba_arena.submissions.stages import Stage, check_unpack
from fudaba_arena.submissions.unpacking import unpack
from tests.support.arena.submissions.archives import (
    BOT,
    FORMATS,
    MANIFEST,
    Item,
    deflated,
    gzipped,
    pack,
    raw_zip,
    squeezed,
    tar,
    tree,
)
from tests.support.arena.submissions.unpacking import LIMITS, opened, refused
from tests.support.sizes import some

TARS = ("tar.gz", "tar.zst")
RUN_SH = b'\xef\xbb\xbfname = "crlf"\r\ngames = ["naga"]\r\nlanguage = "other"\r\nstart = ["./run.sh"]\r\n'
"""A manifest as an editor on Windows saves it."""
WINDOWS_SH = Item("run.sh", b"#!/bin/sh\r\nexec python3 bot.py\r\n")
BOT_FILES = {item.name: item.content for item in BOT}


@pytest.fixture
def strange_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.mark.parametrize("form", FORMATS)
def test_an_archive_gives_exactly_its_files_with_plain_modes(form: str, into: Path, strange_umask: None) -> None:
    items = [
        *BOT,
        Item("lib", kind=Kind.FOLDER, mode=0o2777),
        Item("lib/deep/er/code.py", b"x" * 100_000),
        Item("lib/run", b"#!/bin/sh\n", mode=0o6755),
        Item("lib/札場.txt", b""),
        Item("empty", kind=Kind.FOLDER),
    ]
    unpacked = opened(pack(form, items), into)
    assert tree(into) == {item.name: item.content for item in items if item.kind is Kind.FILE}
    assert (into / "empty").is_dir()
    assert stat.S_IMODE(into.stat().st_mode) == 0o755
    assert stat.S_IMODE((into / "lib/run").stat().st_mode) == 0o755
    assert stat.S_IMODE((into / "bot.py").stat().st_mode) == 0o644
    assert (unpacked.files, unpacked.size) == (5, sum(len(item.content) for item in items))
    assert unpacked.manifest.name == "my-bot"


@pytest.mark.parametrize("form", TARS)
@pytest.mark.parametrize("tar_format", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_long_names_are_read_in_both_forms_of_tar(form: str, tar_format: int, into: Path) -> None:
    path = "/".join(["folder" * 6] * 8)
    opened(pack(form, [*BOT, Item(path, b"deep")], tar_format), into)
    assert tree(into) == BOT_FILES | {path: b"deep"}


def test_the_program_that_starts_the_bot_may_be_run(into: Path) -> None:
    """An archive from Windows says of no file that it may."""
    manifest = MANIFEST.replace(b'["python3", "bot.py"]', b'["./bin/bot"]')
    opened(pack("zip", [Item("bot.toml", manifest), Item("bin/bot", b"#!/bin/sh\n")]), into)
    assert stat.S_IMODE((into / "bin/bot").stat().st_mode) == 0o755


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("prefix", ["", "./", "my-bot-1.0/", "./my-bot/", "my//bot/../"[:4]])
def test_all_of_it_may_be_in_one_folder(form: str, prefix: str, into: Path) -> None:
    items = [Item(f"{prefix}{item.name}", item.content) for item in (*BOT, Item("lib/a.py", b"a"))]
    if form != "zip" and prefix == "./":
        items.insert(0, Item(".", kind=Kind.FOLDER))
    opened(pack(form, items), into)
    assert tree(into) == BOT_FILES | {"lib/a.py": b"a"}


@pytest.mark.parametrize("form", FORMATS)
def test_what_macos_adds_is_left_out(form: str, into: Path) -> None:
    added = [Item("._bot", b"x"), Item("__MACOSX/bot/._bot.py", b"x"), Item("bot/._bot.toml", b"x")]
    opened(pack(form, [*added, *[Item(f"bot/{item.name}", item.content) for item in BOT]]), into)
    assert tree(into) == BOT_FILES


OUTSIDE = Item("bot.py", link="/etc/passwd", kind=Kind.SYMBOLIC_LINK)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("items", "fault", "words"),
    [
        ([*BOT, Item("../evil", b"x")], Fault.NAME, "'../evil' leads out of the folder"),
        ([*BOT, Item("lib/../../evil", b"x")], Fault.NAME, "leads out of the folder"),
        ([*BOT, Item("..", kind=Kind.FOLDER)], Fault.NAME, "leads out of the folder"),
        ([*BOT, Item("/etc/evil", b"x")], Fault.NAME, "'/etc/evil' begins with /"),
        ([*BOT, Item("lib\\evil", b"x")], Fault.NAME, "has a backslash"),
        ([*BOT, Item("a\x1b[2Jb", b"x")], Fault.NAME, "character 2 is U+001B, which cannot be shown"),
        ([*BOT, Item("a\nb", b"x")], Fault.NAME, "U+000A"),
        ([*BOT, Item("a\u202eb", b"x")], Fault.NAME, "U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        ([*BOT, Item("bot.py", b"another")], Fault.NAME, "'bot.py' is in the archive twice"),
        ([*BOT, Item("Bot.PY", b"x")], Fault.NAME, "'bot.py' and 'Bot.PY' are one name"),
        ([*BOT, Item("caf\u00e9", b"x"), Item("cafe\u0301", b"x")], Fault.NAME, "are one name where case and accents"),
        ([*BOT, Item("lib/a"), Item("Lib/b")], Fault.NAME, "'lib' and 'Lib' are one name"),
        ([*BOT, Item("lib", b"x"), Item("lib/a", b"x")], Fault.NAME, "as a file and as a folder"),
        ([*BOT, Item("lib/a", b"x"), Item("lib", b"x")], Fault.NAME, "as a file and as a folder"),
        ([*BOT, Item("link", link="bot.py", kind=Kind.SYMBOLIC_LINK)], Fault.KIND, "is a symbolic link, which is ref"),
        ([BOT[0], OUTSIDE], Fault.KIND, "(tar --dereference)"),
        ([*BOT, OUTSIDE, Item("bot.py/x", b"x")], Fault.KIND, "is a symbolic link"),
        ([*BOT, Item("zero", kind=Kind.DEVICE)], Fault.KIND, "'zero' is a device, which is refused; leave it out"),
        ([*BOT, Item("pipe", kind=Kind.PIPE)], Fault.KIND, "is a named pipe"),
        ([*BOT, Item("what", kind=Kind.OTHER)], Fault.KIND, "neither a file nor a folder"),
        ([BOT[1]], Fault.MANIFEST, "there is no bot.toml"),
        ([], Fault.MANIFEST, "there is no bot.toml"),
        ([*BOT[1:], Item("deep/er/bot.toml", MANIFEST)], Fault.MANIFEST, "there is no bot.toml"),
        ([Item("a/bot.toml", MANIFEST), Item("b/bot.toml", MANIFEST)], Fault.MANIFEST, "there is no bot.toml"),
        ([Item("bot.toml", kind=Kind.FOLDER), BOT[1]], Fault.MANIFEST, "bot.toml is a folder"),
        ([Item("a/bot.toml/x"), Item("a/bot.py")], Fault.MANIFEST, "bot.toml is a folder"),
        ([Item("bot.toml", b"name = 'caf\xe9'")], Fault.MANIFEST, "bot.toml:1: this is not UTF-8 text"),
        ([Item("bot.toml", MANIFEST.decode().encode("utf-16")), BOT[1]], Fault.MANIFEST, "bot.toml:1: this is UTF-16"),
        ([Item("bot.toml", RUN_SH), WINDOWS_SH], Fault.MANIFEST, "bot.toml:4: start names a script that cannot run: "),
        ([Item("bot.toml", RUN_SH), WINDOWS_SH], Fault.MANIFEST, "./run.sh has Windows line ends; save it with Unix"),
        ([Item("a/bot.toml", RUN_SH), Item("a/run.sh", WINDOWS_SH.content)], Fault.MANIFEST, "has Windows line ends"),
        ([Item("bot.toml", b"\n\nname = "), BOT[1]], Fault.MANIFEST, "bot.toml:3: this is not TOML"),
        ([Item("bot.toml", b"#" * 100_000), BOT[1]], Fault.MANIFEST, "write at most 65,536"),
    ],
)
def test_what_may_not_be_in_an_archive_is_refused(
    form: str, items: list[Item], fault: Fault, words: str, into: Path
) -> None:
    error = refused(pack(form, items), into)
    assert error.fault is fault
    assert words in str(error)


@pytest.mark.parametrize("form", FORMATS)
def test_a_manifest_with_a_byte_order_mark_and_windows_line_ends_is_read(form: str, into: Path) -> None:
    items = [Item("bot.toml", RUN_SH), Item("run.sh", b"#!/bin/sh\nexec python3 bot.py\n")]
    assert opened(pack(form, items), into).manifest.start == ("./run.sh",)


@pytest.mark.parametrize("form", FORMATS)
def test_what_one_reader_takes_for_a_file_and_another_for_a_folder_is_refused(form: str, into: Path) -> None:
    raw = raw_zip([_entry(b"a/", b"content")]) if form == "zip" else pack(form, [*BOT, Item("a/", b"content")])
    assert refused(raw, into).fault in {Fault.NAME, Fault.DAMAGED}


@pytest.mark.parametrize("form", TARS)
def test_a_hard_link_is_refused(form: str, into: Path) -> None:
    error = refused(pack(form, [*BOT, Item("link", link="bot.py", kind=Kind.HARD_LINK)]), into)
    assert (error.fault, "--hard-dereference" in str(error)) == (Fault.KIND, True)


@pytest.mark.parametrize("form", FORMATS)
def test_a_name_that_is_not_utf8_is_refused(form: str, into: Path) -> None:
    if form == "zip":
        raw = pack(form, [*BOT, Item("caf?", b"x")]).replace(b"caf?", b"caf\xe9")
        flagged = pack(form, [*BOT, Item("caf\u00e9", b"x")]).replace("caf\u00e9".encode(), b"caf\xe9\xe9")
        assert refused(flagged, into).fault is Fault.NAME
    else:
        raw = pack(form, [*BOT, Item("caf\udce9", b"x")])
    error = refused(raw, into)
    assert error.fault is Fault.NAME
    assert "'caf\ufffd' is not in UTF-8" in str(error)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"files": 3}, "more than 3 files and folders"),
        ({"files": 4}, "more than 4 files and folders"),
        ({"unpacked": 9_999}, "more than 9,999 bytes"),
        ({"path": 16}, "has 17 bytes; 16 are allowed"),
        ({"depth": 3}, "has 4 levels; 3 are allowed"),
        ({"packed": 1_000}, "at most 1,000 are allowed"),
    ],
)
def test_every_limit_holds(form: str, limits: dict[str, int], words: str, into: Path) -> None:
    items = [*BOT, Item("one/two/three/fou", os.urandom(10_000 - sum(len(item.content) for item in BOT)))]
    error = refused(pack(form, items), into, limits=SubmissionLimits.parse(limits))
    assert error.fault is Fault.SIZE
    assert words in str(error)
    roomy = SubmissionLimits.parse({"files": 6, "unpacked": 10_000, "path": 17, "depth": 4, "packed": 11_000})
    opened(pack(form, items), into, limits=roomy)


@pytest.mark.parametrize("form", FORMATS)
def test_a_name_longer_than_file_systems_allow_is_refused(form: str, into: Path) -> None:
    assert "more than 255 bytes" in str(refused(pack(form, [*BOT, Item("x" * 256)]), into))


@pytest.mark.parametrize("form", FORMATS)
def test_an_archive_that_is_cut_off_is_refused_wherever_it_is_cut(form: str, into: Path) -> None:
    raw = pack(form, [*BOT, Item("lib/noise", os.urandom(2_000))])
    for length in {*range(8, len(raw), max(1, len(raw) // some(1_000))), len(raw) - 1}:
        assert refused(raw[:length], into).fault is Fault.DAMAGED


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("junk", [b"x", b"\0", b"PK\x05\x06", b"\x1f\x8b\x08", bytes(100_000)])
def test_what_stands_behind_the_end_is_refused(form: str, junk: bytes, into: Path) -> None:
    raw = pack(form, BOT)
    for behind in (junk, raw + junk, raw):
        assert refused(raw + behind, into).fault is Fault.DAMAGED


@pytest.mark.parametrize("form", TARS)
def test_the_end_of_a_tar_has_to_be_its_end(form: str, into: Path) -> None:
    body = tar(BOT)[: 4 * 512]
    opened(squeezed(form, body + bytes(1024)), into)
    for end in (b"", bytes(512), bytes(1000), bytes(1024) + b"x", b"x" * 512 + bytes(1024), bytes(1024) + tar(BOT)):
        with pytest.raises(BadSubmission) as info:
            opened(squeezed(form, body + end), into.with_name("other"))
        assert info.value.fault is Fault.DAMAGED
        assert not into.with_name("other").exists()


@pytest.mark.parametrize("form", TARS)
@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_SPARSE])
def test_headers_that_would_take_much_memory_are_refused(form: str, kind: bytes, into: Path) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = kind, 1 << 33
    error = refused(squeezed(form, info.tobuf() + bytes(100_000)), into)
    assert error.fault in {Fault.DAMAGED, Fault.KIND}
    info.size = 512
    assert refused(squeezed(form, (info.tobuf() + b"11 path=ab\n".ljust(512, b"\0")) * 2_000), into)


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", TARS)
def test_headers_that_would_take_much_time_are_refused(form: str, into: Path) -> None:
    """Compressed they are small, and each is allowed."""
    more = tarfile.TarInfo("pax")
    more.type, more.size = tarfile.XHDTYPE, 16_384
    folder = tarfile.TarInfo("again")
    folder.type = tarfile.DIRTYPE
    record = b"16384 comment=".ljust(16_383, b"x") + b"\n"
    member = more.tobuf() + record + folder.tobuf()
    assert "headers that are too long, all together" in str(refused(squeezed(form, member * 1_100 + bytes(1024)), into))
    opened(squeezed(form, member * 1_000 + tar(BOT)), into)


def test_a_negative_size_is_refused(into: Path) -> None:
    info = tarfile.TarInfo("bot.py")
    info.size = -512
    assert refused(squeezed("tar.gz", info.tobuf() + bytes(2048)), into).fault is Fault.DAMAGED
    pax = tarfile.TarInfo("bot.py")
    pax.pax_headers = {"size": "-512"}
    assert refused(squeezed("tar.gz", pax.tobuf(tarfile.PAX_FORMAT) + bytes(2048)), into).fault is Fault.DAMAGED


def _entry(name: bytes, content: bytes) -> tuple[bytes, bytes, int, int]:
    return name, deflated(content) + b"\x03\0", len(content), zlib.crc32(content)


def test_a_zip_that_is_not_what_it_says_is_refused(into: Path) -> None:
    right = [_entry(b"bot.toml", MANIFEST), _entry(b"bot.py", b"print()\n")]
    raw = raw_zip(right)
    opened(raw, into.with_name("right"))
    assert tree(into.with_name("right")) == BOT_FILES
    wrong = [_entry(b"bot.toml", MANIFEST), (*right[1][:2], 100, right[1][3])]
    short = [_entry(b"bot.toml", MANIFEST), (*right[1][:2], 4, zlib.crc32(b"prin") ^ 1)]
    end = raw.rindex(b"PK\x05\x06")
    listed = struct.unpack_from("<L", raw, end + 16)[0]
    for broken in (
        raw_zip(wrong),
        raw_zip(short),
        raw_zip(right, listed=1),
        raw_zip(right, listed=3),
        raw[:listed] + raw[listed:].replace(b"bot.py", b"bat.py"),
        raw[:40] + b"junk" + raw[40:],
        b"PK\x03\x04" + raw,
    ):
        source = into.with_name("broken")
        source.write_bytes(broken)
        with pytest.raises(BadSubmission) as info:
            unpack(source, "upload", into, LIMITS)
        assert info.value.fault is Fault.DAMAGED
        assert not into.exists()


def test_ways_of_zip_that_are_not_read_are_named(into: Path) -> None:
    assert "in a way that is not read" in str(refused(raw_zip([_entry(b"bot.toml", MANIFEST)], method=14), into))
    raw = bytearray(pack("zip", BOT))
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(sign) + at] |= 1
    assert "encrypted" in str(refused(bytes(raw), into))
    end = raw.rindex(b"PK\x05\x06")
    large = bytes(raw[:end]) + b"PK\x06\x07" + bytes(16) + bytes(raw[end:])
    assert "of the large kind" in str(refused(large, into))


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "this is neither an archive nor a source file"),
        (b"hello", "this is neither an archive nor a source file"),
        (tar(BOT), "this is neither an archive nor a source file"),
        (b"BZh91AY&SY", "this is bzip2; pack it as"),
        (b"\xfd7zXZ\0\0", "this is xz"),
        (b"7z\xbc\xaf\x27\x1c\0", "this is 7-Zip"),
        (b"Rar!\x1a\x07\0", "this is RAR"),
    ],
)
def test_other_formats_are_refused_by_name(raw: bytes, words: str, into: Path) -> None:
    error = refused(raw, into)
    assert error.fault is Fault.FORMAT
    assert words in str(error)


@pytest.mark.exhaustive
def test_a_million_entries_are_refused_after_as_many_as_are_allowed(into: Path) -> None:
    folder = tarfile.TarInfo("again")
    folder.type = tarfile.DIRTYPE
    million = gzipped([deflated(folder.tobuf() * 1_000, 1_000), deflated(bytes(1024))])
    assert len(million) < 10_000_000
    assert "more than 20,000 files and folders" in str(refused(million, into))
    entries = raw_zip([(b"a", b"", 0, 0)])
    end = entries.rindex(b"PK\x05\x06")
    begin = entries.index(b"PK\x01\x02")
    index = entries[begin:end] * 1_000_000
    many = entries[:begin] + index + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 9, 9, len(index), begin, 0)
    error = refused(many, into)
    assert error.fault is Fault.DAMAGED  # only so many can be said, so it says less than there are


def test_a_full_disk_leaves_nothing(into: Path) -> None:
    source = into.parent / "archive"
    source.write_bytes(pack("zip", [*BOT, Item("large", bytes(200_000))]))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            unpack(source, "upload", into, LIMITS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not into.exists()


def test_a_folder_that_is_there_is_not_written_to(into: Path) -> None:
    into.mkdir()
    (into / "mine").write_text("here")
    with pytest.raises(FileExistsError):
        opened(pack("zip", BOT), into)
    assert tree_names(into) == ["mine"]


def tree_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_stage_tells_its_outcome_time_and_output(into: Path) -> None:
    source = into.parent / "archive"
    source.write_bytes(pack("tar.gz", BOT))
    outcome, manifest = check_unpack(source, "upload", into, LIMITS)
    assert (outcome.stage, outcome.passed, outcome.fault) == (Stage.UNPACK, True, None)
    assert outcome.output == f"2 files, {len(MANIFEST) + 8} bytes: a bot in python for naga"
    assert manifest is not None
    source.write_bytes(b"nothing")
    outcome, manifest = check_unpack(source, "upload", into.with_name("other"), LIMITS)
    assert (outcome.passed, outcome.fault, manifest) == (False, Fault.FORMAT, None)
    assert outcome.at_ms > 1_700_000_000_000
    assert "neither an archive" in outcome.output
