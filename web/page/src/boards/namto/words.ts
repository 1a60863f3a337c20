/** Namto (開樽) in words, and what its moves touch. Rules: docs/rules/namto.md. */
import type { EventOf, MoveOf, PieceId, SeatLabel, ViewOf } from "~/boards";
import { type Ask, ask, kindsOf } from "~/boards/asks";
import { matchLead, scoreLine, seatNames, sentences } from "~/boards/kamikisen/words";
import { seatName } from "~/boards/seats";
import { faceName, faceNames, faceOfCard, facesOfCards } from "~/cards/kamikisen_names";
import { type NamtoDealEnded, NamtoPhase, NamtoRank, type NamtoShowdown } from "~/gen/fudaba/v1/namto_pb";
import { type MessageKey, t } from "~/i18n";

export const FOLD: PieceId = "say:fold";
export const CALL: PieceId = "say:call";

const RANKS: Partial<Record<number, MessageKey>> = {
  [NamtoRank.SINGLE]: "namto.single",
  [NamtoRank.SET]: "namto.set",
  [NamtoRank.RUN]: "namto.run",
  [NamtoRank.DARK_GATHERING]: "namto.darkGathering",
  [NamtoRank.GOING]: "namto.going",
  [NamtoRank.HORSE_BOW_SOLDIER]: "namto.horseBowSoldier",
  [NamtoRank.EARTH_HEART]: "namto.earthHeart",
  [NamtoRank.EMPEROR_KING]: "namto.emperorKing",
  [NamtoRank.LEVEL_BRUSH]: "namto.levelBrush",
};

export function rankName(rank: number): string {
  const key = RANKS[rank];
  return key === undefined ? "?" : t(key);
}

/**
 * A bet is pointed at digit by digit: 43 is 40 and 3. So a few buttons are enough for every bet, and no two bets are the
 * same buttons.
 */
export function betParts(points: number): number[] {
  const places = [1000, 100, 10, 1];
  return places.map((place) => (Math.floor(points / place) % 10) * place).filter((part) => part > 0);
}

export function betPiece(part: number): PieceId {
  return `bet:${part}`;
}

export function potOf(view: ViewOf<"namto">): number {
  return view.phase === NamtoPhase.OVER ? 0 : view.paid.reduce((sum, paid) => sum + paid, 0);
}

export function lead(view: ViewOf<"namto">, seats: readonly SeatLabel[]): string {
  const over = view.turn === undefined;
  const pot = potOf(view);
  const inPot = pot > 0 ? t("kamikisen.inPot", { pot, names: seatNames(seats, view.staying) }) : "";
  return sentences(matchLead(seats, view.scores, over), inPot);
}

export function touches(move: MoveOf<"namto">): PieceId[] {
  switch (move.kind.case) {
    case "fold":
      return [FOLD];
    case "call":
      return [CALL];
    case "bet":
      return betParts(move.kind.value.points).map(betPiece);
    default:
      return [];
  }
}

/** What is to be decided: a bet, or in the second pass whether to pay what is missing. */
export function asked(moves: readonly MoveOf<"namto">[]): Ask {
  const kinds = kindsOf(moves);
  return kinds.has("call") ? ask("namto.askCall", "call") : ask("namto.askBet", "bet 5");
}

export function describe(move: MoveOf<"namto">): string {
  switch (move.kind.case) {
    case "fold":
      return t("kamikisen.fold");
    case "call":
      return t("namto.makeCall");
    case "bet":
      return t("namto.makeBet", { points: move.kind.value.points });
    default:
      return "";
  }
}

export function narrate(event: EventOf<"namto">, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  const name = (seat: number) => seatName(seats, seat);
  switch (kind.case) {
    case "dealt": {
      const { deal, dealer, pot } = kind.value;
      return t("namto.dealt", { deal: deal + 1, name: name(dealer), pot });
    }
    case "received":
      return t("kamikisen.received", {
        name: name(kind.value.seat),
        cards: faceNames(facesOfCards(kind.value.cards)),
      });
    case "betMade":
      return t("namto.hasBet", { name: name(kind.value.seat), points: kind.value.points });
    case "called":
      return t("namto.called", { name: name(kind.value.seat), points: kind.value.points });
    case "folded":
      return t("kamikisen.folds", { name: name(kind.value.seat) });
    case "dealerChanged":
      return t("kamikisen.dealerNow", { name: name(kind.value.dealer) });
    case "opened":
      return t("namto.opened", { card: faceName(faceOfCard(kind.value.card)) });
    case "showdown":
      return showdown(kind.value, seats);
    case "dealEnded":
      return dealEnded(kind.value, seats);
    default:
      return "";
  }
}

function showdown(event: NamtoShowdown, seats: readonly SeatLabel[]): string {
  const shown = event.hands.map(({ seat, hand, rank, cards }) =>
    t("kamikisen.shows", {
      name: seatName(seats, seat),
      cards: faceNames(facesOfCards(hand)),
      meld: rankName(rank),
      best: faceNames(facesOfCards(cards)),
    }),
  );
  return sentences(...shown);
}

function dealEnded(event: NamtoDealEnded, seats: readonly SeatLabel[]): string {
  const names = seatNames(seats, event.winners);
  const values = { pot: event.pot, scores: scoreLine(seats, event.scores) };
  return event.winners.length === 1
    ? t("kamikisen.potWon", { ...values, name: names })
    : t("kamikisen.potShared", { ...values, names });
}
