"""One open challenge of a standing arena, played by the same scheduler, executor and store as a tournament."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Final, final

from fudaba_arena.play.matches.taking_back import settle_closed, take_back
from fudaba_arena.play.standing_arena.resources import ArenaResources
from fudaba_arena.play.tournaments.beginning import check_games, close_if_over
from fudaba_arena.play.tournaments.claim import CLAIM_SECONDS
from fudaba_arena.play.tournaments.tournament_runner import TournamentRunner
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.fault_counts import parked_causes
from fudaba_arena.schedule.seeds import MASTER_BYTES
from fudaba_arena.schedule.sequential_blocks import SequentialBlocks
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.schedule.wording import reasons
from fudaba_arena.store.challenges.challenge_store import KEPT_SECONDS, ChallengeEnd
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.tournament.challenge_definition import Challenge

__all__ = ["BLOCKS_PARKED", "OpenChallenge", "challenge_state"]

BLOCKS_PARKED: Final = "blocks_parked"
_HOUR_SECONDS: Final = 3_600


async def challenge_state(challenge: Challenge, store: Store) -> ScheduledTournament:
    """Returns a challenge as it is stored. A challenge that was only created is begun, with its own deals."""
    stored = await store.load(challenge.name, keep_blocks=True)
    while stored is None:
        await store.begin(challenge.name, challenge.definition, secrets.token_bytes(MASTER_BYTES), listed=False)
        stored = await store.load(challenge.name, keep_blocks=True)
    return ScheduledTournament(challenge.tournament(), stored)


@final
class OpenChallenge:
    """A challenge that is not over."""

    def __init__(self, arena: ArenaResources, challenge: Challenge, missed: Callable[[str], None]) -> None:
        """`missed` is called with each bot that was said to be here and did not connect."""
        self._arena = arena
        self._store = arena.home.store
        self._service = arena.service
        self.challenge = challenge
        self.bots = {bot.name: bot for bot in challenge.tournament().bots if not bot.house}
        """The names of the two bots that meet."""
        self.absent: frozenset[str] = frozenset()
        """The bots for which it waited at the last look."""
        self.ending: ChallengeEnd | None = None
        """The way in which it is to end."""
        self._tell_missed = missed
        self.obstacle = ""
        """The obstacle at the last try; empty when there was none."""
        self.passed_over = False
        """Whether it could have been played at the last look, but there was no room."""
        self.again = 0.0
        """The time when it may be tried again, by the monotonic clock."""
        self._runner: TournamentRunner | None = None

    @property
    def playing(self) -> bool:
        """Whether some of it is being played here now."""
        return self._runner is not None and bool(self._runner.plan.open)

    @property
    def held_back(self) -> bool:
        """Whether none of it is in play because maintenance is near or under way."""
        return self._runner is not None and not self.playing and bool(self._runner.maintenance_hold)

    def look_again(self) -> None:
        """Checks again whether to play on. Call it after a change that affects this."""
        if self._runner is None:
            return
        if self.ending is not None:
            self.stop(at_once=True)
        self._runner.look_again()

    def stop(self, *, at_once: bool = False) -> None:
        """Makes `play` return when the matches in play are over, or at once."""
        if self._runner is not None:
            self._runner.stop.set()
            if at_once:
                self._runner.hurry.set()

    async def play(self, may_open: Callable[[], bool]) -> ChallengeEnd | None:
        """Plays as far as the bots are present. Returns how the challenge ended, or None if it has not.

        Raises `ArenaError`, `ServiceError`, `StoreUnavailable`.
        """
        challenge, arena = self.challenge, self._arena
        if not await self._store.steering.claim(challenge.name, arena.home.owner, CLAIM_SECONDS):
            return None
        state = await challenge_state(challenge, self._store)
        await check_games(state.tournament, self._service)
        await self._store.store_attempts(challenge.name, challenge.attempts)
        retry = store_retry(self._say, arena.metrics)
        executor = arena.executor(state, retry)
        runner = TournamentRunner(state, arena.home, self._service, executor, retry, arena.metrics, self._say)
        runner.grace_seconds = arena.grace_seconds
        runner.may_open, runner.plan.away = may_open, self._away
        runner.waits = lambda: (not may_open() or bool(runner.maintenance_hold)) and self._could_go_on(state)
        runner.missed = self._missed
        self._runner = runner
        test = self._test(state)
        runner.changed = lambda: self._stop_if_decided(test)
        try:
            if test is None or not test.look():  # it may have been decided just before the arena stopped
                await runner.run()
        finally:
            self._runner = None
        self.obstacle = ""
        if test is not None and test.look():
            return ChallengeEnd("finished", at_ms=_now_ms())
        await close_if_over(state, self._store)
        if state.stored.closed:
            return ChallengeEnd("finished", at_ms=_now_ms())
        if all(state.parked(block) for block in state.unfinished()):
            return ChallengeEnd("failed", BLOCKS_PARKED, _why_parked(state), _now_ms())
        return None

    async def end(self, ended: ChallengeEnd) -> None:
        """Ends the challenge for good. Matches in play are ended and void, and may be shown."""
        name = self.challenge.name
        if not await self._store.steering.claim(name, self._arena.home.owner, CLAIM_SECONDS):
            return
        state = await challenge_state(self.challenge, self._store)
        await take_back(state, self._store, self._service)
        await settle_closed(state, self._service, self._release)
        begun = sorted(state.stored.created)
        for match_id in begun:
            if match_id not in state.stored.results:
                await self._service.abort(match_id, "its challenge is over")
        await self._service.release(begun)
        await self._store.close_tournament(name)
        # The tournament's data must not expire before the challenge's own entry.
        await self._store.forget_in(name, KEPT_SECONDS + _HOUR_SECONDS)
        await self._store.challenges.end(self.challenge.challenge_id, ended, over=True)

    async def _release(self, block: Block) -> None:
        await self._service.release([match.match_id for match in block.matches])
        await self._store.open_blocks.store_released(self.challenge.name, block.number)

    def _test(self, state: ScheduledTournament) -> SequentialBlocks | None:
        """Returns the sequential test of the challenge."""
        challenge = self.challenge
        if challenge.test is None:
            return None
        return SequentialBlocks(challenge.test, state, challenge.challenger, challenge.challenged)

    def _stop_if_decided(self, test: SequentialBlocks | None) -> None:
        """Stops as soon as a sequential test is decided. Blocks in play no longer count."""
        if test is not None and test.look():
            self.stop(at_once=True)

    def _away(self, bot: str) -> bool:
        return bot in self.absent

    def _missed(self, bot: str) -> bool:
        """Notes that a bot did not connect and is absent until the service reports it. Returns False for the arena's
        own bots.
        """
        self.absent |= {bot}
        self._tell_missed(bot)
        return self.bots[bot].remote

    def _could_go_on(self, state: ScheduledTournament) -> bool:
        return not self.absent and any(not state.parked(block) for block in state.unfinished())

    def _say(self, line: str) -> None:
        self._arena.say(f"{self.challenge.name}: {line}")


def _why_parked(state: ScheduledTournament) -> str:
    """Returns the public reason why it cannot be finished. It omits the output of bots."""
    if state.stored.withdrawn:
        return f"{' and '.join(sorted(state.stored.withdrawn))} cannot be kept running by the arena"
    number, causes = next(iter(parked_causes(state).items()))
    return f"block {number} cannot be played: {reasons(causes)}"


def _now_ms() -> int:
    return int(time.time() * 1000)
