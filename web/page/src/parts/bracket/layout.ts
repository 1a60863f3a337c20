/** Where the groups of a bracket are drawn: in which column, beside which rows, and which lines lead to them. */
import { type Bracket, type BracketGroup, type BracketSeat, BracketSection } from "~/gen/fudaba/v1/arena_pb";

/** A group in its column. */
export interface GroupBox {
  readonly group: BracketGroup;
  /** Its place in the bracket's list of groups, from 1. */
  readonly number: number;
  /** Its first row, from 0, and how many it has. */
  readonly row: number;
  readonly rows: number;
}

/** A bot that waits for a later round, in the column of the round that it misses. */
export interface ByeBox {
  readonly seat: BracketSeat;
  readonly row: number;
  readonly rows: number;
}

export interface Column {
  /** The round, from 1. */
  readonly round: number;
  readonly groups: readonly GroupBox[];
  readonly byes: readonly ByeBox[];
}

/** A line from the middle of a box to that of a later one, in columns and rows. */
export interface Line {
  readonly from: readonly [column: number, row: number];
  readonly to: readonly [column: number, row: number];
}

/** What is drawn together: a whole bracket, or in a double elimination one of the two. */
export interface Part {
  readonly side: "whole" | "upper" | "lower";
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Empty for groups of more than two seats, whose bots go on to several groups. */
  readonly lines: readonly Line[];
}

/** The parts of a bracket, in the order in which they are read. */
export function partsOf(bracket: Bracket): readonly Part[] {
  const all = bracket.groups.map((group, at) => ({ group, number: at + 1 }));
  const lower = all.filter(({ group }) => group.section === BracketSection.LOWER);
  if (lower.length === 0) return [partOf("whole", all)];
  const upper = all.filter(({ group }) => group.section !== BracketSection.LOWER);
  return [partOf("upper", upper), partOf("lower", lower)];
}

interface Numbered {
  readonly group: BracketGroup;
  readonly number: number;
}

function partOf(side: Part["side"], groups: readonly Numbered[]): Part {
  const rounds = [...new Set(groups.map(({ group }) => group.round))].sort((first, second) => first - second);
  const isTree = groups.every(({ group }) => group.seats.length <= 2);
  const placing = new Placing(groups, rounds);
  if (isTree) placing.placeTrees();
  else placing.stack();
  return {
    side,
    columns: rounds.map((round, at) => ({
      round,
      groups: placing.groups.filter((box) => box.group.round === round).sort((first, second) => first.row - second.row),
      byes: placing.byes.filter(({ column }) => column === at).map(({ box }) => box),
    })),
    rows: placing.rows,
    lines: placing.lines,
  };
}

/** Gives each group of a part its rows. */
class Placing {
  readonly groups: GroupBox[] = [];
  readonly byes: { column: number; box: ByeBox }[] = [];
  readonly lines: Line[] = [];
  rows = 0;
  readonly #groups: ReadonlyMap<number, BracketGroup>;
  readonly #rounds: readonly number[];

  constructor(groups: readonly Numbered[], rounds: readonly number[]) {
    this.#groups = new Map(groups.map(({ group, number }) => [number, group]));
    this.#rounds = rounds;
  }

  /** Groups of two: each stands beside the rows of those from which its bots come as winners. */
  placeTrees(): void {
    const inner = new Set(
      [...this.#groups.values()].flatMap(({ seats }) =>
        seats.filter((seat) => this.#winnerOf(seat) !== undefined).map((seat) => seat.fromGroup),
      ),
    );
    for (const [number, group] of this.#groups) if (!inner.has(number)) this.#placeTree(number, group);
  }

  /** Larger groups: each stands below the one before it of its round, and byes below the groups. */
  stack(): void {
    for (const [column, round] of this.#rounds.entries()) {
      let row = 0;
      for (const [number, group] of this.#groups) {
        if (group.round === round) this.groups.push({ group, number, row: row++, rows: 1 });
      }
      for (const group of this.#groups.values()) {
        for (const seat of this.#isAfter(group, column) ? group.seats : []) {
          if (this.#origin(seat) < column) this.byes.push({ column, box: { seat, row: row++, rows: 1 } });
        }
      }
      this.rows = Math.max(this.rows, row);
    }
  }

  #placeTree(number: number, group: BracketGroup): GroupBox {
    const column = this.#rounds.indexOf(group.round);
    const row = this.rows;
    const before = group.seats.map((seat) => this.#placeBefore(seat, column));
    if (this.rows === row) this.rows += 1;
    const box = { group, number, row, rows: this.rows - row };
    this.groups.push(box);
    for (const from of before) if (from !== undefined) this.lines.push({ from, to: [column, middle(box)] });
    return box;
  }

  /** Places what leads to a seat: the group that its bot has won, or its byes. Returns where the line to it begins. */
  #placeBefore(seat: BracketSeat, column: number): Line["from"] | undefined {
    const won = this.#winnerOf(seat);
    if (won === undefined && (seat.fromGroup !== 0 || column === 0)) return undefined;
    const rows = won === undefined ? { row: this.rows++, rows: 1 } : this.#placeTree(seat.fromGroup, won);
    for (let missed = this.#origin(seat) + 1; missed < column; missed++) {
      this.byes.push({ column: missed, box: { seat, row: rows.row, rows: rows.rows } });
    }
    return [Math.max(0, this.#origin(seat)), middle(rows)]; // it passes behind byes
  }

  /** The group of this part that the bot of a seat has won; undefined for others. */
  #winnerOf(seat: BracketSeat): BracketGroup | undefined {
    return seat.fromPlace === 1 ? this.#groups.get(seat.fromGroup) : undefined;
  }

  /** The column from which the bot of a seat comes; -1 where it has not played before. */
  #origin(seat: BracketSeat): number {
    const from = this.#groups.get(seat.fromGroup);
    return from === undefined ? -1 : this.#rounds.indexOf(from.round);
  }

  #isAfter(group: BracketGroup, column: number): boolean {
    return this.#rounds.indexOf(group.round) > column;
  }
}

const middle = ({ row, rows }: { row: number; rows: number }) => row + rows / 2;
