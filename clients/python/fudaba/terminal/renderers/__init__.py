"""The renderers of the games: `NagaRenderer` in the module `naga`, and so on.

A game without its own renderer is shown by its rules' texts.
"""

from __future__ import annotations

from fudaba.bot import MatchInfo
from fudaba.by_game import class_name, module_of
from fudaba.terminal.renderers.base import PlainRenderer, Renderer

__all__ = ["PlainRenderer", "Renderer", "renderer_of"]


def renderer_of(info: MatchInfo, names: tuple[str, ...]) -> Renderer:
    """Makes the renderer of a match. `names` is as in `seat_names`."""
    module = module_of("fudaba.terminal.renderers", info.game)
    if module is None:
        return PlainRenderer(info, names)
    made: Renderer = getattr(module, f"{class_name(info.game)}Renderer")(info, names)
    return made
