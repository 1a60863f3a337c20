"""Our option types: `click.ParamType` with a type parameter, also where click has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

__all__ = ["ParamType"]

if TYPE_CHECKING:
    ParamType = click.ParamType
else:

    class ParamType(click.ParamType):
        """The type of an option's value; `ParamType[int]` yields a number. click before 8.3 has no type parameter."""

        def __class_getitem__(cls, _):
            return cls
