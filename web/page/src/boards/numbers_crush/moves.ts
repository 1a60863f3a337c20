/** Numbers Crush: which pieces a move is made of, and which moves some pieces make. */
import { create } from "@bufbuild/protobuf";
import type { MoveOf, PieceId, ViewOf } from "~/boards";
import { leadsOn } from "~/boards/numbers_crush/leads";
import { limitsOf } from "~/boards/numbers_crush/limits";
import { type CardSet, isJoker, numberOfFace, roleOf, setsOf } from "~/boards/numbers_crush/sets";
import { cardCode, rankOf } from "~/cards/french_names";
import { NumbersCrushMoveSchema, NumbersCrushPhase } from "~/gen/fudaba/v1/numbers_crush_pb";

type View = ViewOf<"numbersCrush">;
type Move = MoveOf<"numbersCrush">;
type SetMove = Extract<Move["kind"], { case: "set" }>["value"];

export const SUIT_CODES = ["C", "D", "H", "S"] as const;
const RANK_CODES = " A23456789TJQK";

/** The moves that are only said, and their pieces. */
const SAID = { skip: "skip", draw: "draw", pass: "pass", decline: "decline", zeroOut: "zero_out", counter: "counter" };

/**
 * A set's cards come first, from the bottom to the top; then what its jokers and 10s stand for, which card is on top, of
 * which card under it the effect takes place where that is open, and the suit that a 9 names.
 */
export function touches(move: Move): PieceId[] {
  const { kind } = move;
  switch (kind.case) {
    case "set":
      return touchesOfSet(kind.value);
    case "discard":
      return [`hand:${cardCode(kind.value.card)}`];
    case "give":
      return [`hand:${cardCode(kind.value.card)}`, `seat:${kind.value.to}`];
    case undefined:
      return [];
    default:
      return [`say:${SAID[kind.case]}`];
  }
}

/** The faces of a set's cards; in messages they may be left out. */
export function facesOf(set: { readonly cards: readonly number[]; readonly faces: readonly number[] }) {
  return set.faces.length > 0 ? set.faces : set.cards;
}

function touchesOfSet(set: SetMove): PieceId[] {
  const cards: readonly number[] = set.cards;
  const faces = facesOf(set);
  const pieces: PieceId[] = cards.map((card) => `hand:${cardCode(card)}`);
  cards.forEach((card, at) => pieces.push(...declared(card, faces[at] ?? card)));
  const top = cards.at(-1);
  if (cards.length > 1 && top !== undefined) pieces.push(`top:${cardCode(top)}`);
  const role = openRole(cards, faces);
  if (role !== undefined) pieces.push(`role:${cardCode(role)}`);
  if (set.suit !== undefined) pieces.push(`suit:${SUIT_CODES[set.suit - 1] ?? ""}`);
  return pieces;
}

/** What a card is declared to be, a piece for its number and one for its suit. */
function declared(card: number, face: number): PieceId[] {
  if (!isJoker(card)) return card === face ? [] : [`as:${cardCode(card)}:A`];
  if (isJoker(face)) return [`as:${cardCode(card)}:joker`];
  const number = `as:${cardCode(card)}:${RANK_CODES.charAt(numberOfFace(face))}`;
  if (face > 54) return [number];
  return [number, `as:${cardCode(card)}:${SUIT_CODES[Math.floor((face - 1) / 13)] ?? ""}`];
}

/** The card whose effect takes place, where another one under the same card on top could have it. */
function openRole(cards: readonly number[], faces: readonly number[]): number | undefined {
  const numbers = faces.map(numberOfFace);
  const roles = cards.map((card, at) => roleOf(card, numbers[at] ?? 0));
  const places = roles.flatMap((role, at) => (role > 0 ? [at] : []));
  const last = places.at(-1);
  if (last === undefined || last === cards.length - 1 || inRowOnEnd(numbers)) return undefined;
  return new Set(roles.filter((role) => role > 0)).size > 1 ? cards[last] : undefined;
}

/** Whether cards in a row have an end of it on top: then only one order is legal. */
function inRowOnEnd(numbers: readonly number[]): boolean {
  const low = Math.min(...numbers);
  const high = Math.max(...numbers);
  const inRow = new Set(numbers).size === numbers.length && high - low === numbers.length - 1;
  return inRow && [low, high].includes(numbers.at(-1) ?? 0);
}

/** See `GameBoard.beyond`: a large hand makes up to a million sets. */
export function beyond(chosen: ReadonlySet<PieceId>, view: View): { open: Set<PieceId>; moves: Move[] } {
  const available: readonly number[] = view.phase === NumbersCrushPhase.PENALTY ? view.penaltyCards : view.hand;
  const picked = available.filter((card) => chosen.has(`hand:${cardCode(card)}`));
  const limits = limitsOf(view);
  const all = picked.length === 0 ? [withoutSet(view)] : setsOf(picked, limits).map(moveOf);
  const moves = all.filter((move) => {
    const pieces = new Set(touches(move));
    return [...chosen].every((piece) => pieces.has(piece));
  });
  const open = new Set(moves.flatMap(touches));
  if (picked.length === 0 && chosen.size > 0) return { open, moves };
  for (const card of available) {
    const rest = available.filter((other) => other !== card && !picked.includes(other));
    if (!picked.includes(card) && leadsOn([...picked, card], rest, limits)) open.add(`hand:${cardCode(card)}`);
  }
  return { open, moves };
}

function moveOf(set: CardSet): Move {
  const value = { cards: [...set.cards], faces: [...set.faces] };
  const suit: number = set.suit + 1;
  const named = suit === 0 ? value : { ...value, suit };
  return create(NumbersCrushMoveSchema, { kind: { case: "set", value: named } });
}

/** The move of who sets nothing. */
function withoutSet(view: View): Move {
  const kind = view.phase === NumbersCrushPhase.SET ? "pass" : "decline";
  return create(NumbersCrushMoveSchema, { kind: { case: kind, value: {} } });
}

/** The numbers that a joker's pieces name, from ace to king. */
export const JOKER_NUMBERS = Array.from({ length: 13 }, (_, index) => ({
  number: index + 1,
  code: RANK_CODES.charAt(index + 1),
}));

/** Whether a card has something to be declared as. */
export function isTen(card: number): boolean {
  return rankOf(card) === 10;
}
