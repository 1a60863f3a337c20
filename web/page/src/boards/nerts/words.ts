/** Nerts in words: who leads, a move, an event; and the pieces of a move. */
import type { EventOf, MoveOf, PieceId, SeatLabel, ViewOf, Viewer } from "~/boards";
import { type Ask, ask, kindsOf } from "~/boards/asks";
import { leaders, seatName, signed } from "~/boards/seats";
import { cardName, cardNames, listed, suitName } from "~/cards/french_names";
import { NertsCause, NertsSource } from "~/gen/fudaba/v1/nerts_pb";
import { type MessageKey, number, t } from "~/i18n";

type View = ViewOf<"nerts">;
type Event = EventOf<"nerts">;
type Seat = View["seats"][number];

export const RANK_COUNT = 13;
const FIRST_WORK: number = NertsSource.WORK_0;
const CAUSES: Readonly<Record<NertsCause, MessageKey>> = {
  [NertsCause.UNSPECIFIED]: "nerts.ended",
  [NertsCause.CALL]: "nerts.endedByCall",
  [NertsCause.STANDSTILL]: "nerts.endedAtStandstill",
  [NertsCause.LIMIT]: "nerts.endedAtLimit",
};

/** The top card of a foundation. */
export function topOf(foundation: View["foundations"][number]): number {
  return RANK_COUNT * foundation.suit + foundation.owners.length;
}

/** A seat's points if the deal ended now, and with the deals before. */
export function pointsOf(view: View, seat: number): { deal: number; total: number } {
  const layout = view.seats[seat];
  const deal = layout === undefined ? 0 : layout.founded - 2 * layout.nertsSize;
  return { deal, total: deal + (view.scores[seat] ?? 0) };
}

export function lead(view: View, seats: readonly SeatLabel[]): string {
  const points = view.seats.map((_, seat) => pointsOf(view, seat));
  const { most, seats: first, all } = leaders(points.map((seatPoints) => seatPoints.total));
  if (all) return t("nerts.level", { points: signed(most) });
  const seat = first[0] ?? 0;
  const layout = view.seats[seat];
  return t("nerts.leads", {
    names: listed(first.map((leader) => seatName(seats, leader))),
    points: signed(most),
    founded: layout?.founded ?? 0,
    left: layout?.nertsSize ?? 0,
    before: signed(view.scores[seat] ?? 0),
  });
}

/** Own cards are named by where they lie: of a work pile by how many come off with them, the gap of an empty one too. */
export function touches(move: MoveOf<"nerts">, view: View): PieceId[] {
  const { kind } = move;
  switch (kind.case) {
    case "wait":
    case "nerts":
      return [`say:${kind.case}`];
    case "flip":
    case "recycle":
      return ["stock"];
    case "found":
      return [sourcePiece(kind.value.source), foundationPiece(kind.value.foundation, view)];
    case "build":
      return [sourcePiece(kind.value.source), `work:${kind.value.work}:1`];
    case "shift":
      return [`work:${kind.value.fromWork}:${kind.value.count}`, `work:${kind.value.toWork}:1`];
    case "tuck":
      return ["nerts", `work:${kind.value.work}:1`];
    default:
      return [];
  }
}

function sourcePiece(source: number): PieceId {
  if (source >= FIRST_WORK) return `work:${source - FIRST_WORK}:1`;
  return source === 1 ? "nerts" : "waste";
}

/** The next free foundation keeps its piece when others begin theirs. */
function foundationPiece(foundation: number, view: View): PieceId {
  return foundation === view.foundations.length ? "foundation:new" : `foundation:${foundation}`;
}

/** A card goes to a foundation where it can, and else to the only place that it has. A pile's first card has no choice. */
export function obvious(piece: PieceId, moves: readonly MoveOf<"nerts">[], view: View): number | undefined {
  const from = moves.map((move) => touches(move, view)[0] === piece);
  const founds = moves.findIndex(({ kind }, at) => from[at] === true && kind.case === "found");
  if (founds >= 0) return founds;
  const places = moves.flatMap((_, at) => (from[at] === true ? [at] : []));
  return places.length === 1 ? places[0] : undefined;
}

/** What is to be decided: a movement, or the call where the Nerts pile is empty. */
export function asked(moves: readonly MoveOf<"nerts">[]): Ask {
  const kinds = kindsOf(moves);
  if (kinds.has("nerts")) return ask("nerts.askCall", "nerts");
  if (["found", "build", "shift", "tuck"].some((kind) => kinds.has(kind))) return ask("nerts.askMove", "found waste 3");
  return kinds.has("flip") || kinds.has("recycle") ? ask("nerts.askStock", "flip") : ask("nerts.askWait", "wait");
}

