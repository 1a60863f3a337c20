"""The open challenges of a standing arena, and the order in which they are played. Rated play comes first.

A challenge is played when both of its bots are present, when no rated play waits for room, and when few enough other
challenges are in play. The account with the fewest challenges in play comes first, then the oldest challenge. A block
that has begun is played to its end. If several arenas share a store, one of them plays the challenges.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba_arena.forms import BadStored
from fudaba_arena.play.challenges.challenge_play import OpenChallenge
from fudaba_arena.play.service.service_client import Present
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.obstacles import EXPECTED, expected_in, logged_fault
from fudaba_arena.play.standing_arena.resources import ArenaResources
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.play.tournaments.claim import CLAIM_SECONDS
from fudaba_arena.store.answers import StoreUnavailable
from fudaba_arena.store.challenges.challenge_store import ChallengeEnd
from fudaba_arena.store.tournaments.entries import DISQUALIFIED, LEFT, PLAYING
from fudaba_arena.tournament.challenge_definition import Challenge
from fudaba_serving.process.background import restarted

__all__ = ["BOT_ABSENT", "MAINTENANCE", "NO_ROOM", "OBSTACLE", "ChallengeScheduler"]

BOT_ABSENT: Final = "bot_absent"
NO_ROOM: Final = "no_room"
MAINTENANCE: Final = "maintenance"
OBSTACLE: Final = "obstacle"
_POLL_SECONDS: Final = 1.0
_PRESENCE_TIMEOUT_SECONDS: Final = 2.0
_RETRY_SECONDS: Final = 5.0
_OURS: Final = ".challenges"
"""The name under which an arena claims the challenges; no tournament has such a name."""


@final
class ChallengeScheduler:
    """The challenges that are not over."""

    def __init__(self, arena: ArenaResources, registry: TournamentRegistry, most: int) -> None:
        self._arena = arena
        self._store = arena.home.store
        self._registry = registry
        self._most = most
        self._open: dict[str, OpenChallenge] = {}
        self._unreadable: set[str] = set()
        """The challenges already reported as unreadable."""
        self._present = Present()
        """The versions of bots that are present, and those that are paused, by the service's latest answer."""
        self._asked: frozenset[str] = frozenset()
        """The bots about which it was asked."""
        self._missed_since: set[str] = set()
        """The versions that have not connected since the service was asked."""
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._ask = asyncio.Event()
        self._keeping: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        """Resumes the open challenges, and plays new ones, until `leave`."""
        asking = restarted("presence in challenges", self._keep_asking)
        self._keeping = [asyncio.create_task(self._keep_looking()), asyncio.create_task(asking)]

    def find(self, challenge_id: str) -> OpenChallenge | None:
        """Returns an open challenge, as far as this arena knows it."""
        return self._open.get(challenge_id)

    def wake(self) -> None:
        """Looks soon, because a challenge was created or is to end."""
        self._wake.set()

    def waits(self, open_challenge: OpenChallenge) -> tuple[str, str]:
        """Returns why an open challenge is not being played: the cause, and for the organiser the obstacle.

        There is no cause if it is just about to be examined.
        """
        if open_challenge.absent:
            return BOT_ABSENT, ""
        if open_challenge.obstacle:
            return OBSTACLE, open_challenge.obstacle
        if open_challenge.held_back:
            return MAINTENANCE, ""
        passed_over = MAINTENANCE if self._arena.service.maintenance.is_under_way else NO_ROOM
        return passed_over if open_challenge.passed_over else "", ""

    async def over(self, challenge_id: str) -> None:
        """Waits until a challenge that is to end has ended."""
        while (kept := await self._store.challenges.get(challenge_id)) is not None and kept.ended is None:
            self.wake()
            await asyncio.sleep(_POLL_SECONDS / 10)

    async def leave(self) -> None:
        """Stops playing when the matches in play are over."""
        for task in self._keeping:
            task.cancel()
        for challenge_id, task in self._at_work.items():
            challenge = self._open[challenge_id]
            challenge.stop()
            if not challenge.playing:
                task.cancel()  # the task may wait for a service that is away
        await asyncio.gather(*self._keeping, *self._at_work.values(), return_exceptions=True)

    def hurry(self) -> None:
        """Stops waiting for matches in play."""
        for challenge in self._open.values():
            challenge.stop(at_once=True)

    # --- looking

    async def _keep_looking(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self._look()
            except StoreUnavailable:
                pass  # the next look comes by itself
            except Exception as error:  # noqa: BLE001  # the boundary: the arena goes on
                logged_fault(error, "challenges")
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await self._wake.wait()

    async def _look(self) -> None:
        challenges = self._store.challenges
        there = await challenges.open()
        for challenge_id in self._open.keys() - there - self._at_work.keys():
            del self._open[challenge_id]
        for challenge_id in sorted(there - self._open.keys()):
            try:
                kept = await challenges.get(challenge_id)
                if kept is None or kept.ended is not None:
                    continue
                challenge = Challenge.read(kept.challenge_line)
            except BadStored as error:  # the other challenges are played
                if challenge_id not in self._unreadable:
                    self._arena.say(f"challenge {challenge_id} is not played: {error}")
                    self._unreadable.add(challenge_id)
                continue
            self._open[challenge_id] = OpenChallenge(self._arena, challenge, self._missed)
            self._ask.set()
        endings = await challenges.endings(sorted(self._open))
        for challenge_id in endings.keys() - self._at_work.keys():
            if endings[challenge_id] is None:  # the next look says so
                del self._open[challenge_id]
        ours = bool(self._open) and await self._store.steering.claim(_OURS, self._arena.home.owner, CLAIM_SECONDS)
        ladders = {opened.challenge.ladder for opened in self._open.values()}
        seasons = {ladder: await self._registry.season(ladder) for ladder in ladders}
        for challenge_id, open_challenge in self._open.items():
            open_challenge.ending = endings.get(challenge_id)
            await self._look_at(open_challenge, seasons[open_challenge.challenge.ladder])
            open_challenge.look_again()
        if ours:
            self._set_to_work()
        playing = sum(opened.playing for opened in self._open.values())
        self._arena.metrics.challenges.labels("playing").set(playing)
        self._arena.metrics.challenges.labels("waiting").set(len(self._open) - playing)

    async def _look_at(self, open_challenge: OpenChallenge, season: ArenaTournament | None) -> None:
        """Finds the missing bots, and whether the challenge ends because of them, or because its time is over."""
        challenge = open_challenge.challenge
        bot, _, version = challenge.challenged.partition("@")
        entry = season.state.stored.entries.by_bot.get(bot) if season is not None else None
        remote = {name for name, player in open_challenge.bots.items() if player.bot in self._asked and player.remote}
        offers = self._arena.offers
        barred = self._present.paused | self._present.suspended
        absent = (remote - self._present.here) | (open_challenge.bots.keys() & barred)
        absent |= {
            name for name, player in open_challenge.bots.items() if player.submission and offers.lacking(player.needs)
        }
        if season is not None and entry is not None:
            # While the standings are frozen, nobody may learn that a bot is withdrawn, so it is asked to play.
            open_now = season.state.tournament.season
            shown = open_now is None or not open_now.standings_frozen(int(time.time() * 1000))
            withdrawn = shown and f"{bot}@{version}" in season.state.stored.withdrawn
            absent |= {challenge.challenged} if entry.state != PLAYING or withdrawn else set()
        open_challenge.absent = frozenset(absent)
        if open_challenge.ending is not None:
            return
        if entry is None or entry.state in {LEFT, DISQUALIFIED}:
            state_words = "has left" if entry is None or entry.state == LEFT else "is disqualified in"
            why = f"{bot} {state_words} the ladder {challenge.ladder}"
            await self._end(open_challenge, ChallengeEnd("cancelled", "entry_left", why))
        elif time.time() * 1000 >= challenge.expires_ms:
            cause = self.waits(open_challenge)[0] or NO_ROOM
            names = " and ".join(sorted(open_challenge.absent))
            words = {
                BOT_ABSENT: f"when its time was over it waited for {names}",
                MAINTENANCE: "when its time was over the service had maintenance",
                NO_ROOM: "when its time was over it had had too little room beside rated blocks and other challenges",
            }
            await self._end(
                open_challenge,
                ChallengeEnd("expired", cause, words.get(cause, "its time was over with something in its way")),
            )

    async def _end(self, open_challenge: OpenChallenge, ended: ChallengeEnd) -> None:
        await self._store.challenges.end(open_challenge.challenge.challenge_id, ended, over=False)
        open_challenge.ending = ended

    async def _keep_asking(self) -> None:
        """Polls which bots of authors are present and which are paused, remote and submitted alike."""
        while True:
            self._ask.clear()
            bots = sorted(
                {
                    player.bot
                    for open_challenge in self._open.values()
                    for player in open_challenge.bots.values()
                    if player.pausable
                }
            )
            self._missed_since.clear()
            with suppress(ServiceError):  # a fault that waiting cannot repair: the challenge stays as it was
                present = await self._arena.service.present(bots)
                present = replace(present, here=present.here - self._missed_since)  # the answer may be older
                if (present, frozenset(bots)) != (self._present, self._asked):
                    self._present, self._asked = present, frozenset(bots)
                    self._wake.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(_PRESENCE_TIMEOUT_SECONDS):
                    await self._ask.wait()

    def _missed(self, bot: str) -> None:
        """Notes that a bot did not connect. It is absent until the next answer of the service that reports it."""
        self._missed_since.add(bot)
        self._present = replace(self._present, here=self._present.here - {bot})

    # --- playing

    def _may_open(self) -> bool:
        return not self._registry.waits_for_room and not self._arena.service.maintenance.is_under_way

    def _set_to_work(self) -> None:
        """Ends the challenges that are to end, and begins those that may be played."""
        idle = {known: opened for known, opened in self._open.items() if known not in self._at_work}
        for challenge_id, open_challenge in idle.items():
            if open_challenge.ending is not None:
                self._work(challenge_id, open_challenge)
        ready = {known: opened for known, opened in idle.items() if self._can_play(opened)}
        while ready and len(self._at_work) < self._most and self._may_open():
            busy = Counter(self._open[known].challenge.account for known in self._at_work)
            turn = {
                known: (busy[opened.challenge.account], opened.challenge.created_ms) for known, opened in ready.items()
            }
            challenge_id = min(ready, key=lambda known: turn[known])
            account = ready[challenge_id].challenge.account
            if account and busy[account] >= max(1, self._most - 1):
                break  # the one with the fewest: a place stays free for others, whom a day's play would keep out
            self._work(challenge_id, ready.pop(challenge_id))
        held = self._at_work.keys() if not self._may_open() else set[str]()
        for challenge_id, open_challenge in self._open.items():
            open_challenge.passed_over = challenge_id in ready or challenge_id in held

    def _can_play(self, open_challenge: OpenChallenge) -> bool:
        asked = all(player.bot in self._asked for player in open_challenge.bots.values() if player.pausable)
        return (
            open_challenge.ending is None
            and not open_challenge.absent
            and asked
            and time.monotonic() >= open_challenge.again
        )

    def _work(self, challenge_id: str, open_challenge: OpenChallenge) -> None:
        task = asyncio.create_task(self._at(open_challenge))
        self._at_work[challenge_id] = task

        def done(_: asyncio.Task[None]) -> None:
            del self._at_work[challenge_id]
            self._wake.set()

        task.add_done_callback(done)

    async def _at(self, open_challenge: OpenChallenge) -> None:
        """Plays a challenge, or ends it. Obstacles are noted."""
        open_challenge.again = time.monotonic() + _RETRY_SECONDS
        try:
            ended = open_challenge.ending or await open_challenge.play(self._may_open)
            if ended is not None:
                await open_challenge.end(ended)
            elif open_challenge.absent or open_challenge.ending:
                open_challenge.again = 0.0
        except EXPECTED as error:
            self._in_the_way(open_challenge, error)
        except Exception as error:  # noqa: BLE001  # the boundary: the others go on
            self._in_the_way(open_challenge, expected_in(error) or error)

    def _in_the_way(self, open_challenge: OpenChallenge, error: Exception) -> None:
        obstacle = str(error)
        if not isinstance(error, EXPECTED):
            obstacle = logged_fault(error, open_challenge.challenge.name).text
        if obstacle != open_challenge.obstacle:
            self._arena.say(f"{open_challenge.challenge.name}: {obstacle}")
        open_challenge.obstacle = obstacle
