/** What a hand of Naga is worth, roughly: the categories are exact, ties are broken by all of its cards together. */

const ATTRIBUTES = 'DLFWATE';
/** The places in the order of the table's nine entries, and the trump attribute of each. */
const PLACES = ['KUTO', 'ONOTOA', 'AVORIA', 'ELTAM', 'ELTAM', 'ELTAM', 'SIRITAS', 'CHERES', 'EIL'];
const TRUMPS = { KUTO: 'D', ONOTOA: 'F', AVORIA: 'T', ELTAM: 'A', SIRITAS: 'E', CHERES: 'L', EIL: 'W' };
const EVERY = [...ATTRIBUTES].flatMap((attribute) => [1, 2, 3, 4, 5, 6, 7].map((number) => ({ attribute, number })));

/** The value of the hand that some cards make with those that lie at the designated place; the greater is better. */
export function handValue(cards, view) {
  const place = view.place.slice('NAGA_PLACE_'.length);
  const prize = view.table.filter((card, entry) => PLACES[entry] === place && card !== 'NAGA_CARD_UNSPECIFIED');
  const texts = [...cards, ...prize].map((card) => card.slice('NAGA_CARD_'.length));
  const held = texts.filter((text) => text[0] !== 'M').map((text) => ({ attribute: text[0], number: Number(text[1]) }));
  return withMoons(held, texts.length - held.length, TRUMPS[place]);
}

/** A moon stands for whatever card makes the best hand. */
function withMoons(held, moons, trump) {
  if (moons === 0) return valueOf(held, trump);
  return Math.max(...EVERY.map((card) => withMoons([...held, card], moons - 1, trump)));
}

function valueOf(hand, trump) {
  const counts = [0, 0, 0, 0, 0, 0, 0, 0];
  for (const { number } of hand) counts[number] += 1;
  const numbers = hand.map(({ number }) => number);
  const [most, second] = [...counts].sort((a, b) => b - a);
  const flush = hand.every(({ attribute }) => attribute === hand[0].attribute);
  const straight = most === 1 && Math.max(...numbers) - Math.min(...numbers) === hand.length - 1;
  const tier = (attribute) => (attribute === trump ? 2 : 'DL'.includes(attribute) ? 1 : 0);
  const strength = hand.reduce((sum, { attribute, number }) => sum + tier(attribute) * 7 + number, 0);
  return category(most, second, flush, straight, hand.length) * 1000 + strength;
}

/** From nothing (0) to five of a kind (9), as the rule page orders them. */
function category(most, second, flush, straight, length) {
  if (most === 5) return 9;
  if (flush && straight && length === 5) return 8;
  if (most === 4) return 7;
  if (most === 3 && second === 2) return 6;
  if (flush) return 5;
  if (straight) return 4;
  if (most === 3) return 3;
  if (most === 2) return second === 2 ? 2 : 1;
  return 0;
}
