/** Every legal move of the games of French cards, and of Naga, can be pointed at, and is said in words of its own. */
import { toBinary } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it } from "vitest";
import type { PieceId } from "~/boards";
import { board as naga } from "~/boards/naga";
import { board as napoleon } from "~/boards/napoleon";
import { board as nerts } from "~/boards/nerts";
import { board as numbersCrush } from "~/boards/numbers_crush";
import { NumbersCrushMoveSchema } from "~/gen/fudaba/v1/numbers_crush_pb";
import { loadLanguage } from "~/i18n";
import { Drawn, POSITIONS, WAYS, promises, some } from "./board_promises";
import { type Position, positionsOf } from "./positions";

beforeAll(async () => {
  await loadLanguage("en");
});

promises("naga", "naga", naga);
promises("napoleon", "napoleon", napoleon);
promises("numbers_crush", "numbersCrush", numbersCrush);
promises("nerts", "nerts", nerts);

describe("Numbers Crush, where the list of moves is cut off", () => {
  const positions = positionsOf("numbers_crush", "numbersCrush");
  const setting = positions.filter(({ moves }) => moves.some(({ kind }) => kind.case === "set"));
  const bytes = (moves: readonly Position<"numbersCrush">["moves"][number][]) =>
    moves.map((move) => Buffer.from(toBinary(NumbersCrushMoveSchema, move)).toString("hex")).sort();
  const cardsOf = (pieces: readonly PieceId[]) => pieces.filter((piece) => piece.startsWith("hand:"));
  const beyond = (chosen: Iterable<PieceId>, { view }: Position<"numbersCrush">) => {
    const found = numbersCrush.beyond?.(new Set(chosen), view);
    if (found === undefined) throw new Error("the board says nothing of longer lists");
    return found;
  };

  it("finds of the cards of each legal set all their sets, and no others", () => {
    const whole = setting.filter(({ moves, legalCount }) => moves.length === legalCount);
    expect(whole.length).toBeGreaterThan(20);
    for (const position of whole) {
      const byCards = new Map<string, typeof position.moves>();
      for (const move of position.moves) {
        const cards = cardsOf(numbersCrush.touches(move, position.view)).toSorted().join(" ");
        byCards.set(cards, [...(byCards.get(cards) ?? []), move]);
      }
      for (const [cards, moves] of byCards) {
        expect(bytes(beyond(cards.split(" ").filter(Boolean), position).moves)).toEqual(bytes(moves));
      }
    }
  });

  it("finds no set of cards that are none", () => {
    for (const position of setting.filter(({ moves, legalCount }) => moves.length === legalCount)) {
      const legal = new Set(
        position.moves.map((move) => cardsOf(numbersCrush.touches(move, position.view)).toSorted().join(" ")),
      );
      const hand = [...beyond([], position).open].filter((piece) => piece.startsWith("hand:")).toSorted();
      for (const one of hand) {
        for (const other of hand) {
          const cards = [...new Set([one, other])].toSorted();
          if (!legal.has(cards.join(" "))) expect(beyond(cards, position).moves).toEqual([]);
        }
      }
    }
  });

  it("leads to each of very many moves by pointing", () => {
    const large = setting.filter(({ moves, legalCount }) => moves.length < legalCount);
    expect(large.length).toBeGreaterThan(2);
    for (const position of some(large, POSITIONS / 4)) {
      const drawn = new Drawn(numbersCrush, position);
      for (const move of some(position.moves, WAYS)) {
        const way = numbersCrush.touches(move, position.view);
        way.forEach((piece, at) => {
          const chosen = new Set(way.slice(0, at));
          const { open } = beyond(chosen, position);
          expect(drawn.with({ open, chosen, toggle: () => undefined }).buttons).toContain(piece);
        });
        const whole = beyond(way, position).moves.filter(
          (one) => numbersCrush.touches(one, position.view).length === way.length,
        );
        expect(bytes(whole)).toEqual(bytes([move]));
      }
    }
  });
});
