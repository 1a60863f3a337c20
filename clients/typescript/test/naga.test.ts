import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NagaCard__Output as NagaCard } from '../src/gen/fudaba/v1/NagaCard.js';
import type { NagaView__Output as NagaView } from '../src/gen/fudaba/v1/NagaView.js';
import { cardOf, tableOf } from '../src/naga/cards.js';
import { handValue } from '../src/naga/hands.js';
import { choose, positionOf } from '../src/naga/strategy.js';
import { decision } from './messages.js';

const value = (cards: string, place = 1): number => handValue(cards.split(' ').map(cardOf), place);
const names = (cards: string): NagaCard[] => cards.split(' ').map((card) => `NAGA_CARD_${card}` as NagaCard);

/** The examples of the rule page, at place 1. */
for (const [left, right, winner] of [
  ['F2 A2 D2 L7', 'A6 T6 E6 L7', 1], ['F4 T4 E3 L3', 'F4 L4 W3 T3', -1], ['W5 A5 F1 L1', 'T5 A5 W1 A1', 1],
  ['F7 T7 T5 D4', 'T7 E7 L4 L2', 0], ['MI D6 D3 D2', 'D7 D6 D5 D1', 1], ['W7 E6 D4 L2', 'W7 A5 T2 E1', 1],
] as const) {
  test(`${left} against ${right} is as on the rule page`, () => {
    assert.equal(Math.sign(value(left) - value(right)), winner);
  });
}

test('the categories stand in the order of the rule page', () => {
  const four = [
    'D4 L4 F4 W4', 'E1 E3 E5 E7', 'D2 L3 F4 W5', 'D4 L4 F4 W1', 'D4 L4 F2 W2', 'D4 L4 F2 W1', 'D7 L4 F2 W1',
  ];
  const five = [
    'D4 L4 F4 W4 MI', 'E1 E2 E3 E4 E5', 'D4 L4 F4 W4 W1', 'D4 L4 F4 W1 D1', 'E1 E3 E5 E7 E2', 'D2 L3 F4 W5 A6',
    'D4 L4 F4 W1 D2', 'D4 L4 F2 W2 W7', 'D4 L4 F2 W1 W7', 'D7 L4 F2 W1 W6',
  ];
  for (const [hands, place] of [[four, 2], [five, 4]] as const) {
    const values = hands.map((hand) => value(hand, place));
    assert.deepEqual(values, values.slice().sort((a, b) => b - a));
    assert.equal(new Set(values).size, hands.length);
  }
});

test('moons stand for what is best: just above the real card, Corseltel above Ilbeck', () => {
  assert.ok(value('MI L4 F4 W4', 2) > value('D4 L4 F4 W4', 2));
  assert.ok(value('MC E3 W2 A7') > value('MI E3 W2 A7'));
  assert.ok(value('MI MC F1 F2', 2) > value('F7 F6 F1 F2', 2));
});

function view(more: Partial<NagaView>): NagaView {
  return {
    deal: 0, battle: 0, dealer: 0, place: 'NAGA_PLACE_UNSPECIFIED', to_designate: 1, table: [], hand: [], committed: [],
    won: [{ cards: [] }, { cards: [] }], discarded: [], stock: 32, scores: [0, 0], ...more,
  } as NagaView;
}

const TABLE = names('L1 F1 T1 A1 A2 A3 E1 D1 W1');

test('the table is read by places, gaps included', () => {
  const table = tableOf([...names('L1 UNSPECIFIED T1 A1 A2 A3'), ...names('E1 UNSPECIFIED W1')]);
  assert.deepEqual(table.map((cards) => cards.length), [0, 1, 0, 1, 3, 1, 0, 1]);
});

test('what was seen anywhere is not among the unseen cards', () => {
  const position = positionOf(view({
    table: TABLE, hand: names('D2 D3 D4 D5 D6'), discarded: names('MI'), won: [{ cards: names('MC') }, { cards: [] }],
  }));
  assert.equal(position.unseen.length, 51 - 9 - 5 - 2);
});

const commit = (cards: string) => ({ naga: { commit: { cards: names(cards) } } });

test('it commits the four of a kind, and keeps nothing of it back', () => {
  const asked = decision('0.0', {
    view: { naga: view({ table: TABLE, hand: names('D1 F2 W1 A4 T1'), place: 'NAGA_PLACE_KUTO' }), game: 'naga' },
    legal_moves: ['D1 F2 A4', 'F2 A4 T1', 'D1 W1 T1', 'F2 W1 A4'].map((cards) => commit(cards)) as never,
  });
  assert.equal(choose({ decision: asked, seat: 0, options: {}, hasTime: () => true }), 2);
  // Without time it still gives a legal move.
  assert.equal(choose({ decision: asked, seat: 0, options: {}, hasTime: () => false }), 0);
});

test('the same decision gets the same answer', () => {
  const places = ['KUTO', 'ONOTOA', 'AVORIA', 'SIRITAS', 'CHERES', 'EIL'];
  const asked = decision('0.0', {
    view: { naga: view({ table: TABLE, hand: names('D2 F2 W5 A4 T7') }), game: 'naga' },
    legal_moves: places.map((place) => ({ naga: { designate: { place: `NAGA_PLACE_${place}` } } })) as never,
  });
  const question = { decision: asked, seat: 1, options: {}, hasTime: () => true };
  assert.equal(choose(question), choose(question));
});
