/** Houniek (軟連) in words, and what its moves touch. Rules: docs/rules/houniek.md. */
import type { EventOf, MoveOf, PieceId, SeatLabel, ViewOf } from "~/boards";
import { type Ask, ask, kindsOf } from "~/boards/asks";
import { pieceIds } from "~/boards/kamikisen/pieces";
import { asFoot, cardsAs, fewestCards, matchLead, meldName, scoreLine, sentences } from "~/boards/kamikisen/words";
import { seatName } from "~/boards/seats";
import { type Reading, readingPiece, readingsOf } from "~/boards/houniek/melds";
import { faceNames, facesOfCards } from "~/cards/kamikisen_names";
import type { HouniekMeld } from "~/gen/fudaba/v1/houniek_pb";
import { t } from "~/i18n";

export const PASS: PieceId = "say:pass";
/** A leader draws this many cards at most; a deal has more. */
const MAX_DRAWN_CARDS = 2;

export function lead(view: ViewOf<"houniek">, seats: readonly SeatLabel[]): string {
  const over = view.turn === undefined;
  if (over) return matchLead(seats, view.scores, over);
  const newest = view.table.at(-1);
  const reading = readingOf(newest?.meld);
  const table =
    newest?.meld === undefined || reading === undefined
      ? ""
      : t("houniek.toBeat", {
          name: seatName(seats, newest.seat),
          meld: meldName(reading.form, newest.meld.cards.length),
          foot: asFoot(reading.foot),
        });
  return sentences(fewestCards(seats, view.handSizes), table, matchLead(seats, view.scores, over));
}

/** What a meld was said to be; in what the service sends it is always there. */
export function readingOf(meld: HouniekMeld | undefined): Reading | undefined {
  return meld?.form === undefined || meld.foot === undefined ? undefined : { form: meld.form, foot: meld.foot };
}

export function touches(move: MoveOf<"houniek">): PieceId[] {
  if (move.kind.case === "pass") return [PASS];
  if (move.kind.case !== "lay") return [];
  const { meld } = move.kind.value;
  const cards = meld?.cards ?? [];
  const reading = readingOf(meld);
  const said = reading !== undefined && readingsOf(cards).length > 1 ? [readingPiece(reading)] : [];
  return [...pieceIds("hand", facesOfCards(cards)), ...said];
}

/** What is to be decided: a meld that leads, one that beats the newest, or that there is none. */
export function asked(moves: readonly MoveOf<"houniek">[]): Ask {
  const kinds = kindsOf(moves);
  if (!kinds.has("pass")) return ask("houniek.askLead", "run r8 bK rT");
  return kinds.has("lay") ? ask("houniek.askFollow", "set r3 b3") : ask("kamikisen.askPass", "pass");
}

export function describe(move: MoveOf<"houniek">): string {
  if (move.kind.case === "pass") return t("kamikisen.pass");
  if (move.kind.case !== "lay") return "";
  const { meld } = move.kind.value;
  return t("kamikisen.lay", { meld: nameOf(meld), cards: cardsOf(meld) });
}

function nameOf(meld: HouniekMeld | undefined): string {
  return meld?.form === undefined ? "" : meldName(meld.form, meld.cards.length);
}

/** The cards of a meld, with its foot where they leave it open. */
function cardsOf(meld: HouniekMeld | undefined): string {
  const cards = meld?.cards ?? [];
  const said = meld?.foot !== undefined && readingsOf(cards).length > 1 ? asFoot(meld.foot) : "";
  return cardsAs(facesOfCards(cards), said);
}

export function narrate(event: EventOf<"houniek">, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  switch (kind.case) {
    case "dealt":
      return t("kamikisen.dealt", { deal: kind.value.deal + 1, name: seatName(seats, kind.value.dealer) });
    case "received":
      return t(kind.value.cards.length <= MAX_DRAWN_CARDS ? "kamikisen.drew" : "kamikisen.received", {
        name: seatName(seats, kind.value.seat),
        cards: faceNames(facesOfCards(kind.value.cards)),
      });
    case "roundBegan":
      return t("houniek.leadsRound", {
        name: seatName(seats, kind.value.leader),
        round: kind.value.round + 1,
        count: kind.value.drawn,
      });
    case "laid":
      return t("kamikisen.laid", {
        name: seatName(seats, kind.value.seat),
        meld: nameOf(kind.value.meld),
        cards: cardsOf(kind.value.meld),
      });
    case "passed":
      return t("kamikisen.passes", { name: seatName(seats, kind.value.seat) });
    case "dealEnded":
      return t("kamikisen.dealWon", {
        name: seatName(seats, kind.value.winner),
        scores: scoreLine(seats, kind.value.scores),
      });
    default:
      return "";
  }
}
