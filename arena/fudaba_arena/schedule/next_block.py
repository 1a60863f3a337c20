"""The next block of a season: collects what is known of the season, and lets `pairing` choose.

Entries that owe time to others have to wait, see `shares`. While some of the others want a block and could play it once
they are free, entries that owe more get no room.

In a season with caps on the shares of opponents, see `share_caps`, nobody meets a bot above these while a block within
them is possible, or will be once others have played theirs. The final has no caps: chance alone draws its opponents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, sqrt
from typing import Final, final

from fudaba.seatings import seating_count
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule, meetings
from fudaba_arena.schedule.contender import Contender
from fudaba_arena.schedule.idle_reasons import IdleCause, IdleReason
from fudaba_arena.schedule.pairing import Choice, PairingRules, can_choose, choose, in_drawn_order
from fudaba_arena.schedule.seeds import pairing_seed
from fudaba_arena.schedule.share_caps import Meetings, ShareCaps
from fudaba_arena.schedule.shares import Share
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.store.tournaments.entries import PAUSED, Entry
from fudaba_arena.store.usage.time_use import entry_of
from fudaba_arena.tournament.definition import owner_of
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season

__all__ = ["PANEL_SHARE_PERCENT", "KnownRating", "Ratings", "Situation", "idle_reason", "next_block", "wanting"]


@final
@dataclass(frozen=True, slots=True)
class KnownRating:
    """The known standing of a bot in a game."""

    rating: float
    half: float
    """Half the interval, in Elo points; infinite for a bot that nothing connects with another."""
    blocks: int = 0
    """The number of blocks on which it is based."""

    def half_after(self, blocks: int) -> float:
        """Estimates half the interval after this many further blocks."""
        return self.half * sqrt(min(1.0, self.blocks / blocks)) if self.blocks and blocks else self.half


Ratings = Mapping[str, Mapping[str, KnownRating]]
"""The ratings, by game, then by entrant. They may be slightly old."""

_DAY_MS: Final = 86_400_000
PANEL_SHARE_PERCENT: Final = 15
"""The percentage of opponents from the panel: what it costs in matches that the zero stays put."""
_UNRATED: Final = KnownRating(1500.0, inf)


@final
@dataclass(frozen=True, slots=True)
class Situation:
    """The present facts that are not stored: standings, presence, load."""

    ratings: Ratings = field(default_factory=dict)
    absent: Collection[str] = ()
    """The absent entrants."""
    busy: Collection[str] = ()
    """The entrants that have enough to play."""
    held_up: Collection[int] = ()
    """The slots of blocks that wait for absent entrants. Until these return, the blocks count as not chosen."""
    full: Collection[str] = ()
    """The entrants that are in as many blocks as they may be."""
    spare: int = 0
    """The number of matches that would have room beside all begun ones."""
    shares: Mapping[str, Share] = field(default_factory=dict)
    """Each entry's use of the room. A missing entry owes nothing."""
    extended: Collection[str] = ()
    """The accounts with an extension. Their entries begin the final when it has ended: their last version plays it."""


def next_block(state: ScheduledTournament, situation: Situation, now_ms: int) -> ChosenBlock | None:
    """Returns the next block to play; None if nobody needs one, or if those that do are absent or busy.

    The first choice is the game in which an entry without a rank has the fewest blocks: so a newcomer's first blocks go
    round the games. Later choices are the game in which an entry's rank is least certain. Among equal games, the one
    with the fewest chosen blocks comes first.
    """
    season, schedule = state.tournament.season, state.schedule
    if season is None or not isinstance(schedule, ChosenSchedule):
        raise ValueError(f"tournament {state.tournament.name} is not a season of a ladder")
    final = _plays_final(state, season)
    sharing = len(wanting(state, situation))
    everybody_by_game = {
        game.game: _contenders(state, schedule, season, game, replace(situation, busy=()))
        for game in state.tournament.games
    }

    def urgency(game: TournamentGame) -> tuple[float, ...]:
        """Returns the sort key of a game."""
        free = [
            contender
            for contender in everybody_by_game[game.game]
            if contender.needs and contender.name not in situation.busy and not _owes(situation, contender)
        ]
        blocks = schedule.part(game.game).blocks
        if not free:
            return inf, blocks
        first = min(free, key=lambda contender: (contender.blocks, contender.name))
        if final or first.blocks < season.provisional_blocks:
            return 0, first.blocks, blocks
        return 1, -_places(first, everybody_by_game[game.game]), -first.half, blocks

    for game in sorted(state.tournament.games, key=urgency):
        turn = _turn(state, schedule, season, game, everybody_by_game[game.game], situation)
        choice = turn.choice()
        if choice is not None:
            wanted = 1 if turn.idle else sharing
            groups = in_drawn_order(choice.groups, turn.seed) if state.tournament.names_hidden else choice.groups
            return ChosenBlock(game.game, groups, choice.shared, choice.chosen_for, now_ms, final, wanted)
    return None


