"""Our own types of options: `click.ParamType` with a type in brackets, also where click has no such brackets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

__all__ = ["ParamType"]

if TYPE_CHECKING:
    ParamType = click.ParamType
else:

    class ParamType(click.ParamType):
        """The type of an option's value; `ParamType[int]` makes a number. click before 8.3 has no such brackets."""

        def __class_getitem__(cls, _):
            return cls
