"""`fudaba arena annul`, `undo-annulment` and `annulments`: closed blocks that stop counting, or count again."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, final

from fudaba.cli.confirming import confirm
from fudaba.cli.output import moment, print_json, say, say_text, table
from fudaba.client import AsyncClient
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import annulment_messages
from fudaba_arena.commands.named_tournament import chosen_tournament
from fudaba_arena.commands.reading import Reading
from fudaba_arena.errors import ArenaError
from fudaba_arena.store.arenas.actions import Action, listed
from fudaba_arena.store.blocks.annulment_effects import SAY_WHICH, BlockChoice, Effect, ReadBlocks, annulment, undoing
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.store.store import Store
from fudaba_games.wording import counted

__all__ = ["AnnulOptions", "annul_anywhere", "show_annulments", "undo_anywhere"]

_TIMEOUT_SECONDS: Final = 60.0
_ANNULMENTS_PER_PAGE: Final = 1_000
_DONE: Final = {"annul": "annulled", "restore": "restored"}
_MAX_BLOCKS_PER_CALL: Final = 1_000
_PREVIEW: Final = "preview"
"""The reason of an annulment that is only previewed."""


@final
@dataclass(frozen=True, slots=True)
class AnnulOptions:
    """The options of a command that annuls or undoes an annulment."""

    dry_run: bool
    """Whether the command only shows what it would do."""
    yes: bool
    """Whether the command skips the confirmation."""
    as_json: bool


Change = arena_pb2.AnnulBlocksResponse
"""The effect of an annulment, or of undoing one, in the form in which an arena reports an annulment."""
Make = Callable[[ClosedBlocks, ReadBlocks, str, int], Any]
"""An awaitable that makes the annulment in a folder, given the closed blocks, a reason and a time."""


async def annul_anywhere(reading: Reading, choice: BlockChoice, reason: str, asked: AnnulOptions) -> int:
    """Annuls counting blocks, in a folder or a standing arena, after the user has seen the effect.

    Raises `ArenaError` or `ServiceError` if no counting block matches or a named block does not count; `Failure` if the
    user declines.
    """

    async def made(blocks: ClosedBlocks, read_blocks: ReadBlocks, why: str, at_ms: int) -> Annulment:
        return await annulment(blocks, read_blocks, choice, why, at_ms)

    if not choice:
        raise ArenaError(f"{SAY_WHICH}: --blocks, --bot, --pair, --game, --worker, --since or --until")
    if reading.connection is None:
        async with _in_folder(reading, made, whole=bool(choice.worker)) as folder:
            return await _ask(folder, reason, asked, "annul")
    request = arena_pb2.AnnulBlocksRequest(
        blocks=choice.blocks, bot=choice.bot, worker=choice.worker, pair=choice.pair or (), game=choice.game
    )
    if choice.since is not None:
        request.since.FromDatetime(choice.since)
    if choice.until is not None:
        request.until.FromDatetime(choice.until)
    async with _client(reading) as client:
        request.tournament = await reading.chosen()
        return await _ask(_Annulling(client, request), reason, asked, "annul")


async def undo_anywhere(reading: Reading, number: int, reason: str, asked: AnnulOptions) -> int:
    """Undoes an annulment, in a folder or a standing arena, after the user has seen the effect.

    Raises `ArenaError` or `ServiceError` if no annulment in force has this number; `Failure` if the user declines.
    """

    async def made(blocks: ClosedBlocks, _: ReadBlocks, why: str, at_ms: int) -> Annulment:
        return undoing(blocks.annulments, number, why, at_ms)

    if reading.connection is None:
        async with _in_folder(reading, made, whole=False) as folder:
            return await _ask(folder, reason, asked, "restore")
    async with _client(reading) as client:
        request = arena_pb2.UndoAnnulmentRequest(tournament=await reading.chosen(), annulment=number)
        return await _ask(_Undoing(client, request), reason, asked, "restore")


async def show_annulments(reading: Reading, *, as_json: bool) -> int:
    """Prints the annulments of a tournament and what undid them."""
    found: list[arena_pb2.Annulment] = []
    if reading.connection is None:
        async with open_to_read(reading.data, reading.redis) as store:
            stored = await store.load(await chosen_tournament(store, reading.file, reading.name))
        blocks = ClosedBlocks() if stored is None else stored.blocks
        request = arena_pb2.ListAnnulmentsRequest(page_size=_ANNULMENTS_PER_PAGE)
        while not found or request.page_token:
            page = annulment_messages.annulment_page(blocks, request)
            found += page.annulments
            request.page_token = page.next_page_token
            if not page.next_page_token:
                break
    else:
        async with _client(reading) as client:
            request = arena_pb2.ListAnnulmentsRequest(tournament=await reading.chosen(), page_size=_ANNULMENTS_PER_PAGE)
            while True:
                answer = await client.arena.ListAnnulments(request, timeout=_TIMEOUT_SECONDS)
                found += answer.annulments
                request.page_token = answer.next_page_token
                if not answer.next_page_token:
                    break
    if as_json:
        print_json([_listed(annulment) for annulment in found])
        return 0
    rows = [[str(annulment.number), moment(annulment.time), _about(annulment), annulment.reason] for annulment in found]
    say_text(table(["number", "time (UTC)", "what", "reason"], rows, "r") if rows else "nothing is annulled")
    return 0


def _about(annulment: arena_pb2.Annulment) -> str:
    blocks = counted(len(annulment.blocks), "block")
    if annulment.undoes:
        return f"undoes {annulment.undoes}: {blocks}"
    groups = f", groups of {' '.join(annulment.bots)}" if annulment.bots else ""
    return f"{blocks}{groups}" + (f"; undone by {annulment.undone_by}" if annulment.undone_by else "")


def _listed(annulment: arena_pb2.Annulment) -> dict[str, Any]:
    return {
        "number": annulment.number,
        "blocks": list(annulment.blocks),
        "bots": list(annulment.bots),
        "reason": annulment.reason,
        "at_ms": annulment.time.ToMilliseconds(),
        "undoes": annulment.undoes or None,
        "undone_by": annulment.undone_by or None,
        "after_blocks": annulment.after_blocks,
        "disqualifies": annulment.disqualifies or None,
    }


# --- what is done, by an arena and in a folder


@final
class _Annulling:
    """An annulment in a standing arena."""

    def __init__(self, client: AsyncClient, request: arena_pb2.AnnulBlocksRequest) -> None:
        self._client = client
        self._request = request

    async def looked_at(self) -> Change:
        """Shows the effect without causing it. The later call annuls exactly the blocks found now.

        Raises `ArenaError` if the arena does not know every requested option.
        """
        await self._check_options_known()
        seen = await self._called(validate_only=True, reason="")
        if len(seen.blocks) <= _MAX_BLOCKS_PER_CALL:
            self._request.blocks[:] = seen.blocks
        return seen

    async def _check_options_known(self) -> None:
        """Makes sure that an arena does not annul more than what is meant of a pair or a game.

        An arena of an earlier release ignores these. If no other option is given, the request is then empty, and the
        arena refuses it.
        """
        tournament, pair, game = self._request.tournament, self._request.pair, self._request.game
        for option, alone in (
            ("--pair", arena_pb2.AnnulBlocksRequest(tournament=tournament, pair=pair, validate_only=True)),
            ("--game", arena_pb2.AnnulBlocksRequest(tournament=tournament, game=game, validate_only=True)),
        ):
            if alone.pair or alone.game:
                await self._check_known(option, alone)

    async def _check_known(self, option: str, alone: arena_pb2.AnnulBlocksRequest) -> None:
        try:
            await self._client.arena.AnnulBlocks(alone, timeout=_TIMEOUT_SECONDS)
        except ServiceError as error:
            if not error.message.startswith(SAY_WHICH):
                raise
            raise ArenaError(
                f"this arena's release does not know {option}; update the arena first; nothing is annulled"
            ) from error

    async def done(self, reason: str) -> Change:
        """Makes the change."""
        return await self._called(validate_only=False, reason=reason)

    async def _called(self, *, validate_only: bool, reason: str) -> Change:
        self._request.validate_only, self._request.reason = validate_only, reason
        return await self._client.arena.AnnulBlocks(self._request, timeout=_TIMEOUT_SECONDS)


@final
class _Undoing:
    """The undoing of an annulment in a standing arena."""

    def __init__(self, client: AsyncClient, request: arena_pb2.UndoAnnulmentRequest) -> None:
        self._client = client
        self._request = request

    async def looked_at(self) -> Change:
        """Shows the effect without causing it."""
        return await self._called(validate_only=True, reason="")

    async def done(self, reason: str) -> Change:
        """Makes the change."""
        return await self._called(validate_only=False, reason=reason)

    async def _called(self, *, validate_only: bool, reason: str) -> Change:
        self._request.validate_only, self._request.reason = validate_only, reason
        answer = await self._client.arena.UndoAnnulment(self._request, timeout=_TIMEOUT_SECONDS)
        return Change(tournament=answer.tournament, effect=answer.effect)


@final
class _Folder:
    """Annuls, or undoes an annulment, in an arena's folder."""

    def __init__(self, store: Store, name: str, blocks: ClosedBlocks, make: Make) -> None:
        self._store = store
        self._name = name
        self._blocks = blocks
        self._make = make

    async def looked_at(self) -> Change:
        """Shows the effect without causing it."""
        made = await self._make(self._blocks, self._closed_blocks, _PREVIEW, 0)
        return self._change(made)

    async def done(self, reason: str) -> Change:
        """Makes the change."""
        made: Annulment = await self._make(self._blocks, self._closed_blocks, reason, int(time.time() * 1000))
        change = self._change(made)
        change.annulment = await self._store.annulments.annul(self._name, made)
        about = {"tournament": self._name, "reason": made.reason}
        about |= {"annulment": str(made.undoes)} if made.undoes else {"blocks": listed(made.blocks)}
        method = "UndoAnnulment" if made.undoes else "AnnulBlocks"
        action = Action(made.at_ms, f"ArenaService.{method}", subject=about)
        await self._store.actions.add(action, secrets.token_hex(16))
        return change

    def _change(self, made: Annulment) -> Change:
        effect_message = annulment_messages.effect(Effect.from_annulment(self._blocks, made))
        return Change(blocks=made.blocks, tournament=arena_pb2.Tournament(name=self._name), effect=effect_message)

    async def _closed_blocks(self, numbers: Collection[int]) -> dict[int, ClosedBlock]:
        return {number: block for number in numbers if (block := self._blocks.block(number)) is not None}


