import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chance } from '../src/chance.js';
import type { NapoleonCard__Output as NapoleonCard } from '../src/gen/fudaba/v1/NapoleonCard.js';
import type { NapoleonView__Output as NapoleonView } from '../src/gen/fudaba/v1/NapoleonView.js';
import { cardOf, playable, suitOf, winning, wouldWin, type Card } from '../src/napoleon/cards.js';
import { dealHidden, knowledgeOf, worldOf } from '../src/napoleon/knowledge.js';
import { choose } from '../src/napoleon/strategy.js';
import { decision } from './messages.js';

const cards = (texts: string): Card[] => texts.split(' ').map(cardOf);
const name = (text: string): NapoleonCard => `NAPOLEON_CARD_${text}` as NapoleonCard;
const names = (texts: string): NapoleonCard[] => texts.split(' ').map(name);
const [CLUBS, DIAMONDS, , SPADES, NO_TRUMP] = [0, 1, 2, 3, 4];

/** The examples of the rule page, and what follows from its list. */
for (const [trick, trump, first, winner] of [
  ['5C 9C 2H 2S KC', SPADES, false, '2S'], ['AH KH JH QH 2H', CLUBS, false, '2H'],
  ['AH KH JH QH 2H', DIAMONDS, false, 'JH'], ['AH KH JH QH 2H', CLUBS, true, 'AH'],
  ['3C AS 4C QH 5C', CLUBS, false, 'QH'], ['3C JS 4C 2C 5C', NO_TRUMP, false, '5C'],
  ['3D AS JC JS 5C', CLUBS, false, 'AS'], ['3D 4D JC JS AC', CLUBS, false, 'JC'],
  ['3D 4D KD JS AC', CLUBS, false, 'JS'], ['3D QH KD 4D 2D', SPADES, false, 'KD'], ['2C AC', CLUBS, false, 'AC'],
] as const) {
  test(`${winner} wins ${trick}${first ? ', the first trick' : ''}`, () => {
    assert.equal(trick.split(' ')[winning(cards(trick), trump as number, first)], winner);
  });
}

test('what would win is what wins then', () => {
  const chance = new Chance('tricks');
  const deck = Array.from({ length: 52 }, (_, card) => card);
  for (let n = 0; n < 20_000; n += 1) {
    const trick = chance.draw(deck.slice(0, n % 2 ? 52 : 13), 1 + chance.below(4));
    const card = deck.find((one) => !trick.includes(one) && chance.below(8) === 0) ?? cardOf('KS');
    if (trick.includes(card)) continue;
    const trump = chance.below(5);
    const holder = trick[winning(trick, trump, false)] as Card;
    const wins = winning([...trick, card], trump, false) === trick.length;
    assert.equal(wouldWin(card, trick, holder, trump, false), wins, `${trick} ${card} ${trump}`);
  }
});

test('a suit is followed by what is printed on the card', () => {
  assert.deepEqual(playable(cards('AS 3S 4D'), cards('5S')), cards('AS 3S'));
  assert.deepEqual(playable(cards('AS 3S 4D'), cards('5C')), cards('AS 3S 4D'));
  assert.deepEqual(playable(cards('AS 3S 4D'), []), cards('AS 3S 4D'));
});

function view(more: Partial<NapoleonView>): NapoleonView {
  return {
    deal: 0, dealer: 4, thrown_in: 0, phase: 'NAPOLEON_PHASE_TRICKS', calls: [], number: 14,
    trump: 'NAPOLEON_SUIT_CLUBS', named: 'NAPOLEON_CARD_UNSPECIFIED', hand: [], buried: [], trick: [], tricks: [],
    winners: [], honours: [0, 0, 0, 0, 0], scores: [0, 0, 0, 0, 0], ...more,
  } as NapoleonView;
}

// Seat 2 is Napoleon and led clubs; seat 0 had none. Seat 3 leads now, seat 4 has played.
const MIDDLE = view({
  napoleon: 2, leader: 3, named: 'NAPOLEON_CARD_AS', tricks: names('3C KC 6H 5C 7C'), winners: [3],
  trick: names('3D 4D'), hand: names('AC 8C 9C 2D 5D TD QH 2S 3S'), honours: [0, 0, 0, 1, 0],
});

test('a deal by chance gives every seat as many cards as it holds, and none that it cannot hold', () => {
  const known = knowledgeOf(MIDDLE, 0, true);
  for (let n = 0; n < 200; n += 1) {
    const { hands, rest } = dealHidden(known, new Chance(String(n)));
    assert.deepEqual([...hands.map((hand) => hand.length), rest.length], [9, 9, 9, 8, 8, 2]);
    const all = [...hands.flat(), ...rest, ...cards('3C KC 6H 5C 7C 3D 4D')];
    assert.equal(new Set(all).size, 52);
    // Seat 4 was the third to play to the first trick: it has no clubs.
    assert.ok(hands[4]?.every((card) => suitOf(card) !== CLUBS));
  }
});

