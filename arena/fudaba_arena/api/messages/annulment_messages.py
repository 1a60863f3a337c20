"""Annulments as messages of the contract: the request, its effect, and the list of annulments."""

from __future__ import annotations

from datetime import UTC
from typing import Final

from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2
from fudaba_arena.store.blocks.annulment_effects import BlockChoice, Effect
from fudaba_arena.store.blocks.annulments import undone
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_serving.grpc.pages import Pages

__all__ = ["annulment_page", "block_choice", "checked_reason", "effect"]

_PAGES: Final = Pages("annulments")
_PAIR_COUNT: Final = 2
_MAX_BLOCKS: Final = 1_000
_MAX_REASON_CHARS: Final = 500


def block_choice(request: arena_pb2.AnnulBlocksRequest) -> BlockChoice:
    """Returns the blocks to annul. Refuses too many of them, a time that is malformed, and a pair that is not a
    pair.
    """
    if len(request.blocks) > _MAX_BLOCKS:
        raise Refused.malformed(f"blocks has {len(request.blocks)} numbers; at most {_MAX_BLOCKS} are allowed")
    try:
        since = request.since.ToDatetime(UTC) if request.HasField("since") else None
        until = request.until.ToDatetime(UTC) if request.HasField("until") else None
    except (ValueError, OverflowError):
        raise Refused.malformed("since or until is not a time between the years 1 and 9999") from None
    if request.pair and (len(request.pair) != _PAIR_COUNT or not all(request.pair) or request.bot):
        raise Refused.malformed("pair must name two bots, and excludes bot; leave it out for blocks of any bots")
    pair = (request.pair[0], request.pair[1]) if request.pair else None
    return BlockChoice(tuple(request.blocks), request.bot, since, until, request.worker, pair, request.game)


def checked_reason(reason: str) -> str:
    """Returns the organiser's reason. Refuses a reason that is not a single line."""
    if len(reason) > _MAX_REASON_CHARS or not reason.isprintable():
        raise Refused.malformed(f"reason is one line of at most {_MAX_REASON_CHARS} characters")
    return reason


def effect(annulment_effect: Effect) -> arena_pb2.AnnulmentEffect:
    """Returns the message about the effect of an annulment, or of undoing it."""
    return arena_pb2.AnnulmentEffect(
        blocks_before=annulment_effect.blocks_before,
        blocks_after=annulment_effect.blocks_after,
        matches_before=annulment_effect.matches_before,
        matches_after=annulment_effect.matches_after,
        bots=[
            arena_pb2.BotAnnulmentEffect(
                bot=bot.bot,
                blocks_before=bot.blocks_before,
                blocks_after=bot.blocks_after,
                matches_before=bot.matches_before,
                matches_after=bot.matches_after,
            )
            for bot in annulment_effect.bots
        ],
    )


def annulment_page(blocks: ClosedBlocks, request: arena_pb2.ListAnnulmentsRequest) -> arena_pb2.ListAnnulmentsResponse:
    """Returns a page of the annulments of a tournament's closed blocks. Refuses an invalid token."""
    annulments, after = blocks.annulments, blocks.annulled_after()
    begin = int(_PAGES.place(request.page_token)) if request.page_token else 0
    end = begin + _PAGES.size(request.page_size)
    page = arena_pb2.ListAnnulmentsResponse(next_page_token=_PAGES.token(str(end)) if end < len(annulments) else "")
    over = undone(annulments)
    for number, annulment in enumerate(annulments[begin:end], begin + 1):
        added = page.annulments.add(
            number=number,
            blocks=annulment.blocks,
            bots=annulment.bots,
            reason=annulment.reason,
            undoes=annulment.undoes,
            undone_by=over.get(number, 0),
            after_blocks=after[number - 1],
            disqualifies=annulment.disqualifies,
        )
        added.time.FromMilliseconds(annulment.at_ms)
    return page