@asynccontextmanager
async def _in_folder(reading: Reading, make: Make, *, whole: bool) -> AsyncIterator[_Folder]:
    async with open_to_read(reading.data, reading.redis) as store:
        chosen = await chosen_tournament(store, reading.file, reading.name)
        stored = await store.load(chosen, keep_blocks=whole)
        if stored is None:
            raise ArenaError(f"there is no tournament {chosen} in this store")
        yield _Folder(store, chosen, stored.blocks, make)


def _client(reading: Reading) -> AsyncClient:
    connection = reading.connection
    if connection is None:
        raise ArenaError("name an arena")
    return AsyncClient(connection.server, connection.token, tls=connection.tls, ca_cert=connection.ca_cert)


# --- what the user sees


async def _ask(change: _Annulling | _Undoing | _Folder, reason: str, asked: AnnulOptions, verb: str) -> int:
    """Shows the effect of a change, asks for confirmation, and makes the change. With `dry_run` it only shows the
    effect.
    """
    if not asked.dry_run and not reason.strip():
        raise ArenaError("say why with --reason; everybody can see it")
    seen = await change.looked_at()
    if not (asked.as_json and (asked.yes or asked.dry_run)):
        _show(seen, err=asked.as_json)
    if not asked.dry_run:
        confirm(f"{_words(verb, seen)}?", f"nothing was {_DONE[verb]}", yes=asked.yes)
        seen = await change.done(reason)
    if asked.as_json:
        print_json(_as_json(seen, dry_run=asked.dry_run))
    elif not asked.dry_run:
        number = f" (annulment {seen.annulment})" if verb == "annul" else ""
        left = seen.effect.blocks_after
        say(f"{_DONE[verb]}: {_amount(seen)} of {seen.tournament.name}{number}; {left} are rated", err=True)
    return 0


