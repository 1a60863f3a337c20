/** Niekhi (連友) in words, and what its moves touch. Rules: docs/rules/niekhi.md. */
import type { EventOf, MoveOf, PieceId, SeatLabel, ViewOf } from "~/boards";
import { type Ask, ask, kindsOf } from "~/boards/asks";
import { pieceIds } from "~/boards/kamikisen/pieces";
import { cardsAs, fewestCards, matchLead, scoreLine, seatNames, sentences } from "~/boards/kamikisen/words";
import { seatName } from "~/boards/seats";
import { meldName, meldWithStrength, readingName, readingPiece, readingsOf } from "~/boards/niekhi/melds";
import { faceNames, faceOfStrength, facesOfStrengths } from "~/cards/kamikisen_names";
import type { NiekhiDealEnded, NiekhiLaid, NiekhiLay, NiekhiNamed } from "~/gen/fudaba/v1/niekhi_pb";
import { t } from "~/i18n";

export const PASS: PieceId = "say:pass";
export const DECLINE: PieceId = "say:decline";

/** The button that names a strength. */
export function namePiece(strength: number): PieceId {
  return `name:${faceOfStrength(strength).code}`;
}

export function lead(view: ViewOf<"niekhi">, seats: readonly SeatLabel[]): string {
  const over = view.turn === undefined;
  if (over) return matchLead(seats, view.scores, over);
  const newest = view.table.at(-1);
  const table =
    newest === undefined
      ? ""
      : t("niekhi.toBeat", { name: seatName(seats, newest.seat), meld: meldWithStrength(newest) });
  return sentences(fewestCards(seats, view.handSizes), table, matchLead(seats, view.scores, over));
}

export function touches(move: MoveOf<"niekhi">): PieceId[] {
  switch (move.kind.case) {
    case "pass":
      return [PASS];
    case "decline":
      return [DECLINE];
    case "name":
      return move.kind.value.strengths.map(namePiece);
    case "take":
      return pieceIds("pile", facesOfStrengths(move.kind.value.cards));
    case "lay": {
      const lay = move.kind.value;
      const cards = pieceIds("hand", facesOfStrengths(lay.cards));
      return readingsOf(lay.cards).length > 1 ? [...cards, readingPiece(lay)] : cards;
    }
    default:
      return [];
  }
}

/** What is to be decided: a meld, or how the generals are used. */
export function asked(moves: readonly MoveOf<"niekhi">[], view: ViewOf<"niekhi">): Ask {
  const kinds = kindsOf(moves);
  const values = { count: view.generals };
  if (kinds.has("name")) return ask("niekhi.askName", "name 1 7", values);
  if (kinds.has("take")) return ask("niekhi.askTake", "take S 8", values);
  if (kinds.has("decline")) return ask("niekhi.askDecline", "decline");
  if (!kinds.has("pass")) return ask("niekhi.askLead", "run 3 4 5");
  return kinds.has("lay") ? ask("niekhi.askFollow", "set 3 3 3") : ask("kamikisen.askPass", "pass");
}

export function describe(move: MoveOf<"niekhi">): string {
  switch (move.kind.case) {
    case "pass":
      return t("kamikisen.pass");
    case "decline":
      return t("niekhi.decline");
    case "name":
      return t("niekhi.name", { strengths: faceNames(facesOfStrengths(move.kind.value.strengths)) });
    case "take":
      return t("niekhi.take", { cards: faceNames(facesOfStrengths(move.kind.value.cards)) });
    case "lay":
      return t("kamikisen.lay", { meld: meldName(move.kind.value), cards: cardsOf(move.kind.value) });
    default:
      return "";
  }
}

function cardsOf(laid: NiekhiLay | NiekhiLaid): string {
  return cardsAs(facesOfStrengths(laid.cards), readingsOf(laid.cards).length > 1 ? readingName(laid) : "");
}

export function narrate(event: EventOf<"niekhi">, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  switch (kind.case) {
    case "dealt":
      return t("kamikisen.dealt", { deal: kind.value.deal + 1, name: seatName(seats, kind.value.dealer) });
    case "received":
      return withCards("kamikisen.received", kind.value, seats);
    case "laid":
      return t("kamikisen.laid", {
        name: seatName(seats, kind.value.seat),
        meld: meldName(kind.value),
        cards: cardsOf(kind.value),
      });
    case "passed":
      return t("kamikisen.passes", { name: seatName(seats, kind.value.seat) });
    case "cleared":
      return t("niekhi.cleared", { name: seatName(seats, kind.value.leader) });
    case "declined":
      return t("niekhi.declined", { name: seatName(seats, kind.value.seat) });
    case "named":
      return named(kind.value, seats);
    case "took":
      return withCards("niekhi.took", kind.value, seats);
    case "dealEnded":
      return dealEnded(kind.value, seats);
    default:
      return "";
  }
}

function withCards(
  key: "kamikisen.received" | "niekhi.took",
  event: { seat: number; cards: readonly number[] },
  seats: readonly SeatLabel[],
): string {
  return t(key, { name: seatName(seats, event.seat), cards: faceNames(facesOfStrengths(event.cards)) });
}

function named(event: NiekhiNamed, seats: readonly SeatLabel[]): string {
  const lost = event.lost.flatMap((count, seat) =>
    count > 0 ? [t("niekhi.loses", { name: seatName(seats, seat), count })] : [],
  );
  return t("niekhi.hasNamed", {
    name: seatName(seats, event.seat),
    strengths: faceNames(facesOfStrengths(event.strengths)),
    lost: lost.length > 0 ? lost.join(t("kamikisen.comma")) : t("niekhi.nobodyLoses"),
  });
}

function dealEnded(event: NiekhiDealEnded, seats: readonly SeatLabel[]): string {
  const scores = scoreLine(seats, event.scores);
  const names = seatNames(seats, event.winners);
  return event.winners.length === 1
    ? t("kamikisen.dealWon", { name: names, scores })
    : t("kamikisen.dealShared", { names, scores });
}
