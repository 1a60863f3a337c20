import { describe, expect, test } from "vitest";
import type { GameBoard, GameKey } from "~/boards";
import { type LegalMoves, choicesFrom, kept, legalMoves, onlyMove, toggled } from "~/boards/choices";
import { board as crush } from "~/boards/numbers_crush";
import { create } from "@bufbuild/protobuf";
import { type Move, MoveSchema, ViewSchema } from "~/gen/fudaba/v1/game_pb";
import { positionsOf } from "../positions";

const choice = (index: number, ...pieces: string[]) => ({
  move: create(MoveSchema),
  index,
  pieces: new Set(pieces),
});
const moves: LegalMoves = {
  all: [choice(0, "say:pass"), choice(1, "a"), choice(2, "a", "b"), choice(3, "a", "c"), choice(4, "b", "c")],
};
const chosen = (...pieces: string[]) => new Set(pieces);
const indices = (some: readonly { index: number | undefined }[]) => some.map(({ index }) => index);

describe("pointing", () => {
  test("at first every piece of a legal move is open", () => {
    const { open, left, complete } = choicesFrom(moves, chosen());
    expect([...open].toSorted()).toEqual(["a", "b", "c", "say:pass"]);
    expect(left).toHaveLength(5);
    expect(complete).toEqual([]);
  });

  test("what is chosen leaves the moves that have all of it", () => {
    const { open, left, complete } = choicesFrom(moves, chosen("a"));
    expect(indices(left)).toEqual([1, 2, 3]);
    expect(indices(complete)).toEqual([1]);
    expect([...open].toSorted()).toEqual(["b", "c"]);
  });

  test("a piece that goes with nothing chosen begins anew, one that is chosen is given back", () => {
    expect(toggled(moves, chosen("a"), "b")).toEqual(chosen("a", "b"));
    expect(toggled(moves, chosen("a", "b"), "c")).toEqual(chosen("c"));
    expect(toggled(moves, chosen("a", "b"), "a")).toEqual(chosen("b"));
  });

  test("a move is clear only where nothing goes on from it", () => {
    expect(onlyMove(choicesFrom(moves, chosen("a")))).toBeUndefined();
    expect(onlyMove(choicesFrom(moves, chosen("a", "b")))?.index).toBe(2);
    expect(onlyMove(choicesFrom(moves, chosen("say:pass")))?.index).toBe(0);
    const twice: LegalMoves = { all: [choice(0, "a"), choice(1, "a")] };
    expect(onlyMove(choicesFrom(twice, chosen("a")))).toBeUndefined();
    expect(indices(choicesFrom(twice, chosen("a")).complete)).toEqual([0, 1]);
  });

  test("when other moves are legal, what is chosen stays as long as it leads somewhere", () => {
    expect(kept(moves, chosen("b"))).toEqual(chosen("b"));
    expect(kept(moves, chosen("d"))).toEqual(chosen());
  });
});

test("a move beyond those that were sent is found by its pieces, and answered as a move", () => {
  const board = crush as unknown as GameBoard<GameKey>;
  const many = positionsOf("numbers_crush", "numbersCrush").filter(({ moves: sent }) =>
    sent.some((move) => move.kind.case === "set" && move.kind.value.cards.length > 1),
  );
  expect(many.length).toBeGreaterThan(0);
  for (const position of many) {
    const view = create(ViewSchema, { game: { case: "numbersCrush", value: position.view } });
    const wrap = (value: (typeof position.moves)[number]): Move =>
      create(MoveSchema, { game: { case: "numbersCrush", value } });
    const wanted = position.moves.findLast((move) => move.kind.case === "set");
    if (wanted === undefined) continue;
    const sent = position.moves.filter((move) => move !== wanted).slice(0, 1);
    const legal = legalMoves(board, view, sent.map(wrap), 5_000);
    const pieces = crush.touches(wanted, position.view);
    const { complete } = choicesFrom(legal, new Set(pieces));
    const words = complete.map(({ move }) => crush.describe(move.game.value as typeof wanted, position.view));
    expect(words).toContain(crush.describe(wanted, position.view));
  }
});

test("a game without a board still has its moves, with nothing to point at", () => {
  const position = positionsOf("naga", "naga").find(({ moves: sent }) => sent.length > 1);
  if (position === undefined) throw new Error("no position has a choice");
  const view = create(ViewSchema, { game: { case: "naga", value: position.view } });
  const sent = position.moves.map((value) => create(MoveSchema, { game: { case: "naga", value } }));
  const { all } = legalMoves(undefined, view, sent, sent.length);
  expect(all.map(({ index }) => index)).toEqual([...sent.keys()]);
  expect(choicesFrom({ all }, new Set()).open.size).toBe(0);
});
