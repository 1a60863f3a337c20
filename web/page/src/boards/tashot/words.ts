/** Tashot (終季) in words, and what its moves touch. Rules: docs/rules/tashot.md. */
import type { EventOf, MoveOf, PieceId, SeatLabel, ViewOf } from "~/boards";
import { type Ask, ask, kindsOf } from "~/boards/asks";
import { pieceId, pieceIds } from "~/boards/kamikisen/pieces";
import { meldCards, meldTitle, strengthPieces } from "~/boards/kamikisen/readings";
import { matchLead, scoreLine, sentences } from "~/boards/kamikisen/words";
import { seatName } from "~/boards/seats";
import { faceName, faceNames, faceOfCard, facesOfCards } from "~/cards/kamikisen_names";
import {
  type TashotCall,
  type TashotDealt,
  type TashotOpened,
  TashotPhase,
  type TashotWon,
} from "~/gen/fudaba/v1/tashot_pb";
import { t } from "~/i18n";

export const DECLINE: PieceId = "say:decline";
export const WIN: PieceId = "say:win";

/** The card that was discarded and may be taken. */
export function offeredPiece(card: number): PieceId {
  return pieceId("offered", faceOfCard(card).code, 0);
}

export function lead(view: ViewOf<"tashot">, seats: readonly SeatLabel[]): string {
  return sentences(matchLead(seats, view.scores, view.turn === undefined), due(view, seats));
}

/** What is to be done next. */
export function due(view: ViewOf<"tashot">, seats: readonly SeatLabel[]): string {
  if (view.turn === undefined) return "";
  const name = seatName(seats, view.turn);
  if (view.phase === TashotPhase.WINDOW) return t("tashot.window", { name });
  return t(view.phase === TashotPhase.CALLED ? "tashot.called" : "tashot.drawn", { name });
}

export function touches(move: MoveOf<"tashot">, view: ViewOf<"tashot">): PieceId[] {
  switch (move.kind.case) {
    case "decline":
      return [DECLINE];
    case "win":
      return [WIN];
    case "discard":
      return pieceIds("hand", [faceOfCard(move.kind.value.card)]);
    case "four":
      return pieceIds("hand", facesOfCards(move.kind.value.cards));
    case "call":
      return callPieces(move.kind.value, view);
    default:
      return [];
  }
}

/** The discarded card, the cards of the hand that make a meld with it, and the strength where that is open. */
function callPieces({ meld }: TashotCall, view: ViewOf<"tashot">): PieceId[] {
  const cards = [...(meld?.cards ?? [])];
  const { offered } = view;
  if (offered === undefined) return [];
  const place = cards.indexOf(offered);
  if (place >= 0) cards.splice(place, 1);
  return [offeredPiece(offered), ...pieceIds("hand", facesOfCards(cards)), ...strengthPieces(meld)];
}

/** What is to be decided: whether to take the discarded card, or what to discard. */
export function asked(moves: readonly MoveOf<"tashot">[]): Ask {
  const kinds = kindsOf(moves);
  if (kinds.has("decline")) return ask(kinds.has("win") ? "tashot.askWinOn" : "tashot.askCall", "call r3 r4 r5");
  if (kinds.has("win")) return ask("tashot.askWin", "win");
  return ask(kinds.has("four") ? "tashot.askFour" : "tashot.askDiscard", "discard r3");
}

export function describe(move: MoveOf<"tashot">, view: ViewOf<"tashot">): string {
  switch (move.kind.case) {
    case "decline":
      return t("tashot.decline");
    case "win":
      return t("tashot.win");
    case "discard":
      return t("tashot.discard", { card: faceName(faceOfCard(move.kind.value.card)) });
    case "four":
      return t("tashot.four", { cards: faceNames(facesOfCards(move.kind.value.cards)) });
    case "call":
      return t("tashot.call", {
        card: view.offered === undefined ? "" : faceName(faceOfCard(view.offered)),
        meld: meldTitle(move.kind.value.meld),
        cards: meldCards(move.kind.value.meld),
      });
    default:
      return "";
  }
}

export function narrate(event: EventOf<"tashot">, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  switch (kind.case) {
    case "dealt":
      return dealt(kind.value, seats);
    case "received":
      return t(kind.value.cards.length === 1 ? "kamikisen.drew" : "kamikisen.received", {
        name: seatName(seats, kind.value.seat),
        cards: faceNames(facesOfCards(kind.value.cards)),
      });
    case "turnBegan":
      return t("tashot.draws", { name: seatName(seats, kind.value.seat) });
    case "discarded":
      return t("tashot.hasDiscarded", {
        name: seatName(seats, kind.value.seat),
        card: faceName(faceOfCard(kind.value.card)),
      });
    case "opened":
      return opened(kind.value, seats);
    case "won":
      return won(kind.value, seats);
    case "dealEnded": {
      const scores = scoreLine(seats, kind.value.scores);
      if (kind.value.winner === undefined) return t("tashot.noWinner", { scores });
      return t("kamikisen.dealWon", { name: seatName(seats, kind.value.winner), scores });
    }
    default:
      return "";
  }
}

function dealt({ deal, dealer, multiplier, light }: TashotDealt, seats: readonly SeatLabel[]): string {
  const values = { deal: deal + 1, name: seatName(seats, dealer), factor: multiplier };
  if (light === undefined) return t("kamikisen.dealtTimes", values);
  return t("tashot.dealtLight", { ...values, card: faceName(faceOfCard(light)) });
}

function opened({ seat, source, meld }: TashotOpened, seats: readonly SeatLabel[]): string {
  const values = { name: seatName(seats, seat), meld: meldTitle(meld), cards: meldCards(meld) };
  if (source === undefined) return t("tashot.laysOpen", values);
  return t("tashot.calls", { ...values, source: seatName(seats, source) });
}

function won(event: TashotWon, seats: readonly SeatLabel[]): string {
  const values = { name: seatName(seats, event.seat), cards: faceNames(facesOfCards(event.cards)) };
  const how =
    event.source === undefined
      ? t("tashot.wonDrawn", values)
      : t("tashot.wonOn", { ...values, source: seatName(seats, event.source) });
  const reasons = [
    ...(event.sameColour ? [t("tashot.sameColour")] : []),
    ...(event.sixInRow ? [t("tashot.sixInRow")] : []),
    ...(event.firstRound ? [t("tashot.inFirstRound")] : []),
    ...(event.four ? [t("tashot.setOfFour")] : []),
    ...(event.kings > 0 ? [t("tashot.kings", { count: event.kings })] : []),
    ...(event.lit > 0 ? [t("tashot.lit", { count: event.lit })] : []),
    ...(event.light === undefined ? [] : [t("tashot.turnedUp", { card: faceName(faceOfCard(event.light)) })]),
  ];
  return sentences(how, reasons.length > 0 ? t("tashot.extra", { reasons: reasons.join(t("kamikisen.comma")) }) : "");
}
