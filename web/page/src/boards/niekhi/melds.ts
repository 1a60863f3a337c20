/** Niekhi's melds: what cards count as. Cards are strengths, 1 ship to 11 king or emperor. */
import type { PieceId } from "~/boards";
import { asStrength } from "~/boards/kamikisen/words";
import { strengthWord } from "~/cards/kamikisen_names";
import { t } from "~/i18n";

const SHIP = 1;
const MIN_STRENGTH = 2;
const MAX_STRENGTH = 10;
const STRENGTH_COUNT = 11;

/** What cards count as: so many different strengths up to the highest one. */
export interface Reading {
  readonly length: number;
  readonly strength: number;
}

interface Laid {
  readonly cards: readonly number[];
  readonly length: number;
  readonly strength: number;
}

/** All that exactly these cards can be (docs/rules/niekhi.md, NI4). */
export function readingsOf(cards: readonly number[]): Reading[] {
  const real = cards.filter((strength) => strength !== SHIP);
  if (real.length === 0) {
    return cards.length === 1
      ? Array.from({ length: STRENGTH_COUNT }, (_, place) => ({ length: 1, strength: place + 1 }))
      : [];
  }
  const first = real[0] ?? SHIP;
  const found: Reading[] = real.every((strength) => strength === first) ? [{ length: 1, strength: first }] : [];
  for (let length = 2; length <= MAX_STRENGTH - MIN_STRENGTH + 1; length += 1) {
    const size = cards.length / length;
    if (!Number.isInteger(size) || length < (size > 2 ? 2 : 3)) continue;
    for (let high = MIN_STRENGTH + length - 1; high <= MAX_STRENGTH; high += 1) {
      const fits = real.every(
        (strength) =>
          strength > high - length && strength <= high && real.filter((other) => other === strength).length <= size,
      );
      if (fits) found.push({ length, strength: high });
    }
  }
  return found;
}

/** A meld's form with its size. */
export function meldName({ cards, length }: Laid): string {
  if (length > 1) {
    const size = cards.length / length;
    return size === 1 ? t("kamikisen.runOf", { size: length }) : t("niekhi.stairs", { length, size });
  }
  return cards.length === 1 ? t("kamikisen.single") : t("kamikisen.setOf", { size: cards.length });
}

/** The same with its strength. */
export function meldWithStrength(laid: Laid): string {
  return t("niekhi.strength", { meld: meldName(laid), strength: strengthWord(laid.strength) });
}

/** How a meld is read: "as 7", "as 3–5". */
export function readingName({ length, strength }: Reading): string {
  if (length === 1) return asStrength(strength);
  return t("kamikisen.asRange", { low: strengthWord(strength - length + 1), high: strengthWord(strength) });
}

export function readingPiece({ length, strength }: Reading): PieceId {
  return `as:${length}:${strength}`;
}
