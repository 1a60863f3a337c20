/** What may be set now, from a view alone: the base, and the limits in force (rules C4, C6 and C7). */
import type { ViewOf } from "~/boards";
import { suitOf } from "~/cards/french_names";
import { NumbersCrushColour, NumbersCrushPhase } from "~/gen/fudaba/v1/numbers_crush_pb";

export interface Limits {
  /** Whether a card that is not a joker may be used. */
  readonly allows: (card: number) => boolean;
  /** Cards of these numbers may be set, one or more, in any order. */
  readonly groups: readonly number[];
  /** A card of this suit may be set, and carry others of its number; -1 for none. */
  readonly suit: number;
  /** Runs may be made within these suits. */
  readonly lanes: readonly (readonly number[])[];
  /** Two cards or more may be set that add up to this; 0 for no sum. */
  readonly target: number;
  /** Whether a declared joker may be set. */
  readonly joker: boolean;
  readonly anySingle: boolean;
  readonly onlyJoker: boolean;
}

const QUEEN = 12;
const PICTURES = [11, 12, 13];
const ALL_NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
const EACH_SUIT = [[0], [1], [2], [3]];
const BLACK = [0, 3];
const RED = [1, 2];
const NONE: Limits = {
  allows: () => true,
  groups: [],
  suit: -1,
  lanes: [],
  target: 0,
  joker: true,
  anySingle: false,
  onlyJoker: false,
};

/** The limits on the seat that may set now. */
export function limitsOf(view: ViewOf<"numbersCrush">): Limits {
  const reset = view.phase === NumbersCrushPhase.RESET;
  if (reset) return free(view, true);
  // Of the limits only a bind can be older than this turn: what meets another one ends it, or ends the turn.
  const extra = view.phase === NumbersCrushPhase.EXTRA;
  if (!extra && view.jokerLock) return { ...NONE, onlyJoker: true };
  const colours = extra && view.newBind ? undefined : coloursOf(view.bind);
  const bound = { ...NONE, allows: (card: number) => colours?.includes(suitOf(card)) ?? true };
  if (!extra && view.kingPenalty > 0) return { ...bound, groups: PICTURES };
  if (!extra && view.pending > 0) return { ...bound, groups: [QUEEN], target: QUEEN, joker: false };
  if (colours !== undefined) return { ...bound, groups: ALL_NUMBERS, lanes: [colours], target: view.number };
  return free(view, false);
}

function coloursOf(bind: NumbersCrushColour): readonly number[] | undefined {
  if (bind === NumbersCrushColour.UNSPECIFIED) return undefined;
  return bind === NumbersCrushColour.BLACK ? BLACK : RED;
}

/** Free play, or a reset, which any single card may begin. */
function free(view: ViewOf<"numbersCrush">, anySingle: boolean): Limits {
  if (view.number === 0) return { ...NONE, groups: ALL_NUMBERS, lanes: EACH_SUIT };
  const suit = view.suit - 1;
  return { ...NONE, groups: [view.number], suit, lanes: [[suit]], target: view.number, anySingle };
}
