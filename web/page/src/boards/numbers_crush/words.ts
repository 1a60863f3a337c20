/** Numbers Crush in words: who leads, a move, an event, the limits. */
import type { EventOf, MoveOf, SeatLabel, ViewOf, Viewer } from "~/boards";
import { type Ask, ask, kindsOf } from "~/boards/asks";
import { leaders, seatName, signed } from "~/boards/seats";
import { facesOf } from "~/boards/numbers_crush/moves";
import { effectOf, isJoker, numberOfFace } from "~/boards/numbers_crush/sets";
import { cardName, cardNames, listed, rankName, suitName } from "~/cards/french_names";
import { NumbersCrushColour, NumbersCrushPhase, NumbersCrushVictory } from "~/gen/fudaba/v1/numbers_crush_pb";
import { type MessageKey, t } from "~/i18n";

type View = ViewOf<"numbersCrush">;
type Event = EventOf<"numbersCrush">;

const EFFECTS: Readonly<Record<number, MessageKey>> = {
  5: "crush.skip",
  6: "crush.reverse",
  7: "crush.giveEffect",
  8: "crush.reset",
  9: "crush.recolour",
  11: "crush.bindEffect",
  12: "crush.drawThree",
  13: "crush.kingTime",
};
const SAID = {
  skip: "crush.saySkip",
  draw: "crush.sayDraw",
  pass: "crush.sayPass",
  decline: "crush.sayDecline",
  zeroOut: "crush.sayZeroOut",
  counter: "crush.sayCounter",
} as const satisfies Record<string, MessageKey>;
const HOW: Readonly<Record<NumbersCrushVictory, MessageKey>> = {
  [NumbersCrushVictory.UNSPECIFIED]: "crush.won",
  [NumbersCrushVictory.EMPTY_HAND]: "crush.wonEmptyHand",
  [NumbersCrushVictory.FOUR_FIVES]: "crush.wonFourFives",
  [NumbersCrushVictory.ZERO_OUT]: "crush.wonZeroOut",
  [NumbersCrushVictory.COUNTER]: "crush.wonCounter",
  [NumbersCrushVictory.FEWEST_CARDS]: "crush.wonFewest",
};

/** The effect of a role card's number in a word; empty for a plain one. */
export function effectName(number: number): string {
  const key = EFFECTS[number];
  return key === undefined ? "" : t(key);
}

export function lead(view: View, seats: readonly SeatLabel[]): string {
  const { most, seats: first, all } = leaders(view.handSizes.map((size) => -size));
  const names = listed(first.map((seat) => seatName(seats, seat)));
  const deal = t(all ? "crush.level" : "crush.fewest", { names, count: -most });
  const match = leaders(view.scores);
  if (match.all) return deal;
  const ahead = listed(match.seats.map((seat) => seatName(seats, seat)));
  return `${deal} ${t("crush.match", { names: ahead, score: signed(match.most) })}`;
}

/** A card of a set, with what it is declared to be. */
function laidName(card: number, face: number): string {
  if (card === face && !isJoker(card)) return cardName(card);
  if (isJoker(face)) return t("crush.asJoker", { card: cardName(card) });
  if (!isJoker(card)) return t("crush.asAce", { card: cardName(card) });
  const as = face > 54 ? rankName(numberOfFace(face)) : cardName(face);
  return t("crush.asCard", { card: cardName(card), face: as });
}

interface Laid {
  readonly cards: readonly number[];
  readonly faces: readonly number[];
  readonly suit?: number | undefined;
}

/** A set from the bottom to the top, with its effect. */
function setName(set: Laid): string {
  const faces = facesOf(set);
  const names = set.cards.map((card, at) => laidName(card, faces[at] ?? card));
  const effect = effectName(effectOf(set.cards, faces));
  const named = set.suit === undefined ? "" : t("crush.naming", { suit: suitName(set.suit - 1) });
  return `${names.join(t("crush.on"))}${named}${effect === "" ? "" : t("crush.effect", { effect })}`;
}

const ASKS: Readonly<Partial<Record<NumbersCrushPhase, readonly [MessageKey, string]>>> = {
  [NumbersCrushPhase.DRAW]: ["crush.askDraw", "draw"],
  [NumbersCrushPhase.GIVE]: ["crush.askGive", "give 2C 3"],
  [NumbersCrushPhase.MUST_DISCARD]: ["crush.askMustDiscard", "discard 2C"],
  [NumbersCrushPhase.MAY_DISCARD]: ["crush.askMayDiscard", "discard 2C"],
  [NumbersCrushPhase.EXTRA]: ["crush.askExtra", "set 3C 5D"],
  [NumbersCrushPhase.RESET]: ["crush.askReset", "set 3C 5D"],
  [NumbersCrushPhase.PENALTY]: ["crush.askPenalty", "set 3C"],
  [NumbersCrushPhase.ZERO_OUT]: ["crush.askZeroOut", "zero_out"],
  [NumbersCrushPhase.COUNTER]: ["crush.askCounter", "counter"],
};

