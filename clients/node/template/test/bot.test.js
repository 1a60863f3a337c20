/** Run it with: npm test */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MyBot } from '../bot.js';
import { Decision } from '../fudaba/index.js';

const named = (...cards) => cards.map((card) => `NAGA_CARD_${card}`);
const NOTHING = 'NAGA_CARD_UNSPECIFIED';

/** A decision at Kuto, where trump is dark and F3 lies, with one move for each choice of cards. */
function decision(match, ...choices) {
  const table = [...named('F3'), ...Array(8).fill(NOTHING)];
  const message = {
    decision_id: '1', required: true, time_ms: 1000, legal_count: choices.length,
    view: { naga: { place: 'NAGA_PLACE_KUTO', table } },
    legal_moves: choices.map((cards) => ({ naga: { commit: { cards: named(...cards) } } })),
  };
  return new Decision(match, message, [], () => 0);
}

test('it takes the better hand', () => {
  const match = { id: 'm', game: 'naga', seat: 0 };
  const choose = (...choices) => {
    const asked = decision(match, ...choices);
    return asked.indexOf(new MyBot(match).choose(asked));
  };
  assert.equal(choose(['D1', 'L3', 'W5'], ['F1', 'F5', 'F7']), 1, 'a flush beats a pair');
  assert.equal(choose(['L3', 'A3', 'W5'], ['MI', 'MC', 'E3']), 1, 'two moons make four of a kind');
  assert.equal(choose(['D7', 'L1', 'W5'], ['E7', 'A1', 'W5']), 0, 'trump counts more');
});

test('it has a legal move in every other game', () => {
  const match = { id: 'm', game: 'namto', seat: 1 };
  const message = { decision_id: '1', required: true, time_ms: 1000, legal_count: 3, view: {}, legal_moves: [] };
  const asked = new Decision(match, message, [], () => 0);
  for (let n = 0; n < 100; n += 1) assert.ok(asked.indexOf(new MyBot(match).choose(asked)) < 3);
});
