/** Every legal move of the games with the Kamikisen deck can be pointed at, and what the boards work out is what the rules say. */
import { toBinary } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it } from "vitest";
import type { GameKey, PieceId } from "~/boards";
import { board as houniek } from "~/boards/houniek";
import * as houniekMelds from "~/boards/houniek/melds";
import { pointAt } from "~/boards/kamikisen/pieces";
import { readingsOf } from "~/boards/kamikisen/readings";
import { board as makhop } from "~/boards/makhop";
import { board as makkaik } from "~/boards/makkaik";
import * as makkaikBest from "~/boards/makkaik/best";
import { board as mokkaik } from "~/boards/mokkaik";
import { board as namto } from "~/boards/namto";
import * as namtoBest from "~/boards/namto/best";
import { betParts } from "~/boards/namto/words";
import { board as niekhi } from "~/boards/niekhi";
import * as niekhiMelds from "~/boards/niekhi/melds";
import { board as tashot } from "~/boards/tashot";
import { HouniekMoveSchema } from "~/gen/fudaba/v1/houniek_pb";
import { loadLanguage } from "~/i18n";
import { promises } from "./board_promises";
import { type Position, positionsOf } from "./positions";

beforeAll(async () => {
  await loadLanguage("en");
});

promises("mokkaik", "mokkaik", mokkaik);
promises("niekhi", "niekhi", niekhi);
promises("houniek", "houniek", houniek);
promises("makkaik", "makkaik", makkaik);
promises("namto", "namto", namto);
promises("tashot", "tashot", tashot);
promises("makhop", "makhop", makhop);

/** The moves of all positions whose list is whole. */
function legalMoves<G extends GameKey>(positions: readonly Position<G>[]) {
  return positions.filter(({ moves, legalCount }) => moves.length === legalCount).flatMap(({ moves }) => moves);
}

describe("what cards count as", () => {
  it("is what the rules let a meld be: Mokkaik", () => {
    for (const { kind } of legalMoves(positionsOf("mokkaik", "mokkaik"))) {
      if (kind.case !== "lay") continue;
      const { cards = [], form, strength } = kind.value.meld ?? {};
      expect(readingsOf(cards)).toContainEqual({ form, strength });
    }
  });

  it("is what the rules let a meld be: Niekhi", () => {
    for (const { kind } of legalMoves(positionsOf("niekhi", "niekhi"))) {
      if (kind.case !== "lay") continue;
      const { cards, length, strength } = kind.value;
      expect(niekhiMelds.readingsOf(cards)).toContainEqual({ length, strength });
    }
  });

  it("has no more readings than a leader may choose from", () => {
    const leading = positionsOf("niekhi", "niekhi").filter(
      ({ view, moves, legalCount }) => view.table.length === 0 && moves.length === legalCount,
    );
    for (const { moves } of leading) {
      const lays = moves.flatMap(({ kind }) => (kind.case === "lay" ? [kind.value] : []));
      for (const { cards } of lays) {
        const same = lays.filter((other) => other.cards.join(" ") === cards.join(" "));
        expect(niekhiMelds.readingsOf(cards)).toHaveLength(same.length);
      }
    }
    expect(houniekMelds.readingsOf([2])).toHaveLength(11);
  });
});