def _turn(
    state: ScheduledTournament,
    schedule: ChosenSchedule,
    season: Season,
    game: TournamentGame,
    everybody: Sequence[Contender],
    situation: Situation,
) -> _Turn:
    """Returns what chooses the players of a block of a game."""
    final, same_author = state.stored.entries.frozen_ms is not None, state.tournament.same_author
    panel_percent = PANEL_SHARE_PERCENT if season.panel(game.game) is not None else 0
    rules = PairingRules(
        game.seats, same_author, panel_percent=panel_percent, needing_first=final, fresh=state.tournament.fresh
    )
    if final:  # chance alone draws opponents: no rating then says whom a bot will meet
        rules = replace(rules, random_percent=100)
    elif season.pair_share or season.author_share:
        met = _meetings(state, schedule, game.game, situation.held_up)
        caps = ShareCaps(season.pair_share, season.author_share, game.seats, everybody, met, same_author=same_author)
        rules = replace(rules, caps=caps)
    seed = pairing_seed(state.stored.master, len(schedule))
    return _Turn(everybody, rules, seed, situation, matches=seating_count(game.seats) * game.deals)


def _owes(situation: Situation, contender: Contender) -> bool:
    """Returns whether others come before a contender because it owes them time."""
    share = situation.shares.get(entry_of(contender.name))
    return share is not None and share.waits


def _places(contender: Contender, everybody: Sequence[Contender]) -> int:
    """Counts the places by which the rank of a contender may be wrong: how many others its interval reaches."""
    return sum(abs(other.rating - contender.rating) < contender.half for other in everybody if other is not contender)


def wanting(state: ScheduledTournament, situation: Situation) -> set[str]:
    """Returns the present entries, busy or not, that want blocks of any game."""
    season, schedule = state.tournament.season, state.schedule
    if season is None or not isinstance(schedule, ChosenSchedule):
        return set()
    free = replace(situation, busy=())
    games = (_contenders(state, schedule, season, game, free) for game in state.tournament.games)
    return {entry_of(contender.name) for of_game in games for contender in of_game if contender.needs}


