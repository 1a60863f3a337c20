/** Houniek's melds: what cards count as. Kinds are the contract's: 1 ship, 2 none, 3 soldier, … 12 emperor. */
import type { PieceId } from "~/boards";
import { kindsOf } from "~/boards/kamikisen/readings";
import { asFoot, meldName } from "~/boards/kamikisen/words";
import { KamikisenForm } from "~/gen/fudaba/v1/kamikisen_pb";
import { t } from "~/i18n";

export interface Reading {
  readonly form: KamikisenForm;
  readonly foot: number;
}

/** The circle, from soldier around to ship. */
export const CIRCLE: readonly number[] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1];
export const NO_KIND = 2;
const EMPEROR = 12;
const SHIP = 1;

/** All that exactly these cards can be (docs/rules/houniek.md, HO3 and HO4). */
export function readingsOf(cards: readonly number[]): Reading[] {
  const kinds = kindsOf(cards).map((kind) => kind + 1);
  const real = kinds.filter((kind) => kind !== NO_KIND);
  const [first] = real;
  if (cards.length === 1)
    return (first === undefined ? CIRCLE : [first]).map((foot) => ({ form: KamikisenForm.SINGLE, foot }));
  if (first === undefined) return [];
  const runs = new Set(real).size === real.length && cards.length <= CIRCLE.length ? feetOf(real, cards.length) : [];
  const sets = real.every((kind) => kind === first) ? [{ form: KamikisenForm.SET, foot: first }] : [];
  return [...runs.map((foot) => ({ form: KamikisenForm.RUN, foot })), ...sets];
}

/** Where a run of this size that has these kinds can begin. */
function feetOf(real: readonly number[], size: number): number[] {
  return CIRCLE.filter((_, start) =>
    real.every((kind) => (CIRCLE.indexOf(kind) - start + CIRCLE.length) % CIRCLE.length < size),
  );
}

/** Whether one kind beats another (HO2): the later one does, but a ship beats the emperor alone. */
export function beats(kind: number, other: number): boolean {
  if (kind === SHIP) return other === EMPEROR;
  return other === SHIP ? kind !== EMPEROR : kind > other;
}

export function readingPiece({ form, foot }: Reading): PieceId {
  return `as:${form}:${foot}`;
}

/** "run of 3, foot 2". */
export function readingName({ form, foot }: Reading, size: number): string {
  return `${meldName(form, size)}${t("kamikisen.comma")}${asFoot(foot)}`;
}