/** What is to be decided in this phase of a turn, or between turns. */
export function asked(moves: readonly MoveOf<"numbersCrush">[], view: View): Ask {
  const known = ASKS[view.phase];
  if (known !== undefined) return ask(known[0], known[1], { count: view.cardsLeft });
  return kindsOf(moves).has("set") ? ask("crush.askSet", "set 3C 5D") : ask("crush.askPass", "pass");
}

export function describe(move: MoveOf<"numbersCrush">, _view: View, viewer?: Viewer): string {
  const { kind } = move;
  switch (kind.case) {
    case "set":
      return t("crush.set", { cards: setName(kind.value) });
    case "discard":
      return t("crush.discard", { card: cardName(kind.value.card) });
    case "give":
      return t("crush.give", { card: cardName(kind.value.card), name: seatName(viewer?.seats ?? [], kind.value.to) });
    case undefined:
      return "";
    default:
      return t(SAID[kind.case]);
  }
}

/** The limits in force, a few words each. */
export function limitsOf(view: View, seats: readonly SeatLabel[]): string[] {
  const limits: string[] = [];
  const name = (seat: number | undefined) => (seat === undefined ? "" : seatName(seats, seat));
  if (view.kingPenalty > 0) {
    limits.push(t("crush.inKingTime", { name: name(view.kingStarter), penalty: view.kingPenalty }));
  }
  if (view.bind !== NumbersCrushColour.UNSPECIFIED) {
    const colour = t(view.bind === NumbersCrushColour.BLACK ? "crush.black" : "crush.red");
    limits.push(t(view.newBind ? "crush.boundNext" : "crush.bound", { colour, name: name(view.bindMaker) }));
  }
  if (view.pending > 0) limits.push(t("crush.pending", { count: view.pending }));
  if (view.jokerLock) limits.push(t("crush.locked"));
  return limits;
}

/** What comes after what is due now, a few words each. */
export function comingOf(view: View, seats: readonly SeatLabel[]): string[] {
  const coming: string[] = [];
  if (view.resets > 0) coming.push(t("crush.resets", { count: view.resets }));
  if (view.lostTurns > 0) coming.push(t("crush.lostTurns", { count: view.lostTurns }));
  if (view.nextTurn !== undefined) coming.push(t("crush.nextTurn", { name: seatName(seats, view.nextTurn) }));
  if (view.penaltyLeft > 0) coming.push(t("crush.penaltyLeft", { count: view.penaltyLeft }));
  return coming;
}

export function narrate(event: Event, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  switch (kind.case) {
    case "turnBegan":
      return t("crush.turnBegan", { number: kind.value.number, name: seatName(seats, kind.value.seat) });
    case "wereSet":
      return t("crush.hasSet", { name: seatName(seats, kind.value.seat), cards: setName(kind.value) });
    case "drew":
      return t("crush.drew", { name: seatName(seats, kind.value.seat), count: kind.value.count });
    case "skipped":
      return t("crush.skipped", { name: seatName(seats, kind.value.seat) });
    case "passed":
      return t("crush.passed", { name: seatName(seats, kind.value.seat) });
    case "declined":
      return t("crush.declined", { name: seatName(seats, kind.value.seat) });
    default:
      return narrateCards(event, seats) || narrateRare(event, seats);
  }
}

/** Events that show cards. */
function narrateCards({ kind }: Event, seats: readonly SeatLabel[]): string {
  switch (kind.case) {
    case "received":
      return t("crush.received", { name: seatName(seats, kind.value.seat), cards: cardNames(kind.value.cards) });
    case "discarded":
      return t("crush.discarded", { name: seatName(seats, kind.value.seat), card: cardName(kind.value.card) });
    case "penalised":
      return t("crush.penalised", { name: seatName(seats, kind.value.seat), card: cardName(kind.value.card) });
    case "handed":
      return t("crush.handed", {
        name: seatName(seats, kind.value.seat),
        to: seatName(seats, kind.value.to),
        card: cardName(kind.value.card),
      });
    case "zeroedOut":
      return t("crush.zeroedOut", { name: seatName(seats, kind.value.seat), cards: cardNames(kind.value.cards) });
    case "countered":
      return t("crush.countered", { name: seatName(seats, kind.value.seat), cards: cardNames(kind.value.cards) });
    default:
      return "";
  }
}

function narrateRare({ kind }: Event, seats: readonly SeatLabel[]): string {
  switch (kind.case) {
    case "dealt":
      return t("crush.dealt", { deal: kind.value.deal + 1, name: seatName(seats, kind.value.dealer) });
    case "turned":
      return t("crush.turned", { card: cardName(kind.value.card) });
    case "gave":
      return t("crush.gave", { name: seatName(seats, kind.value.seat), to: seatName(seats, kind.value.to) });
    case "reshuffled":
      return t("crush.reshuffled", { count: kind.value.count });
    case "dealEnded": {
      const names = listed(kind.value.winners.map((seat) => seatName(seats, seat)));
      return t(HOW[kind.value.victory], { names });
    }
    default:
      return "";
  }
}