@final
@dataclass(slots=True)
class _Turn:
    """Chooses the players of a block of a game, starting with those that owe the least time."""

    everybody: Sequence[Contender]
    """The entries that could play it, including busy ones."""
    rules: PairingRules
    seed: bytes
    situation: Situation
    matches: int
    """The number of matches that a block has."""
    idle: bool = False
    """Whether the others leave room, so that entries that owe time may use it."""

    def choice(self) -> Choice | None:
        """Returns the players; None if nobody can play now, or if a block above the caps would be the only one until
        others are free.
        """
        choice = self._choice(self.rules)
        if choice is not None or self.rules.caps is None or self._waits_for_opponents():
            return choice
        return self._choice(replace(self.rules, over_caps=True))

    def idle_reason(self, game: str) -> IdleReason:
        """Returns why no block of the game begins, which some entries need."""
        needing = [contender.name for contender in self.everybody if contender.needs]
        free = [contender for contender in self.everybody if contender.name not in self.situation.busy]
        needing_now = [contender.name for contender in free if contender.needs]
        if not needing_now:
            return IdleReason(IdleCause.BOT_BUSY, game=game, bot=needing[0])
        over_caps = replace(self.rules, over_caps=True)
        above = can_choose(free, over_caps, self.seed) and not can_choose(free, self.rules, self.seed)
        if above and self._waits_for_opponents():
            return IdleReason(IdleCause.SHARES_REACHED, game=game, bot=needing_now[0])
        return IdleReason(IdleCause.BLOCK_BEGINS, game=game)

    def _waits_for_opponents(self) -> bool:
        """Returns whether a block within the caps is possible once all are free. Caps that had to be raised are as
        tight as a round robin, and no reason to wait.
        """
        caps = self.rules.caps
        return caps is not None and not caps.raised and can_choose(self.everybody, self.rules, self.seed)

    def _choice(self, rules: PairingRules) -> Choice | None:
        """Returns the players by some rules; None if these let nobody play now.

        Entries that owe nothing come first. An entry that owes time follows if those before it want no block or cannot
        play one without it. Among these, the one that owes least is next.
        """
        owed = {
            contender.name: share.owed_ms
            for contender in self.everybody
            if (share := self._share(contender)) and share.waits
        }
        waiting = sorted(owed, key=lambda name: (owed[name], name))
        first = [contender for contender in self.everybody if contender.name not in owed]
        by_name = {contender.name: contender for contender in self.everybody}
        free = [contender for contender in first if contender.name not in self.situation.busy]
        while (choice := choose(free, rules, self.seed)) is None:
            if not waiting or self._keeps_room(first, rules):
                return None
            following = by_name[waiting.pop(0)]
            first.append(following)
            if following.name not in self.situation.busy:
                free.append(following)
        return choice

    def _share(self, contender: Contender) -> Share | None:
        """Returns a contender's share of the room; None for a contender without a share, such as the panel."""
        return None if contender.panel else self.situation.shares.get(entry_of(contender.name))

    def _keeps_room(self, first: Sequence[Contender], rules: PairingRules) -> bool:
        """Returns whether entries with priority will want the present room once they are free."""
        needing = [contender for contender in first if contender.needs]
        if not can_choose(first, rules, self.seed):
            return False
        self.idle = self.situation.spare >= self.matches and all(
            contender.name in self.situation.full for contender in needing
        )
        return not self.idle


def idle_reason(state: ScheduledTournament, situation: Situation) -> IdleReason:
    """Returns why `next_block` is None in a situation, or that a block begins if it is not."""
    season, schedule = state.tournament.season, state.schedule
    if season is None or not isinstance(schedule, ChosenSchedule):
        raise ValueError(f"tournament {state.tournament.name} is not a season of a ladder")
    playing = state.stored.entries.playing()
    if not playing:
        paused = any(entry.state == PAUSED for entry in state.stored.entries.by_bot.values())
        return IdleReason(IdleCause.ALL_PAUSED if paused else IdleCause.NOBODY_ENTERED)
    absent = any(entry.entrant in situation.absent for entry in playing)
    enough = [game for game in state.tournament.games if _owners(state, game, situation) >= game.seats]
    if not enough:
        return _too_few(state, situation, absent=absent)
    for game in enough:
        contenders = _contenders(state, schedule, season, game, replace(situation, busy=()))
        if any(contender.needs for contender in contenders):
            return _turn(state, schedule, season, game, contenders, situation).idle_reason(game.game)
    if state.stored.entries.frozen_ms is not None:
        return _final_idle(state, situation, absent=absent)
    return IdleReason(IdleCause.ALL_CERTAIN, some_absent=absent, blocks=season.provisional_blocks, narrow=season.narrow)


def _final_idle(state: ScheduledTournament, situation: Situation, *, absent: bool) -> IdleReason:
    """Returns what a final waits for in which nobody who may play needs a block."""
    if situation.extended:
        return IdleReason(IdleCause.EXTENSION_OPEN)
    if state.stored.entries.awaited:
        return IdleReason(IdleCause.CHECKS_OPEN)
    return IdleReason(IdleCause.FINAL_PLAYED, some_absent=absent)


def _too_few(state: ScheduledTournament, situation: Situation, *, absent: bool) -> IdleReason:
    """Describes what the game that needs the fewest bots lacks, if no game has enough of them."""
    fewest = min(state.tournament.games, key=lambda game: game.seats)
    playing = state.stored.entries.playing()
    return IdleReason(
        IdleCause.TOO_FEW_BOTS,
        game=fewest.game,
        bots_needed=fewest.seats,
        bots_found=_owners(state, fewest, situation),
        different_authors=not state.tournament.same_author,
        some_absent=absent,
        withdrawn=tuple(entry.entrant for entry in playing if entry.entrant in state.stored.withdrawn),
    )


