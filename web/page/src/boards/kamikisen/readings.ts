/** What cards count as by the rules that the deck's games share (docs/rules/kamikisen.md, K2 and K3). */
import type { PieceId } from "~/boards";
import { asStrength, cardsAs, meldName } from "~/boards/kamikisen/words";
import { facesOfCards } from "~/cards/kamikisen_names";
import { KamikisenForm, type KamikisenMeld } from "~/gen/fudaba/v1/kamikisen_pb";

const KIND_COUNT = 12;
const SHIP = 0;
const GENERAL = 9;
const STRENGTH_COUNT = 11;
const MIN_RUN_CARDS = 3;

export interface Reading {
  readonly form: KamikisenForm;
  /** As in the contract, 1 ship to 11 king or emperor. */
  readonly strength: number;
}

/** Kinds from 0 ship to 11 emperor. */
export function kindsOf(cards: readonly number[]): number[] {
  return cards.map((card) => (card - 1) % KIND_COUNT);
}

export function isRed(card: number): boolean {
  return card <= KIND_COUNT;
}

export function isOneColour(cards: readonly number[]): boolean {
  return cards.every(isRed) || !cards.some(isRed);
}

/** All that exactly these cards can be, the weakest first. Only ships leave a choice. */
export function readingsOf(cards: readonly number[]): Reading[] {
  const real = kindsOf(cards).filter((kind) => kind !== SHIP);
  const [first] = real.map(strengthOf);
  if (first === undefined) {
    return cards.length === 1
      ? Array.from({ length: STRENGTH_COUNT }, (_, place) => ({ form: KamikisenForm.SINGLE, strength: place + 1 }))
      : [];
  }
  if (real.every((kind) => strengthOf(kind) === first)) {
    return [{ form: cards.length === 1 ? KamikisenForm.SINGLE : KamikisenForm.SET, strength: first }];
  }
  return isOneColour(cards) ? runs(real, cards.length) : [];
}

/** The runs of a size that kinds and enough ships make. */
function runs(real: readonly number[], size: number): Reading[] {
  const low = Math.min(...real);
  const high = Math.max(...real);
  if (size < MIN_RUN_CARDS || high > GENERAL || new Set(real).size < real.length) return [];
  const tops = Array.from({ length: GENERAL - size + 1 }, (_, place) => place + size);
  return tops
    .filter((top) => top >= high && top - size < low)
    .map((top) => ({ form: KamikisenForm.RUN, strength: strengthOf(top) }));
}

function strengthOf(kind: number): number {
  return Math.min(kind + 1, STRENGTH_COUNT);
}

/** The button that says a meld's strength; no button where the cards leave no choice. */
export function strengthPieces(meld: KamikisenMeld | undefined): PieceId[] {
  return meld?.strength === undefined || readingsOf(meld.cards).length < 2 ? [] : [strengthPiece(meld.strength)];
}

export function strengthPiece(strength: number): PieceId {
  return `as:${strength}`;
}

/** A meld's form and size; both are always there in what the service sends. */
export function meldTitle(meld: KamikisenMeld | undefined): string {
  return meld?.form === undefined ? "" : meldName(meld.form, meld.cards.length);
}

/** The cards of a meld, with its strength where they leave it open. */
export function meldCards(meld: KamikisenMeld | undefined): string {
  const cards = meld?.cards ?? [];
  const said = meld?.strength !== undefined && readingsOf(cards).length > 1 ? asStrength(meld.strength) : "";
  return cardsAs(facesOfCards(cards), said);
}
