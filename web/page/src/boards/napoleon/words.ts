/** Napoleon in words: who leads, a move, an event. */
import type { EventOf, MoveOf, PieceId, SeatLabel, ViewOf } from "~/boards";
import { type Ask, ask, kindsOf } from "~/boards/asks";
import { leaders, seatName, signed } from "~/boards/seats";
import { cardCode, cardName, cardNames, listed, suitName } from "~/cards/french_names";
import { NapoleonPhase, NapoleonSuit } from "~/gen/fudaba/v1/napoleon_pb";
import { t } from "~/i18n";

type View = ViewOf<"napoleon">;
type Event = EventOf<"napoleon">;

export const SEAT_COUNT = 5;
export const TRICK_COUNT = 10;
const HONOUR_COUNT = 20;
const SUIT_CODES = " CDHSN";
const NO_TRUMP: number = NapoleonSuit.NO_TRUMP;

/** What a bid makes trump: a suit, or no-trump. */
export function trumpName(suit: number): string {
  return suit === NO_TRUMP ? t("napoleon.noTrump") : suitName(suit - 1);
}

/** A bid's code, as the rule page writes it: `14S`. */
export function bidCode(number: number, suit: number): string {
  return `${number}${SUIT_CODES.charAt(suit)}`;
}

export function bidName(number: number, suit: number): string {
  return t("napoleon.bidName", { number, trump: trumpName(suit) });
}

/** What a seat said in the auction: calls from 2 on are bids, five for each number from 13. */
export function callName(call: number): string {
  return call < 2 ? t("napoleon.approves") : bidName(13 + Math.floor((call - 2) / 5), 1 + ((call - 2) % 5));
}

/** How many honours Napoleon's side is known to have. */
function taken(view: View): number {
  const napoleon = view.napoleon ?? 0;
  const own = view.honours[napoleon] ?? 0;
  const { adjutant } = view;
  return adjutant === undefined || adjutant === napoleon ? own : own + (view.honours[adjutant] ?? 0);
}

export function lead(view: View, seats: readonly SeatLabel[]): string {
  const deal = leadInDeal(view, seats);
  const { most, seats: first, all } = leaders(view.scores);
  if (all) return deal;
  const names = listed(first.map((seat) => seatName(seats, seat)));
  return `${deal} ${t("napoleon.match", { names, score: signed(most) })}`;
}

function leadInDeal(view: View, seats: readonly SeatLabel[]): string {
  if (view.napoleon === undefined) return t("napoleon.noBid");
  const bidder = { name: seatName(seats, view.napoleon), bid: bidName(view.number, view.trump), number: view.number };
  if (view.phase === NapoleonPhase.AUCTION) return t("napoleon.highest", bidder);
  if (view.phase !== NapoleonPhase.TRICKS && view.phase !== NapoleonPhase.OVER) return t("napoleon.stands", bidder);
  const side =
    view.adjutant === undefined || view.adjutant === view.napoleon
      ? bidder.name
      : listed([bidder.name, seatName(seats, view.adjutant)]);
  const has = taken(view);
  const lost = view.adjutant === undefined ? 0 : view.honours.reduce((sum, honours) => sum + honours, 0) - has;
  const counts = { side, taken: has, number: view.number, missing: view.number - has, lost };
  if (has >= view.number) return t("napoleon.made", counts);
  return t(lost > HONOUR_COUNT - view.number ? "napoleon.beaten" : "napoleon.missing", counts);
}

export function touches(move: MoveOf<"napoleon">): PieceId[] {
  const { kind } = move;
  switch (kind.case) {
    case "approve":
      return ["say:approve"];
    case "bid":
      return [`say:${bidCode(kind.value.number, kind.value.suit)}`];
    case "bury":
      return kind.value.cards.map((card) => `hand:${cardCode(card)}`);
    case "name":
      return [`name:${cardCode(kind.value.card)}`];
    case "play":
      return [`hand:${cardCode(kind.value.card)}`];
    default:
      return [];
  }
}

/** What is to be decided: a call, which cards to bury, the adjutant, or a card for the trick. */
export function asked(moves: readonly MoveOf<"napoleon">[]): Ask {
  const kinds = kindsOf(moves);
  if (kinds.has("bid")) return ask("napoleon.askBid", "bid 14S");
  if (kinds.has("approve")) return ask("napoleon.askApprove", "approve");
  if (kinds.has("bury")) return ask("napoleon.askBury", "bury 2C 3D");
  return kinds.has("name") ? ask("napoleon.askName", "name AS") : ask("napoleon.askPlay", "play QH");
}

export function describe(move: MoveOf<"napoleon">): string {
  const { kind } = move;
  switch (kind.case) {
    case "approve":
      return t("napoleon.approve");
    case "bid":
      return t("napoleon.bid", { bid: bidName(kind.value.number, kind.value.suit) });
    case "bury":
      return t("napoleon.bury", { cards: cardNames(kind.value.cards) });
    case "name":
      return t("napoleon.name", { card: cardName(kind.value.card) });
    case "play":
      return t("napoleon.play", { card: cardName(kind.value.card) });
    default:
      return "";
  }
}

export function narrate(event: Event, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  switch (kind.case) {
    case "dealt":
      return t(kind.value.thrownIn > 0 ? "napoleon.dealtAgain" : "napoleon.dealt", {
        deal: kind.value.deal + 1,
        name: seatName(seats, kind.value.dealer),
      });
    case "received":
      return t("napoleon.received", { name: seatName(seats, kind.value.seat), cards: cardNames(kind.value.cards) });
    case "called":
      return called(kind.value.call, seatName(seats, kind.value.seat));
    case "thrownIn":
      return t("napoleon.thrownIn");
    case "played":
      return t("napoleon.played", { name: seatName(seats, kind.value.seat), card: cardName(kind.value.card) });
    case "trickTaken":
      return t("napoleon.takes", { name: seatName(seats, kind.value.winner), cards: cardNames(kind.value.cards) });
    default:
      return narrateRare(event, seats);
  }
}

function called(call: number, name: string): string {
  return call < 2 ? t("napoleon.hasApproved", { name }) : t("napoleon.hasBid", { name, bid: callName(call) });
}

/** The events that come once in a deal. */
function narrateRare({ kind }: Event, seats: readonly SeatLabel[]): string {
  switch (kind.case) {
    case "stood": {
      const { seat, number, trump } = kind.value;
      return t("napoleon.stood", { name: seatName(seats, seat), bid: bidName(number, trump) });
    }
    case "buried":
      return t("napoleon.hasBuried", { name: seatName(seats, kind.value.seat) });
    case "named":
      return t("napoleon.hasNamed", { name: seatName(seats, kind.value.seat), card: cardName(kind.value.card) });
    case "revealed":
      return t("napoleon.revealed", { name: seatName(seats, kind.value.adjutant) });
    case "dealEnded":
      return dealEnded(kind.value, seats);
    default:
      return "";
  }
}

type DealEnded = Extract<Event["kind"], { case: "dealEnded" }>["value"];

function dealEnded(end: DealEnded, seats: readonly SeatLabel[]): string {
  const side = [...new Set([end.napoleon, end.adjutant])].map((seat) => seatName(seats, seat));
  const key = end.won ? "napoleon.won" : end.swept ? "napoleon.swept" : "napoleon.lost";
  return t(key, { side: listed(side), honours: end.honours, cards: cardNames(end.buried) });
}
