"""Numbers of blocks as people write them in an option: `4-6,9`."""

from __future__ import annotations

import re
from typing import Any, Final, final

import click

from fudaba.cli.param_type import ParamType

__all__ = ["BLOCK_NUMBERS"]

_MAX_BLOCKS_PER_RANGE: Final = 100_000
"""A larger range is taken for a typing error."""
_PART: Final = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")


@final
class _BlockNumbers(ParamType[tuple[int, ...]]):
    """Numbers and ranges of numbers, separated by commas. The option's value is the sorted numbers without
    duplicates.
    """

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """See `click.ParamType`."""
        if isinstance(value, tuple):
            return value
        found: set[int] = set()
        begin = 0
        for part in str(value).split(","):
            read = _PART.fullmatch(part.strip())
            first, last = (int(read[1]), int(read[2] or read[1])) if read else (1, 0)
            if read and last < first:
                self.fail(
                    f"{part.strip()!r} at character {begin + 1} ends before it begins; write {last}-{first}", param, ctx
                )
            if not read:
                self.fail(
                    f"{part.strip()!r} at character {begin + 1} is neither a block's number nor a range of them;"
                    " write 12, or 4-6,9",
                    param,
                    ctx,
                )
            if last - first >= _MAX_BLOCKS_PER_RANGE:
                self.fail(f"{part.strip()} are more than {_MAX_BLOCKS_PER_RANGE} blocks", param, ctx)
            found.update(range(first, last + 1))
            begin += len(part) + 1
        return tuple(sorted(found))


BLOCK_NUMBERS: Final = _BlockNumbers()
