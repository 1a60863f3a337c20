/** The best meld of a hand and of the cards that lie on the table. */

/** What a choice of cards is worth: compared place by place, the greater one is better. */
export type Worth = readonly number[];

/** The best choice of at most `most` cards; undefined where none is worth anything. */
export function bestOf(
  own: readonly number[],
  shared: readonly number[],
  most: number,
  needsOwn: boolean,
  worthOf: (cards: readonly number[]) => Worth | undefined,
): { cards: number[]; worth: Worth } | undefined {
  let best: { cards: number[]; worth: Worth } | undefined;
  const all = [...own, ...shared];
  const look = (from: number, cards: number[], hasOwn: boolean) => {
    const worth = hasOwn || !needsOwn ? worthOf(cards) : undefined;
    if (worth !== undefined && (best === undefined || isMore(worth, best.worth))) best = { cards, worth };
    if (cards.length === most) return;
    all.slice(from).forEach((card, place) => {
      look(from + place + 1, [...cards, card], hasOwn || from + place < own.length);
    });
  };
  look(0, [], false);
  return best;
}

function isMore(left: Worth, right: Worth): boolean {
  const place = left.findIndex((value, index) => value !== right[index]);
  return place >= 0 && (left[place] ?? 0) > (right[place] ?? 0);
}
