"""A tournament of a standing arena. It is played as long as the organiser wants, and resumed after any process dies."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Final, final

from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored
from fudaba_arena.play.matches.taking_back import has_opened, release_opened, release_rest, take_back
from fudaba_arena.play.seasons.presence import Presence
from fudaba_arena.play.seasons.season_entries import SeasonEntries
from fudaba_arena.play.standing_arena.current_play import CurrentPlay
from fudaba_arena.play.standing_arena.edited_source import EditedSource
from fudaba_arena.play.standing_arena.journal_keeper import JournalKeeper
from fudaba_arena.play.standing_arena.obstacles import EXPECTED, Obstacle, expected_in, logged_fault, obstacle, passes
from fudaba_arena.play.standing_arena.preparing import prepared_runner, prepared_state, why_not_begun, why_parked
from fudaba_arena.play.standing_arena.resources import ArenaResources
from fudaba_arena.play.tournaments.annulment_changes import Annulments
from fudaba_arena.play.tournaments.beginning import close_for_good, close_if_over
from fudaba_arena.play.tournaments.claim import CLAIM_SECONDS
from fudaba_arena.play.tournaments.disqualifications import Disqualifications
from fudaba_arena.play.tournaments.followed_tournament import STALE_SECONDS, FollowedTournament
from fudaba_arena.play.tournaments.journal import Journal
from fudaba_arena.schedule.block_plan import BlockPlan
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.idle_reasons import IdleReason
from fudaba_arena.schedule.shares import Ledger, Share
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ClosedBlock
from fudaba_arena.store.store import StoreUnavailable
from fudaba_arena.tournament.file import BadTournament, Source
from fudaba_serving.process.background import restarted

__all__ = ["ArenaTournament"]

_FIRST_PAUSE_SECONDS: Final = 1.0
_MAX_PAUSE_SECONDS: Final = 30.0


@final
class ArenaTournament:
    """A tournament of an arena. Without a source, `fudaba arena run` plays it, and this arena only follows it."""

    def __init__(self, arena: ArenaResources, state: ScheduledTournament, source: Source | None, wanted: str) -> None:
        self._arena = arena
        self.name = state.tournament.name
        self.annulments = Annulments(self.name, arena.home.store, lambda: self.state, self.closed_blocks, self._changed)
        self._followed = FollowedTournament(self.name, arena.home.store, state, self.annulments.forget)
        self._edited = EditedSource(self.name, arena.home.store, source, lambda: self.state)
        self.obstacle: Obstacle | None = None
        """The obstacle in its way; None when there is none."""
        self.journal = Journal(self.name, arena.home.store)
        self._keeper = JournalKeeper(self.journal, lambda: self.state, lambda: self.state_name)
        self.presence = Presence(arena.service, arena.offers, self._look_again, self._say)
        self._store = arena.home.store
        self._wanted = wanted
        self._ledger = Ledger()
        self._current = CurrentPlay()
        self._elsewhere = False
        self._leaving = False
        self._beginning = source is not None
        """Whether it is about to be played, or about to be found unplayable."""
        self._wake = asyncio.Event()
        self.editing = self._edited.editing
        self.entered = SeasonEntries(self.name, arena.home.store, lambda: self.state, self._changed)
        """The entries in it, if it is a season of a ladder."""
        self.disqualifications = Disqualifications(self.annulments, self.entered, lambda: self.state)

    # --- how it stands

    @property
    def source(self) -> Source | None:
        """The file by which this arena plays the tournament; None if it only follows it."""
        return self._edited.latest

    @property
    def state(self) -> ScheduledTournament:
        """The tournament's state, as known here."""
        return self._followed.state

    @property
    def state_name(self) -> str:
        """Its state: `playing`, `paused`, `stalled` or `closed`."""
        if self.state.stored.closed:
            return "closed"
        if self.obstacle is not None:
            return "stalled"
        if self.source is None:
            return "playing" if self._followed.is_alive else "paused"
        return "paused" if self._wanted == "paused" else "playing"

    @property
    def plan(self) -> BlockPlan | None:
        """The plan being played; None if nothing is played here."""
        return self._current.plan

    def begun_ms(self, block: Block) -> int:
        """Returns the time since which a block has been in play, in milliseconds since 1970; 0 if it is not known here.

        The time of a chosen block is stored, so it does not restart with the arena.
        """
        schedule = self.state.schedule
        if isinstance(schedule, ChosenSchedule) and not block.attempt:
            return schedule.chosen[block.slot].at_ms
        return self._current.opened_ms(block.number)

    def shares(self) -> tuple[Mapping[str, Share], Collection[str]]:
        """Returns each entry's share, by its name, and the entries that want blocks of a ladder that is played here."""
        chosen = self._current.shares()
        if chosen is not None:
            return chosen
        stored = self.state.stored
        return self._ledger.shares(stored.blocks.time_use, list(stored.results.values())), ()

    @property
    def idle_reason(self) -> IdleReason | None:
        """The reason why a ladder plays nothing; None while it plays, when it is over, and for other tournaments."""
        season = self.state.tournament.season
        if season is None or self.state_name == "closed":
            return None
        reason = self._current.idle_reason() if self.state_name == "playing" else None
        return reason if reason is not None else why_not_begun(season, self.state_name, elsewhere=self._elsewhere)

    @property
    def held_back(self) -> IdleReason | None:
        """The maintenance for which no block begins now, whether or not blocks are in play; None if there is none."""
        return self._current.held_back() if self.state_name == "playing" else None

    @property
    def matches_playing(self) -> int:
        """The number of its matches in play here."""
        return self._current.matches

    @property
    def waits_for_room(self) -> bool:
        """Whether rated play of this tournament waits for room here."""
        return self._current.waits_for_room if self._current else self._beginning

    async def news(self, known: int) -> None:
        """Waits until more than `known` changes are known, or it is time to look again."""
        await self._keeper.news_after(known)
        await self.refresh()

    @property
    def deleted(self) -> bool:
        """Whether it was found deleted."""
        return self._followed.deleted

    async def was_deleted(self) -> bool:
        """See `FollowedTournament.was_deleted`."""
        return await self._followed.was_deleted()

    async def refresh(self) -> None:
        """Reads stored parts again that others may have changed. Raises `StoreUnavailable`."""
        try:
            if self._played_elsewhere:
                await self._keeper.note_of_others(changed=await self._followed.refresh())
        except BadStored as error:  # the last known state is shown
            self.obstacle = obstacle(error)

    async def closed_blocks(self, numbers: Collection[int]) -> dict[int, ClosedBlock]:
        """See `FollowedTournament.closed_blocks`."""
        return await self._followed.closed_blocks(numbers)

    @property
    def _played_elsewhere(self) -> bool:
        return self.source is None or self._elsewhere

    # --- what the organiser wants

    async def pause(self) -> None:
        """Stops playing until resumed."""
        await self._want("paused")
        self.obstacle = None
        await self._keeper.note()

    async def resume(self) -> None:
        """Plays on. Whatever is in the way is tried again: parked blocks, withdrawn bots."""
        if self.obstacle is not None and not self._current:
            if self.state.stored.withdrawn or self.state.stored.blocks.void:
                await self._store.pardon(self.name, self.state.stored.withdrawn.keys() - self.state.out_of_bracket)
            self.obstacle = None
        await self._want("playing")
        await self._keeper.note()

    async def close(self) -> None:
        """Ends the tournament for good. Returns when it is over."""
        await self._want("closed")
        while not self.state.stored.closed:
            await self._keeper.news()

    # --- a season of a ladder

    async def take_edits(self) -> None:
        """Takes in the edits of a season. Raises like `EditedSource.take`."""
        if await self._edited.take():
            self._wake.set()
            await self._changed()

    async def end_season(self) -> None:
        """Freezes a season and plays its final, even if the season is paused. Then it closes."""
        await self._freeze()
        if self._wanted == "paused":
            await self.resume()

    async def _freeze(self) -> None:
        await self.entered.freeze()
        self._wake.set()  # whatever it stalled for: what cannot be played is left out

    async def _want(self, wanted: str) -> None:
        async with self.editing:  # else what was read just before would be obeyed afterwards
            await self._store.steering.want(self.name, wanted)
            self._obey(wanted)

    def _obey(self, wanted: str) -> None:
        self._wanted = wanted
        self._wake.set()
        if wanted != "playing":
            self._current.stop()

    # --- playing

    async def run(self) -> None:
        """Plays the tournament whenever it should be played, until `leave`."""
        beside = [asyncio.create_task(restarted(f"changes of {self.name}", self._keep_up))]
        if self.state.tournament.season is not None:
            present = restarted(f"presence in {self.name}", lambda: self.presence.watch(lambda: self.state))
            released = restarted(f"releases of {self.name}", self._keep_releasing)
            beside += [asyncio.create_task(present), asyncio.create_task(released)]
        again: float | None = None
        pause = _FIRST_PAUSE_SECONDS
        try:
            while not self._leaving:
                self._wake.clear()
                again = await self._attempt(pause)
                pause = _FIRST_PAUSE_SECONDS if again is None else min(_MAX_PAUSE_SECONDS, 2 * pause)
                with suppress(TimeoutError):
                    async with asyncio.timeout(again):
                        await self._wake.wait()
        finally:
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)

    def leave(self, *, at_once: bool = False) -> None:
        """Makes `run` return when the matches in play are over, or at once."""
        self._leaving = True
        self._wake.set()
        self._current.stop(at_once=at_once)

    async def _attempt(self, pause: float) -> float | None:
        """Plays or closes the tournament. Returns the seconds until the next try; None if there is nothing to try."""
        self._beginning = True
        try:
            return await self._next()
        except EXPECTED as error:
            return self._stalled(error, pause)
        except Exception as error:  # noqa: BLE001  # the boundary: the other tournaments go on
            expected = expected_in(error)
            if expected is not None:
                return self._stalled(expected, pause)
            # Only the organiser has it tried again.
            self.obstacle = logged_fault(error, f"tournament {self.name}")
            self._keeper.stir()
            return None
        finally:
            self._beginning = False

    def _stalled(self, error: Exception, pause: float) -> float:
        """Notes an obstacle. It is tried again, and shown to the organiser unless it passes by itself."""
        self._say(str(error))
        if not passes(error):
            self.obstacle = obstacle(error)
        self._keeper.stir()
        return pause

    async def _next(self) -> float | None:
        if self.source is None or self.state.stored.closed:
            return None
        if await self.was_deleted():
            self.leave(at_once=True)
            return None
        if self._wanted == "closed":
            if not await self._claim():
                return _FIRST_PAUSE_SECONDS
            await self._followed.read_again()  # another arena may have gone on with it, while this one stood by
            await take_back(self.state, self._store, self._arena.service)
            await release_rest(self.state, self._store, self._arena.service)
            await close_for_good(self.state, self._store)
            self.obstacle = None
            await self._keeper.note()
            return None
        if self._wanted != "playing":
            return None
        season = self.state.tournament.season
        early = season.begins_ms / 1000 - time.time() if season is not None else 0.0
        return min(early, _MAX_PAUSE_SECONDS) if early > 0 else await self._play(self.source)

    async def _play(self, source: Source) -> float | None:
        if not await self._claim():
            return CLAIM_SECONDS / 3
        try:
            state = await prepared_state(self._arena, self.state.stored, source, self._say)
        except ArenaError:
            if await self._edited_since(source):  # the stored definition is newer than the source
                return 0.0
            raise
        self._followed.take(state)
        await self._store.store_attempts(self.name, state.tournament.attempts)
        self.obstacle = None
        await self._keeper.note()
        season = self.state.tournament.season
        if season is not None or self.state.playable:
            stopped = await self._run()
            if stopped:
                return None
        if season is not None:
            await release_rest(self.state, self._store, self._arena.service)
            await close_for_good(self.state, self._store)  # a season ends only when no block of its final can be played
        else:
            await close_if_over(self.state, self._store)
        if not self.state.stored.closed:
            self.obstacle = why_parked(self.state)
        await self._keeper.note()
        return None

    async def _edited_since(self, source: Source) -> bool:
        """Takes in edits made since a source was read. Returns whether there were any."""
        if self.state.tournament.season is None:
            return False
        async with self.editing:
            _, _, edits = await self._store.steering.current(self.name)
            if not self._edited.knows(edits):
                await self.take_edits()
        return self.source is not source

    async def _claim(self) -> bool:
        """Claims the right to play. While another arena has it, this one stands by."""
        claimed = await self._store.steering.claim(self.name, self._arena.home.owner, CLAIM_SECONDS)
        self._elsewhere = not claimed
        return claimed

    async def _run(self) -> bool:
        """Plays until nothing is left. Returns whether it was stopped before that."""
        arena = self._arena
        runner, chooser = prepared_runner(arena, self.state, self.presence, self._say, self._keeper.stir)
        if self._leaving or self._wanted != "playing":
            return True
        games = [game.game for game in self.state.tournament.games]
        try:
            with arena.metrics.played(self.name, games), self._current.by(runner, chooser):
                await runner.run()
        finally:
            self._keeper.stir()
        return runner.stop.is_set()

    def _say(self, line: str) -> None:
        self._arena.say(f"{self.name}: {line}")

    # --- changes, whoever made them

    async def _keep_up(self) -> None:
        """Takes in what others have stored for the tournament, and notes all changes, until it is deleted."""
        # A change that a full store refused at the start, or that a fault kept from being stored, is stored as soon as
        # possible.
        self._keeper.stir()
        while True:
            stirred = await self._keeper.stirred()
            try:
                if await self.was_deleted():
                    self.leave(at_once=True)
                    return
                # Another arena on the same store may have received the call.
                annulments = await self._take_steering()
                if await self.annulments.take(annulments):
                    await self._changed()
                elif stirred:
                    await self._keeper.note_batch()
                stored = self.state.stored
                await self._store.seal(self.name, stored.blocks.length, len(stored.chosen))
            except (StoreUnavailable, BadStored, BadTournament) as error:
                if not isinstance(error, StoreUnavailable):
                    self.obstacle = obstacle(error)
                self._keeper.stir()
                await asyncio.sleep(_FIRST_PAUSE_SECONDS)

    async def _keep_releasing(self) -> None:
        """Releases what frozen standings hid, once they are open. A season may be closed by then."""
        while True:
            await asyncio.sleep(STALE_SECONDS)
            if self.source is not None and has_opened(self.state):
                try:
                    # The arena that hid them may be gone. Whoever stood by still does: it has not read the state anew.
                    if await self._store.steering.claim(self.name, self._arena.home.owner, CLAIM_SECONDS):
                        await release_opened(self.state, self._store, self._arena.service)
                except EXPECTED as error:
                    self._say(f"matches that are to be shown are hidden for now: {error}")

    async def _take_steering(self) -> int:
        """Obeys what was wanted and edited, and ends the season when it is time. Returns the number of annulments."""
        async with self.editing:
            wanted, annulments, edits = await self._store.steering.current(self.name)
            if wanted != self._wanted:
                self._obey(wanted)
            if self.state.tournament.season is not None:
                if self._edited.lacks(edits):
                    await self.take_edits()
                await (self._freeze() if self.entered.due else self.entered.catch_up())
        return annulments

    async def _changed(self) -> None:
        """Reacts to a change of the state that the runner did not make. It may affect what is played."""
        self._look_again()
        await self._keeper.note()

    def _look_again(self) -> None:
        self._current.look_again(self.state, self.presence)
