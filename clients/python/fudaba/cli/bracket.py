"""Draws the bracket of a knockout as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from fudaba.cli.output import table
from fudaba.v1 import arena_pb2
from fudaba_games.wording import counted

__all__ = ["bracket_text", "drawn_bracket"]

_APART: Final = {
    arena_pb2.BRACKET_SECTION_THIRD_PLACE: "third place",
    arena_pb2.BRACKET_SECTION_RESET: "second final",
}
"""The sections that are drawn apart, with their names."""
_REASONS: Final = {arena_pb2.BRACKET_DECISION_ABSENCE: "by absence", arena_pb2.BRACKET_DECISION_SEED: "by seed"}


def bracket_text(bracket: arena_pb2.Bracket) -> str:
    """Returns how far a bracket is, its drawing, what was not decided by points, and the places."""
    parts = [f"{bracket.game}, {bracket.rounds_begun} of {counted(bracket.rounds, 'round')}", drawn_bracket(bracket)]
    exceptions = [
        f"round {group.round}, {' - '.join(seat.bot for seat in group.seats)}: decided {_REASONS[group.decided_by]}"
        for group in bracket.groups
        if group.decided_by in _REASONS
    ]
    if exceptions:
        parts.append("\n".join(exceptions))
    columns = ["rank", "bot", "seed"]
    rows = [
        [f"{place.rank}{'=' if place.tied else ''}" if place.rank else "-", place.bot, str(place.seed)]
        for place in bracket.places
    ]
    if any(place.looks_like for place in bracket.places):
        columns.append("looks like")
        rows = [[*cells, place.looks_like] for cells, place in zip(rows, bracket.places, strict=True)]
    return "\n\n".join([*parts, table(columns, rows, "rlrl")])


def drawn_bracket(bracket: arena_pb2.Bracket) -> str:
    """Returns the groups: for two seats as a tree with the winner on the right, for more seats as a list by round."""
    if any(len(group.seats) > 2 for group in bracket.groups):
        return "\n".join(_listed(bracket.groups))
    trees = []
    for index, group in enumerate(bracket.groups):
        if group.section in _APART and group.decided_by != arena_pb2.BRACKET_DECISION_NOT_NEEDED:
            trees.append(f"{_APART[group.section]}:\n" + "\n".join(_Tree(bracket.groups, index).lines()))
        elif group.section == arena_pb2.BRACKET_SECTION_FINAL:
            trees.insert(0, "\n".join(_Tree(bracket.groups, index).lines()))
    return "\n\n".join(trees)


def _listed(groups: Sequence[arena_pb2.BracketGroup]) -> Iterator[str]:
    for index, group in enumerate(groups):
        if index == 0 or groups[index - 1].round != group.round:
            yield f"round {group.round}:"
        last = group.round == groups[-1].round
        name = (
            "final"
            if last
            else f"group {index + 1}, {counted(group.advancing, 'bot')} go{'es' * (group.advancing == 1)} on"
        )
        seats = sorted(group.seats, key=lambda seat: seat.place)
        yield f"  {name}: {', '.join(_label(group, seat) for seat in seats)}"


def _label(group: arena_pb2.BracketGroup, seat: arena_pb2.BracketSeat) -> str:
    """Returns who sits there, with the seed, and with the points once there are some."""
    if not seat.bot and seat.from_group:
        return f"place {seat.from_place} of group {seat.from_group}"
    name = f"{seat.bot} ({seat.seed})" if seat.bot else f"seed {seat.seed}"
    return f"{name} {seat.points:.4g}" if group.blocks else name


def _reaching(line: str, width: int, label: str) -> str:
    """Returns a line with a label at a column, joined to a winner's line that ends before it."""
    if label and line.rstrip().endswith("├─"):
        return f"{line.rstrip().ljust(width - 1, '─')} {label}"
    return line.ljust(width) + label


class _Tree:
    """The groups of two seats that lead to one of them, as a tree that grows to the left."""

    def __init__(self, groups: Sequence[arena_pb2.BracketGroup], root: int) -> None:
        self._groups = groups
        self._root = root
        self._alone = groups[root].section in _APART
        self._rows: dict[tuple[int, int], int] = {}
        """The row of each seat, by the index of its group and its number."""
        self._leaves = 0
        self._place(root)

    def _place(self, index: int) -> int:
        """Gives each seat of a group and of those before it a row. Returns the row of the group's winner."""
        rows = []
        for number, seat in enumerate(self._groups[index].seats):
            if seat.from_group and seat.from_place == 1 and not self._alone:
                row = self._place(seat.from_group - 1)
            else:
                row = 2 * self._leaves
                self._leaves += 1
            self._rows[index, number] = row
            rows.append(row)
        return sum(rows) // 2

    def lines(self) -> list[str]:
        """Returns the lines of the drawing."""
        root = self._groups[self._root]
        winner = next((seat for seat in root.seats if seat.place == 1), None)
        columns: dict[int, dict[int, str]] = {}
        for (index, number), row in self._rows.items():
            group = self._groups[index]
            columns.setdefault(group.round, {})[row] = self._seat_label(index, number)
        lines = [""] * (2 * self._leaves - 1)
        for number in sorted(columns):
            width = max(map(len, lines))
            labels = columns[number]
            lines = [_reaching(line, width, labels.get(row, "")) for row, line in enumerate(lines)]
            self._draw_joints(number, lines)
        middle = sum(self._rows[self._root, number] for number in (0, 1)) // 2
        lines[middle] += winner.bot if winner is not None else "?"
        return [line.rstrip() for line in lines]

    def _seat_label(self, index: int, number: int) -> str:
        seat = self._groups[index].seats[number]
        if not seat.bot and seat.from_group:
            return "?" if seat.from_place == 1 else "loser"
        return _label(self._groups[index], seat)

    def _draw_joints(self, number: int, lines: list[str]) -> None:
        """Joins the two seats of each group of a round."""
        width = 1 + max(map(len, lines))
        joints: dict[int, str] = {}
        for (index, seat), first in self._rows.items():
            if self._groups[index].round == number and seat == 0:
                last = self._rows[index, 1]
                joints |= dict.fromkeys(range(first + 1, last), "│")
                joints |= {first: "┐", last: "┘", (first + last) // 2: "├"}
        for row, line in enumerate(lines):
            joint = joints.get(row, "")
            filled = line + " " if joint in {"┐", "┘"} else line
            lines[row] = filled.ljust(width, "─" if joint in {"┐", "┘"} else " ") + (
                joint + "─ " if joint == "├" else joint
            )
