/** The best meld of a hand with the shared cards (docs/rules/namto.md, NT5 and NT6). */
import { bestOf } from "~/boards/kamikisen/best";
import { isOneColour, kindsOf, readingsOf } from "~/boards/kamikisen/readings";
import { KamikisenForm } from "~/gen/fudaba/v1/kamikisen_pb";
import { NamtoRank } from "~/gen/fudaba/v1/namto_pb";

const SHIP = 0;
const KING = 10;
const EMPEROR = 11;
/** A run of all values, and there is no larger meld that is not one of these. */
const MAX_MELD_CARDS = 9;

/** The named melds by their kinds, 0 ship to 11 emperor. The ship of "going" is a real one. */
const NAMED: readonly (readonly [NamtoRank, readonly number[]])[] = [
  [NamtoRank.LEVEL_BRUSH, [2, 3, 9, 7, 8]],
  [NamtoRank.EMPEROR_KING, [EMPEROR, KING]],
  [NamtoRank.EARTH_HEART, [7, 8, 9]],
  [NamtoRank.HORSE_BOW_SOLDIER, [6, 3, 2]],
  [NamtoRank.GOING, [SHIP, 4, 6]],
  [NamtoRank.DARK_GATHERING, [2, 2, 2, 2, 2]],
];
const FORMS: Partial<Record<KamikisenForm, NamtoRank>> = {
  [KamikisenForm.SINGLE]: NamtoRank.SINGLE,
  [KamikisenForm.SET]: NamtoRank.SET,
  [KamikisenForm.RUN]: NamtoRank.RUN,
};

export interface Best {
  /** A `NamtoRank`. */
  readonly rank: number;
  readonly cards: number[];
}

/** The best meld; of several equally good ones, any. */
export function bestMeld(hand: readonly number[], shared: readonly number[]): Best | undefined {
  const best = bestOf(hand, shared, MAX_MELD_CARDS, false, (cards) => {
    const found = rankOf(cards);
    return found && [found.rank, cards.length, found.strength, isOneColour(cards) ? 1 : 0];
  });
  const rank = best?.worth[0];
  return best && rank !== undefined ? { rank, cards: best.cards.sort((left, right) => left - right) } : undefined;
}

function rankOf(cards: readonly number[]): { rank: NamtoRank; strength: number } | undefined {
  const kinds = kindsOf(cards);
  const named = NAMED.find(([, wanted]) => isNamed(kinds, wanted));
  if (named !== undefined) return { rank: named[0], strength: Math.min(Math.max(...named[1]), KING) + 1 };
  const reading = readingsOf(cards).at(-1);
  const rank = reading && FORMS[reading.form];
  return rank === undefined ? undefined : { rank, strength: reading?.strength ?? 0 };
}

/** Whether cards are the wanted ones, ships standing for what is missing; not all of them may stand for others. */
function isNamed(kinds: readonly number[], wanted: readonly number[]): boolean {
  if (kinds.length !== wanted.length) return false;
  const missing = [...wanted];
  let found = 0;
  let standing = 0;
  for (const kind of kinds) {
    const place = missing.indexOf(kind);
    if (place >= 0) {
      missing.splice(place, 1);
      found += 1;
    } else if (kind === SHIP) {
      standing += 1;
    } else {
      return false;
    }
  }
  return found > 0 && standing === missing.length && !missing.includes(SHIP);
}
