"""What was submitted is kept by its hash: once, unchanged, in a folder or in an object store."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from fudaba import storage
from fudaba.storage import storage_at
from fudaba_arena.errors import ArenaError
from fudaba_arena.submissions.contents import ContentsDamaged, ContentsUnavailable, KeptContents
from tests.support.object_store import BUCKET, ObjectStore, environment
from tests.support.patience import PATIENCE
from tests.support.service.processes import short_folder

CONTENT = b"a bot" * 1_000
DIGEST = sha256(CONTENT).hexdigest()
NAME = f"{DIGEST[:2]}/{DIGEST}"


@pytest.fixture(scope="module")
def objects() -> Iterator[ObjectStore]:
    with short_folder() as folder, ObjectStore(folder) as server:
        yield server.start()


@pytest.fixture(params=["folder", "file url", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A new place of each kind."""
    if request.param == "folder":
        return str(tmp_path / "kept")
    if request.param == "file url":
        return f"file://{tmp_path}/kept%20here"
    objects: ObjectStore = request.getfixturevalue("objects")
    for name, value in environment(objects.port).items():
        monkeypatch.setitem(os.environ, name, value)
    for name in ("_ANSWER_SECONDS", "_OPENING_SECONDS"):
        monkeypatch.setattr(storage, name, PATIENCE)
    return f"{BUCKET}/{secrets.token_hex(4)}"


async def test_what_is_put_is_got_by_its_hash(place: str) -> None:
    kept = KeptContents(place)
    await kept.prepare()
    assert not await kept.has(DIGEST)
    assert await kept.get(DIGEST) is None
    assert await kept.put(CONTENT) == DIGEST
    assert await kept.has(DIGEST)
    assert await KeptContents(place).get(DIGEST) == CONTENT


async def test_equal_contents_are_kept_once_also_when_they_come_at_once(place: str) -> None:
    kept = KeptContents(place)
    assert set(await asyncio.gather(*[kept.put(CONTENT) for _ in range(4)], kept.put(b"other"))) == {
        DIGEST,
        sha256(b"other").hexdigest(),
    }
    names = [name async for found in storage_at(place).names("") for name in found]
    assert sorted(names) == sorted([NAME, f"{sha256(b'other').hexdigest()[:2]}/{sha256(b'other').hexdigest()}"])


async def test_what_is_damaged_is_not_given_and_is_mended_by_putting_it_again(place: str) -> None:
    kept = KeptContents(place)
    await kept.put(CONTENT)
    await storage_at(place).put(NAME, CONTENT[:-1])
    with pytest.raises(ContentsDamaged, match="another hash than its name says"):
        await kept.get(DIGEST)
    assert await kept.put(CONTENT) == DIGEST
    assert await kept.get(DIGEST) == CONTENT


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", DIGEST.upper(), DIGEST[:-1], f"{DIGEST}/x", "é" * 64])
async def test_what_is_no_hash_is_nowhere(digest: str, tmp_path: Path) -> None:
    kept = KeptContents(str(tmp_path))
    await kept.put(CONTENT)
    assert await kept.get(digest) is None
    assert not await kept.has(digest)


async def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = KeptContents(str(tmp_path / "file" / "below"))
    with pytest.raises(ArenaError, match="is not a folder"):
        await kept.prepare()
    for call in (kept.put(CONTENT), kept.get(DIGEST), kept.has(DIGEST)):
        with pytest.raises(ContentsUnavailable, match="the submission cannot be"):
            await call
    with pytest.raises(ArenaError, match="gone with the process"):
        KeptContents("memory://here")