def _owners(state: ScheduledTournament, game: TournamentGame, situation: Situation) -> int:
    """Returns the number of different owners among those that could play a game."""
    entries = [
        entry
        for entry in state.stored.entries.playing()
        if state.entrants[entry.entrant].plays(game.game)
        and entry.entrant not in state.stored.withdrawn
        and entry.entrant not in situation.absent
    ]
    return len(entries) if state.tournament.same_author else len(set(map(_owner, entries)))


def _contenders(
    state: ScheduledTournament,
    schedule: ChosenSchedule,
    season: Season,
    game: TournamentGame,
    situation: Situation,
) -> list[Contender]:
    """Returns the entries that could play the game now."""
    ratings = situation.ratings.get(game.game, {})
    final, frozen = _plays_final(state, season), state.stored.entries.frozen_ms is not None
    blocks = _blocks(state, schedule, game.game, situation.held_up, final=final)
    last_ms: Mapping[str, int] = state.stored.blocks.last_played_ms() if season.idle_days else {}
    soon_idle_ms = max(last_ms.values(), default=0) - season.idle_days * _DAY_MS / 2
    awaited = {asked.bot for asked in state.stored.entries.awaited}
    contenders = []
    for entry in state.stored.entries.playing():
        name = entry.entrant
        bot = state.entrants[name]
        if not bot.plays(game.game) or name in state.stored.withdrawn:
            continue
        if name in situation.absent or name in situation.busy:
            continue
        if frozen and (entry.account in situation.extended or entry.bot in awaited):
            continue
        known, played, panel = ratings.get(name, _UNRATED), blocks[name], season.on_panel(entry.bot)
        uncertain = played < season.provisional_blocks or known.half > season.narrow
        # A connected bot keeps its rank: it plays before it would count as one that has stopped.
        uncertain = uncertain or last_ms.get(name, soon_idle_ms) < soon_idle_ms
        if panel:  # it plays only as others need it: its strength is known
            needs = False
        elif final:
            needs = played < season.final_blocks
        elif frozen:  # without a final, a version that was entered late has no other blocks to be rated on
            needs = entry.version in entry.late and played < season.provisional_blocks
        else:
            needs = uncertain
        half = known.half_after(played)
        owner = _owner(entry)
        contenders.append(Contender(name, owner, bot.stateless, played, needs, known.rating, half, panel=panel))
    return contenders


def _plays_final(state: ScheduledTournament, season: Season) -> bool:
    """Returns whether blocks that are chosen now are of a final."""
    return state.stored.entries.frozen_ms is not None and season.final_blocks > 0


def _blocks(
    state: ScheduledTournament, schedule: ChosenSchedule, game: str, held_up: Collection[int], *, final: bool
) -> Counter[str]:
    """Counts each bot's blocks of a game that are played or planned; in the final, only blocks of the final."""
    if not final:
        blocks = Counter(schedule.blocks_of(game))
    else:
        blocks = Counter()
        for chosen in reversed(schedule.chosen):
            if not chosen.final:
                break
            if chosen.game == game:
                blocks.update(bot for group in chosen.groups for bot in group)
    for chosen in _not_to_play(state, schedule, game, held_up):
        if chosen.final or not final:
            blocks.subtract(bot for group in chosen.groups for bot in group)
    return blocks


def _meetings(state: ScheduledTournament, schedule: ChosenSchedule, game: str, held_up: Collection[int]) -> Meetings:
    """Returns who met whom in the blocks of a game that are played or planned."""
    left_out: Counter[tuple[str, str]] = Counter()
    for chosen in _not_to_play(state, schedule, game, held_up):
        left_out.update(meetings(chosen))
    bots_of: defaultdict[str, list[str]] = defaultdict(list)
    for entry in state.stored.entries.by_bot.values():
        bots_of[_owner(entry)].append(entry.bot)
    return Meetings(schedule.met(game), left_out, bots_of)


def _not_to_play(
    state: ScheduledTournament, schedule: ChosenSchedule, game: str, held_up: Collection[int]
) -> Iterator[ChosenBlock]:
    """Yields the chosen blocks of a game that count as not chosen: parked ones, and those that wait for a bot."""
    chosen_blocks = (schedule.chosen.kind(slot) for slot in state.parked_slots.union(held_up))
    return (chosen for chosen in chosen_blocks if chosen.game == game)


def _owner(entry: Entry) -> str:
    """Returns the owner of an entry: its account, or its stated author, or the entry itself."""
    return owner_of(entry.account, entry.author, entry.bot)
