"""The type of an option that names fronts: addresses or networks, separated by commas."""

from __future__ import annotations

from typing import Any, Final, final

import click

from fudaba.cli.param_type import ParamType

__all__ = ["FRONTS"]


@final
class _Fronts(ParamType[str]):
    name = "fronts"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """See `click.ParamType`."""
        from fudaba_serving.grpc.hosts import CallerHosts

        try:
            CallerHosts(str(value))
        except ValueError as error:
            self.fail(f"{error}; write addresses or networks, such as 10.0.0.5,10.0.1.0/24", param, ctx)
        return str(value)


FRONTS: Final = _Fronts()
