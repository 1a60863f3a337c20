"""`fudaba record rerun`."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import click

from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say, say_text
from fudaba.cli.progress import progress
from fudaba.excerpts import IN_LINE, Excerpt
from fudaba.safe_text import safe_output
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.client import Endpoint
    from fudaba.rerun.recorded_decisions import Recorded, RecordedSeat
    from fudaba.rerun.running import AnswerVerdict


_MAX_LINE_BYTES: Final = 4096
"""The number of shown bytes of a bot's line."""


class _NotRerun(Failure):
    """The record's decisions cannot be put to a bot again."""

    exit_code = 2


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("command", nargs=-1, metavar="[-- BOT...]")
@click.option("--seat", type=click.IntRange(min=0), required=True, help="The seat to ask again, from 0.")
@click.option("--at", type=click.IntRange(min=1), metavar="N",
              help="Wait for a debugger before decision N, ask it without a time limit, and end there.")  # fmt: skip
@click.option("--all", "show_all", is_flag=True, help="Show every decision, not only those with a different answer.")
@click.option("--json", "as_json", is_flag=True, help="Print every decision as JSON.")
def rerun(file: Path, command: tuple[str, ...], seat: int, at: int | None, show_all: bool, as_json: bool) -> None:
    """Put each decision of a recorded match to a BOT again, and show where it answers otherwise.

    BOT is a command of any language, a folder with a bot.toml, a Python class (file.py:Class) or a built-in bot. It
    finds the service in FUDABA_SERVER and its token in FUDABA_TOKEN, as on a ladder, and sees what the seat saw.
    Whatever it answers, the match goes on as it was played; after a different answer the bot receives `rewound`.
    Without BOT you start a bot yourself, such as in an IDE: the command prints what to set, and waits.

    The exit code is 0 if the bot gives the same answers everywhere, 1 if not, or if it fails; 2 for wrong usage, and
    for a record that cannot be rerun, such as one of another version of the rules.

    \b
    Examples:
      fudaba record rerun m-1.fudaba --seat 1 -- ./new
      fudaba record rerun m-1.fudaba --seat 1 --at 14 -- python mybot.py
      fudaba record rerun m-1.fudaba --seat 0 --json -- mybot.py:MyBot
      fudaba record rerun m-1.fudaba --seat 0
    """
    from fudaba import records
    from fudaba.local_play.contestants import BadContestant, program_of
    from fudaba.rerun.recorded_decisions import CannotRerun, recorded_seat
    from fudaba.rerun.running import RerunListener
    from fudaba.rerun.running import rerun as run

    try:
        words = program_of(command[0] if len(command) == 1 else shlex.join(command)) if command else None
    except BadContestant as error:
        raise click.UsageError(str(error)) from None
    try:
        recorded = recorded_seat(records.read(file), seat)
    except (records.BadRecord, CannotRerun) as error:
        raise _NotRerun(f"{file}: {error}") from None
    except OSError as error:
        raise _NotRerun(f"{file} cannot be read: {error.strerror or error}") from None
    total = len(recorded.decisions)
    if at is not None and at > total:
        raise click.UsageError(f"--at {at}: seat {seat} made {counted(total, 'decision')} in this match")
    report = _Told(recorded, show_all=show_all or at is not None, as_json=as_json)
    report.begin()
    with progress(at or total, "decisions") as step:

        def judged(verdict: AnswerVerdict) -> None:
            report.judged(verdict)
            step()

        watcher = RerunListener(serves=(lambda _: None) if words else report.serves, hold=report.hold, judged=judged)
        output = _BotOutput()
        why = asyncio.run(run(recorded, words, output, watcher, at))
        output.end()
    report.finish(why)


@final
class _BotOutput:
    """Prints a bot's output to standard error, with each line marked as the bot's."""

    def __init__(self) -> None:
        self._line = Excerpt(_MAX_LINE_BYTES, IN_LINE)

    def write(self, output: bytes, /) -> None:
        """Prints the complete lines; of long ones, the beginning and the end."""
        *ends, rest = output.split(b"\n")
        for end in ends:
            self._line.add(end)
            say(f"bot | {safe_output(self._line.text.decode(errors='replace'))}", err=True)
            self._line = Excerpt(_MAX_LINE_BYTES, IN_LINE)
        self._line.add(rest)

    def end(self) -> None:
        """Prints the rest."""
        if self._line.total:
            self.write(b"\n")


