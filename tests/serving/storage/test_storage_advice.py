"""What is advised where a place cannot be written: rights only where it is rights that are missing."""

from __future__ import annotations

import errno
import os

import pytest

from fudaba_serving.storage.urls import StorageUnavailable, what_helps


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "make room on its disk, or name another folder with --data"),
        (errno.EDQUOT, "make room on its disk, or name another folder with --data"),
        (errno.EROFS, "mount it for writing, or name another folder with --data"),
        (errno.EACCES, "name a folder that you may write to with --data"),
    ],
)
def test_the_advice_goes_by_what_the_system_says(number: int, advice: str) -> None:
    error = StorageUnavailable("the folder cannot be written")
    error.__cause__ = OSError(number, os.strerror(number))
    assert what_helps(error, "--data") == advice
    outer = RuntimeError("the archive cannot be written")
    outer.__cause__ = error
    assert what_helps(outer, "--data") == advice


def test_without_a_word_of_the_system_it_is_rights() -> None:
    assert (
        what_helps(StorageUnavailable("why"), "--archive", "place")
        == "name a place that you may write to with --archive"
    )