export function describe(move: MoveOf<"nerts">, view: View, viewer?: Viewer): string {
  const own = viewer === undefined ? undefined : view.seats[viewer.seat];
  const { kind } = move;
  switch (kind.case) {
    case "found": {
      const { source, foundation } = kind.value;
      return t("nerts.found", { ...cardFrom(source, own), foundation: foundationName(foundation, view) });
    }
    case "build":
      return t("nerts.build", { ...cardFrom(kind.value.source, own), work: String(kind.value.work) });
    case "shift": {
      const { fromWork, count, toWork } = kind.value;
      const block: readonly number[] = own?.workPiles[fromWork]?.cards.slice(-count) ?? [];
      const cards = block.length > 0 ? cardNames(block) : t("nerts.someCards", { count });
      return t("nerts.shift", { cards, from: String(fromWork), to: String(toWork) });
    }
    case "tuck":
      return t("nerts.tuck", { card: topName(own?.nertsTop), work: String(kind.value.work) });
    case "wait":
      return t("nerts.wait");
    case "flip":
      return t("nerts.flip");
    case "recycle":
      return t("nerts.recycle");
    case "nerts":
      return t("nerts.call");
    default:
      return "";
  }
}

function topName(card: number | undefined): string {
  return card === undefined || card === 0 ? t("nerts.topCard") : cardName(card);
}

/** The card of a source, and where it comes from. */
function cardFrom(source: number, own: Seat | undefined): { card: string; from: string } {
  if (source >= FIRST_WORK) {
    const work = source - FIRST_WORK;
    return { card: topName(own?.workPiles[work]?.cards.at(-1)), from: t("nerts.workPile", { work: String(work) }) };
  }
  if (source === 1) return { card: topName(own?.nertsTop), from: t("nerts.nertsPile") };
  return { card: topName(own?.wasteTop), from: t("nerts.waste") };
}

function sourceName(source: number): string {
  return cardFrom(source, undefined).from;
}

function foundationName(foundation: number, view: View): string {
  const pile = view.foundations[foundation];
  if (pile === undefined) return t("nerts.newFoundation");
  return t("nerts.foundation", { foundation: String(foundation), suit: suitName(pile.suit) });
}

export function narrate(event: Event, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  switch (kind.case) {
    case "founded": {
      const { seat, card, source, foundation } = kind.value;
      const moved = { name: seatName(seats, seat), card: cardName(card), from: sourceName(source) };
      return t("nerts.hasFounded", { ...moved, foundation: String(foundation) });
    }
    case "built": {
      const { seat, card, source, work } = kind.value;
      const moved = { name: seatName(seats, seat), card: cardName(card), from: sourceName(source) };
      return t("nerts.hasBuilt", { ...moved, work: String(work) });
    }
    case "shifted": {
      const { seat, fromWork, count, toWork } = kind.value;
      const from = String(fromWork);
      return t("nerts.hasShifted", { name: seatName(seats, seat), count, from, to: String(toWork) });
    }
    case "tucked": {
      const { seat, card, work } = kind.value;
      return t("nerts.hasTucked", { name: seatName(seats, seat), card: cardName(card), work: String(work) });
    }
    case "called":
      return t("nerts.hasCalled", { name: seatName(seats, kind.value.seat) });
    default:
      return narrateStocks(event, seats);
  }
}

/** Events of stocks and of whole deals. */
function narrateStocks({ kind }: Event, seats: readonly SeatLabel[]): string {
  switch (kind.case) {
    case "flipped": {
      const { seat, count, top } = kind.value;
      return t("nerts.hasFlipped", { name: seatName(seats, seat), count, card: cardName(top) });
    }
    case "saw":
      return t("nerts.hasSeen", { name: seatName(seats, kind.value.seat), cards: cardNames(kind.value.cards) });
    case "recycled":
      return t("nerts.hasRecycled", { name: seatName(seats, kind.value.seat) });
    case "stocksTurned":
      return t("nerts.stocksTurned", { count: kind.value.stockTurns });
    case "dealt":
      return t("nerts.dealt", { deal: kind.value.deal + 1 });
    case "dealEnded": {
      const scores = kind.value.scores.map((score, seat) =>
        t("nerts.scoreOf", { name: seatName(seats, seat), score: score < 0 ? signed(score) : number(score) }),
      );
      return t(CAUSES[kind.value.cause], { scores: listed(scores) });
    }
    default:
      return "";
  }
}
