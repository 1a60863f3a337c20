/** Makkaik (値戦) in words, and what its moves touch. Rules: docs/rules/makkaik.md. */
import type { EventOf, MoveOf, PieceId, SeatLabel, ViewOf } from "~/boards";
import { type Ask, ask, kindsOf } from "~/boards/asks";
import { pieceId } from "~/boards/kamikisen/pieces";
import { matchLead, meldName, scoreLine, seatNames, sentences } from "~/boards/kamikisen/words";
import { seatName } from "~/boards/seats";
import { faceName, faceNames, faceOfCard, facesOfCards } from "~/cards/kamikisen_names";
import { type MakkaikDealEnded, MakkaikPhase, type MakkaikShowdown } from "~/gen/fudaba/v1/makkaik_pb";
import { t } from "~/i18n";

export const DRAW: PieceId = "say:draw";
export const FOLD: PieceId = "say:fold";

/** The button to stay: with a base for the dealer, with 0 for the others. */
export function stayPiece(base: number): PieceId {
  return base === 0 ? "say:stay" : `say:stay:${base}`;
}

export function potOf(view: ViewOf<"makkaik">): number {
  return view.phase === MakkaikPhase.OVER ? 0 : view.paid.reduce((sum, paid) => sum + paid, 0);
}

export function lead(view: ViewOf<"makkaik">, seats: readonly SeatLabel[]): string {
  const over = view.turn === undefined;
  const pot = potOf(view);
  const inPot = pot > 0 ? t("kamikisen.inPot", { pot, names: seatNames(seats, view.staying) }) : "";
  return sentences(matchLead(seats, view.scores, over), inPot);
}

export function touches(move: MoveOf<"makkaik">): PieceId[] {
  const card = (area: string, cardNumber: number) => pieceId(area, faceOfCard(cardNumber).code, 0);
  switch (move.kind.case) {
    case "swap":
      return [card("hand", move.kind.value.given), card("public", move.kind.value.taken)];
    case "draw":
      return [DRAW];
    case "keep":
      return [card("drawn", move.kind.value.kept), card("hand", move.kind.value.given)];
    case "fold":
      return [FOLD];
    case "stay":
      return [stayPiece(move.kind.value.base)];
    default:
      return [];
  }
}

/** What is to be decided: an exchange, which drawn card to keep, or whether to stay. */
export function asked(moves: readonly MoveOf<"makkaik">[], view: ViewOf<"makkaik">): Ask {
  const kinds = kindsOf(moves);
  if (kinds.has("keep")) return ask("makkaik.askKeep", "keep r3 b7");
  if (!kinds.has("stay")) return ask("makkaik.askExchange", "swap r7 b3");
  const based = moves.some(({ kind }) => kind.case === "stay" && kind.value.base > 0);
  return based ? ask("makkaik.askBase", "stay 3") : ask("makkaik.askStay", "stay", { base: view.base });
}

export function describe(move: MoveOf<"makkaik">): string {
  const card = (cardNumber: number) => faceName(faceOfCard(cardNumber));
  switch (move.kind.case) {
    case "swap":
      return t("makkaik.swap", { given: card(move.kind.value.given), taken: card(move.kind.value.taken) });
    case "draw":
      return t("makkaik.draw");
    case "keep":
      return t("makkaik.keep", { kept: card(move.kind.value.kept), given: card(move.kind.value.given) });
    case "fold":
      return t("kamikisen.fold");
    case "stay":
      return move.kind.value.base === 0 ? t("makkaik.stay") : t("makkaik.stayWith", { base: move.kind.value.base });
    default:
      return "";
  }
}

export function narrate(event: EventOf<"makkaik">, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  const name = (seat: number) => seatName(seats, seat);
  switch (kind.case) {
    case "bettingBegan":
      return t("makkaik.betting", { pot: kind.value.pot });
    case "baseNamed":
      return t("makkaik.baseNamed", { name: name(kind.value.seat), base: kind.value.base });
    case "stayed":
      return t("makkaik.stayed", { name: name(kind.value.seat), base: kind.value.base });
    case "folded":
      return t("kamikisen.folds", { name: name(kind.value.seat) });
    case "dealerChanged":
      return t("kamikisen.dealerNow", { name: name(kind.value.dealer) });
    case "showdown":
      return showdown(kind.value, seats);
    case "dealEnded":
      return dealEnded(kind.value, seats);
    default:
      return exchange(event, seats);
  }
}

/** The events of the deal and the exchange. */
function exchange({ kind }: EventOf<"makkaik">, seats: readonly SeatLabel[]): string {
  const name = (seat: number) => seatName(seats, seat);
  const cards = (some: readonly number[]) => faceNames(facesOfCards(some));
  switch (kind.case) {
    case "dealt": {
      const { deal, dealer, publicCards } = kind.value;
      return t("makkaik.dealt", { deal: deal + 1, name: name(dealer), cards: cards(publicCards) });
    }
    case "received":
      return t("kamikisen.received", { name: name(kind.value.seat), cards: cards(kind.value.cards) });
    case "swapped":
      return t("makkaik.swappedFor", {
        name: name(kind.value.seat),
        given: cards([kind.value.given]),
        taken: cards([kind.value.taken]),
      });
    case "drew":
      return t("makkaik.drewTwo", { name: name(kind.value.seat) });
    case "saw":
      return t("makkaik.saw", { name: name(kind.value.seat), cards: cards(kind.value.cards) });
    case "kept":
      return t("makkaik.kept", { name: name(kind.value.seat), cards: cards(kind.value.cards) });
    default:
      return "";
  }
}

function showdown(event: MakkaikShowdown, seats: readonly SeatLabel[]): string {
  const shown = event.hands.map(({ seat, hand, meld }) =>
    t("kamikisen.shows", {
      name: seatName(seats, seat),
      cards: faceNames(facesOfCards(hand)),
      meld: meld?.form === undefined ? "" : meldName(meld.form, meld.cards.length),
      best: faceNames(facesOfCards(meld?.cards ?? [])),
    }),
  );
  return sentences(...shown);
}

function dealEnded(event: MakkaikDealEnded, seats: readonly SeatLabel[]): string {
  const names = seatNames(seats, event.winners);
  const values = { pot: event.pot, scores: scoreLine(seats, event.scores) };
  return event.winners.length === 1
    ? t("kamikisen.potWon", { ...values, name: names })
    : t("kamikisen.potShared", { ...values, names });
}