@final
class _Told:
    """Prints the result of a run."""

    def __init__(self, recorded: RecordedSeat, *, show_all: bool, as_json: bool) -> None:
        self._recorded = recorded
        self._text = recorded.replay.game.text
        self._show_all = show_all
        self._as_json = as_json
        self._verdicts: list[AnswerVerdict] = []

    def begin(self) -> None:
        """Prints which decisions are put."""
        header, seat = self._recorded.record.header, self._recorded.seat
        if self._as_json:
            return
        player = header.players[seat]
        player_name = f"{player.bot} {player.version}".strip() or "nobody"
        many = counted(len(self._recorded.decisions), "decision")
        say(f"{header.game}, match {header.match_id}, seat {seat} ({player_name}): {many}")
        if self._recorded.real_time:
            say(
                "This match was played in real time: each decision that was answered is put as it was under the id "
                "that was answered. How fast a bot is, and when it lets others go first, cannot be compared."
            )

    def serves(self, endpoint: Endpoint) -> None:
        """Prints where a bot that somebody starts should connect."""
        say(
            "Start the bot with:",
            f"  export FUDABA_SERVER={endpoint.address}",
            f"  export FUDABA_TOKEN={endpoint.token}",
            err=True,
        )

    async def hold(self, decision: Recorded, pid: int) -> None:
        """Prints what to attach to, and waits for Enter if somebody can press it."""
        say(f"Decision {decision.number} ({decision.id}) is next, and has no time limit. Its position:", err=True)
        say_text(self._position(decision), err=True)
        if pid:
            say(
                f"The bot is process {pid}. Attach a debugger to it, such as:",
                f"  gdb -p {pid}                              # C, C++, Rust",
                f"  dlv attach {pid}                          # Go",
                f"  python -m debugpy --listen 5678 --pid {pid}    # Python",
                f"  kill -USR1 {pid}                          # Node, which then listens on port 9229",
                err=True,
            )
        say("Press Enter to put the decision.", err=True)
        await _enter()

    def judged(self, verdict: AnswerVerdict) -> None:
        """Notes an answer, and prints it if it is of interest."""
        self._verdicts.append(verdict)
        if self._as_json or not (self._show_all or verdict.differs):
            return
        decision = verdict.recorded
        outcome = "differs" if verdict.differs else "is the same" if decision.compared else "was not answered then"
        say("", f"decision {decision.number} ({decision.id}) {outcome}")
        say(f"  recorded: {self._before(decision)}", f"  new:      {self._now(verdict)}")
        say_text("\n".join(f"    {line}" for line in self._position(decision).splitlines()))

    def finish(self, why: str) -> None:
        """Prints a summary, and exits with 1 if the bot answers differently or failed."""
        differ = sum(verdict.differs for verdict in self._verdicts)
        if self._as_json:
            print_json(self._as_dict(why))
        else:
            same = sum(verdict.recorded.compared and not verdict.differs for verdict in self._verdicts)
            rest = len(self._verdicts) - same - differ
            left = f", {rest} not answered then" if rest else ""
            say("", f"{counted(len(self._verdicts), 'decision')}: {same} the same, {differ} different{left}")
        if why:
            decisions = counted(len(self._recorded.decisions), "decision was", "decisions were")
            raise Failure(f"{why}; {len(self._verdicts)} of {decisions} answered")
        if differ:
            raise click.exceptions.Exit(1)

    def _position(self, decision: Recorded) -> str:
        view = self._recorded.replay.game.view(decision.state, self._recorded.seat)
        return self._text.render_view(view)

    def _before(self, decision: Recorded) -> str:
        from fudaba.rerun.recorded_decisions import How

        refused = "".join(f"refused first: {why}; " for why in decision.refused)
        match decision.how:
            case How.ANSWERED:
                return f"{refused}{self._text.format_move(decision.move)}  [{decision.took_ms:.1f} ms]"
            case How.TIMED_OUT:
                return f"{refused}{self._text.format_move(decision.move)}  [time ran out]"
            case How.FORFEITED:
                return f"{refused}no move: the seat forfeited the match"
            case How.WITHDRAWN:
                return f"{refused}no answer: the decision was withdrawn"
            case How.UNANSWERED:
                return f"{refused}no answer: the match ended"

    def _now(self, verdict: AnswerVerdict) -> str:
        given = verdict.given
        refused = "".join(f"refused first: {why}; " for why in given.refused)
        if given.move is not None:
            note = f"  note: {given.note}" if given.note else ""
            return f"{refused}{self._text.format_move(given.move)}  [{given.took_ms:.1f} ms]{note}"
        if given.resigned:
            return f"{refused}it resigns"
        return f"{refused}no answer in time" if verdict.late else f"{refused}no legal answer"

    def _as_dict(self, why: str) -> dict[str, Any]:
        header = self._recorded.record.header
        return {
            "match": header.match_id,
            "game": header.game,
            "seat": self._recorded.seat,
            "real_time": self._recorded.real_time,
            "ended_early": why or None,
            "decisions": [self._decision(verdict) for verdict in self._verdicts],
        }

    def _decision(self, verdict: AnswerVerdict) -> dict[str, Any]:
        decision, given = verdict.recorded, verdict.given
        return {
            "number": decision.number,
            "decision_id": decision.id,
            "position": self._position(decision),
            "differs": verdict.differs,
            "recorded": {
                "how": str(decision.how),
                "move": self._move(decision.move),
                "ms": round(decision.took_ms, 3),
                "refused": decision.refused,
            },
            "new": {
                "move": self._move(given.move),
                "ms": round(given.took_ms, 3),
                "refused": given.refused,
                "resigned": given.resigned,
                "in_time": not verdict.late,
                "note": given.note,
            },
        }

    def _move(self, move: Any) -> str | None:
        return self._text.format_move(move) if move is not None else None


async def _enter() -> None:
    """Waits for a line or the end of standard input; returns at once if nobody can type."""
    loop, typed = asyncio.get_running_loop(), asyncio.Event()
    try:
        place = sys.stdin.fileno()
        loop.add_reader(place, typed.set)
    except (AttributeError, OSError, ValueError):
        return
    try:
        await typed.wait()
        os.read(place, 4096)
    finally:
        loop.remove_reader(place)
