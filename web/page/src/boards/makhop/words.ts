/** Makhop (値木) in words, and what its moves touch. Rules: docs/rules/makhop.md. */
import type { EventOf, MoveOf, PieceId, SeatLabel, ViewOf } from "~/boards";
import { type Ask, ask, kindsOf } from "~/boards/asks";
import { pieceId, pieceIds } from "~/boards/kamikisen/pieces";
import { fewestCards, matchLead, scoreLine, seatNames, sentences } from "~/boards/kamikisen/words";
import { seatName } from "~/boards/seats";
import { faceName, faceNames, faceOfCard, facesOfCards } from "~/cards/kamikisen_names";
import type { MakhopDealEnded } from "~/gen/fudaba/v1/makhop_pb";
import { t } from "~/i18n";

export const OPEN: PieceId = "say:open";

export function roadPiece(road: number): PieceId {
  return `road:${road}`;
}

/** The button that makes a card the new end of a road. */
export function endPiece(card: number): PieceId {
  return pieceId("end", faceOfCard(card).code, 0);
}

export function lead(view: ViewOf<"makhop">, seats: readonly SeatLabel[]): string {
  const over = view.turn === undefined;
  return sentences(over ? "" : fewestCards(seats, view.handSizes), matchLead(seats, view.scores, over));
}

export function touches(move: MoveOf<"makhop">): PieceId[] {
  switch (move.kind.case) {
    case "open":
      return [OPEN];
    case "extend":
      return [roadPiece(move.kind.value.road), ...laidPieces(move.kind.value.cards)];
    case "join": {
      const { road, otherRoad, cards } = move.kind.value;
      return [roadPiece(road), roadPiece(otherRoad), ...laidPieces(cards)];
    }
    case "clear":
      return pieceIds("hand", [faceOfCard(move.kind.value.card)]);
    default:
      return [];
  }
}

/** The cards, and which one is the new end where there is a choice. */
function laidPieces(cards: readonly number[]): PieceId[] {
  const end = cards.at(-1);
  return [...pieceIds("hand", facesOfCards(cards)), ...(end !== undefined && isEndOpen(cards) ? [endPiece(end)] : [])];
}

function isEndOpen(cards: readonly number[]): boolean {
  return new Set(cards).size > 1;
}

/** What is to be decided: where to lay, or only whether to. */
export function asked(moves: readonly MoveOf<"makhop">[]): Ask {
  const kinds = kindsOf(moves);
  if (kinds.has("extend") || kinds.has("join")) return ask("makhop.askLay", "extend 0 r1 b2");
  return kinds.has("clear") ? ask("makhop.askClear", "clear rK") : ask("makhop.askOpen", "open");
}

export function describe(move: MoveOf<"makhop">): string {
  switch (move.kind.case) {
    case "open":
      return t("makhop.open");
    case "extend":
      return t("makhop.extend", { road: move.kind.value.road, cards: laidNames(move.kind.value.cards) });
    case "join": {
      const { road, otherRoad, cards } = move.kind.value;
      return t("makhop.join", { road, other: otherRoad, cards: laidNames(cards) });
    }
    case "clear":
      return t("makhop.clear", { card: faceName(faceOfCard(move.kind.value.card)) });
    default:
      return "";
  }
}

function laidNames(cards: readonly number[]): string {
  const names = faceNames(facesOfCards(cards));
  const end = cards.at(-1);
  return end !== undefined && isEndOpen(cards)
    ? t("makhop.ending", { cards: names, end: faceName(faceOfCard(end)) })
    : names;
}

export function narrate(event: EventOf<"makhop">, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  const name = (seat: number) => seatName(seats, seat);
  const card = (cardNumber: number) => faceName(faceOfCard(cardNumber));
  switch (kind.case) {
    case "opened": {
      const { seat, card: opened } = kind.value;
      if (opened === undefined) return t("makhop.openedNothing", { name: name(seat) });
      return t("makhop.opened", { name: name(seat), card: card(opened) });
    }
    case "extended": {
      const { seat, road, cards } = kind.value;
      return t("makhop.extended", { name: name(seat), road, cards: laidNames(cards) });
    }
    case "joined": {
      const { seat, road, otherRoad, cards } = kind.value;
      return t("makhop.joined", { name: name(seat), road, other: otherRoad, cards: laidNames(cards) });
    }
    case "cleared":
      return t("makhop.cleared", { name: name(kind.value.seat), card: card(kind.value.card) });
    default:
      return dealing(event, seats);
  }
}

/** The events of the deal and of the stock. */
function dealing({ kind }: EventOf<"makhop">, seats: readonly SeatLabel[]): string {
  switch (kind.case) {
    case "dealt":
      return t("kamikisen.dealt", { deal: kind.value.deal + 1, name: seatName(seats, kind.value.dealer) });
    case "received":
      return t("kamikisen.received", {
        name: seatName(seats, kind.value.seat),
        cards: faceNames(facesOfCards(kind.value.cards)),
      });
    case "turned":
      return t("makhop.turned", { card: faceName(faceOfCard(kind.value.card)) });
    case "reshuffled":
      return t("makhop.reshuffled", { count: kind.value.cards.length });
    case "dealEnded":
      return dealEnded(kind.value, seats);
    default:
      return "";
  }
}

function dealEnded(event: MakhopDealEnded, seats: readonly SeatLabel[]): string {
  const scores = scoreLine(seats, event.scores);
  const names = seatNames(seats, event.winners);
  return event.winners.length === 1
    ? t("kamikisen.dealWon", { name: names, scores })
    : t("kamikisen.dealShared", { names, scores });
}
