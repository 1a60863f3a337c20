"""What was submitted is kept by its hash: once, unchanged, in a folder or in an object store."""

from __future__ import annotations

import asyncio
import os
import secrets
import tracemalloc
from hashlib import sha256
from pathlib import Path

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.submissions.contents import ContentsDamaged, ContentsUnavailable, KeptContents, hash_of
from fudaba_serving.storage import urls as storage
from fudaba_serving.storage.urls import storage_at
from tests.support.object_store import BUCKET, ObjectStore, environment
from tests.support.patience import PATIENCE

CONTENT = b"a bot" * 1_000
DIGEST = sha256(CONTENT).hexdigest()
NAME = f"{DIGEST[:2]}/{DIGEST}"


@pytest.fixture(params=["folder", "file url", pytest.param("s3", marks=pytest.mark.exhaustive)])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Returns a new place of each kind."""
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


async def put(kept: KeptContents, content: bytes, folder: Path) -> None:
    """Keeps a content that is in a file."""
    file = folder / f"{secrets.token_hex(4)}.file"
    await asyncio.to_thread(file.write_bytes, content)
    await kept.put(file, sha256(content).hexdigest())


async def got(kept: KeptContents, digest: str, folder: Path) -> bytes | None:
    """Returns what a file has into which a content is fetched; None where there is no such content."""
    file = folder / f"{secrets.token_hex(4)}.fetched"
    return await asyncio.to_thread(file.read_bytes) if await kept.fetch(digest, file) else None


@pytest.mark.exhaustive
async def test_what_is_put_is_got_by_its_hash(place: str, tmp_path: Path) -> None:
    kept = KeptContents(place)
    await kept.prepare()
    assert not await kept.has(DIGEST)
    assert await got(kept, DIGEST, tmp_path) is None
    await put(kept, CONTENT, tmp_path)
    assert await kept.has(DIGEST)
    assert await got(KeptContents(place), DIGEST, tmp_path) == CONTENT
    for _ in range(2):
        await kept.remove([DIGEST])
        assert not await kept.has(DIGEST)


async def test_equal_contents_are_kept_once_also_when_they_come_at_once(place: str, tmp_path: Path) -> None:
    kept = KeptContents(place)
    await asyncio.gather(*[put(kept, CONTENT, tmp_path) for _ in range(4)], put(kept, b"other", tmp_path))
    names = [name async for found in storage_at(place).names("") for name in found]
    assert sorted(names) == sorted([NAME, f"{sha256(b'other').hexdigest()[:2]}/{sha256(b'other').hexdigest()}"])


async def test_what_is_damaged_is_not_given_and_is_mended_by_putting_it_again(place: str, tmp_path: Path) -> None:
    kept = KeptContents(place)
    await put(kept, CONTENT, tmp_path)
    await storage_at(place).put(NAME, CONTENT[:-1])
    with pytest.raises(ContentsDamaged, match="another hash than its name says"):
        await got(kept, DIGEST, tmp_path)
    await put(kept, CONTENT, tmp_path)
    assert await got(kept, DIGEST, tmp_path) == CONTENT


@pytest.mark.parametrize("place", ["folder", pytest.param("s3", marks=pytest.mark.exhaustive)], indirect=True)
async def test_nothing_that_is_large_is_in_memory_as_a_whole(place: str, tmp_path: Path) -> None:
    """What Python allocates meanwhile is counted: a piece or two, where the content has many."""
    (tmp_path / "large").write_bytes(secrets.token_bytes(1_000_000) * 60)
    kept, digest = KeptContents(place), hash_of(tmp_path / "large")
    await kept.prepare()
    tracemalloc.start()
    try:
        await kept.put(tmp_path / "large", digest)
        await kept.put(tmp_path / "large", digest)
        assert await kept.fetch(digest, tmp_path / "fetched")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert hash_of(tmp_path / "fetched") == digest
    assert most < 45_000_000


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", DIGEST.upper(), DIGEST[:-1], f"{DIGEST}/x", "é" * 64])
async def test_what_is_no_hash_is_nowhere(digest: str, tmp_path: Path) -> None:
    kept = KeptContents(str(tmp_path))
    await put(kept, CONTENT, tmp_path)
    assert await got(kept, digest, tmp_path) is None
    assert not await kept.has(digest)


async def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = KeptContents(str(tmp_path / "file" / "below"))
    with pytest.raises(ArenaError, match="is not a folder"):
        await kept.prepare()
    for call in (put(kept, CONTENT, tmp_path), got(kept, DIGEST, tmp_path), kept.has(DIGEST)):
        with pytest.raises(ContentsUnavailable, match="the submission cannot be"):
            await call
    with pytest.raises(ArenaError, match="gone with the process"):
        KeptContents("memory://here")