test('the adjutant of a deal by chance is the holder of the named card', () => {
  for (let n = 0; n < 50; n += 1) {
    const world = worldOf(knowledgeOf(MIDDLE, 0, true), new Chance(String(n)));
    const holder = world.hands.findIndex((hand) => hand.includes(cardOf('AS')));
    assert.equal(world.adjutant, holder < 0 ? 2 : holder);
    assert.equal(world.ours, world.adjutant === 3 ? 1 : 0);
  }
});

/** A decision with a choice of moves: their kind, and their texts. */
function asked(what: NapoleonView, moves: object[]): Parameters<typeof choose>[0] {
  const legal_moves = moves.map((napoleon) => ({ napoleon })) as never;
  const one = decision('0.0', { view: { napoleon: what, game: 'napoleon' }, legal_moves });
  return { decision: one, seat: 0, options: {}, hasTime: () => true };
}

const CALLS = ['CLUBS', 'DIAMONDS', 'HEARTS', 'SPADES', 'NO_TRUMP'].map((suit) => ({
  bid: { number: 13, suit: `NAPOLEON_SUIT_${suit}` },
}));

test('it approves with nothing, and bids with everything', () => {
  const auction = { phase: 'NAPOLEON_PHASE_AUCTION', number: 0, trump: 'NAPOLEON_SUIT_UNSPECIFIED' } as const;
  const nothing = view({ ...auction, hand: names('2C 3C 4D 5D 6D 2H 3H 4H 5S 6S') });
  assert.equal(choose(asked(nothing, [{ approve: {} }, ...CALLS])), 0);
  const everything = view({ ...auction, hand: names('JC KH AH TS JS QS KS AS 2S 9S') });
  assert.equal(choose(asked(everything, [{ approve: {} }, ...CALLS])), 4);
});

test('who must bid bids', () => {
  const hand = names('2C 3C 4D 5D 6D 2H 3H 4H 5S 6S');
  const one = view({ phase: 'NAPOLEON_PHASE_AUCTION', number: 0, trump: 'NAPOLEON_SUIT_UNSPECIFIED', hand });
  const index = choose(asked(one, CALLS));
  assert.ok(index >= 0 && index < CALLS.length);
});

test('Napoleon buries what is worth least', () => {
  const hand = names('AC KC QC JC TC 9C JS AS AH KH 2D 3H');
  const pairs = [['AC', 'AS'], ['2D', '3H'], ['KC', 'QC']].map(([a, b]) => ({ bury: { cards: names(`${a} ${b}`) } }));
  const one = view({ phase: 'NAPOLEON_PHASE_EXCHANGE', napoleon: 0, hand });
  assert.equal(choose(asked(one, pairs)), 1);
});

test('Napoleon names a card that it does not have', () => {
  const own = names('AC KC QC JC TC 9C 8C AH KH AS');
  const one = view({ phase: 'NAPOLEON_PHASE_NAMING', napoleon: 0, hand: own, buried: names('2D 3H') });
  const named = ['AS', 'JC', '3S', 'JS', '2D'].map((text) => ({ name: { card: `NAPOLEON_CARD_${text}` } }));
  assert.equal(choose(asked(one, named)), 3);
});

test('the last player takes the honours of the other side', () => {
  const late = { napoleon: 1, leader: 1, named: 'NAPOLEON_CARD_AS', adjutant: 0, honours: [6, 6, 2, 1, 0] } as const;
  const played = 'AS 2S 3S 4S 5S AH 2H 3H 4H 5H AD 2D 3D 4D 5D 6C 7C 8C 9C 6S 6D 7D 8D 9D 7S 6H 7H 8H 9H 8S '
    + 'QS TS 9S KS 4C 5C 3C TC JC 2C';
  const winners = [0, 0, 0, 0, 0, 0, 1, 1];
  const rest = { tricks: names(played), winners, hand: names('KC TH'), honours: [...late.honours] };
  const moves = ['KC', 'TH'].map((text) => ({ play: { card: `NAPOLEON_CARD_${text}` } }));
  // Led: diamonds, which seat 0 does not have; clubs are trump, and an enemy holds the trick.
  const enemy = view({ ...late, ...rest, trick: names('TD JD QD KD') });
  assert.equal(choose(asked(enemy, moves)), 0);
});
