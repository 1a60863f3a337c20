/** Every legal move of the games of French cards, and of Naga, can be pointed at, and is said in words of its own. */
import { create, toBinary, toJson } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it } from "vitest";
import type { GameBoard, GameKey, MoveOf, PieceId } from "~/boards";
import { choicesFrom, legalMoves, toggled } from "~/boards/choices";
import { board as naga } from "~/boards/naga";
import { board as napoleon } from "~/boards/napoleon";
import { board as nerts } from "~/boards/nerts";
import { board as numbersCrush } from "~/boards/numbers_crush";
import { cardCode } from "~/cards/french_names";
import { type Move, MoveSchema, ViewSchema } from "~/gen/fudaba/v1/game_pb";
import { NumbersCrushMoveSchema, NumbersCrushPhase } from "~/gen/fudaba/v1/numbers_crush_pb";
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
  const whole = setting.filter(({ moves, legalCount }) => moves.length === legalCount);
  const bytes = (moves: readonly Position<"numbersCrush">["moves"][number][]) =>
    moves.map((move) => Buffer.from(toBinary(NumbersCrushMoveSchema, move)).toString("hex")).sort();
  const cardsOf = (move: MoveOf<"numbersCrush">, { view }: Position<"numbersCrush">) =>
    numbersCrush.touches(move, view).filter((piece) => piece.startsWith("hand:"));
  const held = ({ view }: Position<"numbersCrush">) =>
    (view.phase === NumbersCrushPhase.PENALTY ? view.penaltyCards : view.hand).map((card) => `hand:${cardCode(card)}`);
  const beyond = (chosen: Iterable<PieceId>, { view }: Position<"numbersCrush">) => {
    const found = numbersCrush.beyond?.(new Set(chosen), view);
    if (found === undefined) throw new Error("the board says nothing of longer lists");
    return found;
  };

  it("finds of the cards of each legal set all their sets, and no others", () => {
    expect(whole.length).toBeGreaterThan(20);
    for (const position of whole) {
      const byCards = new Map<string, typeof position.moves>();
      for (const move of position.moves) {
        const cards = cardsOf(move, position).toSorted().join(" ");
        byCards.set(cards, [...(byCards.get(cards) ?? []), move]);
      }
      for (const [cards, moves] of byCards) {
        expect(bytes(beyond(cards.split(" ").filter(Boolean), position).moves)).toEqual(bytes(moves));
      }
    }
  });

  it("finds no set of cards that are none", () => {
    for (const position of whole) {
      const legal = new Set(position.moves.map((move) => cardsOf(move, position).toSorted().join(" ")));
      for (const first of held(position)) {
        for (const second of held(position)) {
          const cards = [...new Set([first, second])].toSorted();
          if (!legal.has(cards.join(" "))) expect(beyond(cards, position).moves).toEqual([]);
        }
      }
    }
  });

  it("leads on from chosen cards to those that are in a legal set with them, and to no others", () => {
    for (const position of whole) {
      const sets = position.moves.map((move) => cardsOf(move, position));
      const parts = new Map(sets.flatMap((cards) => partsOf(cards)).map((part) => [part.join(" "), part]));
      for (const part of some([...parts.values()], 40)) {
        const next = sets.filter((cards) => part.every((card) => cards.includes(card))).flat();
        const open = [...beyond(part, position).open].filter((piece) => piece.startsWith("hand:"));
        const more = (cards: readonly PieceId[]) => [...new Set(cards)].filter((card) => !part.includes(card)).sort();
        expect([part, more(open)]).toEqual([part, more(next)]);
      }
    }
  });

  it("lets the chooser reach each of very many moves, though only the first was sent", () => {
    const large = setting.filter(({ moves, legalCount }) => moves.length < legalCount);
    expect(large.length).toBeGreaterThan(2);
    for (const position of some(large, POSITIONS / 4)) {
      const drawn = new Drawn(numbersCrush, position);
      const game = { case: "numbersCrush" as const, value: position.view };
      const [view, first] = [create(ViewSchema, { game }), position.moves.slice(0, 1).map(moveOf)];
      const legal = legalMoves(numbersCrush as unknown as GameBoard<GameKey>, view, first, position.legalCount);
      for (const move of some(position.moves, WAYS)) {
        let chosen: ReadonlySet<PieceId> = new Set();
        for (const piece of numbersCrush.touches(move, position.view)) {
          const { open } = choicesFrom(legal, chosen);
          expect(drawn.with({ open, chosen, toggle: () => undefined }).buttons).toContain(piece);
          chosen = toggled(legal, chosen, piece);
        }
        const ready = choicesFrom(legal, chosen).complete.filter(({ pieces }) => pieces.size === chosen.size);
        expect(ready.map((choice) => toJson(MoveSchema, choice.move))).toEqual([toJson(MoveSchema, moveOf(move))]);
      }
    }
  });
});

function moveOf(value: MoveOf<"numbersCrush">): Move {
  return create(MoveSchema, { game: { case: "numbersCrush", value } });
}

/** No card, each alone, and each with the one after it. */
function partsOf(cards: readonly PieceId[]): PieceId[][] {
  return [
    [],
    ...cards.map((card) => [card]),
    ...cards.slice(1).map((card, at) => [cards[at] ?? card, card].toSorted()),
  ];
}
