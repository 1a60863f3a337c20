// What hands of Naga are worth (docs/rules/naga.md, N6 to N9). A card is a number 0-50 in deck order.
"use strict";

const ILBECK = 49;
const CORSELTEL = 50;
const TRUMPS = [-1, 0, 2, 5, 4, 6, 1, 3];
const [NOTHING, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH, FIVE] = [...Array(10).keys()];
const OF_A_KIND = { 3: THREE, 4: FOUR, 5: FIVE };

// The strength at a place of a card of an attribute and a number (0-6), and above it that of the moons as that card.
function strength(attribute, number, place) {
  const tier = attribute === TRUMPS[place] ? 2 : attribute < 2 ? 1 : 0;
  return 3 * (7 * tier + number);
}

// What so many cards of each number make: the category, the numbers that are compared first and second (null for all).
function formOf(numbers, size) {
  const counts = Array(7).fill(0);
  for (const number of numbers) counts[number]++;
  const held = [6, 5, 4, 3, 2, 1, 0].filter((number) => counts[number]);
  const most = held.reduce((best, number) => (counts[number] > counts[best] ? number : best));
  const rest = held.find((number) => number !== most && counts[number] > 1) ?? -1;
  const count = counts[most];
  if (count >= 3 && rest < 0) return [OF_A_KIND[count], most, -1];
  if (rest >= 0) return [count === 3 ? FULL_HOUSE : TWO_PAIR, most, rest];
  if (count === 2) return [PAIR, most, -1];
  if (held[0] - held[held.length - 1] === size - 1) return [STRAIGHT, null, -1];
  return [NOTHING, held[0], -1];
}

const forms = new Map();

// The best form of some numbers and so many moons, with the higher and the lower number that these stand for.
function bestForm(numbers, moons) {
  const key = numbers.reduce((sum, number) => sum + 8 ** number, 0) * 4 + moons;
  let best = forms.get(key);
  if (best) return best;
  const meanings = [];
  for (let high = moons ? 6 : -1; high >= (moons ? 0 : -1); high--) {
    for (let low = moons > 1 ? high : -1; low >= (moons > 1 ? 0 : -1); low--) meanings.push([high, low]);
  }
  for (const [high, low] of meanings) {
    const meant = [high, low].filter((number) => number >= 0);
    const form = [...formOf([...numbers, ...meant], numbers.length + moons), high, low];
    if (!best || form[0] > best[0]) best = form; // the highest numbers come first
  }
  forms.set(key, best);
  return best;
}

// The value of a hand: lists that are compared element by element. The category comes first.
function valueOf(cards, place) {
  const real = cards.filter((card) => card < ILBECK);
  const moons = cards.filter((card) => card >= ILBECK).sort((left, right) => right - left); // Corseltel is the higher
  let [category, first, second, high, low] = bestForm(real.map((card) => card % 7), moons.length);
  const attributes = new Set(real.map((card) => Math.floor(card / 7)));
  let attribute = TRUMPS[place];
  if (attributes.size === 1) {
    [attribute] = attributes;
    if (category === STRAIGHT && cards.length === 5) category = STRAIGHT_FLUSH;
    else [category, high, low] = [FLUSH, 6, 6];
    first = null;
    second = -1;
  }
  const strengths = (chosen) =>
    chosen.map((card) => strength(Math.floor(card / 7), card % 7, place)).sort((left, right) => right - left);
  if (category === NOTHING) return [category, strengths(real)[0]];
  const wild = moons.map((moon, at) => strength(attribute, at ? low : high, place) + (moon === CORSELTEL ? 2 : 1));
  const forming = strengths(first === null ? real : real.filter((card) => card % 7 === first));
  const compared = [...forming, ...wild].sort((left, right) => right - left);
  const rest = second < 0 ? [] : strengths(real.filter((card) => card % 7 === second));
  return [category, ...compared, ...rest];
}

// Which of two commitments makes the better hand with the place's cards: seat 0, seat 1, or -1 for a tie.
function betterCommitment(first, second, prize, place) {
  const firstValue = valueOf([...first, ...prize], place);
  const secondValue = valueOf([...second, ...prize], place);
  for (let at = 0; at < Math.max(firstValue.length, secondValue.length); at++) {
    if (firstValue[at] !== secondValue[at]) return firstValue[at] > secondValue[at] ? 0 : 1;
  }
  return -1;
}

module.exports = { betterCommitment };