def _words(verb: str, seen: Change) -> str:
    before = seen.effect
    of_all = f"of {counted(before.blocks_before, 'block')} and {counted(before.matches_before, 'match')} that count"
    if verb != "annul":
        of_all = f"beside {counted(before.blocks_before, 'block')} that count"
    return f"{verb} {_amount(seen)}, {of_all}"


def _amount(seen: Change) -> str:
    """Returns how much stops counting or counts again: `2 blocks and 8 matches`."""
    effect = seen.effect
    blocks, matches = abs(effect.blocks_before - effect.blocks_after), abs(effect.matches_before - effect.matches_after)
    return f"{counted(blocks, 'block')}, {counted(matches, 'match')}"


def _show(seen: Change, *, err: bool) -> None:
    effect = seen.effect
    rows = [
        [bot.bot, *map(str, (bot.blocks_before, bot.blocks_after, bot.matches_before, bot.matches_after))]
        for bot in [*effect.bots, _all_of(effect)]
    ]
    head = ["bot", "blocks", "then", "matches", "then"]
    say_text(table(head, rows, "lrrrr"), err=err)


def _all_of(effect: arena_pb2.AnnulmentEffect) -> arena_pb2.BotAnnulmentEffect:
    return arena_pb2.BotAnnulmentEffect(
        bot="in all",
        blocks_before=effect.blocks_before,
        blocks_after=effect.blocks_after,
        matches_before=effect.matches_before,
        matches_after=effect.matches_after,
    )


def _as_json(seen: Change, *, dry_run: bool) -> dict[str, Any]:
    def counts(effect: arena_pb2.AnnulmentEffect | arena_pb2.BotAnnulmentEffect) -> dict[str, int]:
        names = ("blocks_before", "blocks_after", "matches_before", "matches_after")
        return {name: getattr(effect, name) for name in names}

    return {
        "tournament": seen.tournament.name,
        "dry_run": dry_run,
        "annulment": seen.annulment or None,
        "blocks": list(seen.blocks),
        **counts(seen.effect),
        "bots": {bot.bot: counts(bot) for bot in seen.effect.bots},
    }