describe("the best meld", () => {
  it("of Makkaik is the one that the showdown names", () => {
    let compared = 0;
    for (const { view, events } of positionsOf("makkaik", "makkaik")) {
      for (const { kind } of events) {
        if (kind.case !== "showdown" || view.shownBy.length === 0) continue;
        for (const { hand, meld } of kind.value.hands) {
          const best = makkaikBest.bestMeld(hand, view.publicCards);
          expect(best).toMatchObject({ form: meld?.form, strength: meld?.strength });
          expect(best?.cards).toHaveLength(meld?.cards.length ?? 0);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(2);
  });

  it("of Namto has the rank and size that the showdown names", () => {
    let compared = 0;
    for (const { view, events } of positionsOf("namto", "namto")) {
      for (const { kind } of events) {
        if (kind.case !== "showdown" || view.shownBy.length === 0) continue;
        for (const { hand, rank, cards } of kind.value.hands) {
          const best = namtoBest.bestMeld(hand, view.shared);
          expect(best?.rank).toBe(rank);
          expect(best?.cards).toHaveLength(cards.length);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(2);
  });
});

describe("equal cards", () => {
  const chosen =
    (...copies: number[]) =>
    (copy: number) =>
      copies.includes(copy);
  const every = () => true;

  it("are taken first copy first, whichever is pointed at", () => {
    expect(pointAt([0, 1, 2], 2, chosen(), every)).toEqual({ order: [2, 1, 0], toggle: 0 });
    expect(pointAt([2, 1, 0], 1, chosen(0), every)).toEqual({ order: [2, 1, 0], toggle: 1 });
  });

  it("are put back last copy first", () => {
    expect(pointAt([2, 1, 0], 2, chosen(0, 1), every)).toEqual({ order: [2, 0, 1], toggle: 1 });
  });

  it("change places where no move takes another one", () => {
    expect(pointAt([0, 1], 1, chosen(0), chosen())).toEqual({ order: [1, 0], toggle: undefined });
  });
});

describe("a bet of Namto", () => {
  it("is a sum of its digits, the largest first", () => {
    expect(betParts(1043)).toEqual([1000, 40, 3]);
    expect(betParts(7)).toEqual([7]);
  });
});

describe("Houniek, where the list of moves is cut off", () => {
  const bytes = (moves: readonly Position<"houniek">["moves"][number][]) =>
    moves.map((move) => Buffer.from(toBinary(HouniekMoveSchema, move)).toString("hex")).sort();
  const beyond = (chosen: Iterable<PieceId>, { view }: Position<"houniek">) => {
    const found = houniek.beyond?.(new Set(chosen), view);
    if (found === undefined) throw new Error("the board says nothing of longer lists");
    return found;
  };
  const positions = positionsOf("houniek", "houniek").filter(({ moves }) => moves.length > 0);
  const whole = positions.filter(({ moves, legalCount }) => moves.length === legalCount);

  it("leads from what is chosen to the legal moves, and nowhere else", () => {
    expect(whole.length).toBeGreaterThan(20);
    for (const position of whole) {
      const ways = position.moves.map((move) => ({ move, way: houniek.touches(move, position.view) }));
      const starts = new Set(ways.flatMap(({ way }) => way.map((_, at) => way.slice(0, at).join(" "))));
      for (const start of [...starts].slice(0, 60)) {
        const chosen = start.split(" ").filter(Boolean);
        const left = ways.filter(({ way }) => chosen.every((piece) => way.includes(piece)));
        const open = new Set(
          left.flatMap(({ way }) =>
            way.filter((piece, at) => !chosen.includes(piece) && (!piece.startsWith("as:") || at === chosen.length)),
          ),
        );
        // Of equal cards the next copy leads on, and by it the ones after it; a reading once its cards are there.
        const next = [...open].filter((piece) => !/\.\d$/.test(piece) || isNext(piece, chosen));
        expect([...beyond(chosen, position).open].sort()).toEqual(next.sort());
      }
    }
  });

  it("finds of the cards of each legal move all their readings that are legal", () => {
    for (const position of whole) {
      const cardsOf = (way: readonly PieceId[]) => way.filter((piece) => !piece.startsWith("as:"));
      for (const move of position.moves) {
        const way = houniek.touches(move, position.view);
        const cards = cardsOf(way).join(" ");
        const same = position.moves.filter(
          (other) => cardsOf(houniek.touches(other, position.view)).join(" ") === cards,
        );
        expect(bytes(beyond(cardsOf(way), position).moves)).toEqual(bytes(same));
        expect(bytes(beyond(way, position).moves)).toEqual(bytes([move]));
      }
    }
  });

  it("leads to each of very many moves by pointing", () => {
    const large = positions.filter(({ moves, legalCount }) => moves.length < legalCount);
    expect(large.length).toBeGreaterThan(0);
    for (const position of large) {
      for (const move of position.moves) {
        const way = houniek.touches(move, position.view);
        way.forEach((piece, at) => {
          expect(beyond(way.slice(0, at), position).open).toContain(piece);
        });
        expect(bytes(beyond(way, position).moves)).toEqual(bytes([move]));
      }
    }
  });
});

/** Whether the copies before this one are chosen. */
function isNext(piece: PieceId, chosen: readonly PieceId[]): boolean {
  const [code = "", copy = "2"] = piece.split(".");
  const before = Number(copy) - 1;
  return chosen.includes(before === 1 ? code : `${code}.${before}`);
}
